/** Ordering values of fields in structs. */
import { type AvroType, parseAvroSchema } from "@cfile/avro";
import { describe, expect, test } from "vitest";
import { columnOf } from "../src/rows/column-type.js";
import { avroOrdering, orderingFields } from "../src/rows/ordering-values.js";
import { parseTableProperties } from "../src/table/table-properties.js";

const typeOf = (schema: unknown): AvroType => parseAvroSchema(JSON.stringify(schema));
const STRUCT = typeOf(["null", { type: "record", name: "r", fields: [{ name: "n", type: "long" }] }]);
const COLUMNS = [columnOf("s", STRUCT), columnOf("k", typeOf("long"))];

function tableOrderedBy(field: string, version = 9) {
  const lines = [
    "hoodie.table.name=t",
    "hoodie.table.type=MERGE_ON_READ",
    `hoodie.table.version=${version}`,
    `hoodie.timeline.layout.version=${version < 8 ? 1 : 2}`,
    "hoodie.record.merge.mode=EVENT_TIME_ORDERING",
    `${version < 8 ? "hoodie.table.precombine.field" : "hoodie.table.ordering.fields"}=${field}`,
  ];
  return parseTableProperties(new TextEncoder().encode(`${lines.join("\n")}\n`));
}

describe("an ordering field", () => {
  test("in a struct has the values of the field, and null in structs that are null", () => {
    const fields = orderingFields(tableOrderedBy("s.n"), COLUMNS);
    const written = { type: STRUCT, values: [[5n], null, [7n]] };
    const ordering = avroOrdering(fields, () => written);
    expect([0, 1, 2].map((row) => ordering(row))).toEqual([5n, null, 7n]);
  });

  test.each(["k.n", "s.other", "s", "absent", "absent.n"])("%s is refused", (field) => {
    expect(() => orderingFields(tableOrderedBy(field), COLUMNS)).toThrow(
      expect.objectContaining({ code: "E_UNSUPPORTED", field }),
    );
  });

  test("in a struct is refused in tables of version 6", () => {
    expect(() => orderingFields(tableOrderedBy("s.n", 6), COLUMNS)).toThrow(
      expect.objectContaining({ code: "E_UNSUPPORTED", field: "s.n" }),
    );
  });
});
