/**
 * A segment of a write-ahead log that was never closed: insertions into the table of `loadSchema`, each with its commit.
 */
import { concatBytes } from "@cfile/bytes";
import type { RowSetSchema } from "@cfile/rowset";
import { loadNumber } from "./load-table.js";
import {
  emptyCommitEntry,
  noOpEntry,
  segmentHeader,
  type TimedOperation,
  writeCommitEntry,
  writeEntry,
} from "./log-entries.js";

/** An operation of a log. */
export interface SyntheticLogEntry extends TimedOperation {
  /** Keys of the inserted rows; empty for an operation without changes. */
  readonly keys: readonly number[];
  readonly isCommitted: boolean;
}

const INSERT = 1;
/** All three columns. */
const IS_SET = 0b111;
const WIDTH = 16;
/** Bytes of a row operation: a header of two bytes, the key, the number, and offset and length of the string. */
const ROW = 2 + 8 + 4 + 16;
/** ID of the MemRowSet after the first flush. */
const MEMORY = 1;

export function logSegmentBytes(
  tabletId: string,
  schema: RowSetSchema,
  log: readonly SyntheticLogEntry[],
): Uint8Array {
  const parts = [segmentHeader(tabletId, schema, 1)];
  for (const one of log) {
    const { keys, isCommitted } = one;
    const isWrite = keys.length > 0;
    parts.push(isWrite ? writeEntry(one, { schema, ...insertions(keys) }) : noOpEntry(one));
    if (isCommitted) {
      const results = keys.map(() => ({ mrsId: MEMORY }));
      parts.push(isWrite ? writeCommitEntry(one, results) : emptyCommitEntry(one, false));
    }
  }
  return concatBytes(parts);
}

/** `RowOperationsPB` with the rows of `loadBatches`. */
function insertions(keys: readonly number[]): { readonly rows: Uint8Array; readonly indirect: Uint8Array } {
  const rows = new Uint8Array(ROW * keys.length);
  const view = new DataView(rows.buffer);
  const strings = keys.map((key) => String(key).padStart(WIDTH, "0")).join("");
  for (const [i, key] of keys.entries()) {
    const at = ROW * i;
    rows.set([INSERT, IS_SET], at);
    view.setBigInt64(at + 2, BigInt(key), true);
    view.setInt32(at + 10, loadNumber(key), true);
    view.setBigUint64(at + 14, BigInt(WIDTH * i), true);
    view.setBigUint64(at + 22, BigInt(WIDTH), true);
  }
  return { rows, indirect: new TextEncoder().encode(strings) };
}
