/** Workers of the web and of Node, hosts without workers, and both ends of a channel in one thread. */
import type { Worker as Thread } from "node:worker_threads";
import { builtinCodecs } from "@cfile/compression/codecs";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createWorkerPool } from "../src/index.js";
import { availableCores, ownEnd } from "../src/pool/worker-like.js";
import { cellsOf, collect, goldenPath, scanAlone, writeBytes } from "./files.js";
import { localWorker, startThread, threadPool } from "./thread-pool.js";

const path = goldenPath("enc_int32_plain_n1000");

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A worker as in web pages: a thread that sends events. */
class WebWorker extends EventTarget {
  static readonly started: string[] = [];
  private readonly thread: Thread;

  constructor(url: URL, options: { type: string }) {
    super();
    WebWorker.started.push(`${url.pathname.split("/").at(-1)} ${options.type}`);
    this.thread = startThread();
    this.thread.on("message", (data) => this.dispatchEvent(new MessageEvent("message", { data })));
    this.thread.on("error", (error) =>
      this.dispatchEvent(Object.assign(new Event("error"), { message: error.message })),
    );
  }

  postMessage(message: unknown, transfer: ArrayBuffer[]): void {
    this.thread.postMessage(message, transfer);
  }

  terminate(): void {
    void this.thread.terminate();
  }
}

describe("web workers", () => {
  test("are started as modules", async () => {
    vi.stubGlobal("Worker", WebWorker);
    const pool = createWorkerPool({ workers: 2 });
    expect(cellsOf(await collect(pool.scan(path)))).toEqual((await scanAlone(path)).cells);
    await pool.close();
    expect(WebWorker.started).toEqual(["worker.js module"]);
  });

  test.each([
    [Object.assign(new Event("error"), { message: "a syntax error" }), "a syntax error"],
    [Object.assign(new Event("error"), { error: new Error("no memory") }), "no memory"],
    [new Event("messageerror"), "unreadable message"],
  ])("that fail end the scan: %s", async (event, reason) => {
    const silent = Object.assign(new EventTarget(), {
      postMessage: () => void setTimeout(() => silent.dispatchEvent(event)),
      terminate: vi.fn(),
    });
    const scan = collect(threadPool({ workers: 1, createWorker: () => silent }).scan(path));
    await expect(scan).rejects.toMatchObject({ code: "E_IO", reason: expect.stringContaining(reason), path });
    expect(silent.terminate).toHaveBeenCalledTimes(1);
  });

  test("use the global object as their end of the channel", () => {
    expect(ownEnd()).toBeUndefined();
    vi.stubGlobal("WorkerGlobalScope", Object);
    expect(ownEnd()).toBe(globalThis);
  });

  test("receive copies of bytes if memory cannot be shared", async () => {
    const bytes = await writeBytes({ type: "INT32" }, [1, 2, 3]);
    vi.stubGlobal("crossOriginIsolated", false);
    for (const _ of [1, 2]) {
      expect(cellsOf(await collect(threadPool().scan(bytes)))).toEqual([1, 2, 3]);
    }
    expect(bytes.length).toBeGreaterThan(50);
  });
});

describe("a host", () => {
  test("without workers throws E_UNSUPPORTED", async () => {
    // Programs that run at the same time, such as the test runner, need the rest of `process`.
    vi.stubGlobal("process", Object.create(process, { getBuiltinModule: { value: undefined } }));
    vi.stubGlobal("Worker", undefined);
    const pool = createWorkerPool({ workers: 1 });
    await expect(collect(pool.scan(new Blob(["x".repeat(100)])))).rejects.toHaveProperty("code");
    const bytes = await writeBytes({ type: "INT32" }, [1]);
    await expect(collect(pool.scan(bytes))).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  });

  test("reports its cores", () => {
    expect(availableCores()).toBeGreaterThanOrEqual(1);
    vi.stubGlobal("process", undefined);
    vi.stubGlobal("navigator", { hardwareConcurrency: 6 });
    expect(availableCores()).toBe(6);
    vi.stubGlobal("navigator", undefined);
    expect(availableCores()).toBe(1);
  });
});

describe("serveScans", () => {
  test("works with any message channel and with custom codecs", async () => {
    const bytes = await writeBytes(
      { type: "INT32", encoding: "PLAIN_ENCODING", compression: "LZ4" },
      [1, 1, 1, 1],
    );
    const { LZ4 } = builtinCodecs;
    const decompress = vi.fn(LZ4.decompress.bind(LZ4));
    const codecs = { ...builtinCodecs, LZ4: { ...LZ4, decompress } };
    const pool = threadPool({ createWorker: () => localWorker({ codecs }) });
    expect(cellsOf(await collect(pool.scan(bytes)))).toEqual([1, 1, 1, 1]);
    expect(decompress).toHaveBeenCalled();
  });

  test("ignores messages that are not its own", async () => {
    const worker = localWorker();
    worker.postMessage({ kind: "close", file: 1000 }, []);
    worker.postMessage({ kind: "cancel", task: 1000 }, []);
    worker.postMessage({ kind: "greeting" }, []);
    const pool = threadPool({ workers: 1, createWorker: () => worker });
    expect(cellsOf(await collect(pool.scan(path))).length).toBe(1000);
  });
});

test("the built package starts its own workers by default", async () => {
  const built: typeof import("../src/index.js") = await import(
    new URL("../dist/index.js", import.meta.url).href
  );
  const pool = built.createWorkerPool({ workers: 2 });
  try {
    expect(cellsOf(await collect(pool.scan(path)))).toEqual((await scanAlone(path)).cells);
  } finally {
    await pool.close();
  }
});
