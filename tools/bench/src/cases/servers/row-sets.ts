/** A row set of 10 million rows and 6 columns: create, scan, look up, change. */

import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { MemoryArena } from "@cfile/bytes";
import { createTableStore, openTableStore, type TableStore } from "@cfile/rowset/store";
import { atMost, type BenchCase, type BenchRow } from "../../bench-case.js";
import type { SortReport } from "../../children/row-set-child.js";
import { randomNumbers } from "../../data/data.js";
import { doubleOf, keyOf, numberOf, rowSetBatches, rowSetSchema, sumOf } from "../../data/row-set-data.js";
import { contender, measure, WrongAnswer } from "../../measure.js";
import { duckdbTable } from "../../peers/duckdb-table.js";
import { SQLITE, sqliteTable } from "../../peers/sqlite.js";
import type { TablePeer } from "../../peers/table-peer.js";
import { effortAt } from "../columns/column-table.js";

const ROWS = 10_000_000;
/** The peer has a tenth of the rows; otherwise, it would take most of the time. */
const PEER_SHARE = 10;
const BATCH = 65_536;
const LOOKUPS = 100_000;
/** Decoded blocks of all six columns. */
const CACHE_BYTES = 512 * 1024 * 1024;
const PEER_LOOKUPS = 5_000;
/**
 * Unsorted rows, sorted within this much memory; the process may use twice as much, plus the memory of Node
 * itself.
 */
const SORTED_ROWS = 3_000_000;
const SORT_MEMORY_MIB = 64;
const GOAL_MEMORY_MIB = 320;
const GOAL_UPDATED = 1.5;
const CFILE = "cfile";
const BEFORE = "before";

const child = fileURLToPath(new URL("../../children/row-set-child.js", import.meta.url));

async function sortInChild(rows: number): Promise<SortReport> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    child,
    String(rows),
    String(SORT_MEMORY_MIB),
  ]);
  const report = JSON.parse(stdout) as SortReport;
  if (report.rows !== rows || report.sum !== expectedSum(0, rows)) {
    throw new WrongAnswer(`${rows} rows to sort, ${report.rows} sorted`);
  }
  return report;
}

async function create(folder: string, rows: number): Promise<number> {
  await rm(folder, { recursive: true, force: true });
  const creation = await createTableStore(folder, rowSetSchema, { sorted: true, timestamp: 1000n });
  for (let from = 0; from < rows; from += BATCH) {
    await creation.append(rowSetBatches(from, Math.min(rows, from + BATCH)));
  }
  await creation.finish();
  return rows;
}

async function scanSum(
  table: TableStore,
  keys?: { from: bigint[]; to: bigint[] },
  asOf?: bigint,
): Promise<number> {
  let sum = 0;
  for await (const { columns } of table.scan({ columns: ["n", "d"], arena: new MemoryArena(), keys, asOf })) {
    sum += sumOf(columns);
  }
  return sum;
}

async function lookUp(table: TableStore, keys: readonly bigint[]): Promise<number> {
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

/** Sums of doubles are the same in any order, because all values are multiples of a quarter. */
const isSum = (from: number, to: number) => {
  const expected = expectedSum(from, to);
  return (sum: number): boolean => sum === expected;
};

interface Task {
  readonly name: string;
  readonly unit: "M rows/s" | "lookups/s";
  readonly count: number;
  readonly peerCount: number;
  readonly run: () => Promise<number>;
  readonly check: (result: number) => boolean;
  readonly peer: (peer: TablePeer) => Promise<number> | number;
  readonly peerCheck: (result: number) => boolean;
}

/** What to measure, and the sizes. */
interface Setting {
  readonly scale: number;
  readonly rows: number;
  readonly peerRows: number;
  /** Contains the row set in `row-set`, and other files. */
  readonly parent: string;
}

function openTable({ parent }: Setting): Promise<TableStore> {
  return openTableStore(join(parent, "row-set"), { cacheBytes: CACHE_BYTES });
}

function tasksOf(table: TableStore, { scale, rows, peerRows, parent }: Setting): Task[] {
  const lookups = Math.ceil(LOOKUPS * Math.min(1, scale * 10));
  const peerLookups = Math.ceil(PEER_LOOKUPS * Math.min(1, scale * 10));
  const next = randomNumbers(17);
  const keys = (count: number, below: number, offset: bigint): bigint[] =>
    Array.from({ length: count }, () => keyOf(next() % below) + offset);
  const [present, absent] = [keys(lookups, rows, 0n), keys(lookups, rows, 1n)];
  const [peerPresent, peerAbsent] = [keys(peerLookups, peerRows, 0n), keys(peerLookups, peerRows, 1n)];
  const [middle, width] = [Math.floor(rows / 3), Math.ceil(rows / 100)];
  const [peerMiddle, peerWidth] = [Math.floor(peerRows / 3), Math.ceil(peerRows / 100)];
  const is = (count: number) => (result: number) => result === count;
  const all = { unit: "M rows/s", count: rows, peerCount: peerRows } as const;
  const each = { unit: "lookups/s", count: lookups, peerCount: peerLookups } as const;
  return [
    {
      ...all,
      name: "create",
      run: () => create(join(parent, "other"), rows),
      check: is(rows),
      peer: (p) => p.create(),
      peerCheck: is(peerRows),
    },
    {
      ...all,
      name: "scan of 2 columns",
      run: () => scanSum(table),
      check: isSum(0, rows),
      peer: (p) => p.scan(),
      peerCheck: isSum(0, peerRows),
    },
    {
      ...all,
      name: "scan of 1 % by key",
      count: width,
      peerCount: peerWidth,
      run: () => scanSum(table, { from: [keyOf(middle)], to: [keyOf(middle + width)] }),
      check: isSum(middle, middle + width),
      peer: (p) => p.range(keyOf(peerMiddle), keyOf(peerMiddle + peerWidth)),
      peerCheck: isSum(peerMiddle, peerMiddle + peerWidth),
    },
    {
      ...each,
      name: "lookups, present",
      run: () => lookUp(table, present),
      check: is(lookups),
      peer: (p) => p.lookUp(peerPresent),
      peerCheck: is(peerLookups),
    },
    {
      ...each,
      name: "lookups, absent",
      run: () => lookUp(table, absent),
      check: is(0),
      peer: (p) => p.lookUp(peerAbsent),
      peerCheck: is(0),
    },
  ];
}

const rateOf = (unit: Task["unit"], count: number, milliseconds: number): number =>
  unit === "M rows/s" ? count / milliseconds / 1000 : (1000 * count) / milliseconds;

async function measureTask(task: Task, peers: readonly TablePeer[], scale: number): Promise<BenchRow[]> {
  const { name, unit, count, peerCount, run, check, peer: runPeer, peerCheck } = task;
  const contenders = [
    contender(CFILE, run, check),
    ...peers.map((peer) => contender(peer.name, () => runPeer(peer), peerCheck)),
  ];
  const timings = await measure(contenders, true, effortAt(scale));
  const rates = timings.map((timing) =>
    rateOf(unit, timing.contender === CFILE ? count : peerCount, timing.milliseconds),
  );
  return timings.map(({ contender: who, milliseconds, fastest }, i) => {
    const rate = rates[i] as number;
    return {
      contender: `${who}: ${name}`,
      milliseconds,
      fastest,
      rate,
      unit,
      ratio: rate / (rates[1] as number),
    };
  });
}

function ownRow(name: string, rows: number, milliseconds: number): BenchRow {
  const unit = "M rows/s";
  return {
    contender: `${CFILE}: ${name}`,
    milliseconds,
    rate: rateOf(unit, rows, milliseconds),
    unit,
    ratio: undefined,
  };
}

/**
 * Updates a number in every hundredth row with one call; returns the milliseconds of scans of the current snapshot
 * and of the snapshot before it.
 */
async function measureUpdated(setting: Setting): Promise<{ updated: number; before: number }> {
  const { rows, scale } = setting;
  const changes = Array.from({ length: Math.ceil(rows / 100) }, (_, i) => ({ id: keyOf(100 * i), n: 0 }));
  {
    await using table = await openTable(setting);
    await table.update(changes, 2000n);
  }
  await using table = await openTable(setting);
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
  return { updated: updated?.milliseconds ?? Number.NaN, before: before?.milliseconds ?? Number.NaN };
}

export const rowSets: BenchCase = {
  name: "row-sets",
  title: "A row set of 10 million rows and 6 columns: create, scan, look up, change",
  async run(scale) {
    const rows = Math.ceil(ROWS * scale);
    const parent = await mkdtemp(join(tmpdir(), "cfile-bench-"));
    const setting = { scale, rows, peerRows: Math.ceil(rows / PEER_SHARE), parent };
    await create(join(parent, "row-set"), rows);
    const duckdb = await duckdbTable(setting.peerRows);
    const peers = [await sqliteTable(setting.peerRows), ...(duckdb.peer === undefined ? [] : [duckdb.peer])];
    const lines: BenchRow[] = [];
    {
      await using table = await openTable(setting);
      for (const task of tasksOf(table, setting)) {
        lines.push(...(await measureTask(task, peers, scale)));
      }
    }
    const { updated, before } = await measureUpdated(setting);
    for (const peer of peers) {
      await peer.close();
    }
    await rm(parent, { recursive: true, force: true });
    const sorted = await sortInChild(Math.ceil(SORTED_ROWS * scale));
    lines.push(
      ownRow("scan of 2 columns, after 1 % of rows were updated", rows, updated),
      ownRow("scan of 2 columns, as of before the update", rows, before),
      ownRow(
        `create from unsorted rows, ${SORT_MEMORY_MIB} MiB for sorting`,
        sorted.rows,
        sorted.milliseconds,
      ),
    );
    return {
      notes: duckdb.note === undefined ? [] : [duckdb.note],
      unit: "M rows/s or lookups/s",
      peer: SQLITE,
      rows: lines,
      goals: [
        atMost(
          "resident memory to create a row set from unsorted rows, MiB",
          GOAL_MEMORY_MIB,
          sorted.maxRssMiB,
        ),
        atMost(
          "scan with 1 % of rows updated, times the scan without updates",
          GOAL_UPDATED,
          updated / before,
        ),
      ],
    };
  },
};
