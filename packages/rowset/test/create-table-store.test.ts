import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { CellValue, DataType } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { type DirectoryOperation, MemoryDirectory } from "@cfile/io";
import { temporaryFolder } from "@cfile-tools/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RowSetColumn, RowSetSchema } from "../src/index.js";
import { encodeRowKeys, keyAt } from "../src/keys/row-keys.js";
import { sortKeys } from "../src/keys/sort-keys.js";
import { createTableStore, openTableStore, type TableStore } from "../src/store.js";

const folder = temporaryFolder();

function column(id: number, name: string, type: DataType, more: Partial<RowSetColumn> = {}): RowSetColumn {
  return { id, name, type, nullable: true, array: false, isKey: false, ...more };
}
const key = { nullable: false, isKey: true };

async function allRows(handle: TableStore, asOf?: bigint): Promise<CellValue[][]> {
  const rows: CellValue[][] = [];
  for await (const batch of handle.scan({ asOf })) {
    const columns = batch.columns.map((cells) => cells.toArray());
    for (let i = 0; i < batch.length; i++) {
      rows.push(columns.map((cells) => cells[i] ?? null));
    }
  }
  return rows;
}

const wide: RowSetSchema = {
  columns: [
    column(0, "part", "STRING", key),
    column(1, "number", "INT64", key),
    column(2, "bool", "BOOL"),
    column(3, "small", "INT8", { encoding: "RLE" }),
    column(4, "decimal", "DECIMAL128", { precision: 38, scale: 4 }),
    column(5, "double", "DOUBLE", { encoding: "PLAIN_ENCODING", compression: "LZ4" }),
    column(6, "text", "STRING", { encoding: "PREFIX_ENCODING", compression: "ZLIB" }),
    column(7, "bytes", "BINARY", { blockSize: 1024 }),
    column(8, "numbers", "INT32", { array: true }),
    column(9, "words", "STRING", { array: true }),
    column(10, "day", "DATE"),
  ],
};

function wideRow(i: number): CellValue[] {
  const or = (value: CellValue, every: number): CellValue => (i % every === 0 ? null : value);
  return [
    `part ${i % 7}`,
    BigInt(i),
    or(i % 2 === 0, 5),
    or((i % 3) - 1, 11),
    or(BigInt(i) ** 8n, 13),
    or(i / 3, 7),
    or(`text ${i % 50}`, 17),
    or(new Uint8Array([i, i >> 8]), 19),
    or(
      Array.from({ length: i % 4 }, (_, j) => or(j * i, 3)),
      23,
    ),
    or(
      Array.from({ length: i % 3 }, (_, j) => `w${j}`),
      29,
    ),
    or(i % 1000, 31),
  ];
}

function byKey(left: CellValue[], right: CellValue[]): number {
  const order = String(left[0]) < String(right[0]) ? -1 : String(left[0]) > String(right[0]) ? 1 : 0;
  return order || Number(left[1]) - Number(right[1]);
}

describe("a table store created from rows in any order", () => {
  const numbers = Array.from({ length: 4001 }, (_, i) => (i * 2503) % 4001);
  const expected = numbers.map(wideRow).sort(byKey);

  it.each([
    { name: "in memory", memoryBytes: undefined, runs: 0 },
    { name: "in spilled runs", memoryBytes: 200_000, runs: 3 },
    { name: "in many spilled runs", memoryBytes: 65536, runs: 8 },
  ])("sorts them, $name", async ({ memoryBytes, runs }) => {
    const operations: DirectoryOperation[] = [];
    const directory = new MemoryDirectory("made", { onOperation: (operation) => operations.push(operation) });
    await using writer = await createTableStore(directory, wide, { memoryBytes });
    for (let i = 0; i < numbers.length; i += 100) {
      await writer.appendRows(numbers.slice(i, i + 100).map(wideRow));
    }
    expect(await writer.finish()).toEqual({ rows: numbers.length });
    const spilled = operations.filter((step) => step.kind === "create" && step.file.includes("run-1."));
    expect(spilled.length).toBeGreaterThanOrEqual(runs);
    await using handle = await openTableStore(directory);
    expect(await allRows(handle)).toEqual(expected);
    expect((await directory.list()).length).toBe(wide.columns.length + 3);
  });

  it("sorts them after merging merged runs, and keeps no extra files", async () => {
    const schema = { columns: [column(1, "k", "BINARY", key), column(2, "v", "INT32")] };
    const values = Array.from({ length: 20000 }, (_, i) => (i * 7919) % 20000);
    const rowOf = (i: number): CellValue[] => [
      new TextEncoder().encode(`${i % 40} ${"x".repeat(i % 60)} ${i}`),
      i,
    ];
    let most = 0;
    const directory: MemoryDirectory = new MemoryDirectory("made", {
      onOperation: () => {
        most = Math.max(most, directory.snapshot().size);
      },
    });
    await using writer = await createTableStore(directory, schema, { memoryBytes: 65536 });
    for (let i = 0; i < values.length; i += 200) {
      await writer.appendRows(values.slice(i, i + 200).map(rowOf));
    }
    await writer.finish();
    expect(most).toBeLessThan(80);
    await using handle = await openTableStore(directory);
    const rows = await allRows(handle);
    const names = rows.map(([name]) => Buffer.from(name as Uint8Array).toString("latin1"));
    expect(names).toEqual(names.toSorted());
    expect(new Set(rows.map(([, v]) => v)).size).toBe(values.length);
    expect((await handle.verify()).flatMap(({ problems }) => problems)).toEqual([]);
  });

  it("is byte-identical to one created from sorted rows", async () => {
    const files = await Promise.all(
      [true, false].map(async (sorted) => {
        const directory = new MemoryDirectory("made");
        await using writer = await createTableStore(directory, wide, { sorted, timestamp: 3n });
        await writer.appendRows(sorted ? expected : numbers.map(wideRow));
        await writer.finish();
        return directory.snapshot();
      }),
    );
    expect(files[0]).toEqual(files[1]);
  });

  it("accepts batches whose memory is reused", async () => {
    const schema = { columns: [column(1, "k", "INT32", key), column(2, "v", "DOUBLE", { nullable: false })] };
    const directory = new MemoryDirectory();
    await using writer = await createTableStore(directory, schema);
    const keys = new Int32Array(10);
    const values = new Float64Array(10);
    for (let turn = 3; turn > 0; turn--) {
      keys.forEach((_, i) => {
        keys[i] = turn * 100 - i;
        values[i] = turn + i / 10;
      });
      await writer.append([
        batchFromValues({ type: "INT32" }, keys),
        batchFromValues({ type: "DOUBLE" }, values),
      ]);
    }
    await writer.finish();
    await using handle = await openTableStore(directory);
    expect((await allRows(handle)).map(([k]) => k)).toEqual(
      [100, 200, 300].flatMap((top) => Array.from({ length: 10 }, (_, i) => top - 9 + i)),
    );
  });
});

describe("a table store in a folder", () => {
  it("is written, read, changed and compacted", async () => {
    const path = join(folder, "a", "b");
    const schema = { columns: [column(1, "k", "STRING", key), column(2, "v", "INT64")] };
    await using writer = await createTableStore(path, schema, { timestamp: 1n });
    await writer.appendRows([{ k: "b", v: 2n }, { k: "a" }]);
    await writer.finish();
    await using handle = await openTableStore(path);
    await handle.upsert(
      [
        { k: "c", v: 3n },
        { k: "a", v: 1n },
      ],
      5n,
    );
    await handle.compact();
    expect(await allRows(handle)).toEqual([
      ["a", 1n],
      ["b", 2n],
      ["c", 3n],
    ]);
    expect(await allRows(handle, 5n)).toEqual([
      ["a", null],
      ["b", 2n],
    ]);
    expect(await allRows(handle, 1n)).toEqual([]);
    const named = handle.files.flat().map(({ file }) => file);
    expect((await readdir(path)).sort()).toEqual([...named, "rowset.json"].sort());
  });

  it("is not created over another one", async () => {
    const schema = { columns: [column(1, "k", "STRING", key)] };
    await (await createTableStore(join(folder, "c"), schema)).finish();
    await expect(createTableStore(join(folder, "c"), schema)).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      path: expect.stringContaining("rowset.json"),
    });
    await using handle = await openTableStore(join(folder, "c"));
    expect(await allRows(handle)).toEqual([]);
  });

  it("cannot be opened in an empty folder", async () => {
    await expect(openTableStore(join(folder, "none"))).rejects.toMatchObject({ code: "E_NOT_FOUND" });
    await expect(openTableStore(folder)).rejects.toMatchObject({ code: "E_NOT_FOUND" });
  });
});

describe("rows that do not fit", () => {
  const schema = {
    columns: [
      column(1, "k", "STRING", key),
      column(2, "n", "INT8", key),
      column(3, "v", "INT8", { nullable: false }),
    ],
  };
  const rows = [
    ["b", 1, 0],
    ["a", 2, 0],
    ["c", 3, 0],
  ];

  it.each([
    { sorted: false, memoryBytes: undefined, message: /duplicate key \("a", 2\)/ },
    { sorted: false, memoryBytes: 65536, message: /duplicate key \("a", 2\)/ },
  ])("are rejected when a key is duplicate: %j", async ({ sorted, memoryBytes, message }) => {
    const directory = new MemoryDirectory();
    const writer = await createTableStore(directory, schema, { sorted, memoryBytes });
    await writer.appendRows(rows);
    const many = Array.from({ length: 3000 }, (_, i) => [`k${i}`, 0, 0]);
    await writer.appendRows(many);
    const finished = writer.appendRows([["a", 2, 1]]).then(() => writer.finish());
    await expect(finished).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      message: expect.stringMatching(message),
    });
    expect(await directory.list()).toEqual([]);
    await expect(writer.finish()).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
  });

  it.each([
    {
      rows: [
        ["a", 1, 0],
        ["a", 1, 0],
      ],
      message: /key \("a", 1\) of row 1 equals the key of the previous row/,
    },
    {
      rows: [
        ["b", 1, 0],
        ["a", 1, 0],
      ],
      message: /key \("a", 1\) of row 1 is less than the key of the previous row/,
    },
    {
      rows: [
        ["a", 2, 0],
        ["a", 1, 0],
      ],
      message: /key \("a", 1\) of row 1/,
    },
  ])("are rejected when they are not in key order: %j", async ({ rows: unsorted, message }) => {
    for (const together of [true, false]) {
      const directory = new MemoryDirectory();
      const writer = await createTableStore(directory, schema, { sorted: true });
      const appended = together
        ? writer.appendRows(unsorted)
        : writer.appendRows(unsorted.slice(0, 1)).then(() => writer.appendRows(unsorted.slice(1)));
      await expect(appended).rejects.toMatchObject({
        code: "E_INVALID_ARGUMENT",
        message: expect.stringMatching(message),
      });
      expect(await directory.list()).toEqual([]);
    }
  });

  it.each([
    { row: ["a", 1, null], message: /column "v", row 0.*not nullable/ },
    { row: ["a", 200, 0], message: /column "n", row 0/ },
    { row: [7, 1, 0], message: /column "k", row 0/ },
    { row: ["a", 1, 0, 0], message: /row 0 has 4 cells for 3 columns/ },
    { row: { k: "a", n: 1, v: 0, x: 1 }, message: /row 0 has an unknown column "x"/ },
    { row: { k: "a", n: 1 }, message: /column "v", row 0/ },
  ])("are rejected, naming row and column: $message", async ({ row, message }) => {
    const writer = await createTableStore(new MemoryDirectory(), schema);
    await expect(writer.appendRows([row])).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      message: expect.stringMatching(message),
    });
  });
});

describe("a schema", () => {
  const k = column(1, "k", "STRING", key);
  it.each<{ columns: RowSetColumn[]; message: RegExp }>([
    { columns: [], message: /primary key/ },
    { columns: [column(1, "v", "INT8")], message: /primary key/ },
    { columns: [k, column(1, "v", "INT8")], message: /used twice/ },
    { columns: [k, column(2, "k", "INT8")], message: /used twice/ },
    {
      columns: [k, column(2, "v", "INT8"), column(3, "l", "INT8", key)],
      message: /must come before other columns/,
    },
    { columns: [column(1, "k", "DOUBLE", key)], message: /DOUBLE/ },
    { columns: [column(1, "k", "INT8", { isKey: true })], message: /nullable/ },
    { columns: [column(1, "k", "INT8", { ...key, array: true })], message: /array/ },
    { columns: [k, column(-1, "v", "INT8")], message: /column ID/ },
    { columns: [k, column(2, "v", "BOOL", { encoding: "DICT_ENCODING" })], message: /DICT_ENCODING/ },
  ])("is rejected: $message", async ({ columns, message }) => {
    await expect(createTableStore(new MemoryDirectory(), { columns })).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      message: expect.stringMatching(message),
    });
  });
});

describe("sorting keys", () => {
  it("orders them by their bytes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 8 }), { maxLength: 60 }),
        fc.uint8Array({ maxLength: 6 }),
        (tails, shared) => {
          const values = tails.map((tail) => Uint8Array.from([...shared, ...tail]));
          const keys = encodeRowKeys([batchFromValues({ type: "BINARY" }, values)]);
          const sorted = [...sortKeys(keys)].map((row) => Buffer.from(keyAt(keys, row)).toString("hex"));
          expect(sorted).toEqual(values.map((value) => Buffer.from(value).toString("hex")).sort());
        },
      ),
      { seed: 1 },
    );
  });
});
