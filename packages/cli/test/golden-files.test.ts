import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, test, vi } from "vitest";
import { type GoldenFile, golden, goldenNames, goldenPath } from "./golden.js";
import { output } from "./run.js";

// A test runs hundreds of commands.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const folder = temporaryFolder();

const paths = goldenNames.map(goldenPath);

test("there are golden files", () => {
  expect(goldenNames.length).toBeGreaterThan(700);
});

test("inspect --json matches every golden file", async () => {
  const listed = JSON.parse(await output(["inspect", "--json", ...paths])) as Record<string, unknown>[];
  expect(listed.map(({ path }) => path)).toEqual(paths);
  for (const [i, name] of goldenNames.entries()) {
    const file = golden(name);
    const { path: _path, layout, ...rest } = listed[i] ?? {};
    expect(rest, name).toEqual({
      kind: "column",
      type: file.type,
      encoding: file.encoding,
      compression: file.compression,
      nullable: file.nullable,
      array: file.array,
      rows: file.rows,
      header_metadata: file.header_metadata,
      footer: file.footer,
    });
    if (file.layout !== null) {
      expect(layout, name).toEqual(file.layout);
    }
  }
});

test("inspect --json of one file is one object without a path", async () => {
  const json = JSON.parse(await output(["inspect", goldenPath("enc_int32_plain_n9"), "--json"]));
  expect(Object.keys(json)).toEqual([
    "kind",
    "type",
    "encoding",
    "compression",
    "nullable",
    "array",
    "rows",
    "header_metadata",
    "footer",
    "layout",
  ]);
});

test("digest prints the SHA-256 of every golden file", async () => {
  const expected = goldenNames.map((name) => `${golden(name).sha256}  ${goldenPath(name)}\n`).join("");
  expect(await output(["digest", ...paths])).toBe(expected);
});

test("verify finds every file valid", async () => {
  const lines = (await output(["verify", "--json", ...paths])).trim().split("\n");
  const reports = lines.map((line) => JSON.parse(line) as { path: string; ok: boolean; rows: number });
  expect(reports.filter(({ ok }) => !ok)).toEqual([]);
  expect(reports.map(({ rows }) => rows)).toEqual(goldenNames.map((name) => golden(name).rows));
});

test("cat --json prints the values of every golden file", async () => {
  for (const name of goldenNames) {
    const { values } = golden(name);
    if (values !== undefined) {
      const cells = JSON.parse(await output(["cat", goldenPath(name), "--json"]));
      expect(JSON.stringify(cells) === JSON.stringify(values), name).toBe(true);
    }
  }
});

function flags(file: GoldenFile): string[] {
  const flag = (name: string, on: boolean): string => (on ? `--${name}` : `--no-${name}`);
  return [
    ...["--encoding", file.encoding.toLowerCase(), "--compression", file.compression.toLowerCase()],
    ...["--block-size", `${file.block_size}`, "--index-block-size", `${file.index_block_size}`],
    ...["--restart-interval", `${file.block_restart_interval}`],
    ...["--batch-rows", `${Math.max(1, file.append_batch)}`],
    flag("posidx", file.write_posidx),
    flag("validx", file.write_validx),
    flag("optimize-index-keys", file.optimize_index_keys),
    flag("checksums", file.checksums),
  ];
}

describe("rewrite with a file's own options", () => {
  const own = goldenNames.filter((name) => !name.startsWith("v1_"));

  test("reproduces every file byte for byte", async () => {
    expect(own.length).toBeGreaterThan(650);
    const target = join(folder, "same.cfile");
    const different: string[] = [];
    for (const name of own) {
      const file = golden(name);
      await output(["rewrite", goldenPath(name), target, ...flags(file)]);
      if (!(await readFile(target)).equals(await readFile(goldenPath(name)))) {
        different.push(name);
      }
    }
    expect(different).toEqual([]);
  });
});
