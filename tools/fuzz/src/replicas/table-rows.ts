/**
 * The table of the replicas. Each write inserts a row with a unique key, so that the rows show which writes were read,
 * and inserts, changes or deletes a row shared with other writes, so that the rows also show their order.
 */
import { concatBytes } from "@cfile/bytes";
import type { RowSetSchema } from "@cfile/rowset";
import { hexName } from "@cfile-tools/kudu-synthetic/bytes";
import { isWrite, type ModelEntry } from "../harnesses/raft-replica.js";

export const TABLE = "model";
export const TABLET = hexName("tablet of the model", 0);

const KEY = 10;
export const VALUE = 11;

export const SCHEMA: RowSetSchema = {
  columns: (["key", "value"] as const).map((name, i) => ({
    id: i === 0 ? KEY : VALUE,
    name,
    type: "INT64",
    isKey: i === 0,
    nullable: false,
    array: false,
  })),
};

/** Smaller keys are shared. */
export const FIRST_OWN_KEY = 10_000;
const SHARED_KEYS = 2;
/** One in this many writes of a shared row deletes it. */
const DELETES = 2;
const START = 1_700_000_000_000_000n << 12n;
/** Types of row operations. */
const OPERATIONS = { INSERT: 1, DELETE: 3, UPSERT: 5 } as const;
const KEY_IS_SET = 0b01;
const ALL_ARE_SET = 0b11;

/** The change of a row by a write. */
export interface RowChange {
  readonly key: number;
  /** `undefined` if the row is deleted. */
  readonly value: number | undefined;
  readonly operation: keyof typeof OPERATIONS;
}

/** A unique number for each operation, ascending in every log. */
export function numberOf({ term, index }: ModelEntry): number {
  return (term + 1) * FIRST_OWN_KEY + index;
}

export function timestampOf(entry: ModelEntry): bigint {
  return START + (BigInt(numberOf(entry)) << 12n);
}

/** The operations of a log that ends with one, in order. */
export function chainOf(last: ModelEntry | undefined): ModelEntry[] {
  const chain: ModelEntry[] = [];
  for (let one = last; one !== undefined; one = one.previous) {
    chain.push(one);
  }
  return chain.reverse();
}

/** The rows after operations, by key. */
export function rowsAfter(log: readonly ModelEntry[]): ReadonlyMap<number, number> {
  const rows = new Map<number, number>();
  for (const { key, value } of log.filter(isWrite).flatMap(changesOf)) {
    if (value === undefined) {
      rows.delete(key);
    } else {
      rows.set(key, value);
    }
  }
  return rows;
}

/** The changes of a write: of its own row, and of the shared one. */
export function changesOf(entry: ModelEntry): readonly RowChange[] {
  const number = numberOf(entry);
  return [{ key: number, value: number, operation: "INSERT" }, sharedChangeOf(entry)];
}

function sharedChangeOf(entry: ModelEntry): RowChange {
  const { term, index } = entry;
  const key = index % SHARED_KEYS;
  const isThere = hasRow(key, entry.previous);
  if (isThere && Math.floor(index / SHARED_KEYS) % DELETES === 0) {
    return { key, value: undefined, operation: "DELETE" };
  }
  return { key, value: numberOf(entry), operation: isThere || term % 2 === 0 ? "UPSERT" : "INSERT" };
}

/** Whether a log that ends with an operation leaves a shared row. */
function hasRow(key: number, last: ModelEntry | undefined): boolean {
  for (let one = last; one !== undefined; one = one.previous) {
    if (isWrite(one) && one.index % SHARED_KEYS === key) {
      return sharedChangeOf(one).value !== undefined;
    }
  }
  return false;
}

/** The row operations of a write. */
export function rowOperations(entry: ModelEntry): Uint8Array {
  const parts = changesOf(entry).flatMap(({ key, value, operation }) => [
    Uint8Array.of(OPERATIONS[operation], value === undefined ? KEY_IS_SET : ALL_ARE_SET),
    int64(key),
    value === undefined ? new Uint8Array(0) : int64(value),
  ]);
  return concatBytes(parts);
}

export function int64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, BigInt(value), true);
  return bytes;
}
