/** `cfile hudi`: the JSON formats, compared with Hudi's facts about the golden tables. */
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { readGolden, readGoldenJson, temporaryFolder, unpackTar } from "@cfile-tools/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import { output, run } from "./run.js";

interface Facts {
  readonly marks: Readonly<Record<string, string>>;
  readonly last_completed: string;
  readonly files: unknown;
  readonly file_slices: Readonly<Record<string, unknown>>;
  readonly active_timeline: readonly (string | null)[][];
  readonly archived_timeline: unknown;
  readonly metadata_active_timeline: readonly (string | null)[][];
  readonly metadata_archived_timeline: unknown;
  readonly record_index: readonly string[][];
  readonly column_stats: { readonly fields: readonly string[]; readonly records: readonly unknown[][] };
}

type Row = readonly unknown[];

/** Rows, or numbers of rows in `latest`, or why Hudi refused the query. */
type Listed = readonly (Row | number)[] | { readonly refused: string };

interface RowFacts {
  readonly columns: readonly (readonly [string, string])[];
  readonly latest: readonly Row[];
  readonly incremental_bounds: Readonly<Record<string, string>>;
}

const root = temporaryFolder();

function unpacked(name: string): string {
  const { files, times } = unpackTar(gunzipSync(readGolden(`hudi-table/${name}.tar.gz`)));
  for (const [path, bytes] of files) {
    const target = join(root, name, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, bytes);
    const time = (times.get(path) ?? 0) / 1000;
    utimesSync(target, time, time);
  }
  return join(root, name);
}

const json = async (...args: string[]) => JSON.parse(await output(["hudi", ...args, "--json"]));

const TABLES = ["cow_v9", "mor_v9", "mor_v8_flat", "mor_v6_h015"];

describe.each(TABLES)("%s, as Hudi sees it", (name) => {
  const facts = readGoldenJson<Facts>(`hudi-table/${name}.json`);
  const rows = readGoldenJson<RowFacts & Readonly<Record<string, Listed>>>(`hudi-table/${name}.rows.json`);
  let table: string;

  beforeAll(() => {
    table = unpacked(name);
  });

  test("files, slices and archived instants", async () => {
    expect(await json("files", table)).toEqual(facts.files);
    expect(await json("slices", table)).toEqual(facts.file_slices[facts.last_completed]);
    for (const [instant, expected] of Object.entries(facts.file_slices)) {
      expect(await json("slices", table, "--as-of", instant), instant).toEqual(expected);
    }
    expect(await json("timeline", table, "--archived")).toEqual(facts.archived_timeline);
    const archived = await json("timeline", table, "--archived", "--metadata");
    expect(archived).toEqual(facts.metadata_archived_timeline);
  });

  test("active instants", async () => {
    // Archives keep modification times, the completion times of version 6, in seconds only.
    const form = (instants: readonly (string | null)[][]) =>
      name === "mor_v6_h015"
        ? instants.map(([time, action, state, completed, file]) => [
            time,
            action,
            state,
            completed?.slice(0, 14),
            file,
          ])
        : instants;
    expect(form(await json("timeline", table))).toEqual(form(facts.active_timeline));
    const metadata = await json("timeline", table, "--metadata");
    expect(form(metadata)).toEqual(form(facts.metadata_active_timeline));
  });

  test("column statistics of all files", async () => {
    // What Hudi 0.15 prints for the types that it stores.
    const shown = (text: string) =>
      name === "mor_v6_h015"
        ? text.replace(/DateWrapper/g, "IntWrapper").replace(/Decimal(?=Wrapper)/g, "Bytes")
        : text;
    const sorted = (records: readonly unknown[][]) =>
      records.map((each) => shown(JSON.stringify(each))).sort();
    const { fields, records } = await json("stats", table);
    expect(fields).toEqual(facts.column_stats.fields);
    expect(sorted(records)).toEqual(sorted(facts.column_stats.records));
  });

  const queries = Object.entries(rows).flatMap(([entry, listed]): [string, string[], Listed][] => {
    const [, mark = ""] = /^as_of_(.*)$/.exec(entry) ?? [];
    const [, from = "", to = ""] = /^incremental_from_(.*)_to_(.*)$/.exec(entry) ?? [];
    if (mark !== "") {
      return [[entry, ["--as-of", facts.marks[mark] ?? ""], listed]];
    }
    if (from !== "") {
      const end = to === "latest" ? [] : ["--to", rows.incremental_bounds[to] ?? ""];
      return [[entry, ["--from", rows.incremental_bounds[from] ?? "", ...end], listed]];
    }
    return entry === "latest" || entry === "read_optimized"
      ? [[entry, entry === "latest" ? [] : ["--read-optimized"], listed]]
      : [];
  });

  test.each(queries)("rows: %s", async (_, options, listed) => {
    const { code, stdout, stderr } = await run(["hudi", "scan", table, ...options, "--json"]);
    if ("refused" in listed) {
      expect(code).toBe(1);
      expect(stderr).toContain("E_HISTORY_GONE");
      return;
    }
    const { columns, rows: printed } = JSON.parse(stdout);
    expect(printed).toEqual(listed.map((row) => (typeof row === "number" ? rows.latest[row] : row)));
    expect(columns).toHaveLength(rows.columns.length);
    if (!options.includes("--read-optimized")) {
      expect(columns).toEqual(rows.columns);
    }
  });

  test("records and their locations", async () => {
    for (const entry of facts.record_index.filter((_, i) => i % 20 === 0)) {
      const [key = ""] = entry;
      const row = rows.latest.find((each) => each[2] === key);
      expect(await json("get", table, "--key", key)).toEqual({ columns: rows.columns, row, location: entry });
    }
    expect(await json("get", table, "--key", "absent")).toMatchObject({ row: null, location: null });
  });

  test("splits have the rows of the table", async () => {
    const parts = join(root, `${name}-parts`);
    const { stdout } = await run(["splits", table, "--columns", "id", "--target", "20000"]);
    expect(stdout.split("\n").length).toBeGreaterThan(2);
    const ledger = await output(["run-split", "-o", parts, "--allow-root", root], { stdin: stdout });
    const results = ledger
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(results.reduce((sum, each) => sum + each.rows, 0)).toBe(rows.latest.length);
  });

  test("verify passes", async () => {
    expect(await json("verify", table, "--deep")).toMatchObject({ ok: true, problem_count: 0, problems: [] });
  });
});

describe.each(["mor_v9", "mor_v6_h015"])("commands for %s", (name) => {
  const rows = readGoldenJson<RowFacts>(`hudi-table/${name}.rows.json`);
  let table: string;

  beforeAll(() => {
    table = unpacked(name);
  });

  test("scan selects columns, and stops at a limit", async () => {
    const one = await json("scan", table, "--columns", "id,qty", "--limit", "1");
    expect(one.columns).toEqual([
      ["id", "string"],
      ["qty", "int"],
    ]);
    expect(one.rows).toHaveLength(1);
  });

  test("conditions select the same rows as a filter", async () => {
    const index = rows.columns;
    const qty = index.findIndex(([column]) => column === "qty");
    const expected = rows.latest.filter((row) => Number(row[qty] ?? -1) > 500);
    expect((await json("scan", table, "--where", "qty > 500")).rows).toEqual(expected);
  });

  test("diff prints the rows and the writes of a range", async () => {
    const from = rows.incremental_bounds["late"] ?? "";
    expect(await json("diff", table, "--from", from)).toEqual(await json("scan", table, "--from", from));
    expect(await json("diff", table, "--from", from, "--commits")).not.toHaveLength(0);
  });

  test("export writes what scan prints", async () => {
    const target = join(root, `${name}.parquet`);
    const { stdout, stderr } = await run([
      "hudi",
      "export",
      table,
      "-o",
      target,
      "--columns",
      "id,price,tags,addr",
    ]);
    expect(stdout).toContain(`${rows.latest.length} rows, 3 columns`);
    expect(stderr).toContain("nested columns are left out: addr");
    const csv = join(root, `${name}.csv`);
    await output(["convert", target, csv]);
    const written = readFileSync(csv, "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",")[0]);
    const index = rows.columns.findIndex(([column]) => column === "id");
    expect(written.sort()).toEqual(rows.latest.map((row) => row[index]).sort());
  });

  test.each([
    ["all rows, in two threads", ["--jobs", "2"], []],
    ["base files alone", ["--read-optimized"], ["--read-optimized"]],
    ["no rows", ["--where", "qty < -1000000"], ["--where", "qty < -1000000"]],
  ])("export, %s", async (what, options, scanned) => {
    const target = join(root, `${name}-${what}.ndjson`);
    const selected = ["--columns", "id,qty"];
    const report = JSON.parse(
      await output(["hudi", "export", table, "-o", target, ...selected, ...options, "--json"]),
    );
    const expected: Row[] = (await json("scan", table, ...selected, ...scanned)).rows;
    expect(report).toMatchObject({ rows: expected.length, columns: 2, skipped: [], parts_resumed: 0 });
    const lines = readFileSync(target, "utf8").split("\n").filter(Boolean);
    const written = lines.map((line) => Object.values(JSON.parse(line)));
    expect(written.map(String).sort()).toEqual(expected.map(String).sort());
  });

  test("info describes the table", async () => {
    expect(await json("info", table)).toMatchObject({
      name,
      columns: rows.columns,
      partitions_from: "metadata",
    });
    expect(await output(["hudi", "info", table])).toMatch(new RegExp(`table +${name}, MERGE_ON_READ`));
  });
});
