/**
 * A segment of a write-ahead log (docs/spec/kudu-wal.md#2-segment) that was never closed, compressed with LZ4 as servers do by default:
 * insertions into the table of `loadSchema`, each with its commit.
 */
import { ByteBuilder, concatBytes, crc32c } from "@cfile/bytes";
import { lz4Compress } from "@cfile/compression/lz4-encode";
import type { RowSetSchema } from "@cfile/rowset";
import { loadNumber } from "./load-table.js";
import { MessageBytes } from "./message-bytes.js";
import { operationMessage, type SyntheticOperation } from "./raft-messages.js";
import { schemaMessage } from "./superblock-bytes.js";

/** An operation of a log. */
export interface SyntheticLogEntry extends SyntheticOperation {
  readonly timestamp: bigint;
  /** Keys of the rows that it inserts; none for an operation that changes nothing. */
  readonly keys: readonly number[];
  readonly isCommitted: boolean;
}

const LZ4 = 3;
const REPLICATE = 1;
const COMMIT = 2;
const NO_OP = 1;
const WRITE_OP = 3;
const INSERT = 1;
/** All three columns. */
const IS_SET = 0b111;
const WIDTH = 16;
/** Bytes of a row operation: two of header, the key, the number, offset and length of the string. */
const ROW = 2 + 8 + 4 + 16;
/** The MemRowSet after the first flush. */
const MEMORY = 1;

export function logSegmentBytes(
  tabletId: string,
  schema: RowSetSchema,
  log: readonly SyntheticLogEntry[],
): Uint8Array {
  const header = new MessageBytes()
    .text(5, tabletId)
    .varint(6, 1)
    .message(7, schemaMessage(schema))
    .varint(8, 0)
    .varint(9, LZ4)
    .finish();
  const start = new ByteBuilder();
  start.append(new TextEncoder().encode("kudulogf"));
  start.u32le(header.length);
  start.append(header);
  const parts = [start.finish()];
  // Clients do not know the IDs of columns.
  const columns = schema.columns.map((column, id) => ({ ...column, id }));
  for (const one of log) {
    parts.push(entryBytes(REPLICATE, replicateMessage(one, { columns })));
    if (one.isCommitted) {
      parts.push(entryBytes(COMMIT, commitMessage(one)));
    }
  }
  return concatBytes(parts);
}

function replicateMessage(entry: SyntheticLogEntry, schema: RowSetSchema): MessageBytes {
  const { keys, timestamp } = entry;
  const message = new MessageBytes().message(1, operationMessage(entry)).fixed64(2, timestamp);
  if (keys.length === 0) {
    return message.varint(4, NO_OP);
  }
  const write = new MessageBytes().message(2, schemaMessage(schema)).message(3, insertions(keys));
  return message.varint(4, WRITE_OP).message(5, write);
}

/** `RowOperationsPB` with rows as `loadBatches` has them. */
function insertions(keys: readonly number[]): MessageBytes {
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
  return new MessageBytes().bytes(2, rows).bytes(3, new TextEncoder().encode(strings));
}

function commitMessage(entry: SyntheticLogEntry): MessageBytes {
  const store = new MessageBytes().varint(1, MEMORY);
  const results = new MessageBytes();
  for (const _ of entry.keys) {
    results.message(1, new MessageBytes().message(3, store));
  }
  const message = new MessageBytes()
    .varint(1, entry.keys.length === 0 ? NO_OP : WRITE_OP)
    .message(2, operationMessage(entry));
  return entry.keys.length === 0 ? message : message.message(3, results);
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
