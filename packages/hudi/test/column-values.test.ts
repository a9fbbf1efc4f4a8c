/** Types of columns, and conversion of values to the type of a column. */
import { type AvroType, type AvroValue, parseAvroSchema } from "@cfile/avro";
import type { DataType, InputCell } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { MemoryDirectory } from "@cfile/io";
import { openParquet } from "@cfile/parquet";
import { fieldsOf, type NestedVector } from "@cfile/parquet/nested";
import { exportParquet } from "@cfile/parquet/write";
import { describe, expect, test } from "vitest";
import { avroVector, nullVector } from "../src/rows/avro-vectors.js";
import { columnOf } from "../src/rows/column-type.js";
import { requireFileTypes } from "../src/rows/file-types.js";
import { fittingVector } from "../src/rows/fitting-vector.js";
import { flatColumns, flatRows } from "../src/rows/flat-rows.js";
import { jsonValues } from "../src/rows/json-value.js";
import { partitionTexts, partitionValue } from "../src/rows/partition-values.js";
import { isNewer, mergeRule } from "../src/rows/row-merge.js";
import type { HudiBatch } from "../src/rows/slice-rows.js";
import { parseTableProperties } from "../src/table/table-properties.js";

const typeOf = (schema: unknown): AvroType => parseAvroSchema(JSON.stringify(schema));
const logical = (type: string, logicalType: string): AvroType => typeOf({ type, logicalType });
const decimal = (precision: number, scale: number): AvroType =>
  typeOf({ type: "bytes", logicalType: "decimal", precision, scale });
const record = (...fields: readonly (readonly [name: string, type: unknown])[]): AvroType =>
  typeOf({ type: "record", name: "r", fields: fields.map(([name, type]) => ({ name, type })) });
const LIST_SCHEMA = { type: "array", items: "int" };
const LIST = typeOf(LIST_SCHEMA);
const MAP = typeOf({ type: "map", values: "int" });
const [INT, LONG, DOUBLE, STRING, BYTES] = ["int", "long", "double", "string", "bytes"].map(typeOf) as [
  ...[AvroType, AvroType, AvroType, AvroType, AvroType],
];

function vectorOf(type: DataType, cells: readonly InputCell[]): NestedVector {
  const batch = batchFromValues({ type, nullable: true }, cells);
  if (batch.kind === "array") {
    throw new Error("expected single values");
  }
  return batch;
}

const corruptAt = (field: string): object => expect.objectContaining({ code: "E_CORRUPT", field });
const unsupported: object = expect.objectContaining({ code: "E_UNSUPPORTED", field: "schema" });

describe("the type of a column", () => {
  test.each<[AvroType, string, string | undefined]>([
    [typeOf("boolean"), "boolean", "BOOL"],
    [logical("int", "date"), "date", "DATE"],
    [logical("long", "timestamp-millis"), "timestamp", "UNIXTIME_MICROS"],
    [logical("long", "timestamp-micros"), "timestamp", "UNIXTIME_MICROS"],
    [logical("long", "local-timestamp-millis"), "timestamp_ntz", "UNIXTIME_MICROS"],
    [logical("long", "local-timestamp-micros"), "timestamp_ntz", "UNIXTIME_MICROS"],
    [decimal(9, 2), "decimal(9,2)", "DECIMAL32"],
    [decimal(10, 2), "decimal(10,2)", "DECIMAL64"],
    [decimal(38, 38), "decimal(38,38)", "DECIMAL128"],
    [LIST, "array<int>", undefined],
    [MAP, "map<string,int>", undefined],
    [record(["a", "bytes"]), "struct<a:binary>", undefined],
  ])("%j is %s", (avro, type, scalar) => {
    const column = columnOf("c", avro);
    expect([column.type, column.scalar?.type]).toEqual([type, scalar]);
  });

  test.each([
    [decimal(39, 0)],
    [{ kind: "bytes", logical: "decimal", precision: 2, scale: 3 } as AvroType],
    [{ kind: "bytes", logical: "decimal" } as AvroType],
    [{ kind: "bytes", logical: "decimal", precision: 2, scale: -1 } as AvroType],
    [typeOf(["int", "string"])],
    [typeOf("null")],
  ])("%j is not supported", (avro) => {
    expect(() => columnOf("c", avro)).toThrow(unsupported);
  });

  test("is not supported when it contains itself", () => {
    expect(() => columnOf("c", record(["next", ["null", "r"]]))).toThrow(unsupported);
  });
});

describe("values of log records", () => {
  test.each<[AvroType, AvroType, AvroValue[], unknown[]]>([
    [STRING, INT, [1, null, 2n], ["1", null, "2"]],
    [logical("long", "timestamp-millis"), LONG, [5n, 7, null], [5000, 7000, null]],
    [decimal(5, 2), BYTES, [Uint8Array.of(0xff, 0x85), null], ["-1.23", null]],
    [decimal(5, 0), BYTES, [Uint8Array.of(7)], ["7"]],
    [decimal(5, 2), decimal(4, 1), [Uint8Array.of(15)], ["1.50"]],
    [decimal(5, 2), INT, [7, 8n, null], ["7.00", "8.00", null]],
    [record(["a", ["null", "int"]]), record(["b", "int"]), [[5], null], [[null], null]],
    [MAP, MAP, [new Map([["k", 1]]), null], [{ k: 1 }, null]],
  ])("for a column of %j, written as %j", (type, written, values, expected) => {
    expect(jsonValues(type, avroVector(type, written, values))).toEqual(expected);
  });

  test.each<[AvroType, AvroType, AvroValue, string]>([
    [LIST, MAP, null, "schema"],
    [MAP, LIST, null, "schema"],
    [record(["a", "int"]), INT, 1, "schema"],
    [INT, LIST, [1], "record"],
    [INT, STRING, "x", "record"],
    [decimal(5, 2), DOUBLE, 1.5, "record"],
    [decimal(5, 2), decimal(6, 3), Uint8Array.of(15), "record"],
  ])("for a column of %j, written as %j, do not fit", (type, written, value, field) => {
    expect(() => avroVector(type, written, [value])).toThrow(corruptAt(field));
  });
});

describe("columns of base files", () => {
  test.each<[AvroType, NestedVector, unknown[]]>([
    [LONG, vectorOf("INT32", [1, null]), [1, null]],
    [DOUBLE, vectorOf("INT64", [3n, null]), [3, null]],
    [DOUBLE, vectorOf("FLOAT", [0.5]), [0.5]],
    [BYTES, vectorOf("STRING", ["az"]), ["617a"]],
    [STRING, vectorOf("BINARY", [Uint8Array.of(0x61)]), ["a"]],
    [decimal(12, 2), vectorOf("DECIMAL32", [123]), ["1.23"]],
    [decimal(12, 2), vectorOf("INT32", [123, null]), ["123.00", null]],
    [
      record(["a", ["null", "int"]], ["b", "long"]),
      avroVector(record(["b", "int"]), record(["b", "int"]), [[5], null]),
      [[null, 5], null],
    ],
    [typeOf({ type: "map", values: "long" }), avroVector(MAP, MAP, [new Map([["k", 1]])]), [{ k: 1 }]],
  ])("become %j", (type, vector, expected) => {
    expect(jsonValues(type, fittingVector(type, vector))).toEqual(expected);
  });

  test.each<[string, AvroType, NestedVector]>([
    ["a list for a number", INT, nullVector(LIST, 1)],
    ["a struct for a map", MAP, nullVector(record(["a", "int"]), 1)],
    ["a map for a list", LIST, nullVector(MAP, 1)],
    ["a number for a struct", record(["a", "int"]), vectorOf("INT32", [1])],
    ["text for a number", INT, vectorOf("STRING", ["1"])],
    ["a number for text", STRING, vectorOf("INT32", [1])],
    ["a number that is too large", INT, vectorOf("INT64", [2n ** 40n])],
    ["an integer that is too large for the decimals", decimal(9, 2), vectorOf("INT32", [2 ** 30])],
    ["a floating number for a decimal", decimal(9, 2), vectorOf("DOUBLE", [2])],
  ])("with %s are refused", (_, type, vector) => {
    expect(() => fittingVector(type, vector)).toThrow(corruptAt("schema"));
  });

  test.each<[AvroType, NestedVector]>([
    [INT, nullVector(LIST, 1)],
    [INT, nullVector(MAP, 1)],
    [INT, nullVector(record(["a", "int"]), 1)],
    [LIST, vectorOf("INT32", [1])],
    [record(["a", "int"], ["b", "int"]), nullVector(record(["a", "int"]), 1)],
    [INT, batchFromValues({ type: "INT32", array: true, nullable: true }, [[1]]) as unknown as NestedVector],
  ])("of type %j with other values have no JSON", (type, vector) => {
    expect(() => jsonValues(type, vector)).toThrow(corruptAt("schema"));
  });
});

/** Two batches of the same rows. */
async function* rows(columns: readonly NestedVector[]): AsyncGenerator<HudiBatch> {
  const names = columns.map((_, i) => `c${i}`);
  const batch = { length: columns[0]?.length ?? 0, firstRow: 0, positions: undefined, names, columns };
  yield batch;
  yield batch;
}

describe("rows without nesting", () => {
  test("have single values and lists of them", async () => {
    const columns = [
      columnOf("id", INT),
      columnOf("price", decimal(5, 2)),
      columnOf("list", LIST),
      columnOf("map", MAP),
      columnOf("lists", typeOf({ type: "array", items: LIST_SCHEMA })),
    ];
    expect(flatColumns(columns)).toEqual([
      { name: "id", type: "INT32", nullable: true, array: false },
      { name: "price", type: "DECIMAL32", nullable: true, array: false, precision: 5, scale: 2 },
      { name: "list", type: "INT32", nullable: true, array: true },
    ]);
    const batches = [];
    for await (const batch of flatRows(
      rows([avroVector(INT, INT, [1, 2]), avroVector(LIST, LIST, [[3], null])]),
    )) {
      batches.push(batch);
    }
    expect(batches.map(({ firstRow, length }) => [firstRow, length])).toEqual([
      [0, 2],
      [2, 2],
    ]);
    expect(batches[1]?.columns.map((column) => column.toArray())).toEqual([
      [1, 2],
      [[3], null],
    ]);
  });

  test.each([
    ["struct", nullVector(record(["a", "int"]), 1)],
    ["map", nullVector(MAP, 1)],
    ["list", nullVector(typeOf({ type: "array", items: LIST_SCHEMA }), 1)],
    ["list", nullVector(typeOf({ type: "array", items: { type: "map", values: "int" } }), 1)],
    ["list", nullVector(typeOf({ type: "array", items: { type: "record", name: "s", fields: [] } }), 1)],
  ])("have no %s", async (kind, vector) => {
    await expect(flatRows(rows([vector])).next()).rejects.toThrow(`a ${kind} in a column without nesting`);
  });
});

const PROPERTIES = "hoodie.table.version=6\nhoodie.timeline.layout.version=1\n";
const propertiesOf = (text: string): ReturnType<typeof parseTableProperties> =>
  parseTableProperties(new TextEncoder().encode(PROPERTIES + text));

describe("a partition path", () => {
  const HIVE = "hoodie.datasource.write.hive_style_partitioning=true\n";
  const ENCODED = "hoodie.datasource.write.partitionpath.urlencode=true\n";
  test.each<[string, string, boolean, unknown]>([
    ["hoodie.table.partition.fields=a", "x/y", true, { a: "x/y" }],
    ["hoodie.table.partition.fields=a,b", "x/y", true, { a: "x", b: "y" }],
    [`${HIVE}hoodie.table.partition.fields=a,b`, "a=x/y", true, { a: "x", b: "y" }],
    ["hoodie.table.partition.fields=a", "__HIVE_DEFAULT_PARTITION__", true, { a: null }],
    [`${ENCODED}hoodie.table.partition.fields=a`, "x%2Fy%", true, { a: "x/y%" }],
    [`${ENCODED}hoodie.table.partition.fields=a`, "x%2Fy", false, { a: "x%2Fy" }],
    ["", "x", true, {}],
  ])("with %j: %j (decoded: %j)", (text, path, decoded, expected) => {
    expect(Object.fromEntries(partitionTexts(path, propertiesOf(text), decoded))).toEqual(expected);
  });

  test("with another number of levels than columns is refused", () => {
    const properties = propertiesOf("hoodie.table.partition.fields=a,b");
    expect(() => partitionTexts("x", properties)).toThrow(corruptAt("partition"));
  });

  test.each<[string | null, AvroType, AvroValue]>([
    [null, INT, null],
    ["-12", INT, -12n],
    ["12", LONG, 12n],
    ["1970-01-03", logical("int", "date"), 2],
    ["1969-12-31", logical("int", "date"), -1],
    ["7", logical("int", "date"), 7n],
    ["12", STRING, "12"],
    ["true", typeOf("boolean"), true],
    ["false", typeOf("boolean"), false],
  ])("has %j as a value of type %j", (text, type, expected) => {
    expect(partitionValue(text, type)).toBe(expected);
  });

  test.each<[string, AvroType]>([
    ["x", INT],
    ["1.5", LONG],
    ["TRUE", typeOf("boolean")],
    ["1", DOUBLE],
    ["x", logical("int", "date")],
    ["2026-02-30", logical("int", "date")],
    ["1/5/2026", logical("int", "date")],
    ["2026-1-5", logical("int", "date")],
  ])("with %j does not fit type %j", (text, type) => {
    expect(() => partitionValue(text, type)).toThrow(corruptAt("partition"));
  });
});

describe("the rule of merging", () => {
  const PAYLOAD = "hoodie.compaction.payload.class=org.apache.hudi.common.model.";
  const ORDERED = "hoodie.table.precombine.field=ts\n";
  test.each([
    ["", "later", "later"],
    [ORDERED, "later", "later"],
    [`${PAYLOAD}DefaultHoodieRecordPayload`, "later", "later"],
    [`${ORDERED}${PAYLOAD}DefaultHoodieRecordPayload`, "ordering", "ordering"],
    [`${ORDERED}${PAYLOAD}OverwriteWithLatestAvroPayload`, "ordering", "later"],
    ["hoodie.record.merge.mode=EVENT_TIME_ORDERING", "later", "later"],
    [`${ORDERED}hoodie.record.merge.mode=EVENT_TIME_ORDERING`, "ordering", "ordering"],
    [`${ORDERED}hoodie.record.merge.mode=COMMIT_TIME_ORDERING`, "later", "later"],
  ])("of %j: %s in logs, %s over the base file", (text, inLogs, overBase) => {
    expect(mergeRule(propertiesOf(text))).toEqual({ inLogs, overBase, orderedDeletes: false });
  });

  test.each([
    [`${PAYLOAD}Own`, "Own"],
    ["hoodie.record.merge.mode=CUSTOM", "CUSTOM"],
    ["hoodie.record.merge.mode=OTHER", "OTHER"],
    [`${PAYLOAD}DefaultHoodieRecordPayload\nhoodie.record.merge.mode=OTHER`, "OTHER"],
  ])("of %j is not known", (text, name) => {
    const code = "E_UNSUPPORTED";
    expect(() => mergeRule(propertiesOf(text))).toThrow(expect.objectContaining({ code }) as Error);
    expect(() => mergeRule(propertiesOf(text))).toThrow(name);
  });

  test.each<[AvroValue | undefined, AvroValue | undefined, boolean]>([
    [1, 1, true],
    [2, 1, false],
    [2, undefined, true],
    [2, null, true],
    [undefined, 1, true],
    [null, 1, true],
  ])("replaces %j by %j: %j", (older, newer, expected) => {
    expect(isNewer(older, newer)).toBe(expected);
  });
});

describe("decimals of files", () => {
  test.each([
    [false, 2, decimal(12, 2), true],
    [false, 2, decimal(12, 3), false],
    [
      true,
      2,
      typeOf({ type: "array", items: { type: "bytes", logicalType: "decimal", precision: 12, scale: 2 } }),
      true,
    ],
    [
      true,
      2,
      typeOf({ type: "array", items: { type: "bytes", logicalType: "decimal", precision: 12, scale: 3 } }),
      false,
    ],
    [false, 2, INT, false],
  ])("in lists: %s, with scale %i are those of the column %j: %s", async (array, scale, type, isSame) => {
    const column = { name: "price", type: "DECIMAL64", precision: 10, scale, nullable: true, array } as const;
    async function* rows() {
      const columns = [batchFromValues(column, [array ? [123n] : 123n])];
      yield { names: ["price"], columns, firstRow: 0, length: 1 };
    }
    const data = new MemoryDirectory("data");
    await exportParquet(await data.createSink("a.parquet"), { columns: [column], rows: rows() });
    await using file = await openParquet(await data.openSource("a.parquet"));
    const columns = [columnOf("other", INT), columnOf("price", type)];
    const check = () => requireFileTypes(fieldsOf(file), columns, "a.parquet");
    if (isSame) {
      expect(check).not.toThrow();
    } else {
      expect(check).toThrow(
        expect.objectContaining({ code: "E_UNSUPPORTED", field: expect.any(String), path: "a.parquet" }),
      );
    }
  });
});
