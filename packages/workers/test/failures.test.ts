import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { CFileError } from "@cfile/bytes";
import { temporaryFolder } from "@cfile-tools/testkit";
import { openCFile } from "cfile";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { WorkerLike } from "../src/index.js";
import { cellsOf, collect, outcome, scanAlone, scattered, writeBytes } from "./files.js";
import { eventually, startThread, threadPool, watchedThreads } from "./thread-pool.js";

const ROWS = 700_000;
let folder: string;
let path: string;
let bytes: Uint8Array;

beforeAll(async () => {
  folder = temporaryFolder();
  path = join(folder, "column.cfile");
  bytes = await writeBytes({ type: "INT32", blockSize: 32_768, batchRows: 4096 }, scattered(ROWS));
  await writeFile(path, bytes);
});

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

describe("a damaged file", () => {
  test.each([[0], [1], [50], [-1]])(
    "damage in block %i: yields the batches before it, then throws with path and block",
    async (index) => {
      await using sound = await openCFile(bytes);
      const { offset, size } = (await sound.listDataBlocks()).at(index) ?? { offset: 0, size: 0 };
      const block = { offset, size };
      const damaged = bytes.slice();
      const at = offset + 100;
      damaged[at] = (damaged[at] as number) ^ 4;
      const damagedPath = join(folder, `damaged${index}.cfile`);
      await writeFile(damagedPath, damaged);

      const alone = await scanAlone(damagedPath);
      const pooled = await outcome(threadPool().scan(damagedPath));
      expect(pooled.cells).toEqual(alone.cells);
      expect(pooled.error).toBeInstanceOf(CFileError);
      expect(pooled.error).toMatchObject({ code: "E_CHECKSUM", path: damagedPath, block });
      expect((pooled.error as CFileError).toJSON()).toEqual((alone.error as CFileError).toJSON());
    },
  );

  test("damage in index or footer: the same error as without a pool", async () => {
    await using sound = await openCFile(bytes);
    const posidx = sound.structure.footer.posidx?.offset ?? 0;
    for (const at of [posidx + 5, bytes.length - 20, bytes.length - 10]) {
      const damaged = bytes.slice();
      damaged[at] = (damaged[at] as number) ^ 4;
      const alone = await scanAlone(damaged);
      const pooled = await outcome(threadPool().scan(damaged));
      expect(pooled.cells).toEqual(alone.cells);
      expect((pooled.error as CFileError).toJSON()).toEqual((alone.error as CFileError).toJSON());
    }
  });

  test("previous files are read completely", async () => {
    const { cells, error } = await outcome(threadPool().scan([path, new Uint8Array(100), path]));
    expect(cells.length).toBe(ROWS);
    expect(error).toMatchObject({ code: "E_CORRUPT", path: "memory" });
  });

  test("workers apply the limits and checksum options", async () => {
    const damaged = bytes.slice();
    damaged[20] = (damaged[20] as number) ^ 1;
    const pool = threadPool();
    expect((await outcome(pool.scan(damaged, { verifyChecksums: false }))).error).not.toMatchObject({
      code: "E_CHECKSUM",
    });
    expect((await outcome(pool.scan(bytes, { limits: { maxStoredBlockSize: 10_000 } }))).error).toMatchObject(
      {
        code: "E_LIMIT",
      },
    );
  });

  test("an index that contradicts the blocks causes no wrong values", async () => {
    const column = Int32Array.from({ length: 300_000 }, (_, i) => i);
    const sound = await writeBytes({ type: "INT32", encoding: "PLAIN_ENCODING", checksums: false }, column);
    const blockRows = (await (await openCFile(sound)).scan().next()).value?.length ?? 0;
    const key = (row: number): Buffer => Buffer.of(4, row >>> 24, row >>> 16, row >>> 8, row);
    const at = Buffer.from(sound).lastIndexOf(key(2 * blockRows));
    expect(at).toBeGreaterThan(column.byteLength);
    for (const row of [2 * blockRows - 5, 2 * blockRows + 5]) {
      const damaged = sound.slice();
      damaged.set(key(row), at);
      const { cells, error } = await outcome(threadPool().scan(damaged));
      expect(error).toMatchObject({ code: "E_CORRUPT" });
      expect(cells).toEqual([...column.subarray(0, cells.length)]);
    }
  });

  test("flipped bits: the same cells and the same error as without a pool", async () => {
    const column = Int32Array.from({ length: 200_000 }, (_, i) => i >> 3);
    const sound = await writeBytes(
      { type: "INT32", encoding: "RLE", blockSize: 8192, compression: "LZ4" },
      column,
    );
    const pool = threadPool();
    for (let i = 0; i < 40; i++) {
      const damaged = sound.slice();
      const at = (i * 7919 * 31) % damaged.length;
      damaged[at] = (damaged[at] as number) ^ (1 << (i % 8));
      const alone = await scanAlone(damaged);
      const pooled = await outcome(pool.scan(damaged));
      expect(pooled.cells.length).toBe(alone.cells.length);
      expect(pooled.cells.at(-1)).toBe(alone.cells.at(-1));
      expect((pooled.error as CFileError).toJSON()).toEqual((alone.error as CFileError).toJSON());
    }
  });

  test("a file replaced during the scan throws E_SOURCE_CHANGED", async () => {
    const replaced = join(folder, "replaced.cfile");
    await writeFile(replaced, bytes);
    const createWorker = (): WorkerLike => {
      const worker = startThread();
      return {
        on: (event: string, listener: (value: unknown) => void) => worker.on(event, listener),
        postMessage: (message: unknown, transfer: ArrayBuffer[]) => {
          const { kind } = message as { kind: string };
          const wait = kind === "open" ? writeBytes({ type: "INT32" }, [1]) : undefined;
          void wait
            ?.then((other) => writeFile(replaced, other))
            .then(() => worker.postMessage(message, transfer));
          if (wait === undefined) {
            setTimeout(() => worker.postMessage(message, transfer), 200);
          }
        },
        terminate: () => worker.terminate(),
      };
    };
    const { error } = await outcome(threadPool({ createWorker, workers: 1 }).scan(replaced));
    expect(error).toMatchObject({ code: "E_SOURCE_CHANGED", path: replaced });
  });
});

describe("abort", () => {
  test("before the scan throws the signal's reason", async () => {
    const reason = new Error("no longer wanted");
    await expect(collect(threadPool().scan(path, { signal: AbortSignal.abort(reason) }))).rejects.toBe(
      reason,
    );
  });

  test("during the scan throws the signal's reason at once and sends no more tasks", async () => {
    const { createWorker, sent } = watchedThreads();
    const pool = threadPool({ createWorker });
    const controller = new AbortController();
    const reason = new Error("no longer wanted");
    let batches = 0;
    const scan = async (): Promise<void> => {
      for await (const _ of pool.scan(path, { signal: controller.signal })) {
        if (++batches === 3) {
          controller.abort(reason);
        }
      }
    };
    await expect(scan()).rejects.toBe(reason);
    expect(batches).toBe(3);
    const tasks = sent.get("scan");
    await pause(50);
    expect(sent.get("scan")).toBe(tasks);
    expect(tasks).toBeLessThanOrEqual(5);
    expect(sent.get("close")).toBe(sent.get("open"));
    expect((await collect(pool.scan(path))).at(-1)?.firstRow).toBeGreaterThan(600_000);
  });

  test("ends a scan whose workers do not answer", async () => {
    const silent: WorkerLike = {
      on: () => undefined,
      postMessage: () => undefined,
      terminate: () => undefined,
    };
    const controller = new AbortController();
    const next = threadPool({ createWorker: () => silent })
      .scan(path, { signal: controller.signal })
      .next();
    setTimeout(() => controller.abort(), 50);
    await expect(next).rejects.toMatchObject({ name: "AbortError" });
  });

  test("leaves no listener on the signal", async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, "addEventListener");
    const removed = vi.spyOn(signal, "removeEventListener");
    await collect(threadPool().scan(path, { signal }));
    expect(added).toHaveBeenCalledTimes(1);
    expect(removed).toHaveBeenCalledTimes(1);
  });
});

describe("a consumer", () => {
  test("that stops early cancels the tasks", async () => {
    const { createWorker, sent, received } = watchedThreads();
    const pool = threadPool({ createWorker });
    for await (const batch of pool.scan(path)) {
      expect(batch.firstRow).toBe(0);
      break;
    }
    await eventually(() => expect(received.get("end")).toBe(sent.get("scan")));
    expect(sent.get("scan")).toBeLessThanOrEqual(4);
    expect(sent.get("close")).toBe(sent.get("open"));
  });

  test("that never starts sends no messages", async () => {
    const { createWorker, sent } = watchedThreads();
    threadPool({ createWorker }).scan(path);
    await pause(20);
    expect(sent.size).toBe(0);
  });

  test("that is slow holds the workers back: two workers are at most four tasks ahead", async () => {
    const { createWorker, sent, received } = watchedThreads();
    const scan = threadPool({ createWorker }).scan(path);
    const first = await scan.next();
    expect(first.value?.firstRow).toBe(0);
    await eventually(() => expect(received.get("end")).toBe(4));
    await pause(50);
    expect(sent.get("scan")).toBe(4);
    const others = await collect(scan);
    expect(others.reduce((rows, { length }) => rows + length, first.value?.length ?? 0)).toBe(ROWS);
    expect(sent.get("scan")).toBeGreaterThan(8);
    expect(received.get("end")).toBe(sent.get("scan"));
  });

  test("that is slow does not slow down other scans", async () => {
    const pool = threadPool();
    const slow = pool.scan(path);
    await slow.next();
    await pause(50);
    expect((await collect(pool.scan(path))).reduce((rows, { length }) => rows + length, 0)).toBe(ROWS);
    await slow.return();
  });
});

describe("a worker that is lost", () => {
  test("by an exception: yields the batches before it, then throws E_IO; the next scan starts a new one", async () => {
    let started = 0;
    const createWorker = (): WorkerLike => {
      started++;
      const broken = started === 1;
      const worker = startThread();
      let tasks = 0;
      return {
        on: (event: string, listener: (value: unknown) => void) => worker.on(event, listener),
        postMessage: (message: unknown, transfer: ArrayBuffer[]) => {
          tasks += (message as { kind: string }).kind === "scan" ? 1 : 0;
          worker.postMessage(broken && tasks > 2 ? null : message, transfer);
        },
        terminate: () => worker.terminate(),
      };
    };
    const pool = threadPool({ workers: 1, createWorker });
    const { cells, error } = await outcome(pool.scan(path));
    expect(error).toMatchObject({ code: "E_IO", path });
    expect(cells).toEqual([...scattered(ROWS).subarray(0, cells.length)]);
    expect(cells.length).toBeLessThan(ROWS);
    expect(cellsOf(await collect(pool.scan(path))).length).toBe(ROWS);
    expect(started).toBe(2);
  });

  test.each([
    ["exits", "process.exit(3)"],
    ["throws when it starts", "throw new Error('no')"],
    [
      "throws at a message",
      "require('node:worker_threads').parentPort.on('message', () => { throw new Error('no') })",
    ],
    ["exits at a message", "require('node:worker_threads').parentPort.on('message', () => process.exit())"],
  ])("because it %s causes E_IO", async (_, script) => {
    const pool = threadPool({ createWorker: () => new Worker(script, { eval: true, stderr: true }) });
    await expect(collect(pool.scan(path))).rejects.toMatchObject({
      code: "E_IO",
      reason: expect.stringContaining("worker lost"),
    });
  });

  test("because it sends an invalid message causes E_IO", async () => {
    const script =
      "require('node:worker_threads').parentPort.on('message', ({ task }, port) => require('node:worker_threads').parentPort.postMessage({ kind: 'batches', task, batches: 5 }))";
    const pool = threadPool({ createWorker: () => new Worker(script, { eval: true }) });
    await expect(collect(pool.scan(path))).rejects.toMatchObject({
      code: "E_IO",
      reason: expect.stringContaining("invalid message"),
    });
  });

  test("because it cannot be started causes E_IO", async () => {
    const createWorker = (): WorkerLike => {
      throw new Error("not here");
    };
    const pool = threadPool({ createWorker });
    const scans = [collect(pool.scan(path)), collect(pool.scan(path))];
    await Promise.all(
      scans.map((scan) =>
        expect(scan).rejects.toMatchObject({ code: "E_IO", reason: expect.stringContaining("not here") }),
      ),
    );
  });

  test("because it cannot be reached causes E_IO", async () => {
    const mute: WorkerLike = {
      on: () => undefined,
      postMessage: () => {
        throw new Error("closed");
      },
      terminate: () => undefined,
    };
    await expect(collect(threadPool({ createWorker: () => mute }).scan(path))).rejects.toMatchObject({
      code: "E_IO",
      reason: expect.stringContaining("cannot send to a worker"),
    });
  });
});

describe("closing a pool", () => {
  test("twice is allowed; later scans throw", async () => {
    const pool = threadPool();
    await collect(pool.scan(path));
    await Promise.all([pool.close(), pool.close()]);
    await pool[Symbol.asyncDispose]();
    await expect(collect(pool.scan(path))).rejects.toMatchObject({
      code: "E_IO",
      reason: "the pool was closed",
    });
  });

  test("ends scans in progress", async () => {
    const pool = threadPool();
    const scan = pool.scan(path);
    await scan.next();
    const other = collect(pool.scan(path));
    void pool.close();
    await expect(other).rejects.toMatchObject({ code: "E_IO", reason: "the pool was closed" });
    await expect(collect(scan)).rejects.toMatchObject({ code: "E_IO", reason: "the pool was closed" });
  });

  test("a pool starts no more workers than it needs", async () => {
    const createWorker = vi.fn(startThread);
    const pool = threadPool({ workers: 5, createWorker });
    expect(createWorker).not.toHaveBeenCalled();
    await collect(pool.scan(await writeBytes({ type: "INT32" }, [1, 2])));
    expect(createWorker).toHaveBeenCalledTimes(1);
  });
});
