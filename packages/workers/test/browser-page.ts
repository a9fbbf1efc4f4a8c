/** Functions that `browser.test.ts` calls in the page. Each takes the URL of a file of numbers and returns plain values. */

import { MemoryArena } from "@cfile/bytes";
import type { ByteSource } from "@cfile/io";
import { cacheApiStore, opfsStore } from "@cfile/io/browser";
import { type PageStore, withCache, withCoalescing, withRetry } from "@cfile/io/decorators";
import { httpSource } from "@cfile/io/http";
import { type CFileReader, openCFile, rowNumbers } from "cfile";
import { createWorkerPool, type WorkerPoolOptions } from "../src/index.js";
import type { sumCells } from "./sum-cells.js";

const violations: string[] = [];
document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
  violations.push(`${violatedDirective} ${blockedURI}`);
});

async function sumOf(batches: AsyncIterable<{ readonly length: number; get(row: number): unknown }>) {
  let rows = 0;
  let sum = 0;
  for await (const batch of batches) {
    rows += batch.length;
    for (let row = 0; row < batch.length; row++) {
      sum += Number(batch.get(row));
    }
  }
  return { rows, sum };
}

/** Waits until pages are stored, which happens in the background. */
async function stored(store: PageStore, work: (store: PageStore) => Promise<unknown>): Promise<number> {
  const writes: Promise<void>[] = [];
  await work({
    get: (key) => store.get(key),
    set: (key, bytes) => {
      const write = store.set(key, bytes);
      writes.push(write);
      return write;
    },
  });
  await Promise.all(writes);
  return writes.length;
}

async function throughStore(url: string, store: PageStore) {
  let cells: unknown;
  const written = await stored(store, async (observed) => {
    const file = await openCFile(withCache(withCoalescing(httpSource(url)), { store: observed }));
    cells = await file.getMany([5, 100_000, 5]);
    await file.close();
  });
  return { cells, written };
}

async function held(source: ByteSource): Promise<CFileReader> {
  return openCFile(source);
}

async function poolSum(url: string, options: WorkerPoolOptions) {
  const pool = createWorkerPool({ workers: 2, ...options });
  try {
    return await sumOf(pool.scan(url));
  } finally {
    await pool.close();
  }
}

async function mapSum(url: string, options: WorkerPoolOptions) {
  const pool = createWorkerPool({ workers: 2, ...options });
  const total = { rows: 0, sum: 0 };
  try {
    const module = new URL("/sum-cells.js", location.href);
    for await (const { rows, sum } of pool.map<typeof sumCells>(url, { module, name: "sumCells" })) {
      total.rows += rows;
      total.sum += sum;
    }
    return total;
  } finally {
    await pool.close();
  }
}

/** For pages that require Trusted Types. */
function trustedWorker(): Worker {
  const { trustedTypes } = globalThis as TrustedTypesHost;
  const policy = trustedTypes?.createPolicy("cfile-worker", { createScriptURL: (url) => url });
  return new Worker(policy?.createScriptURL("/worker.js") ?? "", { type: "module" });
}

/** Missing in TypeScript's library. */
interface TrustedTypesHost {
  readonly trustedTypes?: {
    createPolicy(
      name: string,
      rules: { createScriptURL(url: string): string },
    ): { createScriptURL(url: string): string };
  };
}

const functions = {
  open: async (url: string) => {
    const file = await openCFile(url);
    return { rows: file.rowCount, type: file.type, encoding: file.encoding };
  },
  inspect: async (url: string) => {
    const file = await openCFile(url, { header: "read" });
    const { posidx, validx } = await file.layout();
    return {
      levels: [posidx?.levels, validx?.levels],
      blocks: (await file.listDataBlocks()).length,
      metadata: file.headerMetadata.map(({ key }) => key),
      isSound: (await file.verify()).ok,
    };
  },
  seek: async (url: string, row: number, value: number) => {
    const file = await openCFile(url);
    return { cell: await file.get(row), found: await file.find(value) };
  },
  scan: async (url: string) => sumOf((await openCFile(url)).scan({ arena: new MemoryArena() })),
  select: async (url: string, value: number) => {
    const rows: number[] = [];
    for await (const batch of (await openCFile(url)).scan({ where: { op: "=", value } })) {
      rows.push(...rowNumbers(batch));
    }
    return rows;
  },
  abort: async (url: string) => {
    const file = await openCFile(withRetry(httpSource(url)));
    const controller = new AbortController();
    const patient = file.get(7);
    const impatient = file.get(7, { signal: controller.signal });
    const scan = sumOf(file.scan({ signal: controller.signal }));
    controller.abort("enough");
    const [one, other, scanned] = await Promise.allSettled([patient, impatient, scan]);
    return {
      patient: one.status === "fulfilled" ? one.value : "failed",
      impatient: other.status === "rejected" ? other.reason : "went on",
      scanned: scanned.status === "rejected" ? scanned.reason : "went on",
      after: await file.get(8),
    };
  },
  cacheHit: async (url: string) => {
    const source = withCache(httpSource(url));
    const file = await held(source);
    const first = await file.get(100_000);
    const asked = source.traffic?.requests;
    const again = await (await held(source)).get(100_000);
    return { same: first === again, more: (source.traffic?.requests ?? 0) - (asked ?? 0) };
  },
  opfs: (url: string) => throughStore(url, opfsStore()),
  cacheApi: (url: string) => throughStore(url, cacheApiStore()),
  map: (url: string) => mapSum(url, {}),
  trustedMap: (url: string) => mapSum(url, { createWorker: trustedWorker }),
  pool: (url: string) => poolSum(url, {}),
  trustedPool: (url: string) => poolSum(url, { createWorker: trustedWorker }),
  hasSimd: async (url: string) => {
    try {
      await openCFile(url, { kernels: "simd" });
      return true;
    } catch {
      return false;
    }
  },
  violations: () => violations,
};

Object.assign(globalThis, { cfile: functions, ready: true });
