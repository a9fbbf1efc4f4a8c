/** Every public option and function that tolerates damage is compared with its strict counterpart somewhere. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Functions, and where damaged input for them is made. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  recoverCFile: "tolerance: CFile",
  recoverDeltaFile: "packages/deltafile/test/recover-damage.test.ts",
  recoverHFile: "tolerance: HFile",
  recoverParquet: "tolerance: Parquet",
  rebuildParquet: "harness: Parquet: recover without footer",
  // They read undamaged keys.
  rebuildAdhocIndex: "packages/rowset/test/rebuild-key-files.test.ts",
  rebuildBloomFile: "packages/rowset/test/rebuild-key-files.test.ts",
  rebuildKuduDir: "packages/kudu-dir/test/rebuild.test.ts",
  recoveredDiff: "packages/kudu-dir/test/recovered-diff.test.ts",
};

/** Options that change no result for damaged input: they report another replica, or allow other states of a tablet. */
const NO_DAMAGE = "no tolerance of damage";

/** Options, and where they are used on damaged input. */
const OPTIONS: Readonly<Record<string, string>> = {
  "hbase/src/table/hbase-root.ts recover": "tolerance: HBase table",
  "splits/src/run/run-split.ts recover": "tolerance: splits of a CFile",
  "kudu-dir/src/read/tablet-options.ts onUnreadable": "directories",
  "kudu-dir/src/read/tablet-options.ts onOtherReplica": NO_DAMAGE,
  "splits/src/run/read-options.ts onOtherReplica": NO_DAMAGE,
  "kudu-dir/src/read/tablet-options.ts partialHistory": "packages/kudu-dir/test/damage.test.ts",
  "splits/src/plan/plan-options.ts partialHistory": "packages/kudu-dir/test/damage.test.ts; plans pass it on",
  "kudu-dir/src/read/tablet-options.ts anyState": NO_DAMAGE,
  "kudu-dir/src/restore/restore-options.ts recover": "packages/kudu-dir/test/restore.test.ts",
  // Internal: one block, or one read ahead of a recovery.
  "bloomfile/src/read/probe-batch.ts onDamage": "packages/bloomfile/test",
  "rowset/src/read/row-set-parts.ts onDamage": "packages/rowset/test",
  "format/src/read/read-ahead.ts tolerant": "tolerance: CFile",
};

const NAME = /recover|unreadable|partial|tolera|lenient|anyState|otherReplica|onDamage|salvage/i;

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
