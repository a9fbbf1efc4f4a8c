/**
 * Rows are never lost silently: from damaged bytes, the strict reader returns all rows or throws a `CFileError`; the
 * tolerant reader returns original rows, in order, and accounts for all others.
 */
import { isCFileError } from "@cfile/bytes";
import type { Subject } from "../harness.js";
import { caseSeed, Random } from "../random.js";
import { BYTE_DAMAGE, damageBytes } from "./damage-bytes.js";
import { MISSING_FILE, type Rows, type TolerantReader, type Tolerated } from "./tolerant-reader.js";

/** Counts of a reader. */
export interface ToleranceReport {
  readonly reader: string;
  readonly cases: number;
  /** Cases in which the strict reader returned all rows. */
  readonly unchanged: number;
  /** Cases in which it threw. */
  readonly refused: number;
  /** The number of those cases in which the tolerant reader returned rows. */
  readonly tolerated: number;
  readonly faults: readonly string[];
}

/** Inputs and results of a case, for further checks. */
export interface ToleranceCase {
  readonly reader: TolerantReader;
  readonly bytes: Uint8Array;
  readonly subject: Subject;
  /** The rows of the undamaged bytes. */
  readonly truth: Rows;
  readonly strict: Rows | { readonly refused: string };
  readonly tolerated: Tolerated | { readonly refused: string };
}

/** @param also returns further faults of a case */
export async function compareReaders(
  reader: TolerantReader,
  seed: number,
  cases: number,
  also: (each: ToleranceCase) => Promise<readonly string[]> = () => Promise.resolve([]),
): Promise<ToleranceReport> {
  const subjects = await reader.load();
  const kinds = [
    ...BYTE_DAMAGE.filter((kind) => reader.checksums || (kind !== "bit" && kind !== "byte")),
    ...(reader.canMiss === undefined ? [] : ["missing" as const]),
  ];
  const truths = new Map<string, Truth>();
  const faults: string[] = [];
  let [unchanged, refused, tolerated] = [0, 0, 0];
  for (let i = 0; i < cases; i++) {
    const random = new Random(caseSeed(seed, reader.name, i));
    const subject = random.pick(subjects);
    const kind = kinds[i % kinds.length] ?? "bit";
    const bytes = kind === "missing" ? MISSING_FILE : damageBytes(subject.bytes, kind, random);
    if (bytes === undefined || (kind === "missing" && reader.canMiss?.(subject) !== true)) {
      continue;
    }
    const truth = truths.get(subject.name) ?? (await truthOf(reader, subject));
    truths.set(subject.name, truth);
    const found = await readBoth(reader, bytes, subject);
    const wrong = [
      ...judge(found, truth, reader.tolerant !== undefined),
      ...(await also({ reader, bytes, subject, truth: truth.rows, ...found })),
    ];
    faults.push(
      ...wrong.map((what) => `${reader.name}, seed ${seed}, case ${i}: ${subject.name}, ${kind}: ${what}`),
    );
    if (!("refused" in found.strict)) {
      unchanged++;
    } else {
      refused++;
      tolerated += "refused" in found.tolerated ? 0 : 1;
    }
  }
  return { reader: reader.name, cases, unchanged, refused, tolerated, faults };
}

interface Truth {
  readonly rows: Rows;
  readonly stored: ReadonlySet<string> | undefined;
}

async function truthOf(reader: TolerantReader, subject: Subject): Promise<Truth> {
  const rows = await reader.strict(subject.bytes, subject);
  const stored = await reader.stored?.(subject);
  return { rows, stored: stored && new Set([...rows, ...stored]) };
}

type Both = Pick<ToleranceCase, "strict" | "tolerated">;

async function readBoth(reader: TolerantReader, bytes: Uint8Array, subject: Subject): Promise<Both> {
  const { tolerant } = reader;
  return {
    strict: await unlessRefused(() => reader.strict(bytes, subject)),
    tolerated:
      tolerant === undefined
        ? { refused: "no such reader" }
        : await unlessRefused(() => tolerant(bytes, subject)),
  };
}

async function unlessRefused<T>(read: () => Promise<T>): Promise<T | { readonly refused: string }> {
  try {
    return await read();
  } catch (error) {
    return { refused: isCFileError(error) ? error.code : `untyped ${String(error)}` };
  }
}

function judge({ strict, tolerated }: Both, { rows: truth, stored }: Truth, isTolerant: boolean): string[] {
  const wrong = [strict, tolerated].flatMap((each) =>
    "refused" in each && each.refused.startsWith("untyped") ? [each.refused] : [],
  );
  if (!("refused" in strict) && !sameRows(strict, truth)) {
    wrong.push(`${strict.length} of ${truth.length} rows without an error, or others`);
  }
  if ("refused" in tolerated) {
    return "refused" in strict || !isTolerant
      ? wrong
      : [...wrong, `only the strict reader reads it: ${tolerated.refused}`];
  }
  const { rows, lost, complete } = tolerated;
  const missing = truth.length - rows.length;
  if (stored === undefined ? !isPartOf(rows, truth) : !rows.every((row) => stored.has(row))) {
    wrong.push("rows that there were not, or in another order");
  }
  if (complete && !sameRows(rows, truth)) {
    wrong.push(`${missing} rows are missing, and the account says that it is complete`);
  }
  if (lost !== undefined && lost !== missing) {
    wrong.push(`${missing} rows are missing, ${lost} in the account`);
  }
  return wrong;
}

function sameRows(one: Rows, two: Rows): boolean {
  return one.length === two.length && one.every((row, i) => row === two[i]);
}

/** Whether the rows are a subsequence. */
function isPartOf(rows: Rows, truth: Rows): boolean {
  let at = 0;
  for (const row of rows) {
    while (at < truth.length && truth[at] !== row) {
      at++;
    }
    at++;
  }
  return at <= truth.length;
}
