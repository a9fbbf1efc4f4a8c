/**
 * `pnpm coverage [PACKAGE…]`: prints how many branches of the decoders the tests of their packages reach. Lists the lines of all other
 * branches, each with the reason why no test reaches it (`coverage-reasons/PACKAGE.json`). Writers are not counted.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Packages that decode untrusted bytes, and the sources to count. */
const DECODERS = {
  varint: "src/**",
  bitshuffle: "src/**",
  // The tests of other packages cover batches and conditions.
  encodings: "src/{codecs,keys,types}/**",
  compression: "src/**",
  "index-btree": "src/**",
  format: "src/**",
  deltafile: "src/**",
  bloomfile: "src/**",
  hfile: "src/**",
  parquet: "src/**",
  protobuf: "src/**",
  avro: "src/avro-{container,decoder,reader,schema}.ts",
  iceberg: "src/**",
  hbase: "src/**",
  hudi: "src/**",
  // Directories and clusters: checks, logs, recovery, restoration, and rebuilding from blocks.
  "kudu-dir": "src/{blocks,catalog,check,cluster,log,read,rebuild,recover,restore}/**",
};
/** Minimum percentage of covered branches. */
const MINIMUM = 98;

/** @typedef {{ file: string, line: number, type: string, code: string }} Missed */

/**
 * @param {string} name
 * @param {string} sources
 * @returns {{ covered: number, all: number, missed: Missed[] }}
 */
function branchesOf(name, sources) {
  const folder = `${root}packages/${name}/`;
  const report = `${folder}reports/coverage/coverage-final.json`;
  // A report of an earlier run must not be mistaken for this one.
  rmSync(report, { force: true });
  const { status, stdout } = spawnSync(
    "npx",
    [
      ...["vitest", "run", "--config", "../../vitest.config.mjs", "--testTimeout=300000"],
      // Does not write the report that `npm test` counts.
      "--reporter=dot",
      ...["--coverage.enabled", "--coverage.provider=v8", "--coverage.reporter=json"],
      ...[`--coverage.include=${sources}`, "--coverage.exclude=src/{generated,write}/**"],
      "--coverage.exclude=src/**/{*-builder,*-encode,encode-*,*-writer}.ts",
      "--coverage.reportsDirectory=reports/coverage",
    ],
    { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );
  if (status !== 0) {
    throw new Error(`tests of ${name} failed:\n${stdout.slice(-3000)}`);
  }
  /** @type {Missed[]} */
  const missed = [];
  let covered = 0;
  let all = 0;
  /** @type {Record<string, { path: string, b: Record<string, number[]>, branchMap: Record<string, { type: string, loc: { start: { line: number } }, locations: { start: { line?: number } }[] }> }>} */
  const files = JSON.parse(readFileSync(report, "utf8"));
  for (const { path, b, branchMap } of Object.values(files)) {
    const lines = readFileSync(path, "utf8").split("\n");
    for (const [id, counts] of Object.entries(b)) {
      const branch = branchMap[id];
      if (branch === undefined) {
        continue;
      }
      const { type, locations, loc } = branch;
      counts.forEach((count, i) => {
        all++;
        if (count > 0) {
          covered++;
        } else {
          const line = locations[i]?.start.line ?? loc.start.line;
          missed.push({ file: relative(folder, path), line, type, code: lines[line - 1]?.trim() ?? "" });
        }
      });
    }
  }
  return { covered, all, missed };
}

/**
 * @param {string} name
 * @returns {{ file: string, code: string, reason: string }[]} `code`: the source line, without indentation
 */
function reasonsOf(name) {
  const path = new URL(`coverage-reasons/${name}.json`, import.meta.url);
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : [];
}

let isWrong = false;
const names = process.argv.slice(2).filter((each) => each !== "--");
for (const [name, sources] of Object.entries(DECODERS)) {
  if (names.length > 0 && !names.includes(name)) {
    continue;
  }
  const { covered, all, missed } = branchesOf(name, sources);
  const percent = (100 * covered) / Math.max(1, all);
  console.log(`${name}: ${percent.toFixed(1)} % of ${all} branches`);
  const reasons = reasonsOf(name);
  const unused = new Set(reasons);
  for (const { file, line, type, code } of missed) {
    const known = reasons.find((one) => one.file === file && one.code === code);
    console.log(`  packages/${name}/${file}:${line} (${type}) ${known?.reason ?? `NO REASON: ${code}`}`);
    isWrong ||= known === undefined;
    if (known !== undefined) {
      unused.delete(known);
    }
  }
  for (const { file, code } of unused) {
    console.log(`  packages/${name}/${file}: covered or gone, but has a reason: ${code}`);
  }
  isWrong ||= percent < MINIMUM || unused.size > 0;
}
process.exitCode = isWrong ? 1 : 0;
