import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  findChromium,
  launchChromium,
  pageFiles,
  readRange,
  serveFiles,
  strictPolicy,
  type WebServer,
} from "../src/index.js";

describe("finding Chromium", () => {
  test.each([
    [{ CFILE_CHROMIUM: "none" }, "CFILE_CHROMIUM is none."],
    [{ CFILE_CHROMIUM: "/no/such" }, "CFILE_CHROMIUM names /no/such, which is no program."],
  ])("says why there is none with %o", (environment, missing) => {
    expect(findChromium(environment)).toEqual({ missing });
  });

  test("takes the program that CFILE_CHROMIUM names", () => {
    expect(findChromium({ CFILE_CHROMIUM: process.execPath })).toEqual({ path: process.execPath });
  });
});

describe("a range", () => {
  test.each([
    [undefined, { start: 0, end: 10, partial: false }],
    ["bytes=2-5", { start: 2, end: 6, partial: true }],
    ["bytes=2-", { start: 2, end: 10, partial: true }],
    ["bytes=-3", { start: 7, end: 10, partial: true }],
    ["bytes=-30", { start: 0, end: 10, partial: true }],
    ["bytes=10-", undefined],
    ["bytes=-0", undefined],
  ])("%s", (header, expected) => {
    expect(readRange(header, 10)).toEqual(expected);
  });
});

describe("the server", () => {
  let web: WebServer;
  beforeAll(async () => {
    web = await serveFiles({ "a/b": { body: "0123456789" } });
  });
  afterAll(async () => {
    await web.close();
  });

  test("answers ranges, and notes them", async () => {
    web.served.length = 0;
    const response = await fetch(`${web.url}a/b`, { headers: { Range: "bytes=2-5" } });
    expect([response.status, await response.text(), response.headers.get("content-range")]).toEqual([
      206,
      "2345",
      "bytes 2-5/10",
    ]);
    expect((await fetch(`${web.url}none`)).status).toBe(404);
    expect(web.served).toEqual([
      { method: "GET", path: "a/b", range: "bytes=2-5", status: 206, bytes: 4 },
      { method: "GET", path: "none", range: undefined, status: 404, bytes: 0 },
    ]);
  });

  test.each([
    ["ignores-range", 200, "0123456789"],
    ["no-suffix", 206, "2345"],
    ["short-part", 206, "23"],
    ["no-content-range", 206, "2345"],
    ["other-part", 206, "2345"],
  ] as const)("that %s answers %d", async (misbehaviour, status, text) => {
    web.files.set("bad", { body: "0123456789", misbehaviour });
    const response = await fetch(`${web.url}bad`, { headers: { Range: "bytes=2-5" } });
    expect([response.status, await response.text()]).toEqual([status, text]);
  });
});

const chromium = findChromium();

describe.skipIf(chromium.path === undefined)("a page in Chromium", () => {
  test("runs its script under a policy that forbids eval and WebAssembly", async () => {
    const policy = strictPolicy();
    const contents = `
      const forbidden = (make: () => unknown) => { try { make(); return false; } catch { return true; } };
      const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
      // While evaluate() calls into the page, the debugger lifts the ban on eval.
      const found = {
        eval: forbidden(() => (0, eval)("1")),
        wasm: forbidden(() => new WebAssembly.Module(bytes)),
      };
      Object.assign(globalThis, {
        ready: true,
        probe: async () => ({
          ...found,
          text: await (await fetch("/data.txt")).text(),
        }),
      });`;
    const script = { contents, resolveDir: import.meta.dirname };
    const web = await serveFiles({ ...(await pageFiles(script, { policy })), "data.txt": { body: "hello" } });
    const browser = await launchChromium(chromium);
    try {
      const page = await browser.newPage();
      await page.goto(web.url);
      await page.waitForFunction("globalThis.ready");
      expect(await page.evaluate("probe()")).toEqual({ eval: true, wasm: true, text: "hello" });
    } finally {
      await browser.close();
      await web.close();
    }
  });
});
