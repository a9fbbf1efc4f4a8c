/**
 * Whole directories of Kudu servers with one damaged file. Each tablet must then be refused with a typed error or return exactly its
 * original rows. Recovered rows must be a subset of those rows, with every missing row in the accounts.
 */
import { isCFileError } from "@cfile/bytes";
import { memoryTree } from "@cfile/io";
import { checkKuduDir, openKuduDir } from "@cfile/kudu-dir";
import type { CheckedDir } from "@cfile/kudu-dir/check";
import { caseSeed, Random } from "../random.js";
import {
  DAMAGE_KINDS,
  type DamagedFiles,
  type DamageKind,
  type DirectoryFiles,
  damageFiles,
} from "./damage-files.js";
import { changedStretch } from "./read-ranges.js";
import { type ReadRows, type ReadTablet, readTablets } from "./read-tablets.js";
import { DIRECTORIES, loadServer, type Server } from "./server-directories.js";

const RESULTS = ["unchanged", "refused", "torn log", "shorter log", "older state"] as const;
type Result = (typeof RESULTS)[number];

/** Counts of a run. */
export interface DirectoryDamage {
  readonly cases: number;
  /** Cases by their result. */
  readonly results: Readonly<Record<Result, number>>;
  readonly kinds: Readonly<Record<DamageKind, number>>;
  /** Refused tablets whose rows were recovered, at least in part. */
  readonly recovered: number;
  readonly faults: readonly string[];
}

export function noResults(): Record<Result, number> {
  return Object.fromEntries(RESULTS.map((result) => [result, 0])) as Record<Result, number>;
}

/** Every Nth case reads all tablets, to show that a damaged file does not influence the others. */
const READS_ALL = 64;

/** Runs the cases `from` to `to` (exclusive) of a seed. */
export async function damageDirectories(seed: number, from: number, to: number): Promise<DirectoryDamage> {
  const results = noResults();
  const kinds = Object.fromEntries(DAMAGE_KINDS.map((kind) => [kind, 0])) as Record<DamageKind, number>;
  const faults: string[] = [];
  let recovered = 0;
  for (let i = from; i < to; i++) {
    const random = new Random(caseSeed(seed, "directories", i));
    let server = await loadServer(random.pick(DIRECTORIES));
    let damaged = damageFiles(server, random);
    while (damaged === undefined) {
      server = await loadServer(random.pick(DIRECTORIES));
      damaged = damageFiles(server, random);
    }
    kinds[damaged.kind]++;
    const { result, wrong, parts } = await judge(
      server,
      damaged,
      i % READS_ALL === 0 ? new Map() : untouched(server, damaged.files, random),
    );
    results[result]++;
    recovered += parts;
    faults.push(
      ...wrong.map(
        (what) => `seed ${seed}, case ${i}: ${server.name}, ${damaged.path}, ${damaged.what}: ${what}`,
      ),
    );
  }
  return { cases: to - from, results, kinds, recovered, faults };
}

interface Judgement {
  readonly result: Result;
  readonly wrong: readonly string[];
  /** Refused tablets whose rows were recovered, at least in part. */
  readonly parts: number;
}

/** @param known tablets that are not read */
async function judge(
  { files, tablets: truth }: Server,
  damaged: DamagedFiles,
  known: ReadonlyMap<string, ReadTablet>,
): Promise<Judgement> {
  let found: ReadonlyMap<string, ReadTablet>;
  try {
    found = await readTablets(damaged.files, known);
  } catch (error) {
    const wrong = isCFileError(error) ? [] : [String(error)];
    return { result: "refused", wrong, parts: 0 };
  }
  const wrong: string[] = [];
  let result: Judgement["result"] = "unchanged";
  let parts = 0;
  for (const [id, { stored, withLog }] of truth) {
    const tablet = found.get(id);
    if (tablet === undefined) {
      wrong.push(`tablet ${id} is neither read nor reported`);
      continue;
    }
    if (
      damaged.kind === "older superblock" &&
      damaged.path.includes(id) &&
      !sameTablet(tablet, stored, withLog)
    ) {
      // Newer rows are in the log, or the check reports their loss.
      result = "older state";
      if (!sameRows(tablet.withLog, withLog) && (await checked(damaged.files)).ok) {
        wrong.push(`tablet ${id}: an older state, which the check does not report`);
      }
      continue;
    }
    let expected = withLog;
    if ("refused" in tablet.stored || "refused" in tablet.withLog) {
      result = "refused";
    } else if (
      damaged.cutTo !== undefined &&
      damaged.path.includes(id) &&
      !sameRows(tablet.withLog, withLog)
    ) {
      // A log that is cut between two entries looks like an earlier version of it.
      result = tablet.isTorn ? "torn log" : "shorter log";
      expected = await rowsOfCutLog(files, damaged, damaged.cutTo, id);
    }
    if (!("refused" in tablet.stored) && !sameRows(tablet.stored, stored)) {
      wrong.push(`tablet ${id} has other rows`);
    }
    if (!("refused" in tablet.withLog) && !sameRows(tablet.withLog, expected)) {
      wrong.push(`tablet ${id} has other rows with its log`);
    }
    if (tablet.tolerated !== undefined && !("refused" in tablet.tolerated)) {
      const { rows, leftOut } = tablet.tolerated;
      wrong.push(...notPartOf(rows, stored).map((what) => `tablet ${id}, row sets left out: ${what}`));
      if (leftOut === 0) {
        wrong.push(`tablet ${id} was refused, and then read without leaving out a row set`);
      }
    }
    if (tablet.recovered !== undefined && !("refused" in tablet.recovered)) {
      parts++;
      wrong.push(...wronglyRecovered(tablet.recovered, stored).map((what) => `tablet ${id}: ${what}`));
    }
  }
  return { result, wrong, parts };
}

/** The rows of a tablet whose log has only the entries before the damage. */
async function rowsOfCutLog(
  files: DirectoryFiles,
  { path }: DamagedFiles,
  cutTo: number,
  id: string,
): Promise<ReadRows> {
  const cut = new Map(files).set(path, (files.get(path) ?? new Uint8Array(0)).subarray(0, cutTo));
  return (await readTablets(cut)).get(id)?.withLog ?? { refused: "no tablet" };
}

function sameTablet(tablet: ReadTablet, stored: ReadRows, withLog: ReadRows): boolean {
  return sameRows(tablet.stored, stored) && sameRows(tablet.withLog, withLog);
}

async function checked(files: DirectoryFiles): Promise<CheckedDir> {
  await using dir = await openKuduDir([memoryTree(files, "server")]);
  return await checkKuduDir(dir);
}

/**
 * The tablets that do not read any changed byte. These are the majority: reading them again would take most of the time of a case and
 * cannot change the result. The journal of a container concerns the tablets that read its data. A file that no tablet reads, or that
 * changes its size, concerns all tablets that might read it. If only unread bytes of a file change, one of its tablets is read.
 */
function untouched(
  { files, tablets }: Server,
  damaged: DirectoryFiles,
  random: Random,
): ReadonlyMap<string, ReadTablet> {
  const touched = new Set<string>();
  for (const [path, bytes] of damaged) {
    const before = files.get(path);
    if (before === bytes) {
      continue;
    }
    const data = path.replace(/\.metadata$/, ".data");
    const owners = [...tablets].filter(([id, { reads }]) => path.includes(id) || reads.hasFile(data));
    if (owners.length === 0) {
      return new Map();
    }
    const stretch = changedStretch(before, bytes);
    const readers = owners.filter(
      ([id, { reads }]) => path !== data || path.includes(id) || reads.overlaps(path, stretch),
    );
    for (const [id] of readers.length > 0 ? readers : [random.pick(owners)]) {
      touched.add(id);
    }
  }
  return new Map([...tablets].filter(([id]) => !touched.has(id)));
}

function sameRows(found: ReadRows, expected: ReadRows): boolean {
  return "refused" in found || "refused" in expected
    ? "refused" in found && "refused" in expected && found.refused === expected.refused
    : found.length === expected.length && found.every((line, i) => line === expected[i]);
}

function notPartOf(rows: readonly string[], truth: ReadRows): string[] {
  const all = new Set("refused" in truth ? [] : truth);
  const others = rows.filter((line) => !all.has(line)).length;
  return others > 0 ? [`${others} rows that it did not have`] : [];
}

function wronglyRecovered(
  { rows, accounts }: Exclude<NonNullable<ReadTablet["recovered"]>, { readonly refused: string }>,
  truth: ReadRows,
): string[] {
  const missing = ("refused" in truth ? 0 : new Set(truth).size) - new Set(rows).size;
  const lost = accounts.reduce(
    (sum, { rowsLost, lost: ranges }) => sum + Math.max(rowsLost, ranges.length),
    0,
  );
  const isUnknown = accounts.some(({ rows: known }) => known === 0);
  return [
    ...notPartOf(rows, truth),
    ...(missing > lost && !isUnknown ? [`${missing} rows are missing, ${lost} in the accounts`] : []),
  ];
}
