/**
 * The table that `kudu perf loadgen` creates: an INT64 key, an INT32, and a STRING of 16 bytes. Two threads
 * each write half of the keys, and each flush contains rows of both threads. Key ranges of the row sets
 * overlap, but their rows do not interleave.
 */
import { MutationBuilder } from "@cfile/deltafile";
import { BinaryBatch, type ColumnBatch, FixedBatch } from "@cfile/encodings";
import type { RowSetSchema } from "@cfile/rowset";
import type { SyntheticRows } from "./synthetic-rows.js";

export const loadSchema: RowSetSchema = {
  columns: (
    [
      ["key", "INT64"],
      ["int_val", "INT32"],
      ["string_val", "STRING"],
    ] as const
  ).map(([name, type], i) => ({ id: 10 + i, name, type, isKey: i === 0, nullable: false, array: false })),
};

const WIDTH = 16;
const BATCH = 16384;

/** `int_val` of a key. */
export const loadNumber = (key: number): number => Math.imul(key, 7919) | 0;

/** `int_val` of a key after an update. */
export const CHANGED_NUMBER = 7;

/** Rows with keys `from` to `to`. */
export function loadBatches(from: number, to: number): ColumnBatch[] {
  const length = to - from;
  const keys = new BigInt64Array(length);
  const numbers = new Int32Array(length);
  const offsets = new Int32Array(length + 1);
  const data = new Uint8Array(WIDTH * length);
  for (let i = 0; i < length; i++) {
    const key = from + i;
    keys[i] = BigInt(key);
    numbers[i] = loadNumber(key);
    offsets[i + 1] = WIDTH * (i + 1);
    let rest = key;
    for (let at = WIDTH * (i + 1) - 1; at >= WIDTH * i; at--) {
      data[at] = 0x30 + (rest % 10);
      rest = Math.floor(rest / 10);
    }
  }
  const rows = { length, firstRow: 0, validity: undefined, nullCount: 0 };
  return [
    new FixedBatch({ ...rows, type: "INT64" }, "INT64", keys),
    new FixedBatch({ ...rows, type: "INT32" }, "INT32", numbers),
    new BinaryBatch({ ...rows, type: "STRING" }, offsets, data),
  ];
}

/**
 * The row sets of a table.
 * @param changedShare fraction of the rows that a REDO file changes, for example 0.01
 */
export function* loadRowSets(rows: number, flushes: number, changedShare: number): Generator<SyntheticRows> {
  const half = Math.ceil(rows / 2);
  const piece = Math.ceil(half / flushes);
  const mutations = new MutationBuilder();
  mutations.set(11, Uint8Array.of(CHANGED_NUMBER, 0, 0, 0));
  const change = mutations.finish();
  for (let flush = 0; flush < flushes; flush++) {
    const parts = [0, half].map((start) => ({
      from: Math.min(rows, start + flush * piece),
      to: Math.min(start === 0 ? half : rows, start + (flush + 1) * piece),
    }));
    const count = parts.reduce((sum, { from, to }) => sum + Math.max(0, to - from), 0);
    const step = changedShare === 0 ? 0 : Math.round(1 / changedShare);
    const changed = step === 0 ? [] : Array.from({ length: Math.ceil(count / step) }, (_, i) => i * step);
    yield {
      batches: pieces(parts),
      insertedAt: BigInt(1000 + flush),
      updates: step === 0 ? [] : [{ rows: changed, timestamp: BigInt(2000 + flush), mutations: change }],
    };
  }
}

function* pieces(parts: readonly { from: number; to: number }[]): Generator<ColumnBatch[]> {
  for (const { from, to } of parts) {
    for (let at = from; at < to; at += BATCH) {
      yield loadBatches(at, Math.min(to, at + BATCH));
    }
  }
}
