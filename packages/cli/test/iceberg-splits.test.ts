/** Splits whose files become an Iceberg table. */
import { readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { expect, it } from "vitest";
import { output, run } from "./run.js";

const LOG = pathToGolden("servers/log");

/** Runs the splits of a table in two workers. */
async function workers(table: string, ...sources: string[]) {
  const folder = temporaryFolder();
  const target = join(folder, "db", "t");
  const [splits, first, second] = ["splits", "a", "b"].map((name) => join(folder, `${name}.ndjson`)) as [
    string,
    string,
    string,
  ];
  await output([
    "splits",
    ...sources,
    ...(table === "" ? [] : ["--table", table]),
    "--target",
    "4K",
    "-o",
    splits,
  ]);
  const lines = (await readFile(splits, "utf8")).trimEnd().split("\n");
  const half = Math.ceil(lines.length / 2);
  for (const [path, own] of [
    [first, lines.slice(0, half)],
    [second, lines.slice(half)],
  ] as const) {
    await writeFile(
      path,
      await output(["run-split", "--to", "iceberg", "-o", target], { stdin: own.join("\n") }),
    );
  }
  const commit = (...results: string[]) => run(["commit-splits", splits, ...results, "-o", target]);
  return { target, splits, first, second, commit, count: lines.length };
}

it.each(["types_flushed", "keys_composite", "altered", "history"])(
  "the table of the splits of %s has its flushed rows",
  async (table) => {
    const { target, first, second, commit } = await workers(table, LOG);
    expect((await commit(first, second)).stderr).toBe("");
    expect(await output(["compare", LOG, target, "--table", table])).toMatch(/^equal: /);
    // Commits again, as after an interruption.
    expect((await commit(first, second)).code).toBe(0);
    expect((await readdir(join(target, "metadata"))).filter((name) => name.endsWith(".json"))).toEqual([
      "v1.metadata.json",
    ]);
  },
);

it("a table store in splits becomes an Iceberg table", async () => {
  const store = join(temporaryFolder(), "store");
  const csv = `${store}.csv`;
  await output(["kudu", "export", LOG, "--table", "history", "-o", csv]);
  await output(["convert", csv, store, "--to", "rowset", "--key", "id"]);
  const { target, first, second, commit } = await workers("", store);
  expect((await commit(second, first)).stderr).toBe("");
  expect(await output(["compare", store, target])).toMatch(/^equal: 99 rows/);
});

it("a split without a result, a changed file and other results are errors, and there is no table", async () => {
  const { target, first, second, commit, count } = await workers("keys_composite", LOG);
  expect(count).toBeGreaterThan(1);
  const missing = await commit(first);
  expect([missing.code, missing.stderr]).toEqual([
    5,
    expect.stringContaining("has no result of run-split --to iceberg"),
  ]);
  const text = await readFile(second, "utf8");
  for (const [from, to, reason] of [
    [/"nulls":\d+/, '"nulls":-1', "nulls"],
    [/"name":"part-/, '"name":"../part-', "name"],
    [/"rowsLost":0/, '"rowsLost":2', "rows of the split are missing"],
    [/"complete":true/, '"complete":false', "rows of the split may be missing"],
    [/^{/, "[", "not a result of run-split"],
  ] as const) {
    await writeFile(second, text.replace(from, to));
    const { code, stderr } = await commit(first, second);
    expect([code, stderr]).toEqual([3, expect.stringContaining(reason)]);
  }
  await writeFile(second, text);
  const [name = ""] = await readdir(join(target, "data"));
  await truncate(join(target, "data", name), 100);
  expect((await commit(first, second)).stderr).toContain("100 bytes (expected ");
  await rm(join(target, "data", name));
  expect((await commit(first, second)).stderr).toContain("the data file is missing");
  await expect(readdir(join(target, "metadata"))).rejects.toThrow("ENOENT");
});

it("without splits, there is no table, because its columns are unknown", async () => {
  const { commit, splits, first, target } = await workers("keys_string", LOG);
  await writeFile(splits, "");
  const { code, stderr } = await commit(first);
  expect([code, stderr]).toEqual([1, expect.stringContaining("there are no splits")]);
  await expect(readdir(join(target, "metadata"))).rejects.toThrow("ENOENT");
});
