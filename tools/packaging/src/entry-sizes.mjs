/** What importing everything of an entry point adds to a page: bundled with its dependencies, minified, gzipped. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { publishedPackages } from "./published-packages.mjs";

/** @typedef {{ entry: string, bytes: number, budget: number | undefined }} EntrySize sizes in gzipped bytes */

/** Runs in Node only. */
const NODE_PACKAGES = ["@cfile/cli"];

/** @returns {Promise<EntrySize[]>} */
export async function measureEntries() {
  const budget = JSON.parse(readFileSync(new URL("../size-budget.json", import.meta.url), "utf8"));
  return Promise.all(
    publishedPackages.flatMap(({ name, entries }) =>
      entries.map(async (entry) => ({
        entry,
        bytes: await bundledSize(entry, NODE_PACKAGES.includes(name) ? "node" : "browser"),
        budget: budget[entry],
      })),
    ),
  );
}

/**
 * @param {string} entry
 * @param {"node" | "browser"} platform
 */
async function bundledSize(entry, platform) {
  const { outputFiles } = await build({
    stdin: {
      contents: `export * from ${JSON.stringify(entry)};`,
      resolveDir: fileURLToPath(new URL("..", import.meta.url)),
    },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform,
    target: "es2022",
    logLevel: "silent",
  });
  return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
}
