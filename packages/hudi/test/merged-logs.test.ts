/** Logs of made tables: which version of a row counts, and blocks that are rejected. */
import { type AvroValue, parseAvroSchema } from "@cfile/avro";
import { concatBytes } from "@cfile/bytes";
import { describe, expect, test } from "vitest";
import { verifyTable } from "../src/index.js";
import type { DeletedRecord } from "../src/log/delete-block.js";
import { compareValues } from "../src/log/wrapped-value.js";
import { columnOf } from "../src/rows/column-type.js";
import { deleteOrdering } from "../src/rows/ordering-values.js";
import { blockOf, deletesOf, logOf, type Wrapped } from "./made-logs.js";
import { type MadeColumn, madeTable, PENDING, parquetOf, rowsIn, T1, T2 } from "./made-table.js";

const KEY = "_hoodie_record_key";
const DELETED = "_hoodie_is_deleted";
const field = (name: string, type: unknown) => ({ name, type: ["null", type], default: null });
const schemaOf = (...fields: readonly (readonly [string, unknown])[]) => ({
  ...{ type: "record", name: "r" },
  fields: fields.map(([name, type]) => field(name, type)),
});
const keys = (...values: readonly string[]): MadeColumn => ({ name: KEY, type: "STRING", values });
const ORDERED = "hoodie.record.merge.mode=EVENT_TIME_ORDERING\nhoodie.table.precombine.field=ts\n";
const MICROS = { type: "long", logicalType: "timestamp-micros" };
const MILLIS = { type: "long", logicalType: "timestamp-millis" };
const decimal = (precision: number, scale: number) => ({
  ...{ type: "bytes", logicalType: "decimal" },
  ...{ precision, scale },
});
const refused = (code: string, of?: string) => expect.objectContaining({ code, ...(of && { field: of }) });

const PLAIN = schemaOf([KEY, "string"], ["v", "string"]);
const plainBase = () => parquetOf([keys("a", "b"), { name: "v", type: "STRING", values: ["old", "old"] }]);

describe("ordering values", () => {
  const SCHEMA = (ts: unknown) => schemaOf([KEY, "string"], ["ts", ts], ["v", "string"]);
  const read = async (ts: unknown, base: MadeColumn | undefined, ...log: readonly Uint8Array[]) => {
    const old: MadeColumn = { name: "v", type: "STRING", values: ["base"] };
    const made = {
      ...{ schema: SCHEMA(ts), properties: ORDERED, log: concatBytes([...log]) },
      ...(base && { base: await parquetOf([keys("a"), base, old]) }),
    };
    return (await rowsIn(await madeTable(made), { columns: ["v"] })).flat();
  };
  const logged = (ts: unknown, ...rows: readonly AvroValue[]) =>
    logOf(
      SCHEMA(ts),
      rows.map((value, i) => ["a", value, `log ${i}`]),
      T2,
    );

  test("of logs in milliseconds compare with microseconds of a base file", async () => {
    const base = (micros: bigint): MadeColumn => ({ name: "ts", type: "UNIXTIME_MICROS", values: [micros] });
    expect(await read(MICROS, base(5_000_000n), logged(MILLIS, 6000))).toEqual(["log 0"]);
    expect(await read(MICROS, base(7_000_000n), logged(MILLIS, 6000))).toEqual(["base"]);
  });

  test("of fields in structs are refused in version 6, which Hudi 0.15 and 1.2 order differently", async () => {
    const properties = ORDERED.replace("=ts", "=s.ts");
    const struct = { type: "record", name: "s", fields: [field("ts", "long")] };
    const schema = schemaOf([KEY, "string"], ["s", struct]);
    const log = logOf(schema, [["a", null]], T2);
    const table = await madeTable({ schema, properties, log });
    await expect(rowsIn(table)).rejects.toThrow(refused("E_UNSUPPORTED", "s.ts"));
  });

  test("that are decimals compare as numbers", async () => {
    const bytes = (...values: readonly number[]) => Uint8Array.from(values);
    const type = decimal(5, 2);
    // 128 after 127, and 127 after -1.
    expect(await read(type, undefined, logged(type, bytes(0x7f), bytes(0, 0x80)))).toEqual(["log 1"]);
    expect(await read(type, undefined, logged(type, bytes(0x7f), bytes(0xff)))).toEqual(["log 0"]);
    const base: MadeColumn = { name: "ts", type: "DECIMAL32", precision: 5, scale: 2, values: [100] };
    expect(await read(type, base, logged(type, bytes(99)))).toEqual(["base"]);
    expect(await read(type, base, logged(type, bytes(0, 0x80)))).toEqual(["log 0"]);
  });

  test("of deletes have the unit of the column", async () => {
    const row = logged(MILLIS, 5);
    expect(await read(MILLIS, undefined, row, deletesOf([["a", "Long", 4]], T2))).toEqual(["log 0"]);
    expect(await read(MILLIS, undefined, row, deletesOf([["a", "Long", 6]], T2))).toEqual([]);
    expect(await read(MILLIS, undefined, row, deletesOf([["a", "TimestampMicros", 4999]], T2))).toEqual([
      "log 0",
    ]);
    expect(await read(MILLIS, undefined, row, deletesOf([["a", "TimestampMicros", 5001]], T2))).toEqual([]);
  });

  test.each<[DeletedRecord["ordering"], AvroValue | undefined]>([
    [undefined, null],
    [0, undefined],
    [7, 7000n],
    [8n, 8000n],
    ["text", "text"],
    [
      [7, 8, null],
      [7000n, 8, null],
    ],
  ])("of deletes are in milliseconds and other units: %s", (ordering, expected) => {
    const columns = [columnOf("ts", parseAvroSchema(JSON.stringify(MILLIS))), columnOf("n", { kind: "int" })];
    expect(deleteOrdering(columns, { key: "a", partition: undefined, ordering })).toEqual(expected);
  });

  test("of deletes have the unit of each of several columns", async () => {
    const schema = schemaOf([KEY, "string"], ["ts", MILLIS], ["n", "long"], ["v", "string"]);
    const properties = ORDERED.replace("=ts", "=ts,n");
    const rowsAfter = async (...ordering: readonly Wrapped[]) => {
      const log = concatBytes([logOf(schema, [["a", 5, 1, "log"]], T2), deletesOf([["a", ordering]], T2)]);
      return (await rowsIn(await madeTable({ schema, properties, log }), { columns: ["v"] })).flat();
    };
    expect(await rowsAfter(["Long", 4], ["Long", 2])).toEqual(["log"]);
    expect(await rowsAfter(["Long", 6], ["Long", 0])).toEqual([]);
    expect(await rowsAfter(["TimestampMicros", 4999], ["Long", 2])).toEqual(["log"]);
    expect(await rowsAfter(["TimestampMicros", 5000], ["Long", 2])).toEqual([]);
    expect(await rowsAfter(["TimestampMicros", 5001], ["Long", 0])).toEqual([]);
  });

  test("of several columns compare one after the other, numbers and bigints too", async () => {
    const properties = ORDERED.replace("=ts", "=x,y");
    const schema = schemaOf([KEY, "string"], ["x", "long"], ["y", "long"], ["v", "string"]);
    const base = await parquetOf([
      keys("a", "b", "c"),
      { name: "x", type: "INT64", values: [5n, 5n, null] },
      { name: "y", type: "INT64", values: [7n, 7n, 7n] },
      { name: "v", type: "STRING", values: ["base", "base", "base"] },
    ]);
    const rows = [
      ["a", 5, 6, "log"],
      ["b", 5, 8, "log"],
      ["c", 0, 0, "log"],
    ];
    const table = await madeTable({ schema, properties, base, log: logOf(schema, rows, T2) });
    expect(await rowsIn(table, { columns: [KEY, "v"] })).toEqual([
      ["a", "base"],
      ["b", "log"],
      ["c", "log"],
    ]);
    expect([compareValues(5n, 5), compareValues(5, 5n), compareValues([5n, 1], [5, 2])]).toEqual([0, 0, -1]);
    expect(compareValues(Number.NaN, 1)).toBe(1);
    expect(compareValues(1, Number.NaN)).toBe(-1);
  });

  test.each([
    ["in a column that the table does not have", "gone"],
    ["in a column of lists", "list"],
  ])("%s are refused", async (_, name) => {
    const schema = schemaOf([KEY, "string"], ["list", { type: "array", items: "int" }]);
    const table = await madeTable({
      ...{ schema, properties: ORDERED.replace("=ts", `=${name}`) },
      log: logOf(schema, [["a", [1]]], T2),
    });
    await expect(rowsIn(table, { columns: [KEY] })).rejects.toThrow(refused("E_UNSUPPORTED", name));
    expect(await rowsIn(table, { columns: [KEY], readOptimized: true })).toEqual([]);
  });
});

describe("rows of some columns", () => {
  const SCHEMA = schemaOf([KEY, "string"], ["ts", "int"], ["x", "string"], ["y", "string"], ["z", "string"]);
  const PARTIAL = [7, "true"] as const;
  const block = (names: readonly string[], ...rows: readonly (readonly AvroValue[])[]) =>
    logOf(
      schemaOf([KEY, "string"], ["ts", "int"], ...names.map((name) => [name, "string"] as const)),
      rows,
      T2,
      [PARTIAL],
    );
  const read = async (...blocks: readonly Uint8Array[]) => {
    const base = await parquetOf([
      keys("a"),
      { name: "ts", type: "INT32", values: [0] },
      ...["x", "y", "z"].map((name): MadeColumn => ({ name, type: "STRING", values: ["base"] })),
    ]);
    const table = await madeTable({
      schema: SCHEMA,
      properties: ORDERED,
      base,
      log: concatBytes([...blocks]),
    });
    const rows = await rowsIn(table, { columns: ["x", "y", "z"] });
    // Columns that a block lacks come from other blocks, even if none of its own columns are read.
    for (const [i, name] of ["x", "y", "z"].entries()) {
      expect(await rowsIn(table, { columns: [name] })).toEqual(rows.map((row) => [row[i]]));
    }
    return rows;
  };

  test("have the other columns of older versions, in any order of the log", async () => {
    const [x5, y4, xy3] = [
      block(["x"], ["a", 5, "x5"]),
      block(["y"], ["a", 4, "y4"]),
      block(["x", "y"], ["a", 3, "x3", "y3"]),
    ];
    expect(await read(xy3, y4, x5)).toEqual([["x5", "y4", "base"]]);
    expect(await read(x5, y4, xy3)).toEqual([["x5", "y4", "base"]]);
    expect(await read(y4, xy3, x5)).toEqual([["x5", "y4", "base"]]);
    expect(await read(xy3, x5)).toEqual([["x5", "y3", "base"]]);
    expect(await read(xy3)).toEqual([["x3", "y3", "base"]]);
  });

  test("over a delete have no others", async () => {
    expect(await read(deletesOf([["a"]], T2), block(["x"], ["a", 5, "x5"]))).toEqual([["x5", null, null]]);
  });

  test("may be many versions of one row", async () => {
    const count = 30_000;
    const rising = Array.from({ length: count }, (_, i) => ["a", i + 1, `x${i + 1}`]);
    const last = [[`x${count}`, "base", "base"]];
    expect(await read(block(["x"], ...rising))).toEqual(last);
    expect(await read(block(["x"], ...rising.toReversed()))).toEqual(last);
  });
});

describe("rows of log blocks", () => {
  test("that are marked as deleted delete", async () => {
    const schema = schemaOf([KEY, "string"], [DELETED, "boolean"]);
    const marked = [
      ["a", true],
      ["c", false],
    ];
    const mark: MadeColumn = { name: DELETED, type: "BOOL", values: [true, false] };
    const parquet = await parquetOf([keys("a", "c"), mark]);
    const base = await parquetOf([keys("a", "b")]);
    for (const log of [logOf(schema, marked, T2), blockOf(5, new Map([[0, T2]]), parquet)]) {
      const table = await madeTable({ schema, base, log });
      expect(await rowsIn(table, { columns: [KEY, DELETED] })).toEqual([
        ["b", null],
        ["c", false],
      ]);
    }
  });

  test.each([4095, 4096, 4097])("may be %d", async (count) => {
    const rows = Array.from({ length: count }, (_, i) => [`k${i}`, `v${i}`]);
    const table = await madeTable({ schema: PLAIN, log: logOf(PLAIN, rows, T2) });
    expect(await rowsIn(table, { columns: [KEY, "v"] })).toEqual([...rows].sort());
  });

  test("without a column of the table, and none of those that are read, have nulls", async () => {
    const schema = schemaOf([KEY, "string"], ["v", "string"], ["added", "int"]);
    const table = await madeTable({
      ...{ schema, base: await plainBase() },
      log: logOf(PLAIN, [["c", "new"]], T2),
    });
    expect(await rowsIn(table, { columns: ["v", "added"] })).toEqual([
      ["new", null],
      ["old", null],
      ["old", null],
    ]);
    expect(await rowsIn(table, { columns: ["added"] })).toEqual([[null], [null], [null]]);
    expect(await rowsIn(table, { columns: ["added"], readOptimized: true })).toEqual([[null], [null]]);
  });

  test("of writes that did not complete do not count, and those of a rollback", async () => {
    const rollback = new Map([
      [0, PENDING],
      [1, T2],
      [3, "0"],
    ]);
    const row = logOf(PLAIN, [["c", "new"]], T2);
    const pending = logOf(PLAIN, [["d", "new"]], PENDING);
    const read = async (...blocks: readonly Uint8Array[]) =>
      (
        await rowsIn(await madeTable({ schema: PLAIN, log: concatBytes([...blocks]) }), { columns: [KEY] })
      ).flat();
    expect(await read(row, pending)).toEqual(["c"]);
    expect(await read(row, blockOf(0, rollback, new Uint8Array(0)))).toEqual([]);
  });
});

describe("log blocks that are refused", () => {
  const row = logOf(PLAIN, [["a", "new"]], T2);
  const block = (type: number, ...more: readonly (readonly [number, string])[]) =>
    blockOf(type, new Map([[0, T2], ...more]), new Uint8Array(0));
  const marked = schemaOf([KEY, "string"], [DELETED, "boolean"]);
  test.each<[string, Uint8Array, string, string]>([
    ["compacted logs", logOf(PLAIN, [["a", "new"]], T2, [[4, T1]]), "E_UNSUPPORTED", "header"],
    ["HFiles", block(4), "E_UNSUPPORTED", "block type"],
    ["blocks of damage", block(2), "E_UNSUPPORTED", "block type"],
    ["values that are not records", block(3, [2, '"int"']), "E_CORRUPT", "SCHEMA"],
    ["rows without the column of keys", logOf(schemaOf(["v", "string"]), [["x"]], T2), "E_CORRUPT", KEY],
    ["rows without keys", logOf(PLAIN, [[null, "x"]], T2), "E_CORRUPT", KEY],
    ["rows without an instant", logOf(PLAIN, [["a", "x"]], ""), "E_CORRUPT", "INSTANT_TIME"],
    ["deletes without an instant", deletesOf([["a"]], ""), "E_CORRUPT", "INSTANT_TIME"],
    ["an end amid a block", concatBytes([row, row.slice(0, -3)]), "E_TRUNCATED", "block"],
    ["bytes between blocks", concatBytes([row, Uint8Array.of(1, 2)]), "E_CORRUPT", "block size"],
    ["bytes that are no block", Uint8Array.of(1, 2), "E_CORRUPT", "magic"],
  ])("%s", async (_, log, code, of) => {
    const table = await madeTable({ schema: PLAIN, base: await plainBase(), log });
    await expect(rowsIn(table)).rejects.toThrow(refused(code, of));
    const problems: unknown[] = [];
    await verifyTable(table, { deep: true, onProblem: (problem) => problems.push(problem) });
    expect(problems).toContainEqual(refused(code));
  });

  test("by a check that does not read rows", async () => {
    const table = await madeTable({ schema: PLAIN, log: logOf(PLAIN, [["a", "x"]], "") });
    const problems: unknown[] = [];
    await verifyTable(table, { onProblem: (problem) => problems.push(problem) });
    expect(problems).toEqual([refused("E_CORRUPT", "INSTANT_TIME")]);
  });

  test("partial rows in a table with marks of deletes", async () => {
    const table = await madeTable({ schema: marked, log: logOf(marked, [["a", false]], T2, [[7, "true"]]) });
    await expect(rowsIn(table)).rejects.toThrow(refused("E_UNSUPPORTED", "header"));
  });

  test("Parquet rows without keys", async () => {
    for (const columns of [[{ ...keys("a"), values: [null] }], [{ ...keys("a"), name: "v" }]]) {
      const log = blockOf(5, new Map([[0, T2]]), await parquetOf(columns));
      await expect(rowsIn(await madeTable({ schema: PLAIN, log }))).rejects.toThrow(
        refused("E_CORRUPT", KEY),
      );
    }
  });

  test("rows over a base file without keys", async () => {
    const base = await parquetOf([{ name: "v", type: "STRING", values: ["old"] }]);
    await expect(rowsIn(await madeTable({ schema: PLAIN, base, log: row }))).rejects.toThrow(
      refused("E_CORRUPT", KEY),
    );
  });

  test("but not what a killed writer leaves behind", async () => {
    // The start of a block with an incomplete head, or of a write that did not complete.
    const headless = row.slice(0, 20);
    const pending = logOf(PLAIN, [["d", "x"]], PENDING).slice(0, -3);
    for (const left of [headless, pending]) {
      const table = await madeTable({ schema: PLAIN, log: concatBytes([row, left]) });
      expect(await rowsIn(table, { columns: ["v"] })).toEqual([["new"]]);
      // Verification cannot know which write a block without a head belongs to.
      expect(await verifyTable(table)).toMatchObject({ problemCount: left === headless ? 1 : 0 });
    }
  });
});
