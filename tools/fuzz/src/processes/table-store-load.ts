/**
 * One process of a load on one table store: `table-store-load.js writer|readers FOLDER SECONDS [COUNT]`. Every write moves amounts
 * between rows, so that their sum stays 0 in every snapshot, and counts itself in row 0. Readers check both.
 */

import { isCFileError } from "@cfile/bytes";
import type { CellValue } from "@cfile/encodings";
import type { RowSetSchema } from "@cfile/rowset";
import { createTableStore, openTableStore, type TableStore } from "@cfile/rowset/store";
import { randomNumbers } from "@cfile-tools/testkit/random";

export interface LoadResult {
  readonly role: string;
  readonly done: number;
  /** Reads that ended in a `CFileError`, by code. */
  readonly errors: Readonly<Record<string, number>>;
  readonly wrong: readonly string[];
  readonly peakBytes: number;
}

const SCHEMA: RowSetSchema = {
  columns: [
    { id: 1, name: "k", type: "INT32", nullable: false, array: false, isKey: true },
    { id: 2, name: "amount", type: "INT64", nullable: false, array: false, isKey: false },
  ],
};
/** Row 0 holds the number of writes. */
const ROWS = 2000;
const PAIRS = 10;
const WRITES_PER_COMPACTION = 20;
/** Writes whose snapshots stay readable. */
const HISTORY = 40;
/** Codes with which a read may fail because the store has changed meanwhile. */
const EXPECTED = ["E_SOURCE_CHANGED", "E_BLOCK_MISSING", "E_HISTORY_GONE"];
const MAX_LISTED = 20;

export async function createAccounts(folder: string): Promise<void> {
  await using writer = await createTableStore(folder, SCHEMA, {});
  await writer.appendRows(Array.from({ length: ROWS }, (_, k) => [k, 0n]));
  await writer.finish();
}

async function write(folder: string, until: number): Promise<Omit<LoadResult, "peakBytes">> {
  const next = randomNumbers(7);
  const amounts = new Array<bigint>(ROWS).fill(0n);
  await using store = await openTableStore(folder);
  let done = 0;
  while (performance.now() < until) {
    const changed = new Set<number>([0]);
    for (let i = 0; i < PAIRS; i++) {
      const [from, to] = [1 + next(ROWS - 1), 1 + next(ROWS - 1)];
      const amount = BigInt(next(1000));
      amounts[from] = (amounts[from] ?? 0n) - amount;
      amounts[to] = (amounts[to] ?? 0n) + amount;
      changed.add(from).add(to);
    }
    amounts[0] = BigInt(++done);
    const rows = [...changed].sort((a, b) => a - b).map((k) => ({ k, amount: amounts[k] ?? 0n }));
    await store.update(rows, BigInt(done + 1));
    if (done % WRITES_PER_COMPACTION === 0) {
      await store.compact();
      await store.dropHistoryBefore(BigInt(Math.max(1, done - HISTORY)));
    }
  }
  const wrong = await problemsOf(store, undefined);
  return { role: "writer", done, errors: {}, wrong: wrong.problems };
}

/** Reads a snapshot and returns its number of writes. */
async function problemsOf(
  store: TableStore,
  asOf: bigint | undefined,
): Promise<{ writes: bigint; problems: string[] }> {
  let rows = 0;
  let sum = 0n;
  let writes = -1n;
  for await (const { columns, length } of store.scan({ asOf })) {
    const amounts = columns[1]?.toArray() as CellValue[];
    for (let i = 0; i < length; i++) {
      if (rows++ === 0) {
        writes = BigInt(String(amounts[i]));
      } else {
        sum += BigInt(String(amounts[i]));
      }
    }
  }
  const problems = [
    ...(rows === ROWS ? [] : [`${rows} rows instead of ${ROWS}`]),
    ...(sum === 0n ? [] : [`sum ${sum} after ${writes} writes`]),
    // The snapshot at T has the writes before T; the first one has timestamp 2.
    ...(asOf === undefined || writes === asOf - 2n || asOf < 2n ? [] : [`${writes} writes as of ${asOf}`]),
  ];
  return { writes, problems };
}

async function read(folder: string, until: number, seed: number): Promise<Omit<LoadResult, "peakBytes">> {
  const next = randomNumbers(seed);
  const errors: Record<string, number> = {};
  const wrong: string[] = [];
  let seen = -1n;
  let done = 0;
  for (; performance.now() < until; done++) {
    try {
      await using store = await openTableStore(folder);
      const latest = await problemsOf(store, undefined);
      wrong.push(...latest.problems);
      if (latest.writes < seen) {
        wrong.push(`${latest.writes} writes after ${seen}`);
      }
      seen = latest.writes;
      const { historyStart, lastTimestamp } = store;
      const past = historyStart + BigInt(next(Number(lastTimestamp - historyStart) + 1));
      wrong.push(...(await problemsOf(store, past)).problems);
    } catch (error) {
      if (isCFileError(error) && EXPECTED.includes(error.code)) {
        errors[error.code] = (errors[error.code] ?? 0) + 1;
      } else {
        wrong.push(`failed: ${error}`);
      }
    }
  }
  return { role: "reader", done, errors, wrong: wrong.slice(0, MAX_LISTED) };
}

const [, script, role, folder, seconds, count] = process.argv;
if (script?.endsWith("table-store-load.js") && folder !== undefined) {
  const until = performance.now() + 1000 * Number(seconds);
  const tasks =
    role === "writer"
      ? [write(folder, until)]
      : Array.from({ length: Number(count) }, (_, i) => read(folder, until, 1000 * process.pid + i));
  const results = await Promise.all(tasks);
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  console.log(JSON.stringify(results.map((result) => ({ ...result, peakBytes }))));
}
