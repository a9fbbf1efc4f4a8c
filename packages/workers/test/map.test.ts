/** Functions that a pool calls in its workers. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CFileError, isCFileError } from "@cfile/bytes";
import { countBlockingReads, temporaryFolder } from "@cfile-tools/testkit";
import { openCFile } from "cfile";
import { beforeAll, describe, expect, test } from "vitest";
import { MapError, type MapFunction, type PoolMapOptions, type WorkerLike } from "../src/index.js";
import { goldenNames, goldenPath, scanAlone, scattered, writeBytes } from "./files.js";
import { eventually, localWorker, startThread, threadPool, watchedThreads } from "./thread-pool.js";

const module = new URL("./map-functions.mjs", import.meta.url);
const ROWS = 3_000_000;
let folder: string;
let path: string;
let bytes: Uint8Array;

interface TaskCells {
  readonly input: number;
  readonly rows: { readonly from: number; readonly to: number };
  readonly cells: unknown[];
}
type Cells = MapFunction<TaskCells>;
type Count = MapFunction<number>;

beforeAll(async () => {
  folder = temporaryFolder();
  path = join(folder, "column.cfile");
  bytes = await writeBytes({ type: "INT32", blockSize: 32_768, batchRows: 4096 }, scattered(ROWS));
  await writeFile(path, bytes);
});

/** The results until the end or the error. */
async function outcome<T>(results: AsyncIterable<T>): Promise<{ results: T[]; error: unknown }> {
  const all: T[] = [];
  try {
    for await (const result of results) {
      all.push(result);
    }
  } catch (error) {
    return { results: all, error };
  }
  return { results: all, error: undefined };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** The file with a flipped bit in data block `index`. */
async function damagedIn(index: number): Promise<{ damaged: Uint8Array; row: number }> {
  await using file = await openCFile(bytes);
  const block = (await file.listDataBlocks()).at(index) ?? { offset: 0 };
  const damaged = bytes.slice();
  damaged[block.offset + 100] = (damaged[block.offset + 100] ?? 0) ^ 4;
  const { cells } = await scanAlone(damaged);
  return { damaged, row: cells.length };
}

test("workers read files themselves, and the pool's thread never waits for a read", async () => {
  const scanned = async (createWorker: () => WorkerLike): Promise<number> => {
    const pool = threadPool({ createWorker });
    const counts = pool.map<Count>(path, { module, name: "count" });
    return sum((await outcome(counts)).results);
  };
  const blockingReads = countBlockingReads();
  expect(await scanned(startThread)).toBe(ROWS);
  expect(blockingReads()).toBe(0);
  expect(await scanned(() => localWorker())).toBe(ROWS);
  expect(blockingReads()).toBeGreaterThan(bytes.length / (256 * 1024));
});

describe("results", () => {
  test("cover the cells of golden files of all types, encodings and codecs", async () => {
    const pool = threadPool();
    const chosen = goldenNames.filter((name, i) => i % 11 === 0 || (name.includes("dict") && i % 5 === 0));
    expect(chosen.length).toBeGreaterThan(60);
    for (const name of chosen) {
      const alone = await scanAlone(goldenPath(name));
      const mapped = await outcome(pool.map<Cells>(goldenPath(name), { module, name: "cells" }));
      expect(
        mapped.results.flatMap(({ cells }) => cells),
        name,
      ).toEqual(alone.cells);
      expect(mapped.error === undefined, name).toBe(alone.error === undefined);
    }
  });

  test("arrive in row order, file after file, each task with its rows and input", async () => {
    const small = goldenPath("enc_int32_plain_n1000");
    const { results, error } = await outcome(
      threadPool().map<Cells>([path, small, path], { module: module.href, name: "cells" }),
    );
    expect(error).toBeUndefined();
    const expected = [...scattered(ROWS)];
    const next = [0, 0, 0];
    for (const { input, rows, cells } of results) {
      expect(rows.from).toBe(next[input]);
      expect(rows.to - rows.from).toBe(cells.length);
      next[input] = rows.to;
      if (input !== 1) {
        expect(cells).toEqual(expected.slice(rows.from, rows.to));
      }
    }
    expect(results.map(({ input }) => input)).toEqual(results.map(({ input }) => input).sort());
    expect(next).toEqual([ROWS, 1000, ROWS]);
  });

  test("follow rows and where, and a file without candidate rows has none", async () => {
    const pool = threadPool();
    const rows = { from: 1_000_001, to: 2_500_000 };
    const counted = await outcome(pool.map<Count>(path, { module, name: "count", rows }));
    expect(sum(counted.results)).toBe(1_499_999);
    const where = { op: ">=", value: 0 } as const;
    const filtered = await outcome(
      pool.map<Cells>(path, { module, name: "cells", where, batchRows: 10_000 }),
    );
    expect(filtered.results.flatMap(({ cells }) => cells)).toEqual(
      [...scattered(ROWS)].filter((v) => v >= 0),
    );
    const none = await outcome(pool.map<Count>(path, { module, name: "count", rows: { to: 0 } }));
    expect(none).toEqual({ results: [], error: undefined });
  });

  test("of files without a positional index, and of one block with very many rows, cover all rows", async () => {
    const pool = threadPool();
    const column = Int32Array.from({ length: 700_000 }, (_, i) => i);
    const plain = await writeBytes({ type: "INT32", posidx: false, validx: true }, column);
    const { results } = await outcome(pool.map<Cells>(plain, { module, name: "cells" }));
    expect(results.flatMap(({ cells }) => cells)).toEqual([...column]);
    const options = { type: "INT32", encoding: "RLE", batchRows: Number.POSITIVE_INFINITY } as const;
    const runs = await writeBytes(options, new Int32Array(5_000_000).fill(7));
    expect(sum((await outcome(pool.map<Count>(runs, { module, name: "count" }))).results)).toBe(5_000_000);
  });

  test("wait for the consumer: two workers are at most sixteen tasks ahead", async () => {
    const { createWorker, sent, received } = watchedThreads();
    const inputs = Array.from({ length: 40 }, () => goldenPath("enc_int32_plain_n1000"));
    const results = threadPool({ createWorker }).map<Count>(inputs, { module, name: "count" });
    expect((await results.next()).value).toBe(1000);
    await eventually(() => expect(received.get("result")).toBe(16));
    expect(sent.get("scan")).toBe(16);
    expect(sum((await outcome(results)).results)).toBe(39_000);
    expect(received.get("batches")).toBeUndefined();
    expect(received.get("result")).toBe(40);
  });

  test("may be views of the memory of a batch", async () => {
    const options = { module, name: "firstValues" };
    const { results } = await outcome(threadPool().map<MapFunction<Int32Array>>(path, options));
    expect(results[0]).toEqual(scattered(3));
  });
});

describe("a function", () => {
  test.each(["first", "nothing", "again"])("that does not read all batches works: %s", async (name) => {
    const pool = threadPool();
    const { results, error } = await outcome(pool.map(path, { module, name }));
    expect(error).toBeUndefined();
    expect(results.length).toBeGreaterThan(2);
    expect(results[0]).toBe(name === "nothing" ? undefined : 0);
    expect(sum((await outcome(pool.map<Count>(path, { module, name: "count" }))).results)).toBe(ROWS);
  });

  test("gets a clone of the argument from the start of the iteration", async () => {
    const argument = { row: ROWS };
    const options: PoolMapOptions<typeof argument> = { module, name: "until", argument };
    const results = threadPool().map<MapFunction<number, typeof argument>>(path, options);
    const first = (await results.next()).value ?? 0;
    argument.row = 0;
    expect(first + sum((await outcome(results)).results)).toBe(ROWS);
  });

  test("among those of the worker's script needs no module", async () => {
    const count: Count = async (batches) => {
      let rows = 0;
      for await (const { length } of batches) {
        rows += length;
      }
      return rows;
    };
    const pool = threadPool({ createWorker: () => localWorker({ functions: { count } }) });
    expect(sum((await outcome(pool.map<Count>(path, { name: "count" }))).results)).toBe(ROWS);
    for (const name of ["absent", "toString", "__proto__"]) {
      const { error } = await outcome(pool.map(path, { name }));
      expect(error).toMatchObject({ code: "E_INVALID_ARGUMENT", field: "name" });
    }
  });

  test.each([
    [{ module: new URL("./absent.mjs", module), name: "count" }, "module", "absent.mjs"],
    [{ module: new URL("./broken-module.mjs", module), name: "count" }, "module", "not today"],
    [{ module, name: "absent" }, "name", '"absent"'],
    [{ module, name: "notAFunction" }, "name", '"notAFunction"'],
    [{ module: "./map-functions.mjs", name: "count" }, "module", "absolute URL"],
    [{ module, name: 5 as never }, "name", "exported function"],
    [{ module, name: "count", argument: () => 1 }, "argument", "cannot send argument"],
  ])("that cannot be called throws E_INVALID_ARGUMENT: %j", async (options, field, reason) => {
    const { results, error } = await outcome(threadPool().map(path, options));
    expect(results).toEqual([]);
    expect(error).toBeInstanceOf(CFileError);
    expect(error).toMatchObject({
      code: "E_INVALID_ARGUMENT",
      field,
      reason: expect.stringContaining(reason),
    });
  });

  test("that cannot be imported is named together with its module", async () => {
    const absent = new URL("./absent.mjs", module);
    const { error } = await outcome(threadPool().map(path, { module: absent, name: "count" }));
    expect((error as CFileError).reason).toContain(`cannot import ${absent.href} for its function "count"`);
  });
});

describe("an exception of the function", () => {
  test("is a MapError with rows, path and the exception as its cause, after the results before it", async () => {
    const options = { module, name: "until", argument: { row: 1_000_000 } };
    const { results, error } = await outcome(
      threadPool().map<MapFunction<number, { row: number }>>(path, options),
    );
    expect(error).toBeInstanceOf(MapError);
    expect(isCFileError(error)).toBe(false);
    const { rows, cause } = error as MapError;
    expect(sum(results)).toBe(rows.from);
    expect(rows.from).toBeGreaterThanOrEqual(1_000_000);
    expect(error).toMatchObject({ name: "MapError", path });
    expect((error as Error).message).toContain(
      `RangeError: enough at ${rows.from} [${path}, rows ${rows.from} to`,
    );
    expect(cause).toBeInstanceOf(RangeError);
    expect((cause as Error).stack).toContain("map-functions.mjs");
  });

  test.each([
    ["text", "text"],
    [undefined, undefined],
    [{ a: 1 }, { a: 1 }],
    ["function", "() => argument"],
    ["bare", {}],
  ])("may be any value: %j", async (argument, cause) => {
    const { error } = await outcome(threadPool().map(path, { module, name: "throwing", argument }));
    expect(error).toBeInstanceOf(MapError);
    expect((error as Error).cause).toEqual(cause);
  });

  test("that is a CFileError stays one as the cause", async () => {
    const argument = "cfile";
    const { error } = await outcome(threadPool().map(path, { module, name: "throwing", argument }));
    expect(error).toBeInstanceOf(MapError);
    expect((error as Error).cause).toMatchObject({ code: "E_LIMIT", reason: "mine" });
  });

  test("is that of a result that cannot be cloned", async () => {
    const { error } = await outcome(threadPool().map(path, { module, name: "uncloneable" }));
    expect(error).toBeInstanceOf(MapError);
    expect((error as Error).message).toContain("could not be cloned");
  });
});

describe("a damaged file", () => {
  test.each([0, 1, 150, -1])("yields the results before block %i, then its error", async (index) => {
    const { damaged, row } = await damagedIn(index);
    const { error: expected } = await scanAlone(damaged);
    for (const name of ["count", "wrapping"]) {
      const { results, error } = await outcome(threadPool().map<Count>(damaged, { module, name }));
      expect((error as CFileError).toJSON()).toEqual((expected as CFileError).toJSON());
      expect(sum(results)).toBeLessThanOrEqual(row);
    }
  });

  test("is reported even if the function catches the error; its result comes before", async () => {
    const { damaged, row } = await damagedIn(150);
    const { results, error } = await outcome(
      threadPool().map<MapFunction<{ rows: number; isWhole: boolean }>>(damaged, {
        module,
        name: "catching",
      }),
    );
    expect(error).toMatchObject({ code: "E_CHECKSUM" });
    expect(sum(results.map(({ rows }) => rows))).toBe(row);
    expect(results.map(({ isWhole }) => isWhole).indexOf(false)).toBe(results.length - 1);
  });

  test("whose index contradicts its blocks is E_CORRUPT", async () => {
    const column = Int32Array.from({ length: 1_000_000 }, (_, i) => i);
    const options = { type: "INT32", encoding: "PLAIN_ENCODING", checksums: false } as const;
    const sound = await writeBytes(options, column);
    const pool = threadPool();
    const { results: tasks } = await outcome(pool.map<Cells>(sound, { module, name: "cells" }));
    const border = tasks[0]?.rows.to ?? 0;
    const key = (row: number): Buffer => Buffer.of(4, row >>> 24, row >>> 16, row >>> 8, row);
    const at = Buffer.from(sound).lastIndexOf(key(border));
    expect(at).toBeGreaterThan(column.byteLength);
    for (const row of [border - 5, border + 5]) {
      const damaged = sound.slice();
      damaged.set(key(row), at);
      const { results, error } = await outcome(pool.map<Cells>(damaged, { module, name: "cells" }));
      expect(error).toMatchObject({ code: "E_CORRUPT" });
      const cells = results.flatMap((result) => result.cells);
      expect(cells).toEqual([...column.subarray(0, cells.length)]);
    }
  });
});

describe("stopping", () => {
  test("with a signal throws its reason at once and cancels the tasks", async () => {
    const { createWorker, sent, received } = watchedThreads();
    const pool = threadPool({ createWorker });
    const controller = new AbortController();
    const reason = new Error("no longer wanted");
    const { signal } = controller;
    const next = pool.map(path, { module, name: "patient", signal }).next();
    await eventually(() => expect(sent.get("scan")).toBeGreaterThan(1));
    controller.abort(reason);
    await expect(next).rejects.toBe(reason);
    await eventually(() =>
      expect((received.get("end") ?? 0) + (received.get("result") ?? 0)).toBe(sent.get("scan")),
    );
    expect(sent.get("close")).toBe(sent.get("open"));
    expect(sum((await outcome(pool.map<Count>(path, { module, name: "count" }))).results)).toBe(ROWS);
  });

  test("by leaving the loop cancels the tasks", async () => {
    const { createWorker, sent, received } = watchedThreads();
    const pool = threadPool({ workers: 1, createWorker });
    for await (const rows of pool.map<Count>(path, { module, name: "count" })) {
      expect(rows).toBeGreaterThan(0);
      break;
    }
    await eventually(() =>
      expect((received.get("end") ?? 0) + (received.get("result") ?? 0)).toBe(sent.get("scan")),
    );
    expect(sent.get("close")).toBe(sent.get("open"));
  });

  test("the pool ends functions that never return", async () => {
    const pool = threadPool();
    const result = pool.map(path, { module, name: "patient" }).next();
    setTimeout(() => void pool.close(), 50);
    await expect(result).rejects.toMatchObject({ code: "E_IO", reason: "the pool was closed" });
  });
});

test("maps and scans share a pool", async () => {
  const pool = threadPool();
  const rowsOf = async (): Promise<number> => {
    let rows = 0;
    for await (const { length } of pool.scan(path, { reuseMemory: true })) {
      rows += length;
    }
    return rows;
  };
  const mapped = async () => sum((await outcome(pool.map<Count>(path, { module, name: "count" }))).results);
  expect(await Promise.all([rowsOf(), mapped(), rowsOf(), mapped()])).toEqual([ROWS, ROWS, ROWS, ROWS]);
});
