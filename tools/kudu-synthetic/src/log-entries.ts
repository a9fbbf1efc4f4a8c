/**
 * The parts of a segment of a write-ahead log, compressed with LZ4 as servers do by default (docs/spec/kudu-wal.md#2-segment and
 * docs/spec/kudu-wal.md#3-entry).
 */
import { ByteBuilder, crc32c } from "@cfile/bytes";
import { lz4Compress } from "@cfile/compression/lz4-encode";
import type { RowSetSchema } from "@cfile/rowset";
import { MessageBytes } from "./message-bytes.js";
import {
  operationMessage,
  raftConfigMessage,
  type SyntheticConfig,
  type SyntheticOperation,
} from "./raft-messages.js";
import { schemaMessage } from "./superblock-bytes.js";

/** An operation without its content. */
export interface TimedOperation extends SyntheticOperation {
  readonly timestamp: bigint;
}

/** `RowOperationsPB`, and the columns that encode them. */
export interface SyntheticRowOperations {
  readonly schema: RowSetSchema;
  readonly rows: Uint8Array;
  readonly indirect?: Uint8Array | undefined;
}

/** The store that a row operation changed. */
export type SyntheticStore =
  | { readonly mrsId: number }
  | { readonly rowSetId: number; readonly dmsId: number };

const LZ4 = 3;
const REPLICATE = 1;
const COMMIT = 2;
const NO_OP = 1;
const WRITE_OP = 3;
const CHANGE_CONFIG_OP = 5;

export function segmentHeader(tabletId: string, schema: RowSetSchema, sequence: number): Uint8Array {
  const header = new MessageBytes()
    .text(5, tabletId)
    .varint(6, sequence)
    .message(7, schemaMessage(schema))
    .varint(8, 0)
    .varint(9, LZ4)
    .finish();
  const start = new ByteBuilder();
  start.append(new TextEncoder().encode("kudulogf"));
  start.u32le(header.length);
  start.append(header);
  return start.finish();
}

/** The end of a segment that the server closed. */
export function segmentFooter(entries: number): Uint8Array {
  const footer = new MessageBytes().varint(1, entries).finish();
  const end = new ByteBuilder();
  end.append(footer);
  end.append(new TextEncoder().encode("closedls"));
  end.u32le(footer.length);
  return end.finish();
}

/** The first operation of a leader. */
export function noOpEntry(operation: TimedOperation): Uint8Array {
  return entryBytes(REPLICATE, replicateMessage(operation, NO_OP));
}

export function writeEntry(operation: TimedOperation, request: SyntheticRowOperations): Uint8Array {
  const { schema, rows, indirect } = request;
  // Clients do not know the IDs of columns.
  const columns = schema.columns.map((column, id) => ({ ...column, id }));
  const operations = new MessageBytes().bytes(2, rows);
  if (indirect !== undefined) {
    operations.bytes(3, indirect);
  }
  const write = new MessageBytes().message(2, schemaMessage({ columns })).message(3, operations);
  return entryBytes(REPLICATE, replicateMessage(operation, WRITE_OP).message(5, write));
}

export function configEntry(operation: TimedOperation, config: SyntheticConfig): Uint8Array {
  const record = new MessageBytes().text(1, "").message(3, raftConfigMessage(config));
  return entryBytes(REPLICATE, replicateMessage(operation, CHANGE_CONFIG_OP).message(7, record));
}

/** The commit of an operation that does not change rows. */
export function emptyCommitEntry(operation: SyntheticOperation, isConfig: boolean): Uint8Array {
  return entryBytes(COMMIT, commitMessage(operation, isConfig ? CHANGE_CONFIG_OP : NO_OP));
}

/** @param results the store that each row operation changed; `undefined` if a restart must not apply it again */
export function writeCommitEntry(
  operation: SyntheticOperation,
  results: readonly (SyntheticStore | undefined)[],
): Uint8Array {
  const ops = new MessageBytes();
  for (const store of results) {
    ops.message(
      1,
      store === undefined
        ? new MessageBytes().varint(1, true)
        : new MessageBytes().message(3, storeMessage(store)),
    );
  }
  return entryBytes(COMMIT, commitMessage(operation, WRITE_OP).message(3, ops));
}

function storeMessage(store: SyntheticStore): MessageBytes {
  return "mrsId" in store
    ? new MessageBytes().varint(1, store.mrsId)
    : new MessageBytes().varint(2, store.rowSetId).varint(3, store.dmsId);
}

function replicateMessage(operation: TimedOperation, type: number): MessageBytes {
  return new MessageBytes()
    .message(1, operationMessage(operation))
    .fixed64(2, operation.timestamp)
    .varint(4, type);
}

function commitMessage(operation: SyntheticOperation, type: number): MessageBytes {
  return new MessageBytes().varint(1, type).message(2, operationMessage(operation));
}

/** A `LogEntryBatchPB` with one `LogEntryPB`, whose field number of the message is one more than its type. */
function entryBytes(type: number, message: MessageBytes): Uint8Array {
  const entry = new MessageBytes().varint(1, type).message(type + 1, message);
  const data = new MessageBytes().message(1, entry).finish();
  const stored = lz4Compress(data);
  const bytes = new ByteBuilder();
  bytes.u32le(stored.length);
  bytes.u32le(data.length);
  bytes.u32le(crc32c(stored));
  bytes.u32le(crc32c(bytes.view8()));
  bytes.append(stored);
  return bytes.finish();
}
