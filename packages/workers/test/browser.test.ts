/** The packages as they are, in Chromium, under the content security policy of `docs/network.md`. */
import { join } from "node:path";
import { findChromium, launchChromium, pageFiles, strictPolicy } from "@cfile-tools/browser";
import { type FileServer, type ServedFile, serveFiles } from "@cfile-tools/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeBytes } from "./files.js";

const chromium = findChromium();
const ROWS = 200_000;
/** Ascending, with gaps from 1 to 199. */
const cellAt = (row: number): number => 100 * row + ((Math.imul(row, 2_654_435_761) >>> 20) % 100);
const CELLS = Int32Array.from({ length: ROWS }, (_, row) => cellAt(row));
const SUM = CELLS.reduce((sum, cell) => sum + cell, 0);

const POLICIES = [
  {
    name: "with Trusted Types and without WebAssembly",
    policy: strictPolicy(),
    pool: "trustedPool",
    map: "trustedMap",
    hasWasm: false,
  },
  {
    name: "with WebAssembly",
    policy: strictPolicy({
      "script-src": "'self' 'wasm-unsafe-eval'",
      "require-trusted-types-for": null,
    }),
    pool: "pool",
    map: "map",
    hasWasm: true,
  },
] as const;

describe.skipIf(chromium.path === undefined)("in Chromium", () => {
  let browser: Awaited<ReturnType<typeof launchChromium>>;
  let file: Uint8Array;

  beforeAll(async () => {
    browser = await launchChromium(chromium);
    file = await writeBytes({ type: "INT32", compression: "LZ4", validx: true, blockSize: 32_768 }, CELLS);
  });
  afterAll(async () => {
    await browser?.close();
  });

  describe.each(POLICIES)("under a strict policy $name", ({ policy, pool, map, hasWasm }) => {
    let web: FileServer;
    let page: Awaited<ReturnType<typeof browser.newPage>>;

    const load = async (): Promise<void> => {
      await page.goto(web.url);
      await page.waitForFunction("globalThis.ready");
    };
    const call = (name: string, ...rest: readonly number[]): Promise<unknown> =>
      page.evaluate(`cfile.${name}(${[JSON.stringify(`${web.url}c.cfile`), ...rest].join(", ")})`);
    /** Requests of a call to the file, and their bytes. */
    const asked = () => {
      const of = web.served.splice(0).filter(({ path }) => path === "c.cfile");
      return { requests: of.length, bytes: of.reduce((sum, { bytes }) => sum + bytes, 0) };
    };

    beforeAll(async () => {
      const scripts = await pageFiles(join(import.meta.dirname, "browser-page.ts"), {
        others: {
          "worker.js": join(import.meta.dirname, "../dist/worker.js"),
          "sum-cells.js": join(import.meta.dirname, "sum-cells.ts"),
        },
        policy,
      });
      web = await serveFiles({ ...scripts, "c.cfile": { body: file } satisfies ServedFile });
      page = await browser.newPage();
      await load();
    });
    afterAll(async () => {
      await page?.close();
    });

    describe.each([0, 30])("with a latency of %d ms", (latency) => {
      beforeAll(() => {
        web.latency = latency;
        web.served.length = 0;
      });

      test("opens a file with one request", async () => {
        expect(await call("open")).toEqual({ rows: ROWS, type: "INT32", encoding: "BIT_SHUFFLE" });
        expect(asked()).toEqual({ requests: 1, bytes: 16 * 1024 });
      });

      test("inspects and verifies", async () => {
        expect(await call("inspect")).toEqual({
          levels: [1, 1],
          blocks: expect.any(Number),
          metadata: [],
          isSound: true,
        });
        asked();
      });

      test("seeks by row and by value with one request each", async () => {
        expect(await call("seek", 123_456, cellAt(54_320) + 1)).toEqual({
          cell: cellAt(123_456),
          found: { row: 54_321, exact: false },
        });
        expect(asked().requests).toBeLessThanOrEqual(3);
      });

      test("scans and requests each byte once", async () => {
        expect(await call("scan")).toEqual({ rows: ROWS, sum: SUM });
        expect(asked().bytes).toBeLessThan(file.length + 17 * 1024);
      });

      test("selects rows with the value index", async () => {
        expect(await call("select", cellAt(150_000))).toEqual([150_000]);
        expect(asked().requests).toBeLessThanOrEqual(2);
      });

      test("aborts one read without affecting others", async () => {
        expect(await call("abort")).toEqual({
          patient: cellAt(7),
          impatient: "enough",
          scanned: "enough",
          after: cellAt(8),
        });
        asked();
      });

      test("serves repeated reads from the cache", async () => {
        expect(await call("cacheHit")).toEqual({ same: true, more: 0 });
        asked();
      });

      test.each(["opfs", "cacheApi"])("reads pages that a previous page stored: %s", async (store) => {
        // A new version for each case, without stored pages.
        web.files.set("c.cfile", { body: file, etag: `"${store} ${latency}"` });
        const cells = [5, 100_000, 5].map(cellAt);
        const first = (await call(store)) as { written: number };
        expect(first).toMatchObject({ cells });
        expect(first.written).toBeGreaterThan(1);
        expect(asked().requests).toBeGreaterThan(2);
        await load();
        expect(await call(store)).toEqual({ cells, written: 0 });
        expect(asked().requests).toBe(1);
      });

      test("scans with a pool of workers", async () => {
        expect(await call(pool)).toEqual({ rows: ROWS, sum: SUM });
        asked();
      });

      test("calls a function of an imported module in the workers", async () => {
        expect(await call(map)).toEqual({ rows: ROWS, sum: SUM });
        asked();
      });
    });

    test(`has SIMD kernels: ${hasWasm}, and violates no other rule of the policy`, async () => {
      expect(await call("hasSimd")).toBe(hasWasm);
      const violations = (await call("violations")) as string[];
      expect(violations.filter((violation) => !violation.endsWith("wasm-eval"))).toEqual([]);
      expect(violations.length > 0).toBe(!hasWasm);
    });
  });
});
