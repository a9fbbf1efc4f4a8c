/** Values of files whose types differ from the table's: they keep their meaning, or are rejected. */
import { type AvroType, type AvroValue, parseAvroSchema } from "@cfile/avro";
import { batchFromValues } from "@cfile/encodings/batches";
import type { NestedVector, ParquetField } from "@cfile/parquet/nested";
import { describe, expect, test } from "vitest";
import { avroVector } from "../src/rows/avro-vectors.js";
import { columnOf } from "../src/rows/column-type.js";
import { requireFileTypes } from "../src/rows/file-types.js";
import { fittingVector } from "../src/rows/fitting-vector.js";
import { jsonValues } from "../src/rows/json-value.js";

const typeOf = (schema: unknown): AvroType => parseAvroSchema(JSON.stringify(schema));
const unsupported = (field: string): object => expect.objectContaining({ code: "E_UNSUPPORTED", field });
const corrupt = (field: string): object => expect.objectContaining({ code: "E_CORRUPT", field });

/** Types by short names. */
const TYPES: Readonly<Record<string, AvroType>> = {
  ...Object.fromEntries(
    ["boolean", "int", "long", "float", "double", "bytes", "string"].map((name) => [name, typeOf(name)]),
  ),
  ...Object.fromEntries(
    [
      ["int", "date"],
      ["int", "time-millis"],
      ["long", "time-micros"],
      ["long", "timestamp-millis"],
      ["long", "timestamp-micros"],
      ["long", "timestamp-nanos"],
      ["long", "local-timestamp-millis"],
      ["long", "local-timestamp-micros"],
      ["long", "date"],
      ["bytes", "duration"],
    ].map(([type, logicalType]) => [
      type === "long" && logicalType === "date" ? "long date" : logicalType,
      typeOf({ type, logicalType }),
    ]),
  ),
  "decimal(5,2)": typeOf({ type: "bytes", logicalType: "decimal", precision: 5, scale: 2 }),
  "decimal(4,1)": typeOf({ type: "bytes", logicalType: "decimal", precision: 4, scale: 1 }),
  "decimal()": typeOf({ type: "bytes", logicalType: "decimal" }),
  "decimal of no precision": { kind: "bytes", logical: "decimal" },
  "fixed(3)": typeOf({ type: "fixed", name: "f", size: 3 }),
  "fixed(4)": typeOf({ type: "fixed", name: "f", size: 4 }),
  "fixed decimal": typeOf({
    ...{ type: "fixed", name: "f", size: 3 },
    ...{ logicalType: "decimal", precision: 5, scale: 2 },
  }),
};
const named = (name: string): AvroType => {
  const type = TYPES[name];
  if (type === undefined) {
    throw new Error(`no type ${name}`);
  }
  return type;
};
const NUMBER = Uint8Array.of(0, 0, 123);

describe("a value of a log", () => {
  // Hudi 0.15 and 1.2 read these values in the same way, unless a comment says otherwise.
  test.each<[written: string, value: AvroValue, column: string, expected: unknown]>([
    ["bytes", NUMBER, "decimal(5,2)", "1.23"],
    ["fixed(3)", NUMBER, "decimal(5,2)", "1.23"],
    ["bytes", NUMBER, "fixed decimal", "1.23"],
    ["fixed(3)", NUMBER, "fixed decimal", "1.23"],
    // Hudi takes the scale from the table.
    ["decimal(4,1)", NUMBER, "decimal(5,2)", "12.30"],
    ["int", 7, "date", "1970-01-08"],
    ["int", 7, "timestamp-micros", 7],
    ["int", 7, "timestamp-millis", 7000],
    ["long", 7, "timestamp-micros", 7],
    ["long", 7, "timestamp-millis", 7000],
    ["long", 2 ** 53, "timestamp-millis", "9007199254740992000"],
    ["long date", 7, "timestamp-micros", 7],
    ["long", 7, "local-timestamp-micros", 7],
    ["long", 7, "local-timestamp-millis", 7000],
    ["timestamp-micros", 7, "timestamp-micros", 7],
    ["timestamp-millis", 7, "timestamp-millis", 7000],
    // As in Hudi 1.2; 0.15 reads milliseconds as microseconds.
    ["timestamp-millis", 7, "timestamp-micros", 7000],
    ["local-timestamp-millis", 7, "local-timestamp-micros", 7000],
    // As in Hudi 1.2, because earlier versions labeled milliseconds as microseconds.
    ["timestamp-micros", 7, "timestamp-millis", 7000],
    ["timestamp-micros", 7, "long", 7],
    ["local-timestamp-millis", 7, "long", 7],
    ["date", 7, "int", 7],
    ["time-micros", 7, "time-micros", 7],
    ["long", 7, "time-micros", 7],
    ["date", 7, "string", "1970-01-08"],
    ["long", 7, "string", "7"],
    ["int", 7, "double", 7],
    ["float", 0.5, "double", 0.5],
    ["string", "az", "bytes", "617a"],
    ["bytes", Uint8Array.of(0x61), "string", "a"],
  ])("written as %s %j is in a column of %s: %j", (written, value, column, expected) => {
    const type = named(column);
    expect(jsonValues(type, avroVector(type, named(written), [value, null]))).toEqual([expected, null]);
  });

  test.each<[written: string, value: AvroValue, column: string]>([
    // Hudi 1.2 reads them as microseconds, and as milliseconds when it rewrites a file.
    ["local-timestamp-micros", 7, "local-timestamp-millis"],
    ["timestamp-nanos", 7, "timestamp-micros"],
    ["timestamp-micros", 7, "local-timestamp-micros"],
    ["local-timestamp-micros", 7, "timestamp-micros"],
    ["local-timestamp-millis", 7, "timestamp-micros"],
    ["date", 7, "timestamp-micros"],
    ["time-millis", 7, "timestamp-millis"],
    ["time-micros", 7, "timestamp-micros"],
    ["time-millis", 7, "time-micros"],
    ["time-millis", 7, "date"],
    ["long", 7, "date"],
    ["timestamp-micros", 7, "date"],
    ["timestamp-micros", 7, "int"],
    ["date", 7, "double"],
    ["date", 7, "decimal(5,2)"],
    ["timestamp-millis", 7, "decimal(5,2)"],
    ["double", 7, "timestamp-micros"],
    ["double", 7, "date"],
    ["double", 7, "long"],
    ["double", 0.1, "float"],
    ["double", 7, "string"],
    ["decimal(5,2)", NUMBER, "string"],
    ["fixed(3)", NUMBER, "string"],
    ["fixed(4)", Uint8Array.of(0, 0, 0, 123), "fixed decimal"],
    ["duration", NUMBER, "decimal(5,2)"],
    ["decimal()", NUMBER, "decimal(5,2)"],
    ["decimal of no precision", NUMBER, "decimal(5,2)"],
  ])("written as %s %j has no value in a column of %s", (written, value, column) => {
    expect(() => avroVector(named(column), named(written), [value])).toThrow(unsupported("schema"));
    expect(avroVector(named(column), named(written), [null]).nullCount).toBe(1);
  });

  test("that is a date beyond all calendars has no text", () => {
    const error = expect.objectContaining({ code: "E_UNSUPPORTED", field: "date" });
    for (const days of [100_000_001, -100_000_001]) {
      const dates = avroVector(named("date"), named("int"), [days]);
      expect(() => jsonValues(named("date"), dates)).toThrow(error);
      expect(() => avroVector(named("string"), named("date"), [days])).toThrow(error);
    }
    const last = avroVector(named("date"), named("int"), [100_000_000]);
    expect(jsonValues(named("date"), last)).toEqual(["+275760-09-13"]);
  });

  test.each<[written: string, value: AvroValue, column: string]>([
    ["boolean", true, "int"],
    ["int", 1, "boolean"],
    ["boolean", true, "string"],
    ["string", "1970-01-08", "date"],
    ["string", "7", "timestamp-micros"],
    ["string", "1.23", "decimal(5,2)"],
    ["decimal(5,2)", NUMBER, "long"],
  ])("written as %s %j does not fit a column of %s", (written, value, column) => {
    expect(() => avroVector(named(column), named(written), [value])).toThrow(corrupt("record"));
  });
});

describe("a column of a Parquet file", () => {
  const leaf = (parquetType: string): ParquetField =>
    ({ name: "c", kind: "leaf", parquetType }) as unknown as ParquetField;
  const check = (column: string, parquetType: string) => () =>
    requireFileTypes([leaf(parquetType)], [columnOf("c", named(column))], "a.parquet");

  test.each<[parquetType: string, column: string]>([
    ["DATE", "date"],
    ["TIMESTAMP(MICROS, UTC)", "timestamp-micros"],
    ["TIMESTAMP_MICROS", "timestamp-micros"],
    ["TIMESTAMP(MILLIS, UTC)", "timestamp-millis"],
    ["TIMESTAMP_MILLIS", "timestamp-micros"],
    ["TIMESTAMP(MICROS, UTC)", "timestamp-millis"],
    ["TIMESTAMP_MICROS", "timestamp-millis"],
    ["TIMESTAMP(MICROS)", "local-timestamp-micros"],
    ["TIMESTAMP(MILLIS)", "local-timestamp-micros"],
    ["INT96", "timestamp-micros"],
    ["INT96", "timestamp-millis"],
    // Hudi before version 1.1 omits the types of local timestamps.
    ["INT64", "local-timestamp-micros"],
    ["INT64", "local-timestamp-millis"],
    ["TIME(MICROS, UTC)", "time-micros"],
    ["TIME_MILLIS", "time-millis"],
    ["INT32", "long"],
    ["INT64", "decimal(5,2)"],
    ["DECIMAL(5, 2)", "decimal(5,2)"],
    ["FLOAT", "double"],
    ["STRING", "bytes"],
    ["INT64", "float"],
    ["BOOLEAN", "boolean"],
    ["BYTE_ARRAY", "string"],
    ["ENUM", "string"],
    ["BYTE_ARRAY", "bytes"],
    ["FIXED_LEN_BYTE_ARRAY(3)", "fixed(3)"],
    ["INT(32)", "int"],
    ["UINT_8", "int"],
    // A type that has only nulls.
    ["NULL", "int"],
  ])("of type %s is read as %s", (parquetType, column) => {
    expect(check(column, parquetType)).not.toThrow();
  });

  test.each<[parquetType: string, column: string]>([
    ["INT32", "date"],
    ["INT64", "timestamp-micros"],
    ["INT64", "timestamp-millis"],
    ["INT32", "local-timestamp-micros"],
    ["DOUBLE", "timestamp-micros"],
    ["DOUBLE", "long"],
    ["FLOAT", "int"],
    ["DOUBLE", "float"],
    ["TIMESTAMP(MICROS)", "local-timestamp-millis"],
    ["TIMESTAMP(NANOS, UTC)", "timestamp-micros"],
    ["TIMESTAMP(MICROS)", "timestamp-micros"],
    ["TIMESTAMP(MICROS, UTC)", "local-timestamp-micros"],
    ["INT96", "local-timestamp-micros"],
    ["DATE", "timestamp-micros"],
    ["TIMESTAMP(MICROS, UTC)", "date"],
    ["TIMESTAMP(MICROS, UTC)", "long"],
    ["INT96", "long"],
    ["DATE", "int"],
    ["DATE", "double"],
    ["DATE", "decimal(5,2)"],
    ["TIME(MICROS, UTC)", "long"],
    ["TIME(MILLIS, UTC)", "time-micros"],
    ["INT64", "time-micros"],
    ["DECIMAL(4, 1)", "decimal(5,2)"],
    ...["boolean", "int", "long", "float", "double", "date", "timestamp-micros", "string", "bytes"].map(
      (column): [string, string] => ["DECIMAL(5, 2)", column],
    ),
    ["INT32", "string"],
    ["DOUBLE", "string"],
    ["DATE", "string"],
    ["BOOLEAN", "string"],
    ["INT64", "bytes"],
    ["STRING", "int"],
    ["STRING", "double"],
    ["STRING", "date"],
    ["BYTE_ARRAY", "decimal(5,2)"],
    ["DOUBLE", "decimal(5,2)"],
    ["BOOLEAN", "int"],
    ["BOOLEAN", "double"],
    ["BOOLEAN", "decimal(5,2)"],
    ["INT32", "boolean"],
  ])("of type %s is not read as %s", (parquetType, column) => {
    const details = { code: "E_UNSUPPORTED", path: "a.parquet", field: "c" };
    expect(check(column, parquetType)).toThrow(expect.objectContaining(details) as Error);
  });

  test("may be in structs, lists and maps", () => {
    const nested = (kind: string, more: object): ParquetField =>
      ({ name: "c", kind, parquetType: "group", ...more }) as unknown as ParquetField;
    const inner = leaf("TIMESTAMP(NANOS, UTC)");
    const struct = (...names: readonly string[]) =>
      typeOf({
        ...{ type: "record", name: "r" },
        fields: names.map((name) => ({ name, type: { type: "long", logicalType: "timestamp-micros" } })),
      });
    const time = { type: "long", logicalType: "timestamp-micros" };
    const refusedIn = (type: AvroType, field: ParquetField) => () =>
      requireFileTypes([field], [columnOf("c", type)], undefined);
    const error = unsupported("c");
    expect(refusedIn(struct("c"), nested("struct", { fields: [inner] }))).toThrow(error);
    expect(refusedIn(struct("other"), nested("struct", { fields: [inner] }))).not.toThrow();
    expect(refusedIn(typeOf({ type: "array", items: time }), nested("list", { element: inner }))).toThrow(
      error,
    );
    expect(refusedIn(typeOf({ type: "map", values: time }), nested("map", { value: inner }))).toThrow(error);
    // Fields of another kind are rejected when their vectors are converted.
    expect(refusedIn(named("timestamp-micros"), nested("map", { value: inner }))).not.toThrow();
    expect(refusedIn(struct("c"), inner)).not.toThrow();
  });

  test.each(["long", "double", "timestamp-micros"])("of decimals does not fit %s", (column) => {
    const file = batchFromValues({ type: "DECIMAL64", nullable: true }, [123n]);
    expect(() => fittingVector(named(column), file as NestedVector)).toThrow(corrupt("schema"));
  });

  test("without a type has local timestamps in the unit of the table", () => {
    const file = batchFromValues({ type: "INT64", nullable: true }, [7n, null, -1n]) as NestedVector;
    const values = (column: string) => jsonValues(named(column), fittingVector(named(column), file));
    expect(values("local-timestamp-millis")).toEqual([7000, null, -1000]);
    expect(values("local-timestamp-micros")).toEqual([7, null, -1]);
  });
});
