/** Scans and writes of many columns: one line per column, codec and library. */
import { MemoryArena } from "@cfile/bytes";
import type { ColumnBatch, ScalarBatch } from "@cfile/encodings";
import type { MemorySink } from "@cfile/io";
import { createCFile, memorySink, openCFile, type ScanOptions, type WriterOptions } from "cfile";
import { atLeast, type BenchGoal, type BenchResult, type BenchRow } from "../../bench-case.js";
import { type BenchColumn, cellsOf, millionsIn } from "../../data/bench-columns.js";
import { machineLimits } from "../../machine/machine-limits.js";
import { type Contender, contender, measure, WrongAnswer } from "../../measure.js";
import { arrowColumn, parquetWasmColumn } from "../../peers/arrow.js";
import type { CellVisitor, ColumnPeer } from "../../peers/column-peer.js";
import { duckdbColumn } from "../../peers/duckdb.js";
import { HYPARQUET_NULLABLE, hyparquetColumn } from "../../peers/hyparquet.js";

/** Fraction of the usual time for each contender, because there are many. */
const EFFORT = 0.5;

export const effortAt = (scale: number): number => EFFORT * Math.min(1, scale);

/** `times`: target factor over the peer of that name. */
interface PeerGoal {
  readonly peer: string;
  readonly times: number;
}

export interface ColumnRun {
  readonly column: BenchColumn;
  readonly batch: ScalarBatch;
  readonly contenders: readonly Contender<never>[];
  readonly expected: unknown;
  readonly peerGoals: readonly PeerGoal[];
  /** Minimum milliseconds on this machine. */
  readonly minimum: number;
}

/** Labels of the cfile lines. */
export const CFILE = "cfile";
export const CFILE_LZ4 = "cfile, LZ4";
/** Reads and writes every column. */
const PEER = HYPARQUET_NULLABLE;
const LIMIT = "limit here";

/** A whole file in memory. It stays in pieces, as a disk would receive them, until its bytes are requested. */
export async function writeToMemory(
  options: WriterOptions,
  batches: readonly ColumnBatch[],
): Promise<MemorySink> {
  const sink = memorySink();
  const file = await createCFile(sink, options);
  for (const batch of batches) {
    await file.append(batch);
  }
  await file.finish();
  return sink;
}

export async function writeBatches(
  options: WriterOptions,
  batches: readonly ColumnBatch[],
): Promise<Uint8Array> {
  return (await writeToMemory(options, batches)).bytes();
}

/** Batches for a writer that stays open: one or two blocks. */
const KEPT_BATCHES = 200;
const kept: unknown[] = [];

/**
 * Keeps a writer and a scan of the column open until the next column, like a program that works with many columns.
 * Garbage collection is forced before each run. If no objects of their classes were left, the engine would
 * discard the compiled code, and every run would start by compiling.
 */
export async function keepOpen(
  options: WriterOptions,
  batches: readonly ColumnBatch[],
  bytes: Uint8Array,
): Promise<void> {
  kept.length = 0;
  const writer = await createCFile(memorySink(), options);
  for (const batch of batches.slice(0, KEPT_BATCHES)) {
    await writer.append(batch);
  }
  const scan = (await openCFile(bytes)).scan({ arena: new MemoryArena() });
  await scan.next();
  kept.push(writer, scan);
}

/** Reads all batches; resolves to the number of rows. */
export async function scanBatches(
  bytes: Uint8Array,
  options: ScanOptions = {},
  visit?: (batch: ColumnBatch) => void,
): Promise<number> {
  const file = await openCFile(bytes);
  let rows = 0;
  for await (const batch of file.scan(options)) {
    rows += batch.length;
    visit?.(batch);
  }
  return rows;
}

/** Reads everything once and compares every cell. */
export async function checkCells(
  name: string,
  batch: ScalarBatch,
  read: (visit: CellVisitor) => Promise<number>,
): Promise<void> {
  const expected = cellsOf(batch);
  let row = 0;
  await read((cells) => {
    for (let i = 0; i < cells.length; i++, row++) {
      if (cells[i] !== expected[row]) {
        throw new WrongAnswer(`${name}: row ${row} is ${cells[i]}, expected ${expected[row]}`);
      }
    }
  });
  if (row !== batch.length) {
    throw new WrongAnswer(`${name}: ${row} rows, expected ${batch.length}`);
  }
}

export const checkFile = (name: string, batch: ScalarBatch, bytes: Uint8Array): Promise<void> =>
  checkCells(name, batch, (visit) =>
    scanBatches(bytes, { arena: new MemoryArena() }, (part) => visit(part.toArray())),
  );

const CODEC_NOTE = "hyparquet and parquet-wasm store plain columns without a codec, the others with Snappy";

/** The peers with this column, verified. */
async function openPeers(
  { options }: BenchColumn,
  batch: ScalarBatch,
  notes: Set<string>,
): Promise<ColumnPeer[]> {
  const codec = options.encoding === "PLAIN_ENCODING" ? "UNCOMPRESSED" : "SNAPPY";
  notes.add(CODEC_NOTE);
  const duckdb = await duckdbColumn(batch);
  if (duckdb.note !== undefined) {
    notes.add(duckdb.note);
  }
  const peers = [hyparquetColumn(batch, true, codec), parquetWasmColumn(batch, codec), arrowColumn(batch)];
  if (batch.nullCount === 0) {
    peers.unshift(hyparquetColumn(batch, false, codec));
  }
  if (duckdb.peer !== undefined) {
    peers.push(duckdb.peer);
  }
  for (const peer of peers) {
    await checkCells(peer.name, batch, peer.read);
  }
  return peers;
}

async function closePeers(peers: readonly ColumnPeer[]): Promise<void> {
  for (const peer of peers) {
    await peer.close?.();
  }
}

/** Measures one column and returns rows and goals. */
async function measureColumn(
  run: ColumnRun,
  scale: number,
): Promise<{ readonly rows: BenchRow[]; readonly goals: BenchGoal[] }> {
  const { column, batch, peerGoals } = run;
  const millions = millionsIn(column, batch);
  const { unit } = column;
  const wanted = peerGoals.find(({ peer }) => peer === PEER)?.times;
  const timings = await measure(run.contenders, run.expected, effortAt(scale));
  const rates = new Map(timings.map((t) => [t.contender, (1000 * millions) / t.milliseconds]));
  const rateOf = (name: string): number => rates.get(name) ?? Number.NaN;
  const rows: BenchRow[] = timings.map(({ contender: name, milliseconds, fastest }) => ({
    contender: `${name}: ${column.name}`,
    milliseconds,
    fastest,
    rate: rateOf(name),
    unit,
    ratio: rateOf(name) / rateOf(PEER),
    ...(name === CFILE && wanted !== undefined && { wanted }),
  }));
  const limit = (1000 * millions) / run.minimum;
  rows.push({
    contender: `${LIMIT}: ${column.name}`,
    milliseconds: run.minimum,
    rate: limit,
    unit,
    ratio: limit / rateOf(PEER),
  });
  const goals = peerGoals
    .filter(({ peer }) => rates.has(peer))
    .map(({ peer, times }) =>
      atLeast(`${column.name} at ${peer}'s rate, times`, times, rateOf(CFILE) / rateOf(peer)),
    );
  return { rows, goals };
}

/** Runs all columns in sequence, so that only one is in memory. */
export async function measureColumns(
  columns: readonly BenchColumn[],
  scale: number,
  prepare: (
    column: BenchColumn,
    batch: ScalarBatch,
    peers: readonly ColumnPeer[],
  ) => Promise<Omit<ColumnRun, "column" | "batch">>,
): Promise<Omit<BenchResult, "name" | "title">> {
  const rows: BenchRow[] = [];
  const goals: BenchGoal[] = [];
  const notes = new Set<string>([(await machineLimits()).note]);
  for (const column of columns) {
    const batch = column.make(Math.floor(column.rows * scale));
    const peers = await openPeers(column, batch, notes);
    const run = await prepare(column, batch, peers);
    const told = await measureColumn({ column, batch, ...run }, scale);
    await closePeers(peers);
    rows.push(...told.rows);
    goals.push(...told.goals);
  }
  return { unit: "MB/s or million rows/s", peer: PEER, rows, goals, notes: [...notes] };
}

/** The peer as a contender. `answer` checks the number of rows read or of bytes written. */
export const peerContender = (
  peer: ColumnPeer,
  what: "read" | "write",
  answer: (result: number) => unknown,
): Contender<never> =>
  contender(peer.name, () => peer[what](), answer, what === "write" ? peer.writing : undefined);
