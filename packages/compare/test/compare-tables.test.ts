import type { DataType } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ComparedTable, compareTables } from "../src/index.js";
import { type Cell, table } from "./table.js";

const ids = [1n, 2n, 3n, 4n, 5n];
const names = ["a", "b", null, "d", "e"];
const people = table({ id: { type: "INT64", cells: ids }, name: { type: "STRING", cells: names } });

const withName = (row: number, name: string | null): ComparedTable =>
  table({
    id: { type: "INT64", cells: ids },
    name: { type: "STRING", cells: names.map((old, i) => (i === row ? name : old)) },
  });

const cellsOf = (batch: TableBatch | undefined): unknown[] | undefined =>
  batch?.columns.map((column) => column.get(0));

describe("equal tables", () => {
  test.each([
    ["the same", people],
    [
      "in another order",
      table({
        id: { type: "INT64", cells: ids.toReversed() },
        name: { type: "STRING", cells: names.toReversed() },
      }),
    ],
    [
      "with columns in another order",
      table({ name: { type: "STRING", cells: names }, id: { type: "INT64", cells: ids } }),
    ],
    [
      "in other batches",
      table({ id: { type: "INT64", cells: ids }, name: { type: "STRING", cells: names } }, { size: 1 }),
    ],
    [
      "with narrower integers and bytes for strings",
      table({
        id: { type: "INT8", cells: ids.map(Number) },
        name: { type: "BINARY", cells: names.map((name) => name && new TextEncoder().encode(name)) },
      }),
    ],
  ])("%s", async (_name, other) => {
    const { isEqual, columns, differences, problems } = await compareTables(people, other);
    expect({ isEqual, differences, problems }).toEqual({ isEqual: true, differences: [], problems: [] });
    expect(columns.every(({ digests: [a, b] }) => a === b)).toBe(true);
  });

  test("whose key is unknown", async () => {
    const unknown = { ...people, keyNames: [] };
    expect((await compareTables(unknown, unknown)).isEqual).toBe(true);
  });
});

describe("differences", () => {
  const shorter = table({
    id: { type: "INT64", cells: ids.slice(0, 4) },
    name: { type: "STRING", cells: names.slice(0, 4) },
  });
  const doubled = table({
    id: { type: "INT64", cells: [...ids, 5n] },
    name: { type: "STRING", cells: [...names, "e"] },
  });
  const exchanged = table({
    id: { type: "INT64", cells: ids },
    name: { type: "STRING", cells: ["b", "a", null, "d", "e"] },
  });

  test.each([
    ["a lost row", shorter, { onlyA: 1, onlyB: 0, changed: 0 }],
    ["a doubled row", doubled, { onlyA: 0, onlyB: 1, changed: 0 }],
    ["a changed cell", withName(1, "B"), { onlyA: 0, onlyB: 0, changed: 1 }],
    ["a null instead of text", withName(1, null), { onlyA: 0, onlyB: 0, changed: 1 }],
    ["empty text instead of a null", withName(2, ""), { onlyA: 0, onlyB: 0, changed: 1 }],
    ["two rows that exchanged a value", exchanged, { onlyA: 0, onlyB: 0, changed: 2 }],
  ])("finds %s", async (_name, other, counts) => {
    const found = await compareTables(people, other);
    expect(found).toMatchObject({ isEqual: false, isExact: true, counts });
    expect(found.differences).toHaveLength(counts.onlyA + counts.onlyB + counts.changed);
  });

  test("name the columns and have both rows", async () => {
    const { differences, columns } = await compareTables(people, withName(1, "B"));
    expect(differences.map(({ a, b, columns: changed }) => [cellsOf(a), cellsOf(b), changed])).toEqual([
      [[2n, "b"], [2n, "B"], ["name"]],
    ]);
    expect(columns.map(({ name, digests: [a, b] }) => [name, a === b])).toEqual([
      ["id", true],
      ["name", false],
    ]);
  });

  test("of a doubled row have one row only", async () => {
    const { differences } = await compareTables(people, doubled);
    expect(differences.map(({ a, b }) => [cellsOf(a), cellsOf(b)])).toEqual([[undefined, [5n, "e"]]]);
  });

  test("without a key are whole rows", async () => {
    const unkeyed = { ...people, keyNames: [] };
    const found = await compareTables(unkeyed, { ...withName(1, "B"), keyNames: [] });
    expect(found.counts).toEqual({ onlyA: 1, onlyB: 1, changed: 0 });
    expect(found.differences.map(({ a, b }) => cellsOf(a ?? b))).toEqual(
      expect.arrayContaining([
        [2n, "b"],
        [2n, "B"],
      ]),
    );
  });

  test("of rows with one key are found, also if they exchange cells", async () => {
    const [a, b] = [
      ["x", "y"],
      ["y", "x"],
    ].map((cells) =>
      table({
        id: { type: "INT64", cells: [1n, 1n] },
        n: { type: "INT8", cells: [1, 2] },
        name: { type: "STRING", cells },
      }),
    ) as [ComparedTable, ComparedTable];
    expect((await compareTables(a, b)).counts).toEqual({ onlyA: 0, onlyB: 0, changed: 2 });
  });

  test("are returned up to the limit, and counted beyond it", async () => {
    const many = Array.from({ length: 1000 }, (_, i) => i);
    const [a, b] = [0, 1].map((add) =>
      table(
        { id: { type: "INT32", cells: many }, n: { type: "INT32", cells: many.map((i) => i + add) } },
        { size: 100 },
      ),
    ) as [ComparedTable, ComparedTable];
    const found = await compareTables(a, b, { limit: 7 });
    expect(found.differences).toHaveLength(7);
    expect(found.counts).toEqual({ onlyA: 0, onlyB: 0, changed: 1000 });
  });
});

describe("cells", () => {
  const bits = (text: bigint): number => new Float64Array(BigUint64Array.of(text).buffer)[0] ?? 0;
  test.each<[string, DataType, Cell, Cell]>([
    ["-0 and 0", "DOUBLE", -0, 0],
    ["FLOAT -0 and 0", "FLOAT", -0, 0],
    ["NaNs of other bits", "DOUBLE", bits(0x7ff8000000000000n), bits(0x7ff8000000000001n)],
    ["milliseconds and microseconds", "UNIXTIME_MICROS", 1_700_000_000_000n, 1_700_000_000_000_000n],
    ["a sign", "INT8", -1, 1],
    ["the high half", "INT64", 1n, (1n << 32n) + 1n],
    ["wide decimals", "DECIMAL128", 1n << 100n, (1n << 100n) + 1n],
    ["false and true", "BOOL", false, true],
    ["trailing zero bytes", "BINARY", Uint8Array.of(1), Uint8Array.of(1, 0)],
    ["null and 0", "INT32", null, 0],
  ])("%s differ", async (_name, type, a, b) => {
    const [left, right] = [a, b].map((cell) =>
      table({ id: { type: "INT32", cells: [1] }, x: { type, cells: [cell] } }),
    ) as [ComparedTable, ComparedTable];
    expect((await compareTables(left, right)).counts.changed).toBe(1);
    expect((await compareTables(left, left)).isEqual).toBe(true);
  });

  test.each<[string, Cell, Cell]>([
    ["an element", [1, 2], [1, 3]],
    ["the length", [1, 2], [1, 2, 2]],
    ["a null element", [1, null], [1, 0]],
    ["an empty array and null", [], null],
    ["the order", [1, 2], [2, 1]],
  ])("arrays that differ in %s", async (_name, a, b) => {
    const [left, right] = [a, b].map((cell) =>
      table({ id: { type: "INT32", cells: [1] }, x: { type: "INT32", array: true, cells: [cell] } }),
    ) as [ComparedTable, ComparedTable];
    expect((await compareTables(left, right)).counts.changed).toBe(1);
    expect((await compareTables(left, left)).isEqual).toBe(true);
  });
});

describe("columns", () => {
  test("of one table only, and of other types, are problems", async () => {
    const one = table({
      id: { type: "INT64", cells: [1n] },
      d: { type: "DECIMAL32", scale: 2, cells: [5] },
      x: { type: "INT8", cells: [1] },
    });
    const other = table({
      id: { type: "INT64", cells: [1n] },
      d: { type: "DECIMAL64", scale: 3, cells: [5n] },
      y: { type: "INT8", cells: [1] },
    });
    const found = await compareTables(one, other);
    expect(found.isEqual).toBe(false);
    expect(found.problems).toEqual([
      { name: "d", types: ["decimal, scale 2", "decimal, scale 3"] },
      { name: "x", types: ["integer", undefined] },
      { name: "y", types: [undefined, "integer"] },
    ]);
    expect((await compareTables(one, other, { columns: ["id"] })).isEqual).toBe(true);
  });

  test.each([
    [{ columns: ["nope"] }, "columns"],
    [{ key: ["nope"] }, "key"],
  ])("that are unknown are an error: %j", async (options, field) => {
    await expect(compareTables(people, people, options)).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      field,
    });
  });
});

test("random changes of random tables are counted", async () => {
  const row = fc.record({
    id: fc.integer({ min: 0, max: 40 }),
    n: fc.option(fc.integer({ min: 0, max: 3 })),
  });
  const rows = fc.uniqueArray(row, { selector: ({ id }) => id, maxLength: 40 });
  const tableOf = (
    all: readonly { readonly id: number; readonly n: number | null }[],
    size: number,
  ): ComparedTable =>
    table(
      {
        id: { type: "INT32", cells: all.map(({ id }) => id) },
        n: { type: "INT16", cells: all.map(({ n }) => n) },
      },
      { size },
    );
  await fc.assert(
    fc.asyncProperty(rows, rows, fc.integer({ min: 1, max: 7 }), async (a, b, size) => {
      const byId = new Map(b.map((one) => [one.id, one.n]));
      const changed = a.filter(({ id, n }) => byId.has(id) && byId.get(id) !== n).length;
      const both = a.filter(({ id }) => byId.has(id)).length;
      const { counts, isEqual } = await compareTables(tableOf(a, size), tableOf(b, 5));
      expect(counts).toEqual({ onlyA: a.length - both, onlyB: b.length - both, changed });
      expect(isEqual).toBe(changed === 0 && a.length === both && b.length === both);
    }),
    { numRuns: 300 },
  );
});
