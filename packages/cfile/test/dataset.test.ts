import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MemoryArena } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { Condition } from "@cfile/encodings/conditions";
import { memorySource } from "@cfile/io";
import { countBlockingReads, ranges, temporaryFolder, webServer } from "@cfile-tools/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type Dataset,
  type DatasetScanOptions,
  type DatasetSlice,
  openDataset,
  scanSlice,
} from "../src/dataset.js";
import { type CellValue, createCFile, memorySink, readUnchanged, type WriterOptions } from "../src/index.js";

const PART_ROWS = [5000, 0, 1, 12_345];
const ROWS = 17_346;
const idOf = (row: number): number => row * 3;
const nameOf = (row: number): string => `name ${row % 17}`;

let folder: string;

async function write(
  file: string,
  options: WriterOptions,
  from: number,
  rows: number,
  cellOf: (row: number) => CellValue,
) {
  await using column = await createCFile(join(folder, file), { blockSize: 2048, posidx: true, ...options });
  await column.append(Array.from({ length: rows }, (_, i) => cellOf(from + i)));
  await column.finish();
}

beforeAll(async () => {
  folder = temporaryFolder();
  const parts: object[] = [];
  let from = 0;
  for (const [i, rows] of PART_ROWS.entries()) {
    await write(`id-${i + 8}.cfile`, { type: "INT32", encoding: "PLAIN_ENCODING" }, from, rows, idOf);
    await write(`name-${i}.col`, { type: "STRING", encoding: "DICT_ENCODING" }, from, rows, nameOf);
    parts.push({ ...(i === 1 ? {} : { rows }), columns: { id: `id-${i + 8}.cfile`, name: `name-${i}.col` } });
    from += rows;
  }
  await writeFile(join(folder, "all.json"), JSON.stringify({ version: 1, parts }));
});

/** The rows that a condition selects, with their numbers. */
async function chosenOf(batches: AsyncIterable<TableBatch>): Promise<[number, CellValue[]][]> {
  const chosen: [number, CellValue[]][] = [];
  for await (const { firstRow, length, rows, columns } of batches) {
    expect(columns.every((column) => column.length === length)).toBe(true);
    expect(rows?.[0] ?? firstRow).toBe(firstRow);
    const cells = columns.map((column) => column.toArray());
    for (let i = 0; i < length; i++) {
      chosen.push([rows?.[i] ?? firstRow + i, cells.map((column) => column[i] ?? null)]);
    }
  }
  return chosen;
}

async function rowsOf(
  dataset: Dataset,
  options: Parameters<Dataset["scan"]>[0] = {},
): Promise<CellValue[][]> {
  const rows: CellValue[][] = [];
  for await (const { firstRow, length, columns } of dataset.scan(options)) {
    expect(firstRow).toBe((options.rows?.from ?? 0) + rows.length);
    const cells = columns.map((column) => column.toArray());
    for (let i = 0; i < length; i++) {
      rows.push(cells.map((column) => column[i] ?? null));
    }
  }
  return rows;
}

const expected = Array.from({ length: ROWS }, (_, row) => [idOf(row), nameOf(row)]);
const ids = expected.map(([id]) => [id]);

describe("a dataset", () => {
  test("of a directory reads its files in numeric order as one column", async () => {
    await using dataset = await openDataset(folder);
    expect([dataset.rowCount, dataset.partCount, dataset.columns]).toEqual([ROWS, 4, ["value"]]);
    expect(await rowsOf(dataset)).toEqual(ids);
    expect(await dataset.get(5000)).toEqual([idOf(5000)]);
    expect(await dataset.get(ROWS - 1)).toEqual([idOf(ROWS - 1)]);
  });

  test("of a list of sources reads them in order", async () => {
    const bytes = await Promise.all([8, 10, 11].map((i) => readFile(join(folder, `id-${i}.cfile`))));
    await using dataset = await openDataset(bytes.map((file) => new Uint8Array(file)));
    expect(await rowsOf(dataset)).toEqual(ids);
    await expect(dataset.slices()).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  });

  test("of a list of parts reads columns from paths or sources", async () => {
    const first = new Uint8Array(await readFile(join(folder, "id-8.cfile")));
    const parts = PART_ROWS.map((_, i) => ({
      name: join(folder, `name-${i}.col`),
      id: i === 0 ? first : join(folder, `id-${i + 8}.cfile`),
    }));
    await using dataset = await openDataset(parts);
    expect(dataset.columns).toEqual(["name", "id"]);
    expect(await rowsOf(dataset, { columns: ["id", "name"] })).toEqual(expected);
    await using located = await openDataset(parts.slice(1));
    const slices: DatasetSlice[] = JSON.parse(JSON.stringify(await located.slices({ targetBytes: 4000 })));
    expect(slices.length).toBeGreaterThan(3);
    const cells: CellValue[] = [];
    for (const slice of slices) {
      for await (const { columns } of scanSlice(slice, { columns: ["id"] })) {
        cells.push(...(columns[0]?.toArray() ?? []));
      }
    }
    expect(cells).toEqual(ids.slice(5000).flat());
  });

  test.each([
    ["no columns", [{}]],
    ["other columns", [{ a: "x" }, { b: "x" }]],
    ["fewer columns", [{ a: "x", b: "y" }, { a: "x" }]],
    ["more columns", [{ a: "x" }, { a: "x", b: "y" }]],
    ["a file among them", [{ a: "x" }, "y"]],
  ])("rejects parts with %s", async (_name, parts) => {
    await expect(openDataset(parts as Parameters<typeof openDataset>[0])).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
    });
  });

  test("of a manifest reads its columns", async () => {
    await using dataset = await openDataset(join(folder, "all.json"));
    expect(dataset.columns).toEqual(["id", "name"]);
    expect(await rowsOf(dataset)).toEqual(expected);
    expect(await dataset.get(4999)).toEqual(expected[4999]);
    expect(await dataset.get(5001)).toEqual(expected[5001]);
    const range = { from: 4990, to: 6000 };
    expect(await rowsOf(dataset, { rows: range })).toEqual(expected.slice(4990, 6000));
    expect(await rowsOf(dataset, { columns: ["name"], rows: range, expandDictionaries: true })).toEqual(
      expected.slice(4990, 6000).map(([, name]) => [name]),
    );
    expect(await rowsOf(dataset, { rows: { from: ROWS } })).toEqual([]);
  });

  test("of a manifest on a web server requests only what it needs", async () => {
    const server = await webServer(
      ranges((_count, { url = "" }) => ({
        bytes: readFileSync(join(folder, url)),
        headers: { ETag: '"1"' },
      })),
      "all.json",
    );
    await using dataset = await openDataset(server.url);
    // The manifest, and both files of the part without a row count.
    expect(server.asked.length).toBe(3);
    expect(await rowsOf(dataset, { rows: { to: 10 } })).toEqual(expected.slice(0, 10));
    // At most two for each file of the part.
    expect(server.asked.length).toBeLessThanOrEqual(7);
  });

  test("of more parts than may be open at once is read completely", async () => {
    const one = new Uint8Array(await readFile(join(folder, "id-10.cfile")));
    const files = await Promise.all(
      Array.from({ length: 80 }, async (_, i) => {
        const path = join(folder, `one-${i}.tmp`);
        await writeFile(path, one);
        return path;
      }),
    );
    await using dataset = await openDataset(files);
    expect(dataset.rowCount).toBe(80);
    const cells = await Promise.all(Array.from({ length: 80 }, (_, row) => dataset.get(row)));
    expect(cells).toEqual(Array.from({ length: 80 }, () => [idOf(5000)]));
    expect((await rowsOf(dataset)).length).toBe(80);
  });
});

describe("slices", () => {
  const bytesOf = (slices: readonly DatasetSlice[]) => slices.map(({ bytes }) => bytes);

  test.each([1, 3000, 20_000, 1_000_000])(
    "of %d bytes contain every row once, in order",
    async (targetBytes) => {
      await using dataset = await openDataset(join(folder, "all.json"));
      const slices: DatasetSlice[] = JSON.parse(JSON.stringify(await dataset.slices({ targetBytes })));
      const rows: CellValue[][] = [];
      for (const slice of slices) {
        expect(slice.firstRow).toBe(rows.length);
        for await (const { firstRow, columns, length } of scanSlice(slice)) {
          expect(firstRow).toBe(rows.length);
          for (let i = 0; i < length; i++) {
            rows.push(columns.map((column) => column.get(i) ?? null));
          }
        }
      }
      expect(rows).toEqual(expected);
      if (targetBytes === 1) {
        expect(slices.every(({ blocks }) => blocks !== undefined && blocks.to - blocks.from === 1)).toBe(
          true,
        );
      }
      expect(slices.length).toBeGreaterThanOrEqual(3);
      expect(Math.max(...bytesOf(slices))).toBeLessThan(Math.max(targetBytes + 4096, targetBytes));
    },
  );

  test("and datasets pass the options for files to `openSource`", async () => {
    const file = { blocking: true };
    const blockingReads = countBlockingReads();
    await using dataset = await openDataset(join(folder, "all.json"), { file });
    // The manifest, and the two columns of the first part.
    const toOpen = blockingReads();
    expect(toOpen).toBe(3);
    expect((await rowsOf(dataset)).length).toBe(ROWS);
    const ofScan = blockingReads() - toOpen;
    expect(ofScan).toBeGreaterThan(0);
    let rows = 0;
    for (const slice of await dataset.slices()) {
      for await (const { length } of scanSlice(slice, { file })) {
        rows += length;
      }
    }
    expect(rows).toBe(ROWS);
    expect(blockingReads()).toBeGreaterThan(toOpen + ofScan);
  });

  test.each([0, -1, Number.NaN])("of %d bytes are rejected", async (targetBytes) => {
    await using dataset = await openDataset(folder);
    await expect(dataset.slices({ targetBytes })).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
  });
});

describe("an invalid dataset", () => {
  test.each<[string, unknown, object]>([
    ["another version", { version: 2, parts: [] }, { code: "E_UNSUPPORTED", field: "version" }],
    ["no parts", { version: 1 }, { code: "E_CORRUPT", field: "parts" }],
    ["a part without columns", { version: 1, parts: [{}] }, { field: "parts[0].columns" }],
    ["no columns at all", { version: 1, parts: [{ columns: {} }] }, { field: "parts[0].columns" }],
    [
      "other columns",
      { version: 1, parts: [{ rows: 0, columns: { a: "x" } }, { columns: { b: "x" } }] },
      { field: "parts[1].columns.a" },
    ],
    [
      "a file that is not a string",
      { version: 1, parts: [{ columns: { a: 5 } }] },
      { field: "parts[0].columns.a" },
    ],
    ["negative rows", { version: 1, parts: [{ rows: -1, columns: { a: "x" } }] }, { field: "parts[0].rows" }],
    ["a missing file", { version: 1, parts: [{ columns: { a: "missing.cfile" } }] }, { code: "E_NOT_FOUND" }],
    [
      "too few rows",
      { version: 1, parts: [{ columns: { a: "id-8.cfile", b: "id-10.cfile" } }] },
      { code: "E_CORRUPT", field: "rows" },
    ],
    [
      "different types",
      { version: 1, parts: [{ columns: { a: "id-8.cfile" } }, { columns: { a: "name-0.col" } }] },
      { field: "data_type" },
    ],
  ])("%s", async (_name, manifest, error) => {
    const path = join(folder, "wrong.json");
    await writeFile(path, JSON.stringify(manifest));
    await expect(openDataset(path)).rejects.toMatchObject(error);
  });

  test("of invalid JSON", async () => {
    const path = join(folder, "wrong.json");
    await writeFile(path, "{");
    await expect(openDataset(path)).rejects.toMatchObject({ code: "E_CORRUPT", path });
  });

  test("rejects unknown rows and columns", async () => {
    await using dataset = await openDataset(folder);
    await expect(dataset.get(ROWS)).rejects.toMatchObject({ code: "E_NOT_FOUND" });
    await expect(dataset.scan({ columns: ["x"] }).next()).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
    });
    await expect(dataset.scan({ rows: { from: -1 } }).next()).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
    });
  });
});

test("readUnchanged reads a file again if it is replaced meanwhile", async () => {
  const files = await Promise.all(
    [1, 2].map(async (factor) => {
      const sink = memorySink();
      const column = await createCFile(sink, { type: "INT32", encoding: "PLAIN_ENCODING", posidx: true });
      await column.append(Array.from({ length: 200_000 }, (_, row) => row * factor));
      await column.finish();
      return sink.bytes();
    }),
  );
  let requests = 0;
  const fetchFile: typeof fetch = async (_url, init) => {
    const turn = requests++ < 2 ? 0 : 1;
    const bytes = files[turn] ?? new Uint8Array(0);
    const [, from = "", to = ""] =
      /^bytes=(\d*)-(\d*)$/.exec(new Headers(init?.headers).get("Range") ?? "") ?? [];
    const start = from ? Number(from) : Math.max(0, bytes.length - Number(to));
    const end = from && to ? Number(to) + 1 : bytes.length;
    return new Response(bytes.slice(start, end), {
      status: 206,
      headers: { ETag: `"${turn}"`, "Content-Range": `bytes ${start}-${end - 1}/${bytes.length}` },
    });
  };
  let tries = 0;
  const cells = await readUnchanged(
    "http://example.invalid/c.cfile",
    (file) => {
      tries++;
      return file.toArray();
    },
    { http: { fetch: fetchFile } },
  );
  expect(tries).toBe(2);
  expect(cells).toEqual(Array.from({ length: 200_000 }, (_, row) => row * 2));
});

describe("a scan of a dataset with conditions", () => {
  const rows = expected.map((cells, row): [number, (string | number)[]] => [
    row,
    cells as (string | number)[],
  ]);
  const named = (name: string) => rows.filter(([, cells]) => cells[1] === name);

  test.each<[string, DatasetScanOptions, [number, (string | number)[]][]]>([
    ["a word", { where: { column: "name", op: "=", value: "name 3" } }, named("name 3")],
    [
      "a word, the other column first",
      { where: { column: "name", op: "=", value: "name 3" }, columns: ["name", "id"] },
      named("name 3").map(([row, [id, name]]) => [row, [name ?? "", id ?? 0]]),
    ],
    [
      "a word, only the other column",
      { where: { column: "name", op: "=", value: "name 3" }, columns: ["id"] },
      named("name 3").map(([row, [id]]) => [row, [id ?? 0]]),
    ],
    [
      "a word, only that column",
      { where: { column: "name", op: "prefix", value: "name 16" }, columns: ["name"] },
      named("name 16").map(([row, [, name]]) => [row, [name ?? ""]]),
    ],
    [
      "few rows, a column asked for twice",
      { where: { column: "id", op: "in", values: [0, 9, 3000, 30_000] }, columns: ["name", "id", "name"] },
      [0, 3, 1000, 10_000].map((row): [number, (string | number)[]] => [
        row,
        [nameOf(row), idOf(row), nameOf(row)],
      ]),
    ],
    [
      "words and numbers of both columns",
      {
        where: [
          { column: "name", op: "=", value: "name 3" },
          { column: "id", op: "<", value: 15_000 },
          { column: "id", op: ">=", value: 900 },
        ],
        columns: ["id"],
      },
      named("name 3")
        .filter(([, [id]]) => Number(id) < 15_000 && Number(id) >= 900)
        .map(([row, [id]]) => [row, [id ?? 0]]),
    ],
    ["no word", { where: { column: "name", op: "=", value: "nobody" } }, []],
    [
      "a number, rows and limit",
      { where: { column: "id", op: ">=", value: 15_000 }, rows: { from: 4000, to: 9000 }, limit: 1234 },
      rows.slice(5000, 6234),
    ],
    ["limit", { limit: 5003 }, rows.slice(0, 5003)],
    ["limit 0", { limit: 0 }, []],
    ["small batches", { batchRows: 7, where: { column: "id", op: "<", value: 100 } }, rows.slice(0, 34)],
  ])("by %s", async (_name, options, answer) => {
    await using dataset = await openDataset(join(folder, "all.json"));
    expect(await chosenOf(dataset.scan(options))).toEqual(answer);
    expect(await chosenOf(dataset.scan({ ...options, arena: new MemoryArena() }))).toEqual(answer);
    const slices = await dataset.slices({ targetBytes: 5000 });
    const { rows: range, limit = Number.POSITIVE_INFINITY, ...sliceOptions } = options;
    const inSlices: [number, CellValue[]][] = [];
    for (const slice of slices) {
      inSlices.push(...(await chosenOf(scanSlice(slice, sliceOptions))));
    }
    const inRange = inSlices.filter(([row]) => row >= (range?.from ?? 0) && row < (range?.to ?? ROWS));
    expect(inRange.slice(0, limit)).toEqual(answer);
  });

  test("on a column with value indexes", async () => {
    const parts = [0, 1].map((i) => ({
      key: join(folder, `key-${i}.col`),
      twice: join(folder, `twice-${i}.col`),
    }));
    for (const i of [0, 1]) {
      await write(`key-${i}.col`, { type: "INT32", validx: true }, 0, 3000, (row) => row * 2);
      await write(`twice-${i}.col`, { type: "INT64" }, 0, 3000, (row) => BigInt(row * 4));
    }
    await using dataset = await openDataset(parts);
    const found = await chosenOf(
      dataset.scan({
        where: [
          { column: "key", op: ">=", value: 100 },
          { column: "key", op: "<", value: 103 },
        ],
      }),
    );
    expect(found).toEqual([
      [50, [100, 200n]],
      [51, [102, 204n]],
      [3050, [100, 200n]],
      [3051, [102, 204n]],
    ]);
    expect((await chosenOf(dataset.scan({ where: { column: "key", op: ">=", value: 9999 } }))).length).toBe(
      0,
    );
  });

  const every = (step: number): Condition => ({
    op: "in",
    values: Array.from({ length: 200_000 / step }, (_, i) => step * i),
  });

  test.each<{ where: Condition; found: number; most: number; validx?: boolean }>([
    { found: 200_000, where: { op: ">=", value: 0 }, most: 1.1 },
    { found: 20_000, where: every(10), most: 1.1 },
    { found: 2000, where: every(100), most: 1.1, validx: true },
    { found: 4, where: { op: "in", values: [7, 70_000, 70_001, 80_000] }, most: 0.4 },
    { found: 3, where: { op: "in", values: [10, 150_000, 199_000] }, most: 0.4 },
  ])(
    "reads a block of other columns once for all of its rows: $found rows",
    async ({ where, found, most, validx = false }) => {
      const count = 200_000;
      const columns = { id: (row: number) => row, other: (row: number) => (row * 7) % 1000 };
      const written = await Promise.all(
        Object.values(columns).map(async (valueAt, i) => {
          const sink = memorySink();
          const options = {
            type: "INT32",
            encoding: "PLAIN_ENCODING",
            blockSize: 7000 + 2345 * i,
            validx: validx && i === 0,
          } as const;
          const column = await createCFile(sink, options);
          await column.append(Int32Array.from({ length: count }, (_value, row) => valueAt(row)));
          await column.finish();
          return sink.bytes();
        }),
      );
      const [id = new Uint8Array(0), other = new Uint8Array(0)] = written;
      let bytesRead = 0;
      const source = {
        ...memorySource(other),
        isMemory: false,
        read: async (offset: number, length: number) => {
          bytesRead += length;
          return other.slice(offset, offset + length);
        },
      };
      await using dataset = await openDataset([{ id, other: source }]);
      let rowsRead = 0;
      for await (const { columns: cells } of dataset.scan({ where: { ...where, column: "id" } })) {
        const [ids, others] = cells.map((column) => column.toArray() as number[]);
        expect(others).toEqual(ids?.map(columns.other));
        rowsRead += ids?.length ?? 0;
      }
      expect(rowsRead).toBe(found);
      expect(bytesRead).toBeLessThan(most * other.length);
    },
  );

  test("reports progress", async () => {
    await using dataset = await openDataset(join(folder, "all.json"));
    const progress: number[] = [];
    const where = { column: "name", op: "=", value: "name 3" } as const;
    for await (const batch of dataset.scan({
      where,
      rows: { from: 100 },
      onProgress: ({ done, total }) => {
        expect(total).toBe(ROWS - 100);
        progress.push(done);
      },
    })) {
      expect(batch.length).toBeGreaterThan(0);
    }
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(progress.at(-1)).toBe(ROWS - 100);
  });

  test.each<[string, DatasetScanOptions]>([
    ["of no column", { where: { op: "=", value: 5 } }],
    ["of a column that is not there", { where: { column: "none", op: "=", value: 5 } }],
    ["with a limit below 0", { limit: -1 }],
    ["of a value of another type", { where: { column: "id", op: "=", value: "five" } }],
  ])("rejects %s", async (_name, options) => {
    await using dataset = await openDataset(join(folder, "all.json"));
    await expect(dataset.scan(options).next()).rejects.toMatchObject({
      code: expect.stringMatching(/^E_(INVALID_ARGUMENT|UNSUPPORTED|NOT_FOUND)$/),
    });
  });

  test("stops when aborted", async () => {
    await using dataset = await openDataset(join(folder, "all.json"));
    const scan = dataset.scan({ signal: AbortSignal.abort("enough") });
    await expect(scan.next()).rejects.toBe("enough");
  });
});
