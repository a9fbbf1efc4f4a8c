/** Write-ahead logs that tests write: entries like those of a server, for a table with two INT32 columns. */
import { ByteBuilder, concatBytes, crc32c } from "@cfile/bytes";
import { messageBytes } from "@cfile/protobuf/write";
import { schemaOf } from "../src/catalog/schema-message.js";
import type {
  ColumnSchemaPB,
  LogEntryPB,
  OpId,
  SchemaPB,
  TabletSuperBlockPB,
} from "../src/generated/decode.js";
import {
  encodeLogEntryBatchPB,
  encodeLogSegmentHeaderPB,
  encodeOperationResultPB,
} from "../src/generated/encode.js";
import { withSuperblock } from "./edited-files.js";
import { serverFiles } from "./servers.js";

const INT32 = 5;
const ID: ColumnSchemaPB = { id: 10, name: "id", type: INT32, isKey: true };
const N: ColumnSchemaPB = { id: 11, name: "n", type: INT32 };
export const SCHEMA_MESSAGE: SchemaPB = { columns: [ID, N] };
export const SCHEMA = schemaOf(SCHEMA_MESSAGE);

export const [INSERT, UPDATE, DELETE, INVALID] = [1, 2, 3, 77];

/** One row operation: its kind, the key, and the other cell, if set. */
export type Step = readonly [kind: number, id: number, n?: number];

/** `RowOperationsPB.rows` */
export function rowsOf(steps: readonly Step[]): Uint8Array {
  const bytes = new ByteBuilder();
  for (const [kind, id, n] of steps) {
    bytes.u8(kind);
    bytes.u8(n === undefined ? 0b1 : 0b11);
    for (const cell of n === undefined ? [id] : [id, n]) {
      bytes.u32le(cell);
    }
  }
  return bytes.finish();
}

const timeOf = (index: number): bigint => BigInt(index) << 20n;

/** A write; by default, of the first term. */
export function write(
  index: number,
  steps: readonly Step[],
  { term = 1, txnId }: WriteOptions = {},
): LogEntryPB {
  return {
    type: 1,
    replicate: {
      id: idOf(index, term),
      timestamp: timeOf(index),
      opType: 3,
      writeRequest: {
        schema: {
          columns: [
            { ...ID, id: 0 },
            { ...N, id: 1 },
          ],
        },
        rowOperations: { rows: rowsOf(steps) },
        txnId,
      },
    },
  };
}

interface WriteOptions {
  readonly term?: number;
  readonly txnId?: bigint;
}

/** The MemRowSet, or the row set of an update, that each row operation changed; `failed` for none. */
export type Target =
  | { readonly mrsId: bigint }
  | { readonly rsId: bigint; readonly dmsId: bigint }
  | "failed";

export function commit(index: number, targets: readonly Target[], term = 1): LogEntryPB {
  const ops = targets.map((target) =>
    messageBytes(
      encodeOperationResultPB,
      target === "failed"
        ? { failedStatus: new Uint8Array(0), mutatedStores: [] }
        : { mutatedStores: [target] },
    ),
  );
  return { type: 2, commit: { opType: 3, commitedOpId: idOf(index, term), result: { ops } } };
}

function idOf(index: number, term: number): OpId {
  return { term: BigInt(term), index: BigInt(index) };
}

/** `LogEntryBatchPB` */
export function batch(...entry: readonly LogEntryPB[]): Uint8Array {
  return messageBytes(encodeLogEntryBatchPB, { entry });
}

/** A write into memory, and its commit. */
export function done(index: number, steps: readonly Step[]): Uint8Array[] {
  const targets = steps.map(() => ({ mrsId: 0n }));
  return [batch(write(index, steps)), batch(commit(index, targets))];
}

interface SegmentOptions {
  readonly tabletId: string;
  readonly sequence?: number;
  readonly schema?: SchemaPB;
  /** Whether it has a footer, like each segment except the last. Default `false`. */
  readonly closed?: boolean;
}

export function segmentBytes(
  { tabletId, sequence = 1, schema = SCHEMA_MESSAGE, closed = false }: SegmentOptions,
  batches: readonly Uint8Array[],
): Uint8Array {
  const header = messageBytes(encodeLogSegmentHeaderPB, {
    ...{ tabletId, sequenceNumber: sequence, schema, schemaVersion: 0, incompatibleFeatures: [] },
  });
  const start = new ByteBuilder();
  start.append(new TextEncoder().encode("kudulogf"));
  start.u32le(header.length);
  start.append(header);
  const footer = closed
    ? Uint8Array.of(...new TextEncoder().encode("closedls"), 0, 0, 0, 0)
    : new Uint8Array(0);
  return concatBytes([start.finish(), ...batches.map(entryBytes), footer]);
}

function entryBytes(data: Uint8Array): Uint8Array {
  const bytes = new ByteBuilder();
  bytes.u32le(data.length);
  bytes.u32le(data.length);
  bytes.u32le(crc32c(data));
  bytes.u32le(crc32c(bytes.view8()));
  bytes.append(data);
  return bytes.finish();
}

/** A tablet of the server `file` without row sets. */
export const EMPTY_TABLET = "ae654518411241988cfbdb4d569a108f";

/** A server with a tablet that has this log, and no row sets. */
export function serverWithLog(
  tabletId: string,
  segments: readonly Uint8Array[],
  change: Partial<TabletSuperBlockPB> = {},
): Map<string, Uint8Array> {
  const files = new Map([...serverFiles("file")].filter(([path]) => !path.includes(`/wals/${tabletId}/`)));
  segments.forEach((bytes, i) => {
    files.set(`ts/wal/wals/${tabletId}/wal-${String(i + 1).padStart(9, "0")}`, bytes);
  });
  return withSuperblock(
    tabletId,
    () => ({ schema: SCHEMA_MESSAGE, schemaVersion: 0, partitionSchema: undefined, ...change }),
    files,
  );
}
