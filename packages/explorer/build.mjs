/** Builds the page into `dist/`: scripts in lazily loaded chunks, and the service worker that caches them. */
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const source = `${here}src/`;
const target = `${here}dist/`;
const COPIED = ["index.html", "icon.svg", "explorer.webmanifest"];

const common = {
  bundle: true,
  format: /** @type {const} */ ("esm"),
  platform: /** @type {const} */ ("browser"),
  target: "es2022",
  minify: true,
  legalComments: /** @type {const} */ ("none"),
  logLevel: /** @type {const} */ ("warning"),
};

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const { metafile } = await build({
  ...common,
  entryPoints: { main: `${source}view/main.tsx`, worker: `${source}engine/worker.ts` },
  outdir: target,
  splitting: true,
  metafile: true,
  chunkNames: "chunks/[name]-[hash]",
  jsx: "automatic",
  jsxImportSource: "preact",
  define: { "process.env.NODE_ENV": '"production"' },
});
// One style sheet, with the styles of the chart library.
await build({ ...common, entryPoints: { main: `${source}view/main.css` }, outdir: target });
for (const name of COPIED) {
  copyFileSync(`${source}${name}`, `${target}${name}`);
}

const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [inDist(path), output]));
const files = [
  ...new Set([...outputs.keys(), "main.css", ...COPIED.filter((name) => name !== "index.html")]),
].sort();
const hash = createHash("sha256");
for (const name of [...files, "index.html"]) {
  hash.update(name).update(readFileSync(`${target}${name}`));
}
await build({
  ...common,
  entryPoints: { offline: `${source}offline.ts` },
  outdir: target,
  define: {
    PAGE_FILES: JSON.stringify(files),
    PAGE_VERSION: JSON.stringify(hash.digest("hex").slice(0, 12)),
  },
});
// The scripts of a first load: the entry points and their static imports. A test checks their size.
const first = new Set(["main.js", "worker.js"]);
for (const name of first) {
  for (const { path, kind } of outputs.get(name)?.imports ?? []) {
    if (kind === "import-statement") {
      first.add(inDist(path));
    }
  }
}
writeFileSync(`${target}first-load.json`, `${JSON.stringify([...first])}\n`);

/** @param {string} path of an output, as esbuild reports it */
function inDist(path) {
  return path.slice(path.indexOf("dist/") + "dist/".length);
}
