/**
 * The table of the replicas. Each write inserts a row with a key of its own, so that the rows show which writes were read,
 * and sets the value of a row that it shares with others, so that they show in which order.
 */
import { concatBytes } from "@cfile/bytes";
import { DELETE, MutationBuilder, UPDATE } from "@cfile/deltafile";
import { DeltaFileWriter } from "@cfile/deltafile/write";
import { FixedBatch } from "@cfile/encodings";
import { memorySink } from "@cfile/io";
import type { RowSetSchema } from "@cfile/rowset";
import { hexName, rowSetBlocks } from "@cfile-tools/kudu-synthetic/bytes";
import { isWrite, type ModelEntry } from "../harnesses/raft-replica.js";

export const TABLE = "model";
export const TABLET = hexName("tablet of the model", 0);

const KEY = 10;
const VALUE = 11;

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

/** Keys below are shared. */
export const FIRST_OWN_KEY = 10_000;
const SHARED_KEYS = 3;
const START = 1_700_000_000_000_000n << 12n;
const INSERT = 1;
const UPSERT = 5;
const IS_SET = 0b11;

/** Differs from those of all other operations, and ascends in every log. */
export function numberOf({ term, index }: ModelEntry): number {
  return (term + 1) * FIRST_OWN_KEY + index;
}

export function timestampOf(entry: ModelEntry): bigint {
  return START + (BigInt(numberOf(entry)) << 12n);
}

export function sharedKeyOf({ index }: ModelEntry): number {
  return index % SHARED_KEYS;
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
  return new Map(log.filter(isWrite).flatMap((entry) => changesOf(entry)));
}

function changesOf(entry: ModelEntry): readonly (readonly [number, number])[] {
  const number = numberOf(entry);
  return [
    [number, number],
    [sharedKeyOf(entry), number],
  ];
}

/** The row operations of a write: `INSERT` of its own row, `UPSERT` of the shared one. */
export function rowOperations(entry: ModelEntry): Uint8Array {
  const parts = changesOf(entry).map(([key, value], i) =>
    concatBytes([Uint8Array.of(i === 0 ? INSERT : UPSERT, IS_SET), int64(key), int64(value)]),
  );
  return concatBytes(parts);
}

/** The blocks of a row set. */
export interface RowSetBytes {
  readonly columns: ReadonlyMap<number, Uint8Array>;
  readonly bloom: Uint8Array;
  readonly undo: Uint8Array;
}

/** The row set of all rows after operations, with their history. */
export async function rowSetAfter(log: readonly ModelEntry[]): Promise<RowSetBytes> {
  const versions = new Map<number, { readonly value: number; readonly timestamp: bigint }[]>();
  for (const entry of log.filter(isWrite)) {
    for (const [key, value] of changesOf(entry)) {
      const own = versions.get(key) ?? [];
      versions.set(key, own);
      own.push({ value, timestamp: timestampOf(entry) });
    }
  }
  const rows = [...versions].sort(([left], [right]) => left - right);
  const column = (values: readonly number[]): FixedBatch =>
    new FixedBatch(
      { type: "INT64", length: rows.length, firstRow: 0, validity: undefined, nullCount: 0 },
      "INT64",
      BigInt64Array.from(values, BigInt),
    );
  const keys = column(rows.map(([key]) => key));
  const values = column(rows.map(([, own]) => own.at(-1)?.value ?? 0));
  const { columns, bloom } = await rowSetBlocks(SCHEMA, [[keys, values]]);
  const undo = memorySink();
  const writer = new DeltaFileWriter(undo, { kind: "undo" });
  for (const [row, [, own]] of rows.entries()) {
    for (let i = own.length - 1; i >= 0; i--) {
      const before = own[i - 1];
      const timestamp = own[i]?.timestamp ?? 0n;
      await (before === undefined
        ? writer.append(row, timestamp, DELETE)
        : writer.append(
            row,
            timestamp,
            UPDATE,
            new MutationBuilder().set(VALUE, int64(before.value)).finish(),
          ));
    }
  }
  await writer.finish();
  return { columns, bloom, undo: undo.bytes() };
}

function int64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, BigInt(value), true);
  return bytes;
}
