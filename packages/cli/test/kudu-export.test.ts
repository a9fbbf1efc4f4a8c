import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { openKuduDir } from "@cfile/kudu-dir";
import { planTablets } from "@cfile/splits/plan";
import { pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { beforeAll, describe, expect, it } from "vitest";
import { output, run } from "./run.js";

const golden = pathToGolden("servers/");
const LOG = `${golden}log`;
let folder = "";

beforeAll(async () => {
  folder = temporaryFolder();
});

async function rowsOf(path: string, form: string): Promise<string> {
  const csv = join(folder, "back.csv");
  await output(["convert", path, csv, ...(form === "" ? [] : ["--from", form])]);
  return readFile(csv, "utf8");
}

/** Names of the parts that an export of a whole table consists of. */
async function partNames(path: string, table: string): Promise<readonly string[]> {
  await using dir = await openKuduDir(path);
  const splits = await planTablets((await dir.table(table)).tablets, { dirs: [path] });
  return splits.map(({ id }) => `part-${id}`);
}

/** Damages the second column of a row set. */
async function damageColumn(path: string, table: string) {
  await using dir = await openKuduDir(path);
  const [tablet] = (await dir.table(table)).tablets;
  const rowSet = tablet?.rowSets.find(({ blocks }) => blocks.columns.size > 1);
  const [, column] = tablet?.schema.columns ?? [];
  const block = await dir.block(rowSet?.blocks.columns.get(column?.id ?? -1) ?? 0n);
  const bytes = await readFile(block.path);
  bytes[100] = (bytes[100] ?? 0) ^ 1;
  await writeFile(block.path, bytes);
  return { tablet, rowSet, column };
}

describe("cfile kudu export", () => {
  const source = ["kudu", "export", LOG, "--table", "keys_composite", "-j", "1"];

  it("writes the rows of a scan in every format", async () => {
    const csv = join(folder, "t.csv");
    const { code, stdout } = await run([...source, "-o", csv, "--json"]);
    expect(code).toBe(0);
    const text = await readFile(csv, "utf8");
    const scanned = await output(["kudu", "scan", LOG, "--table", "keys_composite", "--csv", "--decode"]);
    expect(text).toBe(scanned);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ rows: text.trim().split("\n").length - 1, complete: true, rows_lost: 0 });
    const converted = new Set<string>();
    for (const name of ["t.parquet", "t.arrow", "t.arrows"]) {
      const path = join(folder, name);
      expect((await run([...source, "-o", path])).code).toBe(0);
      converted.add(await rowsOf(path, ""));
    }
    const columns = join(folder, "columns");
    expect((await run([...source, "-o", columns])).code).toBe(0);
    // Single-column files store neither the scale of decimals nor the order of columns.
    expect((await readdir(columns)).length).toBe(report.columns);
    expect(converted.size).toBe(1);
    expect((await readdir(folder)).filter((name) => name.endsWith(".parts"))).toEqual([]);
  });

  it("writes the same file with several threads", async () => {
    const target = join(folder, "threads.parquet");
    const alone = join(folder, "t.parquet");
    await output([...source, "-o", alone]);
    const main = fileURLToPath(new URL("../dist/bundle/cfile.js", import.meta.url));
    const args = ["kudu", "export", LOG, "--table", "keys_composite", "-j", "2", "-o", target];
    const { stdout } = await promisify(execFile)(process.execPath, [main, ...args]);
    expect(stdout).toContain("90 rows, 11 columns");
    expect(await readFile(target)).toEqual(await readFile(alone));
  });

  it("reuses the parts of an interrupted export", async () => {
    const target = join(folder, "resumed.csv");
    const stopped = new AbortController();
    stopped.abort(new DOMException("stopped", "AbortError"));
    const whole = join(folder, "t.csv");
    await output([...source, "-o", whole]);
    const { code } = await run([...source, "-o", target], { signal: stopped.signal });
    expect(code).not.toBe(0);
    // As if one part had been written before.
    const parts = `${target}.parts`;
    await mkdir(parts);
    const header = (await readFile(whole, "utf8")).split("\n")[0];
    const [first = ""] = await partNames(LOG, "keys_composite");
    const kept = `${header}\nkept from before\n`;
    await writeFile(join(parts, `${first}.csv`), kept);
    const report = { rows: 1, accounts: [], checksum: crc32(kept) };
    await writeFile(join(parts, `${first}.csv.json`), JSON.stringify(report));
    const { stdout } = await run([...source, "-o", target, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ parts_resumed: 1 });
    expect((await readFile(target, "utf8")).split("\n")[1]).toBe("kept from before");
    expect(await readdir(folder)).not.toContain("resumed.csv.parts");
  });

  it("does not reuse a part that a power cut damaged", async () => {
    const target = join(folder, "cut.csv");
    const [first = ""] = await partNames(LOG, "keys_composite");
    await mkdir(`${target}.parts`);
    await writeFile(join(`${target}.parts`, `${first}.csv`), new Uint8Array(16));
    const report = { rows: 1, accounts: [], checksum: crc32("kept from before") };
    await writeFile(join(`${target}.parts`, `${first}.csv.json`), JSON.stringify(report));
    const { stdout } = await run([...source, "-o", target, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ parts_resumed: 0 });
    expect(await readFile(target, "utf8")).toBe(await readFile(join(folder, "t.csv"), "utf8"));
  });

  it("does not reuse the parts of another export", async () => {
    const target = join(folder, "other.csv");
    const [part = ""] = await partNames(LOG, "keys_composite");
    await mkdir(`${target}.parts`);
    await writeFile(join(`${target}.parts`, `${part}.csv.json`), JSON.stringify({ rows: 7, accounts: [] }));
    await writeFile(join(`${target}.parts`, `${part}.csv`), "nothing\n");
    const [first = ""] = (await readFile(join(folder, "t.csv"), "utf8")).split(",");
    const again = await run([...source, "-o", target, "--json", "--columns", first]);
    expect(JSON.parse(again.stdout)).toMatchObject({ parts_resumed: 0, columns: 1 });
    expect(await readFile(target, "utf8")).not.toContain("nothing");
  });

  it("reuses all parts when the file could not be replaced", async () => {
    const target = join(folder, "replaced.parquet");
    await mkdir(target);
    expect((await run([...source, "-o", target])).code).toBe(5);
    await rm(target, { recursive: true });
    const { stdout } = await run([...source, "-o", target, "--json"]);
    const parts = await partNames(LOG, "keys_composite");
    expect(JSON.parse(stdout)).toMatchObject({ parts_resumed: parts.length });
    expect(await readFile(target)).toEqual(await readFile(join(folder, "t.parquet")));
  });

  it("recovers a damaged tablet among others, also into Parquet", async () => {
    const copy = join(folder, "damaged-tablet");
    await cp(`${golden}file`, copy, { recursive: true });
    await damageColumn(copy, "altered");
    const args = ["kudu", "export", copy, "--table", "altered", "-j", "1", "--json"];
    const [arrow, parquet] = [join(folder, "tablet.arrow"), join(folder, "tablet.parquet")];
    expect((await run([...args, "-o", parquet, "--strict"])).code).toBe(3);
    const expected = await run([...args, "-o", arrow]);
    const { code, stdout } = await run([...args, "-o", parquet]);
    expect([expected.code, code]).toEqual([3, 3]);
    expect(JSON.parse(stdout).rows_lost).toBeGreaterThan(0);
    expect(JSON.parse(stdout).rows).toBe(JSON.parse(expected.stdout).rows);
    expect(await rowsOf(parquet, "")).toBe(await rowsOf(arrow, ""));
    const whole = join(folder, "tablet-at-once.parquet");
    await run([...args, "-o", whole]);
    expect(await readFile(parquet)).toEqual(await readFile(whole));
  });

  it("recovers a damaged DiskRowSet and reports what was lost", async () => {
    const copy = join(folder, "damaged");
    await cp(`${golden}file`, copy, { recursive: true });
    const { tablet, rowSet, column: second } = await damageColumn(copy, "small");
    const target = join(folder, "saved.csv");
    const args = ["kudu", "export", copy, "--table", "small", "-j", "1", "-o", target];
    const strict = await run([...args, "--strict"]);
    expect(strict.code).toBe(3);
    await expect(readFile(target)).rejects.toThrow();
    const { code, stdout, stderr } = await run([...args, "--json"]);
    expect(code).toBe(3);
    const report = JSON.parse(stdout);
    expect(report.complete).toBe(false);
    expect(report.row_sets).toHaveLength(1);
    const [account] = report.row_sets;
    expect(account).toMatchObject({ tablet: tablet?.id, row_set: String(rowSet?.id) });
    expect(account.rows_kept + account.rows_lost).toBe(account.rows);
    const column = account.files.find(({ state }: { state: string }) => state === "damaged");
    expect(column.role).toBe(`column ${second?.name}`);
    expect(column.ledger.rowsLost).toBe(account.rows_lost);
    expect(stderr).toContain("lost");
    const lines = (await readFile(target, "utf8")).trim().split("\n");
    expect(lines.length - 1).toBe(report.rows);
  });
});

describe("cfile kudu export --with-log of a damaged log", () => {
  it("writes the changes before the damage, or nothing with --strict", async () => {
    const copy = join(folder, "damaged-log");
    await cp(LOG, copy, { recursive: true });
    const segment = join(copy, "ts/wal/wals/7d73b92d1ec149d485190aeeb51422bf/wal-000000001");
    const bytes = await readFile(segment);
    bytes[3000] = (bytes[3000] ?? 0) ^ 1;
    await writeFile(segment, bytes);
    const target = join(folder, "unflushed.csv");
    const args = ["kudu", "export", copy, "--table", "unflushed", "-j", "1", "-o", target];
    const plain = await run([...args, "--json"]);
    expect([plain.code, JSON.parse(plain.stdout).rows]).toEqual([0, 70]);
    await rm(target);
    const strict = await run([...args, "--with-log", "--strict"]);
    expect(strict.code).toBe(3);
    await expect(readFile(target)).rejects.toThrow();
    const saved = await run([...args, "--with-log", "--json"]);
    expect(saved.code).toBe(3);
    expect(saved.stderr).toContain("checksum");
    expect(JSON.parse(saved.stdout).rows).toBe(70);
    const check = await run(["kudu", "check", copy, "--table", "unflushed"]);
    expect(check.code).toBe(3);
    expect(check.stdout).toContain("unflushed 7d73b92d1ec149d485190aeeb51422bf: E_CHECKSUM log");
  });
});

describe("cfile kudu tree", () => {
  it("draws how key ranges overlap", async () => {
    const text = await output(["kudu", "tree", LOG, "--table", "types_flushed"]);
    expect(text).toContain("3 DiskRowSets, at most 3 with the same key");
    expect(text).toMatch(/0 {4}29 .*├─+┤ {2}-50000 {2}45028 {2}overlaps 1, 2/);
    const { tablets } = JSON.parse(await output(["kudu", "tree", LOG, "--table", "types_flushed", "--json"]));
    expect(tablets.map(({ depth }: { depth: number }) => depth).sort()).toEqual([2, 3]);
    const [{ row_sets: rowSets }] = tablets;
    expect(rowSets[0]).toMatchObject({
      rows: expect.any(Number),
      min_key: expect.stringMatching(/^[0-9a-f]+$/),
    });
  });
});

describe("cfile kudu log", () => {
  it("lists entries as text, NDJSON and JSON", async () => {
    const args = ["kudu", "log", LOG, "--table", "unflushed"];
    const text = await output(args);
    expect(text).toContain("1.1  REPLICATE  NO_OP  7353264134992474112");
    expect(text).toContain('INSERT  id=-42081 n="42" s="category 0"');
    expect(text).toContain("mrs_id 0");
    const lines = (await output([...args, "--ndjson"]))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines[2]).toMatchObject({ type: "REPLICATE", op: "WRITE_OP", term: "1", index: "2", segment: 1 });
    expect(lines[2].rows[1]).toEqual({
      op: "INSERT",
      row: { id: -42081, n: "42", s: "63617465676f72792030" },
    });
    const { tablets } = JSON.parse(await output([...args, "--json"]));
    expect(tablets[0].entries.length).toBe(lines.length);
  });

  it("reads encrypted logs", async () => {
    const { tablets } = JSON.parse(await output(["kudu", "log", `${golden}encrypted`, "--json"]));
    expect(tablets.map(({ entries }: { entries: unknown[] }) => entries.length)).toEqual([18, 14]);
  });
});
