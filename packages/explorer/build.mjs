/** Builds the page into `dist/`: scripts in lazily loaded chunks, and the service worker that caches the page and the samples. */
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { rolldown } from "rolldown";
import { writeSamples } from "./samples.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const source = `${here}src/`;
const target = `${here}dist/`;
/** Minimum size of a chunk of shared modules. */
const SHARED_BYTES = 15_000;
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
// Small modules that several others import share a chunk: on most networks, requests cost more than bytes.
const bundle = await rolldown({
  input: { main: `${source}view/main.tsx`, worker: `${source}engine/worker.ts` },
  platform: "browser",
  transform: { target: "es2022", define: { "process.env.NODE_ENV": '"production"' } },
});
const { output } = await bundle.write({
  dir: target,
  format: "esm",
  minify: true,
  entryFileNames: "[name].js",
  chunkFileNames: ({ name }) => `chunks/${name.split("~", 1)[0]}-[hash].js`,
  codeSplitting: {
    groups: [
      {
        name: "shared",
        minShareCount: 2,
        minSize: SHARED_BYTES,
        entriesAware: true,
        entriesAwareMergeThreshold: SHARED_BYTES,
      },
    ],
  },
});
await bundle.close();
// One style sheet, with the styles of the chart library.
await build({ ...common, entryPoints: { main: `${source}view/main.css` }, outdir: target });
for (const name of COPIED) {
  copyFileSync(`${source}${name}`, `${target}${name}`);
}
writeSamples(
  JSON.parse(readFileSync(`${source}samples.json`, "utf8")),
  fileURLToPath(new URL("../../fixtures/golden/", import.meta.url)),
  `${target}samples/`,
);
const samples = readdirSync(`${target}samples`).map((name) => `samples/${name}`);

const chunks = new Map(
  output.flatMap((file) => (file.type === "chunk" ? [[file.fileName, file.imports]] : [])),
);
const files = [
  ...new Set([...chunks.keys(), "main.css", ...COPIED.filter((name) => name !== "index.html"), ...samples]),
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
// The scripts of the first load: the entry points and their static imports. A test checks their size.
const first = new Set(["main.js", "worker.js"]);
for (const name of first) {
  for (const imported of chunks.get(name) ?? []) {
    first.add(imported);
  }
}
writeFileSync(`${target}first-load.json`, `${JSON.stringify([...first])}\n`);
