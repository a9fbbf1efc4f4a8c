/** Milliseconds that a file labels as microseconds. */
import { type AvroType, parseAvroSchema } from "@cfile/avro";
import { batchFromValues } from "@cfile/encodings/batches";
import {
  ListVector,
  MapVector,
  type NestedVector,
  type ParquetField,
  StructVector,
} from "@cfile/parquet/nested";
import { expect, test } from "vitest";
import { columnOf } from "../src/rows/column-type.js";
import { unitRepair } from "../src/rows/renamed-units.js";
import { blockOf, logOf } from "./made-logs.js";
import { madeTable, parquetOf, rowsIn, T2 } from "./made-table.js";

const MILLIS = { type: "long", logicalType: "timestamp-millis" };
const typeOf = (schema: unknown): AvroType => parseAvroSchema(JSON.stringify(schema));
const recordOf = (...fields: readonly (readonly [string, unknown])[]) => ({
  ...{ type: "record", name: "r" },
  fields: fields.map(([name, type]) => ({ name, type: ["null", type] })),
});
const field = (name: string, kind: string, more: object = {}): ParquetField =>
  ({ name, kind, parquetType: "group", ...more }) as unknown as ParquetField;
const leaf = (name: string, parquetType = "TIMESTAMP(MICROS, UTC)") => field(name, "leaf", { parquetType });
const times = (...values: readonly (bigint | null)[]) =>
  batchFromValues({ type: "UNIXTIME_MICROS", nullable: true }, values) as NestedVector;
const texts = (...values: readonly string[]) =>
  batchFromValues({ type: "STRING", nullable: true }, values) as NestedVector;
const slots = (length: number) => ({ length, validity: undefined, nullCount: 0 });

/** The values of a column of this type, from a file with this field. */
const read = (type: unknown, own: ParquetField, vector: NestedVector) =>
  unitRepair([own, leaf("unknown")], [columnOf("c", typeOf(type))])(["c", "other"], [vector, times(1n)]).map(
    (each) => each.toArray(),
  );

test("are multiplied in columns, structs, lists and maps; null stays", () => {
  expect(read(MILLIS, leaf("c"), times(7n, null))).toEqual([[7000n, null], [1n]]);
  const struct = new StructVector(
    slots(2),
    ["at", "dropped", "name"],
    [times(7n, null), times(1n, 2n), texts("x", "y")],
  );
  const fields = [leaf("at"), leaf("dropped"), leaf("name", "STRING")];
  expect(
    read(recordOf(["at", MILLIS], ["name", "string"]), field("c", "struct", { fields }), struct)[0],
  ).toEqual([
    { at: 7000n, dropped: 1n, name: "x" },
    { at: null, dropped: 2n, name: "y" },
  ]);
  const list = new ListVector(slots(2), Int32Array.of(0, 2, 2), times(7n, 8n));
  const element = leaf("element");
  expect(read({ type: "array", items: MILLIS }, field("c", "list", { element }), list)[0]).toEqual([
    [7000n, 8000n],
    [],
  ]);
  const map = new MapVector(slots(1), Int32Array.of(0, 1), texts("k"), times(7n));
  const value = leaf("value");
  expect(read({ type: "map", values: MILLIS }, field("c", "map", { value }), map)[0]).toEqual([
    new Map([["k", 7000n]]),
  ]);
});

test.each<[string, unknown, ParquetField]>([
  ["milliseconds", MILLIS, leaf("c", "TIMESTAMP(MILLIS, UTC)")],
  ["INT96", MILLIS, leaf("c", "INT96")],
  ["microseconds in a column of those", { type: "long", logicalType: "timestamp-micros" }, leaf("c")],
  ["a field of another kind", MILLIS, field("c", "list", { element: leaf("element") })],
  ["a struct", recordOf(["at", "long"]), field("c", "struct", { fields: [leaf("at")] })],
  ["a list", { type: "array", items: "long" }, field("c", "list", { element: leaf("element") })],
  ["a map", { type: "map", values: "long" }, field("c", "map", { value: leaf("value") })],
])("are not %s", (_, type, own) => {
  const vector = times(7n, null);
  expect(unitRepair([own], [columnOf("c", typeOf(type))])(["c"], [vector])).toEqual([vector]);
});

test("that no timestamp has are corrupt", () => {
  expect(() => read(MILLIS, leaf("c"), times(2n ** 62n))).toThrow(
    expect.objectContaining({ code: "E_CORRUPT", field: "schema" }),
  );
});

test("order versions of rows in base files and in logs", async () => {
  const KEY = "_hoodie_record_key";
  const file = (...values: readonly bigint[]) =>
    parquetOf([
      { name: KEY, type: "STRING", values: ["a", "b"] },
      { name: "t", type: "UNIXTIME_MICROS", values },
    ]);
  const schema = recordOf([KEY, "string"], ["t", MILLIS]);
  const properties = "hoodie.record.merge.mode=EVENT_TIME_ORDERING\nhoodie.table.precombine.field=t\n";
  const read = async (log: Uint8Array) => {
    const table = await madeTable({ schema, properties, base: await file(8n, 8n), log });
    return rowsIn(table, { columns: [KEY, "t"] });
  };
  const rows = [
    ["a", 9000],
    ["b", 8000],
  ];
  expect(await read(blockOf(5, new Map([[0, T2]]), await file(9n, 7n)))).toEqual(rows);
  const named = { type: "long", logicalType: "timestamp-micros" };
  for (const time of [MILLIS, named]) {
    const log = logOf(
      recordOf([KEY, "string"], ["t", time]),
      [
        ["a", 9],
        ["b", 7],
      ],
      T2,
    );
    expect(await read(log)).toEqual(rows);
  }
});
