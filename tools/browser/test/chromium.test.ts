import { serveFiles } from "@cfile-tools/testkit";
import { describe, expect, test } from "vitest";
import { findChromium, launchChromium, pageFiles, strictPolicy } from "../src/index.js";

describe("finding Chromium", () => {
  test.each([
    [{ CFILE_CHROMIUM: "none" }, "CFILE_CHROMIUM is set to none."],
    [{ CFILE_CHROMIUM: "/no/such" }, "CFILE_CHROMIUM names /no/such, which is not an executable file."],
  ])("reports why Chromium is not available with %o", (environment, missing) => {
    expect(findChromium(environment)).toEqual({ missing });
  });

  test("uses the executable that CFILE_CHROMIUM names", () => {
    expect(findChromium({ CFILE_CHROMIUM: process.execPath })).toEqual({ path: process.execPath });
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
    }
  });
});
