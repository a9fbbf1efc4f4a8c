/** The reader as bundled for pages: code that is imported later is in separate files, under strict policies. */

import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium, launchChromium, strictPolicy } from "@cfile-tools/browser";
import { pathToGolden, type ServedFile, serveFiles, temporaryFolder } from "@cfile-tools/testkit";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { openCFile } from "../src/index.js";

const GOLDEN = pathToGolden("");
/** One file for each decoder, expander and header. */
const NAMES = [
  "enc_int32_bshuf_n1000",
  "enc_int32_bshuf_null_n1000",
  "enc_int32_rle_n1000",
  "enc_bool_plain_n1000",
  "enc_string_prefix_n1000",
  "array_string_dict",
  "comp_lz4_string_dict_null",
  "comp_snappy_int32_plain",
  "comp_zlib_string_plain",
];

const PAGE = `
  import { openCFile } from "cfile";
  globalThis.rowsOf = async (name) => {
    const file = await openCFile(new URL("/" + name + ".cfile", location.href));
    const rows = await file.toArray({ int64: "number" });
    return { rows, verified: (await file.verify()).ok };
  };
  globalThis.ready = true;`;

const chromium = findChromium();
let folder: string;
let scripts: Record<string, ServedFile>;

beforeAll(async () => {
  folder = temporaryFolder();
  const { outputFiles } = await build({
    stdin: { contents: PAGE, resolveDir: import.meta.dirname, sourcefile: "page.js" },
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    outdir: folder,
    entryNames: "page",
    format: "esm",
    platform: "browser",
    target: "es2022",
    logLevel: "silent",
    alias: { cfile: fileURLToPath(new URL("../dist/index.js", import.meta.url)) },
  });
  scripts = Object.fromEntries(
    outputFiles.map(({ path, text }) => [basename(path), { body: text, type: "text/javascript" }]),
  );
});

describe.skipIf(chromium.path === undefined)("a code-split page in Chromium", () => {
  test.each([
    ["that forbids WebAssembly", strictPolicy()],
    ["that allows WebAssembly", strictPolicy({ "script-src": "'self' 'wasm-unsafe-eval'" })],
  ])("reads every kind of file under a policy %s", async (_, policy) => {
    const headers = { "Content-Security-Policy": policy };
    const files = NAMES.map((name) => [
      `${name}.cfile`,
      { body: readFileSync(join(GOLDEN, `${name}.cfile`)) },
    ]);
    const web = await serveFiles({
      ...Object.fromEntries(Object.entries(scripts).map(([path, file]) => [path, { ...file, headers }])),
      ...Object.fromEntries(files),
      "index.html": {
        body: '<!doctype html><meta charset="utf-8"><title>test</title><script type="module" src="/page.js"></script>',
        type: "text/html; charset=utf-8",
        headers,
      },
    });
    const browser = await launchChromium(chromium);
    try {
      const page = await browser.newPage();
      await page.goto(web.url);
      await page.waitForFunction("globalThis.ready");
      const loadedAtStart = web.served.filter(({ path }) => path.endsWith(".js")).length;
      expect(loadedAtStart).toBeLessThan(Object.keys(scripts).length / 2);
      for (const name of NAMES) {
        await using file = await openCFile(join(GOLDEN, `${name}.cfile`));
        const rows = await file.toArray({ int64: "number" });
        expect(await page.evaluate(`rowsOf(${JSON.stringify(name)})`), name).toEqual({
          rows,
          verified: true,
        });
      }
    } finally {
      await browser.close();
    }
  });
});
