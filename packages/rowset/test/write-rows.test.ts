import { toHex } from "@cfile/bytes";
import type { CellValue } from "@cfile/encodings";
import { batchFromValues, bytesOf } from "@cfile/encodings/batches";
import { openCFile } from "@cfile/format";
import { MemoryDirectory, memorySink, memorySource } from "@cfile/io";
import { beforeEach, describe, expect, it } from "vitest";
import type { RowSetSchema } from "../src/index.js";
import { createTableStore, openTableStore, type TableStore } from "../src/store.js";
import { type RowInput, RowSetWriter } from "../src/write.js";

const column = { nullable: true, array: false, isKey: false } as const;
const schema: RowSetSchema = {
  columns: [
    { ...column, id: 1, name: "k", type: "INT32", nullable: false, isKey: true },
    { ...column, id: 2, name: "n", type: "INT16" },
    { ...column, id: 3, name: "s", type: "STRING", nullable: false },
    { ...column, id: 4, name: "list", type: "STRING", array: true },
    { ...column, id: 5, name: "d", type: "DOUBLE" },
  ],
};

let directory: MemoryDirectory;
let table: TableStore;

beforeEach(async () => {
  directory = new MemoryDirectory("table");
  const writer = await createTableStore(directory, schema, { timestamp: 100n });
  await writer.appendRows([
    [1, 10, "one", ["a", null], 0.5],
    [2, null, "two", null, null],
    [3, 30, "three", [], -0],
  ]);
  await writer.finish();
  table = await openTableStore(directory);
});

async function rowsAt(asOf?: bigint): Promise<CellValue[][]> {
  const rows: CellValue[][] = [];
  for await (const batch of table.scan({ asOf })) {
    for (let i = 0; i < batch.length; i++) {
      rows.push(batch.columns.map((cells) => cells.get(i) ?? null));
    }
  }
  return rows;
}

describe("an invalid write", () => {
  const refused: readonly [string, (handle: TableStore) => Promise<unknown>, string, RegExp][] = [
    [
      "an update of a missing row",
      (t) =>
        t.update(
          [
            { k: 1, n: 1 },
            { k: 9, n: 1 },
          ],
          200n,
        ),
      "E_NOT_FOUND",
      /key 9/,
    ],
    ["a deletion of a missing row", (t) => t.delete([[1], [9]], 200n), "E_NOT_FOUND", /key 9/],
    [
      "an insert of an existing row",
      (t) =>
        t.insert(
          [
            [9, 1, "x"],
            [2, 1, "x"],
          ],
          200n,
        ),
      "E_INVALID_ARGUMENT",
      /key 2 already exists/,
    ],
    [
      "a duplicate key",
      (t) =>
        t.upsert(
          [
            [9, 1, "x"],
            [9, 2, "y"],
          ],
          200n,
        ),
      "E_INVALID_ARGUMENT",
      /duplicate key 9/,
    ],
    ["a key deleted twice", (t) => t.delete([[1], [1]], 200n), "E_INVALID_ARGUMENT", /duplicate key 1/],
    [
      "a timestamp before the last write",
      (t) => t.update([{ k: 1, n: 1 }], 99n),
      "E_INVALID_ARGUMENT",
      /99 is before the previous write at 100/,
    ],
    [
      "a reserved timestamp",
      (t) => t.delete([[1]], 2n ** 64n - 2n),
      "E_INVALID_ARGUMENT",
      /invalid timestamp/,
    ],
    [
      "a value that does not fit",
      (t) => t.update([{ k: 2 }, { k: 1, n: 70000 }], 200n),
      "E_INVALID_ARGUMENT",
      /column "n", row 1/,
    ],
    [
      "a null in a column that is not nullable",
      (t) => t.update([{ k: 1, s: null }], 200n),
      "E_INVALID_ARGUMENT",
      /column "s", row 0/,
    ],
    [
      "a new row without a required cell",
      (t) =>
        t.upsert(
          [
            { k: 1, n: 5 },
            { k: 9, n: 5 },
          ],
          200n,
        ),
      "E_INVALID_ARGUMENT",
      /column "s"/,
    ],
    ["an unknown column", (t) => t.update([{ k: 1, x: 5 }], 200n), "E_INVALID_ARGUMENT", /column "x"/],
    ["a row without its key", (t) => t.update([{ n: 5 }], 200n), "E_INVALID_ARGUMENT", /column "k", row 0/],
    [
      "a value that is not a row",
      (t) => t.update(JSON.parse("[null]") as RowInput[], 200n),
      "E_INVALID_ARGUMENT",
      /row 0/,
    ],
    ["a key of too many cells", (t) => t.delete([[1, 2]], 200n), "E_INVALID_ARGUMENT", /2 cells/],
  ];

  it.each(refused)("changes nothing: %s", async (_, act, code, message) => {
    const before = await rowsAt();
    const files = [...(await directory.list())].sort();
    await expect(act(table)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(await rowsAt()).toEqual(before);
    expect([...(await directory.list())].sort()).toEqual(files);
    expect(table.lastTimestamp).toBe(100n);
    await table.update([{ k: 1, n: 11 }], 100n);
    expect(await table.get([1])).toMatchObject({ cells: [1, 11, "one", ["a", null], 0.5] });
  });
});

describe("writes", () => {
  it("keep other cells, and report the number of rows", async () => {
    expect(
      await table.update(
        [
          { k: 3, list: ["x"] },
          { k: 1, n: null, d: undefined },
        ],
        200n,
      ),
    ).toEqual({ changed: 2, inserted: 0 });
    expect(
      await table.upsert(
        [
          [4, undefined, "four"],
          [2, 20],
        ],
        300n,
      ),
    ).toEqual({ changed: 1, inserted: 1 });
    expect(await table.delete([[3]], 400n)).toEqual({ changed: 1, inserted: 0 });
    expect(await table.insert([{ k: 3, s: "again" }], 450n)).toEqual({ changed: 0, inserted: 1 });
    expect(await table.update([{ k: 1 }], 500n)).toEqual({ changed: 0, inserted: 0 });
    const latest = [
      [1, null, "one", ["a", null], 0.5],
      [2, 20, "two", null, null],
      [3, null, "again", null, null],
      [4, null, "four", null, null],
    ];
    expect(await rowsAt()).toEqual(latest);
    const states = await Promise.all([100n, 101n, 201n, 301n, 400n, 450n].map(rowsAt));
    await table.compact();
    expect(table.rowSets.length).toBe(1);
    expect(await rowsAt()).toEqual(latest);
    expect(await Promise.all([100n, 101n, 201n, 301n, 400n, 450n].map(rowsAt))).toEqual(states);
    const versions = await table.history([3]);
    expect(versions.map(({ timestamp, deleted }) => [timestamp, deleted])).toEqual([
      [100n, false],
      [200n, false],
      [400n, true],
      [450n, false],
    ]);
  });

  it("keep the payload of a NaN through updates and compaction", async () => {
    const bits = "0123456789abf87f";
    const bytes = Uint8Array.from(bits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
    const nan = new Float64Array(bytes.buffer);
    const made = new MemoryDirectory();
    const keyed = { columns: schema.columns.filter(({ name }) => name === "k" || name === "d") };
    const writer = await createTableStore(made, keyed);
    await writer.append([
      batchFromValues({ type: "INT32" }, Int32Array.of(7)),
      batchFromValues({ type: "DOUBLE" }, nan),
    ]);
    await writer.finish();
    await using handle = await openTableStore(made);
    await handle.update([{ k: 7, d: 1 }], 5n);
    await handle.upsert([{ k: 8, d: 2 }], 6n);
    await handle.compact();
    for await (const { columns } of handle.scan({ asOf: 5n })) {
      const values = columns[1];
      expect(values?.kind === "fixed" && toHex(bytesOf(values.values))).toBe(bits);
    }
  });

  it("through two handles do not overwrite each other", async () => {
    await using other = await openTableStore(directory);
    await table.update([{ k: 1, n: 1 }], 200n);
    await expect(other.update([{ k: 2, n: 2 }], 300n)).rejects.toMatchObject({ code: "E_SOURCE_CHANGED" });
    await table.update([{ k: 3, n: 3 }], 300n);
    await expect(other.compact()).rejects.toMatchObject({ code: "E_SOURCE_CHANGED" });
    await using again = await openTableStore(directory);
    expect(await again.get([1], { columns: ["n"] })).toMatchObject({ cells: [1] });
  });

  it("that are not awaited run one after the other", async () => {
    await Promise.all([
      table.update([{ k: 1, n: 1 }], 200n),
      table.delete([[1]], 200n),
      table.insert([[1, 2, "back"]], 200n),
      table.compact(),
      table.update([{ k: 1, n: 3 }], 200n),
    ]);
    expect(await table.get([1])).toMatchObject({ cells: [1, 3, "back", null, null] });
    expect(await table.get([1], { asOf: 200n })).toMatchObject({ cells: [1, 10, "one", ["a", null], 0.5] });
  });

  it("are rejected when the table store is closed", async () => {
    await table.close();
    await expect(table.update([{ k: 1, n: 1 }], 200n)).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    expect(() => table.scan()).toThrow(/closed/);
  });

  it("do not affect a running scan", async () => {
    const scan = table.scan({ batchRows: 1, columns: ["k", "n"] });
    const first = await scan.next();
    await table.update([{ k: 2, n: 99 }], 200n);
    await table.compact();
    const rest: CellValue[] = [];
    for await (const batch of scan) {
      rest.push(...(batch.columns[1]?.toArray() ?? []));
    }
    expect(first.value?.length).toBe(1);
    expect(rest).toEqual([null, 30]);
  });
});

describe("dropping history", () => {
  it("removes the entries that undo earlier changes, and with the next compaction rows deleted earlier", async () => {
    await table.delete([[3]], 200n);
    await table.update([{ k: 1, n: 1 }], 300n);
    await table.compact();
    await table.dropHistoryBefore(250n);
    expect(table.historyStart).toBe(250n);
    expect((await rowsAt(250n)).map(([k, n]) => [k, n])).toEqual([
      [1, 10],
      [2, null],
    ]);
    expect(() => table.scan({ asOf: 249n })).toThrow(/history begins at 250/);
    await expect(table.get([1], { asOf: 100n })).rejects.toMatchObject({
      code: "E_HISTORY_GONE",
      field: "asOf",
    });
    expect(() => table.diff(100n, 300n)).toThrow(/history begins at 250/);
    await table.update([{ k: 1, n: 2 }], 300n);
    await table.compact();
    expect(table.rowSets[0]?.rowCount).toBe(2);
    await table.delete([[1], [2]], 400n);
    await table.dropHistoryBefore(401n);
    await table.compact();
    expect([...(await directory.list())]).toEqual(["rowset.json"]);
    expect(await rowsAt()).toEqual([]);
    await table.upsert([[5, 5, "five"]], 500n);
    expect((await rowsAt()).map(([k]) => k)).toEqual([5]);
  });
});

describe("the writer of base data", () => {
  const small: RowSetSchema = { columns: schema.columns.slice(0, 1) };

  it("writes the small row set of the specification", async () => {
    const key = memorySink();
    const bloom = memorySink();
    const writer = new RowSetWriter({ columns: new Map([[1, key]]), bloom }, small);
    await writer.appendRows([[1], [2], [3]]);
    const written = await writer.finish();
    expect([
      written.rows,
      toHex(written.minKey ?? new Uint8Array(0)),
      toHex(written.maxKey ?? new Uint8Array(0)),
    ]).toEqual([3, "80000001", "80000003"]);
    expect(toHex(key.bytes())).toContain(
      "3a0f0a076d696e5f6b6579120480000001" + "3a0f0a076d61785f6b6579120480000003",
    );
    const layout = await (await openCFile(memorySource(key.bytes()))).layout();
    expect(layout.validx?.entries.map((entry) => toHex(entry.key))).toEqual(["80"]);
    expect(layout.posidx?.entries.map((entry) => toHex(entry.key))).toEqual(["00000000"]);
  });

  it("requires a sink for each file, and batches that fit", async () => {
    const sinks = { columns: new Map([[1, memorySink()]]), bloom: memorySink() };
    expect(() => new RowSetWriter({ ...sinks, columns: new Map() }, small)).toThrow(
      /missing sink of column 1/,
    );
    expect(() => new RowSetWriter({ ...sinks, adhocIndex: memorySink() }, small)).toThrow(/ad-hoc index/);
    const writer = new RowSetWriter(sinks, small);
    await expect(writer.append([])).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT", field: "batches" });
    await expect(writer.appendRows([[1]])).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    expect(() => sinks.bloom.bytes()).toThrow();
  });
});
