/** `cfile hudi`: the JSON forms, compared with what Hudi says of the golden tables. */
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
  readonly record_index: readonly string[][];
  readonly column_stats: { readonly records: readonly unknown[][] };
}

type Row = readonly unknown[];

interface RowFacts {
  readonly columns: readonly (readonly [string, string])[];
  readonly latest: readonly Row[];
  readonly incremental_bounds: Readonly<Record<string, string>>;
  readonly incremental_from_late_to_latest: readonly (Row | number)[];
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

describe.each(["mor_v9", "mor_v6_h015"])("%s", (name) => {
  const facts = readGoldenJson<Facts>(`hudi-table/${name}.json`);
  const rows = readGoldenJson<RowFacts>(`hudi-table/${name}.rows.json`);
  const { marks, last_completed: last } = facts;
  let table: string;

  beforeAll(() => {
    table = unpacked(name);
  });

  test("files, slices and archived instants", async () => {
    expect(await json("files", table)).toEqual(facts.files);
    expect(await json("slices", table)).toEqual(facts.file_slices[last]);
    const middle = marks["middle"] ?? "";
    expect(await json("slices", table, "--as-of", middle)).toEqual(facts.file_slices[middle]);
    expect(await json("timeline", table, "--archived")).toEqual(facts.archived_timeline);
  });

  test("active instants", async () => {
    const inSeconds = (instants: readonly (string | null)[][]) =>
      instants.map(([time, action, state, completed, file]) => [
        time,
        action,
        state,
        completed?.slice(0, 14),
        file,
      ]);
    expect(inSeconds(await json("timeline", table))).toEqual(inSeconds(facts.active_timeline));
  });

  test("rows", async () => {
    expect(await json("scan", table)).toEqual({ columns: rows.columns, rows: rows.latest });
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

  test("a record and its location", async () => {
    const [entry = []] = facts.record_index;
    const [key = ""] = entry;
    const expected = rows.latest.find((row) => row[2] === key);
    expect(await json("get", table, "--key", key)).toEqual({
      columns: rows.columns,
      row: expected,
      location: entry,
    });
    expect(await json("get", table, "--key", "absent")).toMatchObject({ row: null, location: null });
  });

  test("an instant that has been cleaned is refused", async () => {
    const { code, stderr } = await run(["hudi", "scan", table, "--as-of", marks["early"] ?? "", "--json"]);
    expect(code).toBe(1);
    expect(stderr).toContain("E_HISTORY_GONE");
  });

  test("diff prints the rows and the writes of a range", async () => {
    const from = rows.incremental_bounds["late"] ?? "";
    const listed = rows.incremental_from_late_to_latest;
    const expected = listed.map((row) => (typeof row === "number" ? rows.latest[row] : row));
    expect((await json("diff", table, "--from", from)).rows).toEqual(expected);
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

  test("verify passes", async () => {
    expect(await json("verify", table, "--deep")).toMatchObject({ ok: true, problem_count: 0, problems: [] });
  });

  test("info and stats describe the table", async () => {
    expect(await json("info", table)).toMatchObject({
      name,
      columns: rows.columns,
      partitions_from: "metadata",
    });
    expect(await output(["hudi", "info", table])).toMatch(new RegExp(`table +${name}, MERGE_ON_READ`));
    const { records } = await json("stats", table, "--columns", "qty");
    const expected = facts.column_stats.records.filter(([, , column]) => column === "qty");
    expect(records).toHaveLength(expected.length);
  });
});
