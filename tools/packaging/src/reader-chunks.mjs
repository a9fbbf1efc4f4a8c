/**
 * Measures the code that a page loads to open and scan a CFile. Bundles `import { openCFile } from "cfile"`
 * like a page, with dynamic imports in separate files, and runs it. Counts the loaded files, each gzipped as
 * sent by a server.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/** Code that records which files run. Not counted. */
const MARK = "globalThis.loadedChunks?.add(import.meta.url);";

const GOLDEN = fileURLToPath(new URL("../../../fixtures/golden/", import.meta.url));

/** @typedef {{ file: string, bytes: number, atStart: boolean, modules: string[] }} Chunk `bytes`: gzipped */

/** Tasks of pages, with the golden files that they use. `after` is code that uses the open `file`. */
const SCENARIOS = Object.freeze({
  "scan int32 bitshuffle": { golden: "enc_int32_bshuf_n1000" },
  "scan int32 plain": { golden: "comp_no_compression_int32_plain" },
  "scan int32 plain, LZ4": { golden: "comp_lz4_int32_plain" },
  "scan int32 RLE": { golden: "enc_int32_rle_n1000" },
  "scan bool RLE": { golden: "enc_bool_rle_n1000" },
  "scan strings plain": { golden: "enc_string_plain_n1000" },
  "scan strings dictionary": { golden: "enc_string_dict_n1000" },
  "scan strings dictionary, LZ4": { golden: "comp_lz4_string_dict" },
  "scan strings prefix": { golden: "enc_string_prefix_n1000" },
  "scan int32 bitshuffle, nulls": { golden: "enc_int32_bshuf_null_n1000" },
  "scan strings dictionary, nulls, LZ4": { golden: "comp_lz4_string_dict_null" },
  "scan arrays of int32": { golden: "array_int32_bshuf" },
  "scan Snappy": { golden: "comp_snappy_int32_plain" },
  "scan zlib": { golden: "comp_zlib_int32_plain" },
  "scan a URL": { golden: "enc_int32_bshuf_n1000", from: "url" },
  "select where": {
    golden: "enc_int32_bshuf_n1000",
    after: "for await (const part of file.scan({ where: { op: '>', value: 0 } })) part;",
  },
  verify: { golden: "enc_int32_bshuf_n1000", after: "await file.verify();" },
});

/**
 * Bundles the reader into a folder.
 * @param {string} folder
 * @returns {Promise<{ entry: string, chunks: Chunk[] }>}
 */
export async function bundleReader(folder) {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: 'export { openCFile } from "cfile";',
      resolveDir: fileURLToPath(new URL("..", import.meta.url)),
      sourcefile: "page.js",
    },
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    legalComments: "none",
    outdir: folder,
    entryNames: "page",
    outExtension: { ".js": ".mjs" },
    banner: { js: MARK },
    logLevel: "silent",
  });
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
  const atStart = reachedFrom("page.mjs", (kind) => kind === "import-statement");
  // esbuild also writes chunks for dynamic imports in code that was removed from the bundle.
  const reached = reachedFrom("page.mjs", () => true);
  /**
   * @param {string} first
   * @param {(kind: string) => boolean} follows
   */
  function reachedFrom(first, follows) {
    /** @type {Set<string>} */
    const found = new Set([first]);
    for (const file of found) {
      for (const { path, kind } of outputs.get(file)?.imports ?? []) {
        if (follows(kind)) {
          found.add(basename(path));
        }
      }
    }
    return found;
  }
  const chunks = outputFiles.map(({ path, contents, text }) => {
    writeFileSync(path, contents);
    const file = basename(path);
    const bytes = gzipSync(text.replace(MARK, ""), { level: 9 }).length;
    // A module that contributes only a constant does not count as part of the bundle.
    const modules = Object.entries(outputs.get(file)?.inputs ?? {})
      .filter(([, { bytesInOutput }]) => bytesInOutput > 100)
      .map(([path]) => path);
    return { file, bytes, atStart: atStart.has(file), modules };
  });
  return { entry: join(folder, "page.mjs"), chunks: chunks.filter(({ file }) => reached.has(file)) };
}

/**
 * @param {string} entry
 * @param {{ golden: string, from?: string, after?: string }} scenario
 * @returns {Promise<Set<string>>} the files that were loaded
 */
async function loadedBy(entry, { golden, from = "bytes", after = "" }) {
  const code = `
    import { readFile } from "node:fs/promises";
    import { createServer } from "node:http";
    import { parentPort } from "node:worker_threads";
    globalThis.loadedChunks = new Set();
    const bytes = await readFile(${JSON.stringify(join(GOLDEN, `${golden}.cfile`))});
    const { openCFile } = await import(${JSON.stringify(pathToFileURL(entry).href)});
    const server = createServer((_, response) => response.end(bytes));
    let input = new Blob([bytes]);
    if (${JSON.stringify(from)} === "url") {
      await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
      input = "http://127.0.0.1:" + server.address().port + "/" ;
    }
    const file = await openCFile(input);
    let rows = 0;
    for await (const batch of file.scan()) {
      rows += batch.toArray().length;
    }
    ${after}
    const isComplete = rows === file.rowCount;
    await file.close();
    server.close();
    server.closeAllConnections();
    parentPort.postMessage({ isComplete, loaded: [...globalThis.loadedChunks] });`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
  const { isComplete, loaded } = await new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  await worker.terminate();
  if (!isComplete) {
    throw new Error(`the bundled reader does not return all rows of ${golden}`);
  }
  return new Set(loaded.map((/** @type {string} */ url) => basename(fileURLToPath(url))));
}

/**
 * @returns {Promise<{ atStart: number, scenarios: { name: string, bytes: number, later: string[] }[] }>}
 *   gzipped bytes: what the import loads, and the total per scenario; `later`: modules loaded after the start
 */
export async function measureReader() {
  const folder = mkdtempSync(join(tmpdir(), "cfile-reader-"));
  try {
    const { entry, chunks } = await bundleReader(folder);
    const total = (/** @type {Chunk[]} */ some) => some.reduce((sum, { bytes }) => sum + bytes, 0);
    const scenarios = [];
    for (const [name, scenario] of Object.entries(SCENARIOS)) {
      const loaded = await loadedBy(entry, scenario);
      const used = chunks.filter(({ file }) => loaded.has(file));
      const later = used.filter(({ atStart }) => !atStart);
      scenarios.push({
        name,
        bytes: total(used),
        later: later.map(({ modules, bytes }) => `${basename(modules.at(-1) ?? "", ".js")} ${bytes}`),
      });
    }
    return { atStart: total(chunks.filter(({ atStart }) => atStart)), scenarios };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
