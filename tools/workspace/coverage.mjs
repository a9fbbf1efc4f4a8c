/**
 * `pnpm coverage [PACKAGE…]`: prints the branches of the decoders that the tests of their packages reach, and the lines of all others.
 * Writers are not counted.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
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
};
/** Minimum part of the branches, in percent. */
const MINIMUM = 98;

/**
 * @param {string} name
 * @param {string} sources
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
  /** @type {string[]} */
  const missed = [];
  let covered = 0;
  let all = 0;
  /** @type {Record<string, { path: string, b: Record<string, number[]>, branchMap: Record<string, { type: string, loc: { start: { line: number } }, locations: { start: { line?: number } }[] }> }>} */
  const files = JSON.parse(readFileSync(report, "utf8"));
  for (const file of Object.values(files)) {
    for (const [id, counts] of Object.entries(file.b)) {
      const branch = file.branchMap[id];
      if (branch === undefined) {
        continue;
      }
      const { type, locations, loc } = branch;
      counts.forEach((count, i) => {
        all++;
        if (count > 0) {
          covered++;
        } else {
          const { line } = locations[i]?.start ?? loc.start;
          missed.push(`${relative(root, file.path)}:${line ?? loc.start.line} (${type})`);
        }
      });
    }
  }
  return { covered, all, missed };
}

let isBelow = false;
const names = process.argv.slice(2).filter((each) => each !== "--");
for (const [name, sources] of Object.entries(DECODERS)) {
  if (names.length > 0 && !names.includes(name)) {
    continue;
  }
  const { covered, all, missed } = branchesOf(name, sources);
  const percent = (100 * covered) / Math.max(1, all);
  isBelow ||= percent < MINIMUM;
  console.log(`${name}: ${percent.toFixed(1)} % of ${all} branches`);
  for (const place of missed) {
    console.log(`  ${place}`);
  }
}
process.exitCode = isBelow ? 1 : 0;
