import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ScanOptions } from "@cfile/format";
import { serveFiles, temporaryFolder } from "@cfile-tools/testkit";
import { openCFile, type Range } from "cfile";
import { canonicalBytes } from "cfile/recover";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWorkerPool, type PoolInput } from "../src/index.js";
import {
  cellsOf,
  collect,
  goldenBytes,
  goldenNames,
  goldenPath,
  outcome,
  scanAlone,
  scattered,
  writeBytes,
} from "./files.js";
import { startThread, threadPool, watchedThreads } from "./thread-pool.js";

let folder: string;
let big: Uint8Array;
let bigPath: string;
const pool = createWorkerPool({ workers: 2, createWorker: startThread });
const BIG_ROWS = 3_000_000;

beforeAll(async () => {
  folder = temporaryFolder();
  big = await writeBytes({ type: "INT32", compression: "LZ4", batchRows: 4096 }, scattered(BIG_ROWS));
  bigPath = join(folder, "big.cfile");
  await writeFile(bigPath, big);
});
afterAll(async () => {
  await pool.close();
});

describe("a pool returns the same as a scan without it", () => {
  test("for golden files of all types, encodings and codecs", async () => {
    const chosen = goldenNames.filter((name, i) => i % 7 === 0 || (name.includes("dict") && i % 3 === 0));
    expect(chosen.length).toBeGreaterThan(100);
    for (const name of chosen) {
      const path = goldenPath(name);
      const alone = await scanAlone(path);
      const pooled = await outcome(pool.scan(path));
      expect(pooled.cells, name).toEqual(alone.cells);
      expect(toFields(pooled.error), name).toEqual(toFields(alone.error));
      const cells: unknown[] = [];
      for await (const batch of pool.scan(path, { reuseMemory: true })) {
        cells.push(...structuredClone(batch.toArray({ strings: "bytes" })));
      }
      expect(cells, name).toEqual(alone.cells);
    }
  });

  test("for any batchRows", async () => {
    for (const name of goldenNames.filter((_, i) => i % 41 === 0)) {
      for (const batchRows of [1, 3, 100]) {
        const rows = { to: 400 };
        const alone = await scanAlone(goldenPath(name), { batchRows, rows });
        const batches = await collect(pool.scan(goldenPath(name), { batchRows, rows }));
        expect(cellsOf(batches), `${name}, ${batchRows}`).toEqual(alone.cells);
        expect(batches.every(({ length }) => length <= batchRows)).toBe(true);
      }
    }
  });

  test("byte for byte for a large column", async () => {
    await using file = await openCFile(big);
    const expected: Uint8Array[] = [];
    for await (const part of canonicalBytes(file)) {
      expected.push(part);
    }
    const values = (await collect(pool.scan(bigPath))).map((batch) => {
      expect(batch.kind).toBe("fixed");
      return batch.kind === "fixed"
        ? Buffer.from(batch.values.buffer, batch.values.byteOffset, batch.values.byteLength)
        : Buffer.of();
    });
    expect(Buffer.concat(values).equals(Buffer.concat(expected))).toBe(true);
  });
});

describe("reused memory", () => {
  test("returns to the workers only with reuseMemory, without changing cells", async () => {
    const traffic = watchedThreads();
    const watched = threadPool({ createWorker: traffic.createWorker });
    const cells = async (options: { readonly reuseMemory?: boolean }): Promise<unknown[]> => {
      const all: unknown[] = [];
      for await (const batch of watched.scan(bigPath, { ...options, batchRows: 10_000 })) {
        all.push(...batch.toArray());
      }
      return all;
    };
    const expected = await cells({});
    expect(traffic.sent.get("reuse")).toBeUndefined();
    expect(await cells({ reuseMemory: true })).toEqual(expected);
    expect(traffic.sent.get("reuse")).toBeGreaterThan(3);
  });

  test("is not returned if the consumer has transferred it", async () => {
    let rows = 0;
    for await (const batch of pool.scan(bigPath, { reuseMemory: true })) {
      rows += batch.length;
      if (batch.kind === "fixed") {
        structuredClone(batch.values, { transfer: [batch.values.buffer as ArrayBuffer] });
      }
    }
    expect(rows).toBe((await openCFile(big)).rowCount);
  });
});

describe("order", () => {
  test("three million rows arrive in order, without gaps", async () => {
    const expected = scattered(BIG_ROWS);
    let row = 0;
    for await (const batch of pool.scan(bigPath)) {
      expect(batch.firstRow).toBe(row);
      expect(batch.kind === "fixed" && batch.values[0]).toBe(expected[row]);
      expect(batch.kind === "fixed" && batch.values.at(-1)).toBe(expected[row + batch.length - 1]);
      row += batch.length;
    }
    expect(row).toBe(BIG_ROWS);
  });

  test("files arrive one after the other, each numbered from its own first row", async () => {
    const names = ["enc_int32_plain_n9", "enc_int32_plain_n1000", "enc_int32_plain_n1"].filter((name) =>
      goldenNames.includes(name),
    );
    const inputs: PoolInput[] = [...names.map(goldenPath), bigPath, ...names.map(goldenBytes)];
    const alone = await Promise.all(names.map((name) => scanAlone(goldenPath(name))));
    const small = alone.flatMap(({ cells }) => cells);
    const cells = cellsOf(await collect(pool.scan(inputs)));
    expect(cells.length).toBe(2 * small.length + BIG_ROWS);
    expect(cells.slice(0, small.length)).toEqual(small);
    expect(cells.slice(-small.length)).toEqual(small);
  });

  test("many small files arrive in order", async () => {
    const inputs = await Promise.all(
      Array.from({ length: 60 }, (_, i) => writeBytes({ type: "INT32" }, i % 5 === 0 ? [] : [i, i + 1])),
    );
    const cells = cellsOf(await collect(pool.scan(inputs)));
    expect(cells).toEqual(inputs.flatMap((_, i) => (i % 5 === 0 ? [] : [i, i + 1])));
    expect(await collect(pool.scan([]))).toEqual([]);
  });

  test("concurrent scans do not mix", async () => {
    const scans = [0, 1, 2, 3].map((i) => collect(pool.scan(bigPath, { rows: { from: i * 1000 } })));
    for (const [i, batches] of (await Promise.all(scans)).entries()) {
      expect(batches[0]?.firstRow).toBe(i * 1000);
      expect(batches.reduce((rows, { length }) => rows + length, 0)).toBe(BIG_ROWS - i * 1000);
    }
  });
});

describe("row and value ranges", () => {
  test.each<[Range<number>]>([
    [{ from: 0, to: 1 }],
    [{ from: 65_535, to: 65_537 }],
    [{ from: 1_234_567 }],
    [{ from: 100_000, to: 2_500_001 }],
    [{ from: 2_999_999, to: 9_999_999 }],
    [{ from: 3_000_000 }],
    [{ from: 7, to: 7 }],
    [{ to: Number.POSITIVE_INFINITY }],
  ])("rows %j are those of the file", async (rows) => {
    const expected = scattered(BIG_ROWS).subarray(rows.from ?? 0, rows.to ?? BIG_ROWS);
    const batches = await collect(pool.scan(bigPath, { rows }));
    const actual = new Int32Array(expected.length);
    for (const batch of batches) {
      actual.set(
        batch.kind === "fixed" ? (batch.values as Int32Array) : [],
        batch.firstRow - (rows.from ?? 0),
      );
    }
    expect(Buffer.from(actual.buffer).equals(Buffer.from(expected.slice().buffer))).toBe(true);
    expect(batches.reduce((sum, { length }) => sum + length, 0)).toBe(expected.length);
  });

  test("a value range uses the value index", async () => {
    const rows = Int32Array.from({ length: 200_000 }, (_, i) => 2 * i);
    const bytes = await writeBytes({ type: "INT32", validx: true, blockSize: 4096 }, rows);
    const where = [
      { op: ">=", value: 99_999 },
      { op: "<", value: 300_001 },
    ] as const;
    const batches = await collect(pool.scan(bytes, { where }));
    expect(batches[0]?.firstRow).toBe(50_000);
    expect(cellsOf(batches)).toEqual((await scanAlone(bytes, { where })).cells);
  });

  test.each<[Pick<ScanOptions, "rows" | "batchRows" | "where">]>([
    [{ rows: { from: -1 } }],
    [{ rows: { to: 1.5 } }],
    [{ batchRows: 0 }],
    [{ where: { op: "prefix", value: "a" } }],
  ])("%j throws the same error as without a pool", async (options) => {
    const alone = await scanAlone(big, options);
    const pooled = await outcome(pool.scan(big, options));
    expect(toFields(pooled.error)).toEqual(toFields(alone.error));
    expect(pooled.error).toHaveProperty("code");
  });
});

describe("files that are cut without block boundaries", () => {
  test("a single block with very many rows", async () => {
    const rows = 5_000_000;
    const column = new Int32Array(rows).fill(7);
    const bytes = await writeBytes(
      { type: "INT32", encoding: "RLE", batchRows: Number.POSITIVE_INFINITY },
      column,
    );
    const batches = await collect(pool.scan(bytes));
    expect(batches.reduce((sum, { length }) => sum + length, 0)).toBe(rows);
    expect(
      batches.every((batch) => batch.kind === "fixed" && batch.values.every((value) => value === 7)),
    ).toBe(true);
  });

  test.each([[{ validx: true }], [{ validx: false }]])(
    "a file without positional index, %j",
    async (index) => {
      const column = Int32Array.from({ length: 300_000 }, (_, i) => i);
      const bytes = await writeBytes({ type: "INT32", posidx: false, ...index }, column);
      expect(cellsOf(await collect(pool.scan(bytes)))).toEqual([...column]);
    },
  );
});

describe("the dictionary", () => {
  test("is shared by all batches of a file", async () => {
    const words = Array.from({ length: 400_000 }, (_, i) => `word ${(i * 7919) % 500}`);
    const bytes = await writeBytes({ type: "STRING", blockSize: 8192 }, words);
    const batches = await collect(pool.scan(bytes));
    expect(batches.length).toBeGreaterThan(5);
    const dictionaries = new Set(
      batches.map((batch) => (batch.kind === "dictionary" ? batch.dictionary : undefined)),
    );
    expect(dictionaries.size).toBe(1);
    expect([...dictionaries][0]?.length).toBe(500);
    expect(batches.flatMap((batch) => batch.toArray())).toEqual(words);
  });
});

describe("inputs", () => {
  test("can be a path, a file URL, bytes, a view, a buffer, shared memory, a Blob, a File or a data URL", async () => {
    const bytes = goldenBytes("enc_int32_plain_n9");
    const expected = (await scanAlone(bytes)).cells;
    const memory = new SharedArrayBuffer(bytes.length + 16);
    new Uint8Array(memory).set(bytes, 8);
    const padded = new Uint8Array(bytes.length + 10);
    padded.set(bytes, 5);
    const inputs: PoolInput[] = [
      goldenPath("enc_int32_plain_n9"),
      pathToFileURL(goldenPath("enc_int32_plain_n9")),
      pathToFileURL(goldenPath("enc_int32_plain_n9")).href,
      bytes,
      padded.subarray(5, 5 + bytes.length),
      bytes.slice().buffer,
      new Uint8Array(memory, 8, bytes.length),
      memory.slice(8, 8 + bytes.length),
      new Blob([bytes.slice()]),
      new File([bytes.slice()], "a.cfile"),
      `data:application/octet-stream;base64,${Buffer.from(bytes).toString("base64")}`,
    ];
    for (const input of inputs) {
      expect(cellsOf(await collect(pool.scan(input)))).toEqual(expected);
    }
    expect(bytes.length).toBeGreaterThan(0);
  });

  test("can be on a web server", async () => {
    const { url } = await serveFiles({ "big.cfile": { body: big } });
    const batches = await collect(pool.scan(`${url}big.cfile`));
    expect(batches.reduce((rows, { length }) => rows + length, 0)).toBe(BIG_ROWS);
  });

  test("cannot be sources made of functions", async () => {
    const source = { name: "mine", size: async () => 1, read: async () => new Uint8Array(1) };
    const buffer = { byteLength: 1, slice: async () => new ArrayBuffer(1) };
    for (const input of [source, buffer] as object[]) {
      await expect(collect(pool.scan(input as Blob))).rejects.toMatchObject({
        code: "E_UNSUPPORTED",
        field: "input",
      });
    }
    await expect(collect(pool.scan([5 as never]))).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
    });
  });

  test("that are missing throw E_NOT_FOUND", async () => {
    await expect(collect(pool.scan(join(folder, "absent.cfile")))).rejects.toMatchObject({
      code: "E_NOT_FOUND",
      path: join(folder, "absent.cfile"),
    });
  });
});

test("the number of workers must be a positive integer", () => {
  for (const workers of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => createWorkerPool({ workers })).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
    );
  }
  expect(createWorkerPool().size).toBeGreaterThanOrEqual(1);
});

function toFields(error: unknown): unknown {
  if (error === undefined) {
    return undefined;
  }
  const { code, reason, path, block, offset, field, expected, actual } = error as Record<string, unknown>;
  return { code, reason, path, block, offset, field, expected, actual };
}
