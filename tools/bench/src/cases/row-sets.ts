/** A row set of 10 million rows and 6 columns: made, scanned, looked up in, changed. */

import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { MemoryArena } from "@cfile/bytes";
import { createRowSet, openRowSet, type RowSetHandle } from "@cfile/rowset/store";
import { atMost, type BenchCase, type BenchRow } from "../bench-case.js";
import { randomNumbers } from "../data.js";
import { contender, measure, WrongAnswer } from "../measure.js";
import { duckdbTable } from "../peers/duckdb-table.js";
import { SQLITE, sqliteTable } from "../peers/sqlite.js";
import type { TablePeer } from "../peers/table-peer.js";
import type { SortReport } from "../row-set-child.js";
import { doubleOf, keyOf, numberOf, rowSetBatches, rowSetSchema, sumOf } from "../row-set-data.js";
import { effortAt } from "./column-table.js";

const ROWS = 10_000_000;
/** The peer has a tenth of the rows: it would take most of the time. */
const PEER_SHARE = 10;
const BATCH = 65_536;
const LOOKUPS = 100_000;
/** Decoded blocks of all six columns. */
const CACHE_BYTES = 512 * 1024 * 1024;
const PEER_LOOKUPS = 5_000;
/** Rows in no order, sorted within so much memory; the process may take as much again and what Node takes. */
const SORTED_ROWS = 3_000_000;
const SORT_MEMORY_MIB = 64;
const GOAL_MEMORY_MIB = 320;
const GOAL_UPDATED = 1.5;
const CFILE = "cfile";
const BEFORE = "before";

const child = fileURLToPath(new URL("../row-set-child.js", import.meta.url));

async function sortInChild(rows: number): Promise<SortReport> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    child,
    String(rows),
    String(SORT_MEMORY_MIB),
  ]);
  const report = JSON.parse(stdout) as SortReport;
  if (report.rows !== rows || report.sum !== expectedSum(0, rows)) {
    throw new WrongAnswer(`${rows} rows were to be sorted, ${report.rows} came out`);
  }
  return report;
}

async function create(folder: string, rows: number): Promise<number> {
  await rm(folder, { recursive: true, force: true });
  const creation = await createRowSet(folder, rowSetSchema, { sorted: true, timestamp: 1000n });
  for (let from = 0; from < rows; from += BATCH) {
    await creation.append(rowSetBatches(from, Math.min(rows, from + BATCH)));
  }
  await creation.finish();
  return rows;
}

async function scanSum(
  table: RowSetHandle,
  keys?: { from: bigint[]; to: bigint[] },
  asOf?: bigint,
): Promise<number> {
  let sum = 0;
  for await (const { columns } of table.scan({ columns: ["n", "d"], arena: new MemoryArena(), keys, asOf })) {
    sum += sumOf(columns);
  }
  return sum;
}

async function lookUp(table: RowSetHandle, keys: readonly bigint[]): Promise<number> {
  let found = 0;
  for (const key of keys) {
    found += (await table.get([key]))?.cells[0] === key ? 1 : 0;
  }
  return found;
}

/** Sum of `n` and `d` of some rows. */
function expectedSum(from: number, to: number): number {
  let sum = 0;
  for (let row = from; row < to; row++) {
    sum += numberOf(row) + doubleOf(row);
  }
  return sum;
}

/** Sums of doubles come out alike in any order: all are multiples of a quarter. */
const isSum = (from: number, to: number) => {
  const expected = expectedSum(from, to);
  return (sum: number): boolean => sum === expected;
};

interface Task {
  readonly name: string;
  readonly unit: string;
  readonly count: number;
  readonly peerCount: number;
  readonly run: () => Promise<unknown>;
  readonly check: (result: never) => boolean;
  readonly peer: (peer: TablePeer) => unknown;
  readonly peerCheck: (result: never) => boolean;
}

export const rowSets: BenchCase = {
  name: "row-sets",
  title: "A row set of 10 million rows and 6 columns: made, scanned, looked up in, changed",
  async run(scale) {
    const rows = Math.ceil(ROWS * scale);
    const peerRows = Math.ceil(rows / PEER_SHARE);
    const parent = await mkdtemp(join(tmpdir(), "cfile-bench-"));
    const folder = join(parent, "row-set");
    await create(folder, rows);
    let table = await openRowSet(folder, { cacheBytes: CACHE_BYTES });
    const duckdb = await duckdbTable(peerRows);
    const peers = [await sqliteTable(peerRows), ...(duckdb.peer === undefined ? [] : [duckdb.peer])];
    const lookups = Math.ceil(LOOKUPS * Math.min(1, scale * 10));
    const peerLookups = Math.ceil(PEER_LOOKUPS * Math.min(1, scale * 10));
    const next = randomNumbers(17);
    const keys = (count: number, below: number, offset: bigint): bigint[] =>
      Array.from({ length: count }, () => keyOf(next() % below) + offset);
    const [present, absent] = [keys(lookups, rows, 0n), keys(lookups, rows, 1n)];
    const [peerPresent, peerAbsent] = [keys(peerLookups, peerRows, 0n), keys(peerLookups, peerRows, 1n)];
    const middle = Math.floor(rows / 3);
    const width = Math.ceil(rows / 100);
    const peerMiddle = Math.floor(peerRows / 3);
    const peerWidth = Math.ceil(peerRows / 100);
    const is = (count: number) => (result: number) => result === count;
    const task = <T, P>(
      name: string,
      unit: string,
      count: number,
      run: () => Promise<T>,
      check: (result: T) => boolean,
      peerCount: number,
      runPeer: (peer: TablePeer) => Promise<P> | P,
      peerCheck: (result: P) => boolean,
    ): Task => ({ name, unit, count, run, check, peerCount, peer: runPeer, peerCheck }) as Task;
    const tasks = [
      task(
        "create",
        "M rows/s",
        rows,
        () => create(join(parent, "other"), rows),
        is(rows),
        peerRows,
        (p) => p.create(),
        is(peerRows),
      ),
      task(
        "scan of 2 columns",
        "M rows/s",
        rows,
        () => scanSum(table),
        isSum(0, rows),
        peerRows,
        (p) => p.scan(),
        isSum(0, peerRows),
      ),
      task(
        "scan of 1 % by key",
        "M rows/s",
        width,
        () => scanSum(table, { from: [keyOf(middle)], to: [keyOf(middle + width)] }),
        isSum(middle, middle + width),
        peerWidth,
        (p) => p.range(keyOf(peerMiddle), keyOf(peerMiddle + peerWidth)),
        isSum(peerMiddle, peerMiddle + peerWidth),
      ),
      task(
        "look-ups, present",
        "look-ups/s",
        lookups,
        () => lookUp(table, present),
        is(lookups),
        peerLookups,
        (p) => p.lookUp(peerPresent),
        is(peerLookups),
      ),
      task(
        "look-ups, absent",
        "look-ups/s",
        lookups,
        () => lookUp(table, absent),
        is(0),
        peerLookups,
        (p) => p.lookUp(peerAbsent),
        is(0),
      ),
    ];
    const lines: BenchRow[] = [];
    const rateOf = (unit: string, count: number, milliseconds: number): number =>
      unit === "M rows/s" ? count / milliseconds / 1000 : (1000 * count) / milliseconds;
    for (const { name, unit, count, peerCount, run, check, peer: runPeer, peerCheck } of tasks) {
      const timings = await measure(
        [
          contender(CFILE, run, check as never),
          ...peers.map((peer) => contender(peer.name, () => runPeer(peer), peerCheck as never)),
        ],
        true,
        effortAt(scale),
      );
      const rates = timings.map((timing) =>
        rateOf(unit, timing.contender === CFILE ? count : peerCount, timing.milliseconds),
      );
      for (const [i, timing] of timings.entries()) {
        const rate = rates[i] as number;
        lines.push({
          contender: `${timing.contender}: ${name}`,
          milliseconds: timing.milliseconds,
          fastest: timing.fastest,
          rate,
          unit,
          ratio: rate / (rates[1] as number),
        });
      }
    }
    // Every hundredth row gets another number, by one call.
    const changes = Array.from({ length: Math.ceil(rows / 100) }, (_, i) => ({ id: keyOf(100 * i), n: 0 }));
    await table.update(changes, 2000n);
    await table.close();
    table = await openRowSet(folder, { cacheBytes: CACHE_BYTES });
    let expected = expectedSum(0, rows);
    for (let i = 0; i < changes.length; i++) {
      expected -= numberOf(100 * i);
    }
    const [updated, before] = await measure(
      [
        contender(
          CFILE,
          () => scanSum(table),
          (sum: number) => sum === expected,
        ),
        contender(BEFORE, () => scanSum(table, undefined, 2000n), isSum(0, rows)),
      ],
      true,
      2 * effortAt(scale),
    );
    for (const [name, timing] of [
      ["after 1 % of rows were updated", updated],
      ["as it was before", before],
    ] as const) {
      const time = timing?.milliseconds ?? Number.NaN;
      lines.push({
        contender: `${CFILE}: scan of 2 columns, ${name}`,
        milliseconds: time,
        rate: rateOf("M rows/s", rows, time),
        unit: "M rows/s",
        ratio: undefined,
      });
    }
    await table.close();
    for (const peer of peers) {
      await peer.close();
    }
    await rm(parent, { recursive: true, force: true });
    const sorted = await sortInChild(Math.ceil(SORTED_ROWS * scale));
    lines.push({
      contender: `${CFILE}: create from rows in no order, ${SORT_MEMORY_MIB} MiB to sort in`,
      milliseconds: sorted.milliseconds,
      rate: rateOf("M rows/s", sorted.rows, sorted.milliseconds),
      unit: "M rows/s",
      ratio: undefined,
    });
    return {
      notes: duckdb.note === undefined ? [] : [duckdb.note],
      unit: "M rows/s or look-ups/s",
      peer: SQLITE,
      rows: lines,
      goals: [
        atMost(
          "resident memory of making a row set from rows in no order, MiB",
          GOAL_MEMORY_MIB,
          sorted.maxRssMiB,
        ),
        atMost(
          "scan with 1 % of rows updated, times the scan without",
          GOAL_UPDATED,
          (updated?.milliseconds ?? Number.NaN) / (before?.milliseconds ?? Number.NaN),
        ),
      ],
    };
  },
};
