/** Builds the page into `dist/`: scripts in lazily loaded chunks, and the service worker that caches them. */
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
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

const outputs = Object.keys(metafile.outputs).map((path) =>
  path.slice(path.indexOf("dist/") + "dist/".length),
);
const files = [
  ...new Set([...outputs, "main.css", ...COPIED.filter((name) => name !== "index.html")]),
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
// What a first load brings: the entry points and what they import at once; tests hold it to a budget.
const first = new Set(["main.js", "worker.js"]);
for (const name of first) {
  const output = Object.entries(metafile.outputs).find(([path]) => path.endsWith(`dist/${name}`))?.[1];
  for (const { path, kind } of output?.imports ?? []) {
    if (kind === "import-statement") {
      first.add(path.slice(path.indexOf("dist/") + "dist/".length));
    }
  }
}
writeFileSync(
  `${target}first-load.json`,
  `${JSON.stringify([...first].map((name) => (name.includes("/") ? name : basename(name))))}\n`,
);
