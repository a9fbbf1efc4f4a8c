/** The blocks of flushed rows: base files with the last cells of each row, an UNDO file with earlier versions, a REDO file with deletes. */
import { type ChangeType, DELETE, MutationBuilder, REINSERT, UPDATE } from "@cfile/deltafile";
import { DeltaFileWriter } from "@cfile/deltafile/write";
import { FixedBatch } from "@cfile/encodings";
import { memorySink } from "@cfile/io";
import { rowSetBlocks } from "@cfile-tools/kudu-synthetic/bytes";
import { isWrite, type ModelEntry } from "../harnesses/raft-replica.js";
import { changesOf, int64, SCHEMA, timestampOf, VALUE } from "./table-rows.js";

/** The blocks of a row set. */
export interface RowSetBytes {
  readonly columns: ReadonlyMap<number, Uint8Array>;
  readonly bloom: Uint8Array;
  readonly undo: Uint8Array;
  /** `undefined` if no row is deleted. */
  readonly redo: Uint8Array | undefined;
}

/** A row, valid from a timestamp on. */
interface Version {
  /** `undefined` if it is deleted. */
  readonly value: number | undefined;
  readonly timestamp: bigint;
}

interface Delta {
  readonly row: number;
  readonly timestamp: bigint;
  readonly type: ChangeType;
  readonly value?: number | undefined;
}

/** The row set of all rows after operations, with their history. */
export async function rowSetAfter(log: readonly ModelEntry[]): Promise<RowSetBytes> {
  const versions = versionsOf(log);
  const rows = [...versions.values()];
  const { columns, bloom } = await rowSetBlocks(SCHEMA, [
    [column([...versions.keys()]), column(rows.map((own) => own.findLast(isLive)?.value ?? 0))],
  ]);
  const redo = rows.flatMap((own, row) => deleteOf(own, row));
  return {
    columns,
    bloom,
    undo: await deltaFile("undo", rows.flatMap(undoOf)),
    redo: redo.length === 0 ? undefined : await deltaFile("redo", redo),
  };
}

/** Whether rows of operations are deleted. */
export function hasDeleted(log: readonly ModelEntry[]): boolean {
  return [...versionsOf(log).values()].some((own) => deleteOf(own, 0).length > 0);
}

/** Versions by key, in key order; the versions of a row are ordered by time. */
function versionsOf(log: readonly ModelEntry[]): ReadonlyMap<number, readonly Version[]> {
  const versions = new Map<number, Version[]>();
  for (const entry of log.filter(isWrite)) {
    for (const { key, value } of changesOf(entry)) {
      const own = versions.get(key) ?? [];
      versions.set(key, own);
      own.push({ value, timestamp: timestampOf(entry) });
    }
  }
  return new Map([...versions].sort(([left], [right]) => left - right));
}

function isLive({ value }: Version): boolean {
  return value !== undefined;
}

/** The delete that a row ends with. */
function deleteOf(own: readonly Version[], row: number): Delta[] {
  const last = own.at(-1);
  return last === undefined || isLive(last) ? [] : [{ row, timestamp: last.timestamp, type: DELETE }];
}

/** The changes that lead back from the base cells of a row, the last change first. */
function undoOf(own: readonly Version[], row: number): Delta[] {
  return own
    .slice(0, own.length - deleteOf(own, row).length)
    .map((version, i): Delta => {
      const { timestamp } = version;
      const value = own[i - 1]?.value;
      return value === undefined
        ? { row, timestamp, type: DELETE }
        : { row, timestamp, type: isLive(version) ? UPDATE : REINSERT, value };
    })
    .reverse();
}

async function deltaFile(kind: "undo" | "redo", deltas: readonly Delta[]): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new DeltaFileWriter(sink, { kind });
  for (const { row, timestamp, type, value } of deltas) {
    const cells = value === undefined ? undefined : new MutationBuilder().set(VALUE, int64(value)).finish();
    await writer.append(row, timestamp, type, cells);
  }
  await writer.finish();
  return sink.bytes();
}

function column(values: readonly number[]): FixedBatch {
  return new FixedBatch(
    { type: "INT64", length: values.length, firstRow: 0, validity: undefined, nullCount: 0 },
    "INT64",
    BigInt64Array.from(values, BigInt),
  );
}
