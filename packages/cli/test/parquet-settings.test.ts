/** How the Parquet files of exports and conversions are written. */
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { openSource } from "@cfile/io";
import { describeParquet } from "@cfile/parquet/inspect";
import { pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { expect, it } from "vitest";
import { output, run } from "./run.js";

const LOG = pathToGolden("servers/log");

/** Codecs, sorting columns, and the columns with Bloom filters. */
async function settingsOf(path: string) {
  const source = await openSource(path);
  try {
    const { rowGroups } = await describeParquet(source);
    const chunks = rowGroups.flatMap(({ chunks: own }) => own);
    const filtered = chunks.filter(({ bloomFilter }) => bloomFilter !== undefined);
    return {
      codecs: [...new Set(chunks.map(({ codec }) => codec))],
      sortedBy: rowGroups[0]?.sortedBy,
      bloomFilters: [...new Set(filtered.map(({ column }) => column))],
    };
  } finally {
    await source.close?.();
  }
}

const exported = (table: string, target: string, ...more: string[]) =>
  output(["kudu", "export", LOG, "--table", table, "-o", target, ...more]);

it("an export has Zstandard, the order of the key, and no Bloom filter for the column that it starts with", async () => {
  const target = join(temporaryFolder(), "t.parquet");
  await exported("history", target);
  const settings = { codecs: ["ZSTD"], sortedBy: ["id"], bloomFilters: [] };
  expect(await settingsOf(target)).toEqual(settings);
});

it("an export of several tablets does not claim the order of the key, and has Bloom filters for all of its columns", async () => {
  const target = join(temporaryFolder(), "t.parquet");
  await exported("keys_composite", target);
  const { sortedBy, bloomFilters } = await settingsOf(target);
  expect([sortedBy, bloomFilters.slice(0, 2)]).toEqual([[], ["k8", "name"]]);
});

it("a conversion has Bloom filters for the columns of --key, by default for those of the order without the first", async () => {
  const folder = temporaryFolder();
  const path = (name: string): string => join(folder, `${name}.parquet`);
  const [target, copy, filtered] = [path("t"), path("copy"), path("filtered")];
  await exported("history", target);
  await output(["convert", target, copy]);
  await output(["convert", target, filtered, "--key", "id"]);
  const settings = { codecs: ["ZSTD"], sortedBy: ["id"] };
  expect(await settingsOf(copy)).toEqual({ ...settings, bloomFilters: [] });
  expect(await settingsOf(filtered)).toEqual({ ...settings, bloomFilters: ["id"] });
});

it.each([
  ["snappy", "SNAPPY"],
  ["gzip", "GZIP"],
  ["lz4", "LZ4_RAW"],
  ["none", "UNCOMPRESSED"],
] as const)(
  "--compression %s is that of exports, splits, conversions and Iceberg tables",
  async (name, codec) => {
    const folder = temporaryFolder();
    const [target, table, copy] = [
      join(folder, "t.parquet"),
      join(folder, "t"),
      join(folder, "copy.parquet"),
    ];
    await exported("keys_string", target, "--compression", name);
    await exported("keys_string", table, "--to", "iceberg", "--compression", name);
    await output(["convert", target, copy, "--compression", name]);
    const lines = await output(["splits", LOG, "--table", "keys_string"]);
    await output(["run-split", "-o", join(folder, "parts"), "--compression", name], { stdin: lines });
    const [data = ""] = await readdir(join(table, "data"));
    const [part = ""] = await readdir(join(folder, "parts"));
    for (const path of [target, join(table, "data", data), join(folder, "parts", part)]) {
      const { codecs, bloomFilters } = await settingsOf(path);
      expect([path, codecs, bloomFilters.length]).toEqual([path, [codec], 1]);
    }
    expect((await settingsOf(copy)).codecs).toEqual([codec]);
  },
);

it.each(["copy.parquet", "table"])("an unknown column in --key is an error: %s", async (name) => {
  const folder = temporaryFolder();
  const [source, target] = [join(folder, "t.parquet"), join(folder, name)];
  await exported("history", source);
  const to = name === "table" ? ["--to", "iceberg"] : [];
  const { code, stderr } = await run(["convert", source, target, "--key", "nope", ...to]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--key: no column "nope"; columns: id, n,')]);
  expect(existsSync(target)).toBe(false);
});

it("--compression of a format that has none is an error", async () => {
  const { code, stderr } = await run([
    "kudu",
    "export",
    LOG,
    "--table",
    "history",
    "-o",
    "t.csv",
    "--compression",
    "gzip",
  ]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining("--compression is for Parquet and Iceberg, not for csv"),
  ]);
});
