/** Hudi writes random tables; `cfile hudi` must give the same answers as Hudi's own readers. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { noneOf } from "../coverage.js";
import type { JavaDriver } from "../java-driver.js";
import { cfileAnswer } from "../kudu/cfile-command.js";
import type { CheckResult } from "../report.js";
import { type HudiFacts, type RowsFact, type Slice, sortedRows, type TimelineRow } from "./hudi-facts.js";

/** Table versions by seed. */
const VERSIONS = [9, 6, 8] as const;

export type HudiTableVersion = (typeof VERSIONS)[number];

/** Hudi's steps that a series of rounds must include. */
const STEPS = [
  "upsert",
  "insert",
  "delete",
  "partial update",
  "insert overwrite",
  "delete partition",
  "compaction",
  "planned compaction",
  "clustering",
  "planned clustering",
  "killed writer",
  "rollback",
  "savepoint",
  "added column",
];

/** Folders of the copies of a round. */
const COPIES = ["1", "2"] as const;

interface Tally {
  cases: number;
  rows: number;
  readonly failures: string[];
}

type Tallies = Readonly<Record<"lists" | "slices" | "rows" | "records" | "verified", Tally>>;

export async function hudiTableRound(
  seed: number,
  folder: string,
  driver: (version: HudiTableVersion) => JavaDriver,
): Promise<CheckResult[]> {
  const version = VERSIONS[(seed - 1) % VERSIONS.length] ?? 9;
  const done = await driver(version).ask(["round", seed, folder, version]);
  const checks = await compareCopies(folder);
  return [...checks, { what: "rounds", cases: 1, rows: 0, failures: [], occurred: occurred(version, done) }];
}

/** Compares the copies of a round with Hudi's answers. */
export async function compareCopies(folder: string): Promise<CheckResult[]> {
  const empty = (): Tally => ({ cases: 0, rows: 0, failures: [] });
  const tallies = { lists: empty(), slices: empty(), rows: empty(), records: empty(), verified: empty() };
  const refused = { count: 0 };
  const missing = { count: 0 };
  for (const copy of COPIES) {
    const table = join(folder, copy, "table");
    const facts: HudiFacts = JSON.parse(await readFile(join(folder, copy, "facts.json"), "utf8"));
    await compareLists(table, facts, tallies);
    for (const read of facts.reads) {
      await compareRows(table, read, tallies.rows);
      refused.count += read.refused === undefined ? 0 : 1;
    }
    const lacking = await verify(table, facts, tallies.verified);
    await compareRecords(table, facts, tallies.records, lacking);
    missing.count += lacking.size;
  }
  return [
    { what: "partitions, files and timelines are those that Hudi lists", ...tallies.lists },
    {
      what: "file slices, latest and as of instants, are those of Hudi's file system view",
      ...tallies.slices,
    },
    {
      what: "snapshot, read-optimized, as-of and incremental rows are those that Spark reads",
      ...tallies.rows,
      counts: { "reads that both reject": refused.count },
    },
    { what: "rows by record key, and where the record index says they are", ...tallies.records },
    {
      what: "cfile verifies the tables without finding damage",
      ...tallies.verified,
      counts: { "records that Hudi's record index lacks": missing.count },
    },
  ];
}

async function compareLists(table: string, facts: HudiFacts, { lists, slices }: Tallies): Promise<void> {
  if (facts.files !== undefined) {
    lists.rows += Object.values(facts.files).flat().length;
    compare(`${table}: files`, facts.files, await answer(["files", table], lists), lists);
  }
  const timeline = await answer<TimelineRow[]>(["timeline", table], lists);
  compareTimelines(`${table}: timeline`, facts.timeline, timeline, lists);
  const archived = await answer<TimelineRow[]>(["timeline", table, "--archived"], lists);
  compareTimelines(`${table}: archived timeline`, facts.archived, archived, lists);
  for (const [time, expected] of Object.entries(facts.slices)) {
    const options = time === "" ? [] : ["--as-of", time];
    const found = await answer<Readonly<Record<string, readonly Slice[]>>>(
      ["slices", table, ...options],
      slices,
    );
    slices.rows += Object.values(expected).flat().length;
    compare(`${table}: slices ${options.join(" ")}`, expected, found, slices);
  }
}

function compareTimelines(
  what: string,
  expected: readonly TimelineRow[],
  found: readonly TimelineRow[] | undefined,
  tally: Tally,
): void {
  const ordered = (rows: readonly TimelineRow[]): string[] => rows.map((row) => JSON.stringify(row)).sort();
  tally.rows += expected.length;
  compare(what, ordered(expected), found && ordered(found), tally);
}

async function compareRows(table: string, read: RowsFact, tally: Tally): Promise<void> {
  const what = `${table}: scan ${read.options.join(" ")}`;
  tally.cases++;
  const { code, output, messages } = await cfileAnswer(["hudi", "scan", table, ...read.options, "--json"]);
  if (read.refused !== undefined) {
    if (code === 0) {
      tally.failures.push(`${what}: Hudi rejects it (${read.refused}), we do not`);
    }
    return;
  }
  if (code !== 0) {
    tally.failures.push(`${what}: ${messages}${output}`);
    return;
  }
  const found: RowsFact = JSON.parse(output);
  tally.rows += read.rows?.length ?? 0;
  compare(`${what}: columns`, read.columns, found.columns, tally);
  compare(what, sortedRows(read.rows), sortedRows(found.rows), tally);
}

/** Looks up a few records by key: rows and locations must match the snapshot. */
async function compareRecords(
  table: string,
  { reads, slices }: HudiFacts,
  tally: Tally,
  lacking: ReadonlySet<string>,
): Promise<void> {
  const { columns = [], rows = [] } = reads.find(({ options }) => options.length === 0) ?? {};
  const at = (name: string): number => columns.findIndex(([own]) => own === name);
  const keyOf = (row: readonly unknown[]): string => String(row[at("_hoodie_record_key")]);
  const counts = new Map<string, number>();
  for (const row of rows) {
    counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
  }
  // Inserts may add rows with the same key; a lookup returns one of them.
  const unique = rows.filter((row) => counts.get(keyOf(row)) === 1 && !lacking.has(keyOf(row)));
  const groups = new Set(Object.values(slices[""] ?? {}).flatMap((own) => own.map(([fileId]) => fileId)));
  for (const row of unique.slice(0, 3)) {
    const key = keyOf(row);
    tally.rows++;
    const found = await answer<{ readonly row: unknown; readonly location: readonly string[] | null }>(
      ["get", table, "--key", key],
      tally,
    );
    compare(`${table}: get ${key}`, row, found?.row, tally);
    const [partition, file] = [row[at("_hoodie_partition_path")], String(row[at("_hoodie_file_name")])];
    // The index of version 6 may name a group of a write that never completed.
    if (found?.location && groups.has(found.location[2] ?? "")) {
      const place = [partition, file.replace(/_.*/, "")];
      compare(`${table}: location of ${key}`, place, found.location.slice(1, 3), tally);
    }
  }
  // A filter returns all rows of a key, including those in file groups that the record index does not name.
  const repeated = rows.map(keyOf).filter((key) => (counts.get(key) ?? 0) > 1);
  for (const key of new Set([...repeated.slice(0, 2), ...rows.slice(0, 1).map(keyOf)])) {
    const where = `_hoodie_record_key = ${key}`;
    const found = await answer<RowsFact>(["scan", table, "--where", where], tally);
    const expected = rows.filter((row) => keyOf(row) === key);
    compare(`${table}: scan where ${where}`, sortedRows(expected), found && sortedRows(found.rows), tally);
  }
  const absent = await answer<{ readonly row: unknown }>(["get", table, "--key", "no such key"], tally);
  compare(`${table}: get of an absent key`, null, absent?.row, tally);
}

/**
 * Verifies a table. Hudi removes some records from the record index that the table still has, such as those of a delete that lost to a
 * greater ordering value.
 *
 * @returns their keys
 */
async function verify(table: string, { timeline }: HudiFacts, tally: Tally): Promise<Set<string>> {
  tally.cases++;
  // A rollback that Hudi could not finish leaves a record index that contradicts the rows.
  const isStuck = timeline.some(([, action, state]) => action === "rollback" && state !== "COMPLETED");
  const deep = isStuck ? [] : ["--deep"];
  const { output } = await cfileAnswer(["hudi", "verify", table, ...deep, "--json"]);
  const { rows = 0, problems = [] }: VerifyReport = JSON.parse(output);
  tally.rows += rows;
  const lacking = new Set<string>();
  for (const { reason, actual } of problems) {
    const [, key] = /^record index: key (".*?") \(/.exec(reason) ?? [];
    if (key !== undefined && actual === "no entry") {
      lacking.add(JSON.parse(key));
    } else {
      tally.failures.push(`${table}: verify: ${reason}`);
    }
  }
  return lacking;
}

interface VerifyReport {
  readonly rows?: number;
  readonly problems?: readonly { readonly reason: string; readonly actual?: unknown }[];
}

/** The JSON that a command prints; `undefined` after a failure, which is recorded. */
async function answer<T>(args: readonly string[], tally: Tally): Promise<T | undefined> {
  const { code, output, messages } = await cfileAnswer(["hudi", ...args, "--json"]);
  if (code !== 0) {
    tally.failures.push(`cfile hudi ${args.join(" ")}: ${messages}${output}`);
    return undefined;
  }
  return JSON.parse(output);
}

function compare(what: string, expected: unknown, found: unknown, tally: Tally): void {
  tally.cases++;
  const [ours, theirs] = [JSON.stringify(found) ?? "nothing", JSON.stringify(expected)];
  if (ours !== theirs) {
    let at = 0;
    while (ours[at] === theirs[at]) {
      at++;
    }
    const part = (text: string): string => text.slice(Math.max(0, at - 60), at + 200);
    tally.failures.push(`${what}: Hudi has …${part(theirs)}, we …${part(ours)}`);
  }
}

function occurred(version: number, done: readonly string[]): CheckResult["occurred"] {
  const settings = new Map(
    done.flatMap((line) => {
      const [kind, key = "", value = ""] = line.split("\t");
      return kind === "setting" ? [[key, value] as const] : [];
    }),
  );
  const steps: Record<string, number> = noneOf(STEPS);
  for (const line of done.filter((each) => each.startsWith("step\t"))) {
    const text = line.slice("step\t".length);
    for (const step of text.startsWith("refused") ? ["refused by Hudi"] : text.split(", ")) {
      steps[step] = (steps[step] ?? 0) + 1;
    }
  }
  const counted = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 1]));
  const get = (key: string): string => settings.get(`hoodie.${key}`) ?? "";
  const order = get("record.merge.mode") || get("datasource.write.payload.class").replace(/.*\./, "");
  const indexes = ["column.stats", "bloom.filter"].filter(
    (name) => get(`metadata.index.${name}.enable`) === "true",
  );
  const partitionFields = get("datasource.write.partitionpath.field");
  return {
    tables: counted([
      `version ${version}`,
      get("datasource.write.table.type"),
      partitionFields === "" ? "not partitioned" : `partitioned by ${partitionFields}`,
      `${order}${get("datasource.write.precombine.field") === "" ? ", no ordering field" : ""}`,
      ...(get("datasource.write.precombine.field").includes(",") ? ["two ordering fields"] : []),
      ...(get("datasource.write.precombine.field").includes(".") ? ["ordering field in a struct"] : []),
      ...(get("logfile.data.block.format") === "parquet" ? ["Parquet log blocks"] : []),
    ]),
    "metadata tables": counted([
      get("metadata.enable") === "true" ? "files" : "none",
      ...indexes,
      ...(get("metadata.record.index.enable") === "true" ? ["record index"] : []),
    ]),
    steps,
  };
}
