/**
 * A program as deployed for a fast start: in one file, next to V8's code cache of an earlier run, so that functions are not compiled
 * again. From Node 22.1 on, the variable `NODE_COMPILE_CACHE` does this for any program.
 */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join, parse } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";

/** Environment variable with which the program also writes the code cache when it ends. */
const WRITE = "CFILE_BENCH_WRITE_CODE_CACHE";

const LOADER = `
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const { createRequire, wrap } = require("node:module");
const { Script } = require("node:vm");
const filename = require("node:path").join(__dirname, "PROGRAM");
const cache = filename + ".cache";
const cachedData = existsSync(cache) ? readFileSync(cache) : undefined;
const script = new Script(wrap(readFileSync(filename, "utf8")), { filename, cachedData });
if (script.cachedDataRejected) {
  throw new Error("V8 rejects the code cache");
}
const module_ = { exports: {} };
script.runInThisContext()(module_.exports, createRequire(filename), module_, filename, __dirname);
if (process.env.${WRITE} !== undefined) {
  process.once("beforeExit", () => writeFileSync(cache, script.createCachedData()));
}
`;

export interface CachedProgram {
  /** Path of the script that loads it. */
  readonly path: string;
  /** Runs the program and caches the code that this run needs, in addition to that of earlier runs. */
  warm(args: readonly string[]): Promise<void>;
}

/** @param entry a module without top-level `await` */
export async function cachedProgram(entry: string, folder: string): Promise<CachedProgram> {
  const { name } = parse(entry);
  await build({
    entryPoints: [entry],
    outfile: join(folder, `${name}.code.cjs`),
    bundle: true,
    minify: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    define: { "import.meta.url": "moduleUrl" },
    banner: { js: 'const moduleUrl=require("node:url").pathToFileURL(__filename).href;' },
    logLevel: "error",
  });
  const path = join(folder, `${name}.cjs`);
  await writeFile(path, LOADER.replace("PROGRAM", `${name}.code.cjs`));
  return {
    path,
    warm: async (args) => {
      await promisify(execFile)(process.execPath, [path, ...args], {
        env: { ...process.env, [WRITE]: "1" },
      });
    },
  };
}
