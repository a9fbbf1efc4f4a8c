import { MemoryArena, toHex } from "@cfile/bytes";
import { sizeOf } from "@cfile/io";
import { beforeAll, describe, expect, it } from "vitest";
import { openRowSet, type RowSetSchema } from "../src/index.js";
import { column, counted, filesOf, type RowSetBytes, writeBase, writeDeltas } from "./synthetic.js";

const ROWS = 60000;
const schema: RowSetSchema = {
  columns: [
    column(1, "k", { isKey: true, type: "INT64", blockSize: 4096 }),
    column(2, "n", { nullable: true, blockSize: 4096 }),
    column(3, "word", { type: "STRING", blockSize: 4096 }),
    column(4, "text", { type: "STRING", encoding: "PLAIN_ENCODING", blockSize: 4096 }),
  ],
};
let base: RowSetBytes;
let redo: Uint8Array;
let undo: Uint8Array;

beforeAll(async () => {
  base = await writeBase(
    schema,
    Array.from({ length: ROWS }, (_, i) => [
      BigInt(3 * i),
      i,
      `word ${i % 10}`,
      `text number ${i} ${"x".repeat(140)}`,
    ]),
  );
  redo = await writeDeltas("redo", schema, [{ row: 5, timestamp: 100n, type: 1, cells: { 2: -1 } }]);
  undo = await writeDeltas("undo", schema, [{ row: 5, timestamp: 50n, type: 1, cells: { 2: -2 } }]);
});

async function open() {
  const { files, metrics } = counted(filesOf(base, [redo], [undo]));
  const reader = await openRowSet(files, schema);
  const bytesOf = (name: string): number => metrics.get(name)?.bytes ?? -1;
  return { files, reader, bytesOf, readsOf: (name: string): number => metrics.get(name)?.reads ?? -1 };
}

async function countRows(batches: AsyncIterable<{ readonly length: number }>): Promise<number> {
  let rows = 0;
  for await (const { length } of batches) {
    rows += length;
  }
  return rows;
}

describe("a row set reader reads only what it needs:", () => {
  it("the footer of the key file to open it", async () => {
    const { readsOf, bytesOf } = await open();
    expect(["column 2", "column 3", "column 4", "bloom", "redo 0", "undo 0"].map(readsOf)).toEqual([
      0, 0, 0, 0, 0, 0,
    ]);
    expect(bytesOf("column 1")).toBeLessThan(6000);
  });

  it("no column that is not requested", async () => {
    const { reader, readsOf } = await open();
    expect(await countRows(reader.scan({ columns: ["n"] }))).toBe(ROWS);
    expect([readsOf("column 3"), readsOf("column 4"), readsOf("bloom")]).toEqual([0, 0, 0]);
  });

  it("a column once if it is requested twice", async () => {
    const { reader, readsOf } = await open();
    const once = await open();
    const rows: unknown[] = [];
    for await (const { columns, names } of reader.scan({
      columns: ["n", "k", "n"],
      batchRows: 5000,
      arena: new MemoryArena(),
    })) {
      expect(names).toEqual(["n", "k", "n"]);
      expect(columns[0]).toBe(columns[2]);
      rows.push(...(columns[2]?.toArray() ?? []));
    }
    await countRows(once.reader.scan({ columns: ["n"], batchRows: 5000 }));
    expect(rows).toEqual(Array.from({ length: ROWS }, (_, i) => (i === 5 ? -1 : i)));
    expect(readsOf("column 2")).toBe(once.readsOf("column 2"));
  });

  it("the blocks of the rows of a key range", async () => {
    const { files, reader, bytesOf } = await open();
    expect(await countRows(reader.scan({ keys: { from: [90000n], to: [90300n] } }))).toBe(100);
    for (const id of [1, 2, 4]) {
      const source = files.columns.get(id);
      const size = source === undefined ? 0 : await sizeOf(source);
      expect(bytesOf(`column ${id}`)).toBeLessThan(Math.max(size / 4, 20000));
    }
  });

  it("the same blocks for conditions on the key", async () => {
    const { files, reader, bytesOf } = await open();
    const where = [
      { column: "k", op: ">=", value: 90000n },
      { column: "k", op: "<", value: 90300n },
    ] as const;
    expect(await countRows(reader.scan({ columns: ["text"], where }))).toBe(100);
    const text = files.columns.get(4);
    expect(bytesOf("column 4")).toBeLessThan(text === undefined ? 0 : (await sizeOf(text)) / 20);
  });

  it("only the Bloom file for a key that it rules out", async () => {
    const { reader, readsOf } = await open();
    const before = readsOf("column 1");
    expect(await reader.get([1n])).toBeUndefined();
    expect(await countRows(reader.scan({ where: [{ column: "k", op: "=", value: 1n }] }))).toBe(0);
    expect([readsOf("column 1"), readsOf("column 2"), readsOf("redo 0")]).toEqual([before, 0, 0]);
    expect(readsOf("bloom")).toBeGreaterThan(0);
  });

  it("no other column for a condition that no row matches", async () => {
    const { reader, readsOf } = await open();
    const where = [{ column: "n", op: ">", value: ROWS }] as const;
    expect(await countRows(reader.scan({ where }))).toBe(0);
    expect([readsOf("column 3"), readsOf("column 4")]).toEqual([0, 0]);
  });

  it("few blocks of other columns for a condition that few rows match", async () => {
    const { files, reader, bytesOf } = await open();
    const where = [{ column: "n", op: "in", values: [30000, 30001] }] as const;
    expect(await countRows(reader.scan({ where }))).toBe(2);
    const text = files.columns.get(4);
    expect(bytesOf("column 4")).toBeLessThan(text === undefined ? 0 : (await sizeOf(text)) / 20);
  });

  it("no column that is not nullable for isNotNull", async () => {
    const { reader, readsOf } = await open();
    expect(await countRows(reader.scan({ where: [{ column: "word", op: "isNull" }] }))).toBe(0);
    expect(
      await countRows(reader.scan({ columns: ["n"], where: [{ column: "word", op: "isNotNull" }] })),
    ).toBe(ROWS);
    expect(readsOf("column 3")).toBe(0);
  });

  it("delta files whose timestamps and columns matter", async () => {
    const { reader, readsOf } = await open();
    await countRows(reader.scan({ columns: ["k"], limit: 10 }));
    const opened = readsOf("redo 0");
    await countRows(reader.scan({ columns: ["word"], limit: 10 }));
    // The latest snapshot does not even open UNDO files.
    expect([readsOf("redo 0"), readsOf("undo 0")]).toEqual([opened, 0]);
    await countRows(reader.scan({ columns: ["n"], asOf: 75n, limit: 10 }));
    const undoOpened = readsOf("undo 0");
    expect(readsOf("redo 0")).toBe(opened);
    await countRows(reader.scan({ columns: ["n"], limit: 10 }));
    expect(readsOf("redo 0")).toBeGreaterThan(opened);
    expect(readsOf("undo 0")).toBe(undoOpened);
  });

  it("no UNDO file for a lookup in the latest snapshot", async () => {
    const { reader, readsOf } = await open();
    await reader.get([15n], { columns: ["k"] });
    const opened = [readsOf("redo 0"), readsOf("undo 0")];
    expect((await reader.get([15n], { columns: ["word"] }))?.cells).toEqual(["word 5"]);
    expect([readsOf("redo 0"), readsOf("undo 0")]).toEqual(opened);
    expect((await reader.get([15n], { columns: ["n"] }))?.cells).toEqual([-1]);
    expect(readsOf("redo 0")).toBeGreaterThan(opened[0] ?? 0);
    expect(readsOf("undo 0")).toBe(opened[1]);
    expect((await reader.get([15n], { columns: ["n"], asOf: 50n }))?.cells).toEqual([-2]);
    expect((await reader.history([15n], { columns: ["n"] })).map(({ cells }) => cells)).toEqual([
      [-2],
      [5],
      [-1],
    ]);
  });

  it("no unchanged rows for a diff", async () => {
    const { files, reader, bytesOf } = await open();
    expect(await countRows(reader.diff(60n, 200n))).toBe(1);
    const text = files.columns.get(4);
    expect(bytesOf("column 4")).toBeLessThan(text === undefined ? 0 : (await sizeOf(text)) / 20);
  });

  it("nothing more when the iteration is stopped", async () => {
    const { files, reader, bytesOf } = await open();
    for await (const _ of reader.scan({ columns: ["text"], batchRows: 10 })) {
      break;
    }
    const text = files.columns.get(4);
    const size = text === undefined ? 0 : await sizeOf(text);
    expect(size).toBeGreaterThan(0);
    expect(bytesOf("column 4")).toBeLessThan(size / 2);
  });

  it("nothing more after an abort, whose reason is thrown", async () => {
    const { reader } = await open();
    const controller = new AbortController();
    const scan = reader.scan({ batchRows: 10, signal: controller.signal });
    await scan.next();
    controller.abort(new RangeError("enough"));
    await expect(scan.next()).rejects.toThrow("enough");
  });
});

describe("lookups", () => {
  it("accept encoded keys", async () => {
    const { reader } = await open();
    expect(toHex(reader.minKey)).toBe("8000000000000000");
    expect(await reader.get(Uint8Array.of(0x80, 0, 0, 0, 0, 0, 0, 15), { columns: ["n"] })).toEqual({
      row: 5,
      names: ["n"],
      cells: [-1],
    });
  });
});
