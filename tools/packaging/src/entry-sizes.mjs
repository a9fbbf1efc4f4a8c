/**
 * The bytes that importing an entire entry adds to a page: bundled with its dependencies, minified, gzipped.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { publishedPackages } from "./published-packages.mjs";
import { measureReader } from "./reader-chunks.mjs";

/** @typedef {{ entry: string, bytes: number, budget: number | undefined }} EntrySize sizes in gzipped bytes */

/** Packages that run only in Node. */
const NODE_PACKAGES = ["@cfile/cli", "@cfile/duckdb"];

/** Native code, an optional peer dependency, and codecs that load only when a file uses them. */
const EXTERNAL = ["@duckdb/node-api", "hyparquet-compressors"];

/** Measured as pages load it: at startup and after each scenario. */
const READER = "cfile#openCFile";

/**
 * All entries as a whole, exports that have their own budget (`"package#export"`), and the reader in use
 * (`"cfile#openCFile, SCENARIO"`).
 * @returns {Promise<EntrySize[]>}
 */
export async function measureEntries() {
  /** @type {Record<string, number>} */
  const budget = JSON.parse(readFileSync(new URL("../size-budget.json", import.meta.url), "utf8"));
  const whole = publishedPackages.flatMap(({ name, entries }) =>
    entries.map(async (entry) => ({
      entry,
      bytes: await bundledSize("*", entry, NODE_PACKAGES.includes(name) ? "node" : "browser"),
      budget: budget[entry],
    })),
  );
  const alone = Object.entries(budget).flatMap(([key, bytes]) => {
    const [entry = "", name] = key.split("#");
    return name === undefined || key.startsWith(READER) ? [] : [{ key, entry, name, bytes }];
  });
  const reader = await measureReader();
  const sizes = await Promise.all([
    ...whole,
    ...alone.map(async ({ key, entry, name, bytes }) => ({
      entry: key,
      bytes: await bundledSize(`{ ${name} }`, entry, "browser"),
      budget: bytes,
    })),
  ]);
  return [
    ...sizes,
    { entry: READER, bytes: reader.atStart, budget: budget[READER] },
    ...reader.scenarios.map(({ name, bytes }) => {
      const entry = `${READER}, ${name}`;
      return { entry, bytes, budget: budget[entry] };
    }),
  ];
}

/**
 * @param {string} what is exported: `*` or names in braces
 * @param {string} entry
 * @param {"node" | "browser"} platform
 */
async function bundledSize(what, entry, platform) {
  const { outputFiles } = await build({
    stdin: {
      contents: `export ${what} from ${JSON.stringify(entry)};`,
      resolveDir: fileURLToPath(new URL("..", import.meta.url)),
    },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform,
    external: EXTERNAL,
    target: "es2022",
    logLevel: "silent",
  });
  return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
}
