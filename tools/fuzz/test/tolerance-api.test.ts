/** Every public option and function that tolerates damage is compared with its strict counterpart somewhere. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { READERS } from "../src/tolerance/all-readers.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Functions, and where damaged input for them is made. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  recoverCFile: "tolerance: CFile",
  recoverDeltaFile: "tolerance: delta file",
  recoverHFile: "tolerance: HFile",
  recoverParquet: "tolerance: Parquet",
  rebuildParquet: "harness: Parquet: recover without footer",
  // They read undamaged keys.
  rebuildAdhocIndex: "packages/rowset/test/rebuild-key-files.test.ts",
  rebuildBloomFile: "packages/rowset/test/rebuild-key-files.test.ts",
  rebuildKuduDir: "packages/kudu-dir/test/rebuild.test.ts",
  recoveredDiff: "tolerance: Kudu tablet, changes",
};

/** Options that change no result for damaged input: they report another replica, or allow other states of a tablet. */
const NO_DAMAGE = "no tolerance of damage";
/** Readers of clusters use another replica without being asked; the option only reports it. */
const OTHER_REPLICA = "tolerance: Kudu cluster, three replicas";

/** Options, and where they are used on damaged input. */
const OPTIONS: Readonly<Record<string, string>> = {
  "hbase/src/table/hbase-root.ts recover": "tolerance: HBase table",
  "splits/src/run/run-split.ts recover": "tolerance: splits of CFiles",
  "kudu-dir/src/read/tablet-options.ts onUnreadable": "tolerance: Kudu tablet, row sets left out",
  "kudu-dir/src/read/tablet-options.ts onOtherReplica": OTHER_REPLICA,
  "splits/src/run/read-options.ts onOtherReplica": OTHER_REPLICA,
  "kudu-dir/src/read/tablet-options.ts partialHistory": "packages/kudu-dir/test/damage.test.ts",
  "splits/src/plan/plan-options.ts partialHistory": "packages/kudu-dir/test/damage.test.ts; plans pass it on",
  "kudu-dir/src/read/tablet-options.ts anyState": NO_DAMAGE,
  "kudu-dir/src/restore/restore-options.ts recover": "packages/kudu-dir/test/restore.test.ts",
  "bloomfile/src/read/probe-batch.ts onDamage": "tolerance: Bloom file",
  "rowset/src/read/row-set-parts.ts onDamage": "packages/rowset/test",
  // Internal: one read ahead of a recovery.
  "format/src/read/read-ahead.ts tolerant": "tolerance: CFile",
};

const NAME = /recover|unreadable|partial|tolera|lenient|anyState|otherReplica|onDamage|salvage/i;

test("readers", () => {
  const used = [...Object.values(FUNCTIONS), ...Object.values(OPTIONS)].flatMap((where) =>
    where.startsWith("tolerance: ") ? where.slice("tolerance: ".length) : [],
  );
  expect(used.length).toBeGreaterThan(8);
  expect(READERS.map(({ name }) => name)).toEqual(expect.arrayContaining(used));
});

test("functions", () => {
  const surface = readFileSync(`${root}tools/packaging/test/public-surface.txt`, "utf8");
  const functions = new Set(
    surface
      .split("\n")
      .map((line) => line.trim())
      .filter((name) => /^(?:recover|rebuild|salvage)\w*$/i.test(name) && /^[a-z]/.test(name)),
  );
  expect([...functions].sort()).toEqual(Object.keys(FUNCTIONS).sort());
});

test("options", () => {
  const found = new Set<string>();
  for (const name of readdirSync(`${root}packages`)) {
    const folder = `${root}packages/${name}/src`;
    for (const file of name === "cli" ? [] : readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      const text = file.endsWith(".ts") ? readFileSync(`${folder}/${file}`, "utf8") : "";
      for (const [, option = ""] of text.matchAll(/readonly (\w+)\?: /g)) {
        if (NAME.test(option)) {
          found.add(`${name}/src/${file.replaceAll("\\", "/")} ${option}`);
        }
      }
    }
  }
  expect([...found].sort()).toEqual(Object.keys(OPTIONS).sort());
});
