/** `TabletSuperBlockPB` with its schema and partition (docs/spec/kudu-data-dir.md#7-superblock). */
import { COMPRESSION_TYPES } from "@cfile/compression";
import { DATA_TYPES, ENCODING_TYPES } from "@cfile/encodings";
import type { RowSetColumn, RowSetSchema } from "@cfile/rowset";
import { blockIdMessage, MessageBytes } from "./message-bytes.js";
import { operationMessage, type SyntheticOperation } from "./raft-messages.js";

/** Block IDs of a row set, by role. */
export interface SyntheticRowSet {
  readonly id: number;
  readonly columns: ReadonlyMap<number, bigint>;
  readonly bloom: bigint;
  readonly adhocIndex?: bigint | undefined;
  readonly undo: readonly bigint[];
  readonly redo: readonly bigint[];
  readonly liveRows: number;
}

export interface SyntheticSuperblock {
  readonly tabletId: string;
  readonly tableId: string;
  readonly tableName: string;
  readonly schema: RowSetSchema;
  readonly rowSets: readonly SyntheticRowSet[];
  /** ID of the last flushed MemRowSet. Default: each row set was flushed from a separate MemRowSet. */
  readonly lastDurableMrsId?: number | undefined;
  /** Hash bucket of the tablet, and the number of hash buckets of its table. */
  readonly bucket: number;
  readonly buckets: number;
  readonly historyMaxAgeSeconds: number;
  /** The last operation of a tombstoned replica. */
  readonly tombstone?: SyntheticOperation | undefined;
}

const TABLET_DATA_READY = 1;
const TABLET_DATA_TOMBSTONED = 3;
const NESTED = 21;

export function superblockBytes(superblock: SyntheticSuperblock): Uint8Array {
  const { tabletId, tableId, tableName, schema, rowSets, historyMaxAgeSeconds, tombstone } = superblock;
  const { lastDurableMrsId = rowSets.length - 1 } = superblock;
  const message = new MessageBytes().text(1, tableId).text(2, tabletId).varint(3, lastDurableMrsId);
  for (const rowSet of rowSets) {
    message.message(6, rowSetMessage(rowSet));
  }
  message.text(7, tableName).message(8, schemaMessage(schema)).varint(9, 0);
  if (tombstone === undefined) {
    message.varint(10, TABLET_DATA_READY);
  } else {
    message.varint(10, TABLET_DATA_TOMBSTONED).message(12, operationMessage(tombstone));
  }
  return message
    .message(13, partitionMessage(superblock))
    .message(14, partitionSchemaMessage(superblock))
    .varint(16, true)
    .message(17, new MessageBytes().varint(1, historyMaxAgeSeconds))
    .finish();
}

function rowSetMessage({
  id,
  columns,
  bloom,
  adhocIndex,
  undo,
  redo,
  liveRows,
}: SyntheticRowSet): MessageBytes {
  const message = new MessageBytes().varint(1, id).varint(2, redo.length - 1);
  for (const [column, block] of columns) {
    message.message(3, new MessageBytes().message(2, blockIdMessage(block)).varint(4, column));
  }
  for (const block of redo) {
    message.message(4, new MessageBytes().message(2, blockIdMessage(block)));
  }
  for (const block of undo) {
    message.message(5, new MessageBytes().message(2, blockIdMessage(block)));
  }
  message.message(6, blockIdMessage(bloom));
  if (adhocIndex !== undefined) {
    message.message(7, blockIdMessage(adhocIndex));
  }
  return message.varint(10, liveRows);
}

/** `SchemaPB` */
export function schemaMessage({ columns }: RowSetSchema): MessageBytes {
  const message = new MessageBytes();
  for (const column of columns) {
    message.message(1, columnMessage(column));
  }
  return message;
}

function columnMessage(column: RowSetColumn): MessageBytes {
  const { id, name, type, isKey, nullable, array, encoding, compression, blockSize } = column;
  const message = new MessageBytes()
    .varint(1, id)
    .text(2, name)
    .varint(3, array ? NESTED : DATA_TYPES[type].id)
    .varint(4, isKey)
    .varint(5, nullable)
    .varint(8, encoding === undefined ? 0 : ENCODING_TYPES[encoding])
    .varint(9, compression === undefined ? 0 : COMPRESSION_TYPES[compression])
    .varint(10, blockSize ?? 0);
  if (array) {
    const element = new MessageBytes().varint(1, DATA_TYPES[type].id);
    message.message(15, new MessageBytes().message(1, element));
  }
  return message;
}

/** `PartitionPB`. The key of a hash partition is its bucket, 4 bytes, big-endian. */
export function partitionMessage({
  bucket,
  buckets,
}: Pick<SyntheticSuperblock, "bucket" | "buckets">): MessageBytes {
  const message = new MessageBytes();
  if (buckets > 1) {
    message.packed(1, [bucket]);
  }
  const key = (at: number): Uint8Array => {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, at);
    return bytes;
  };
  const isFirst = bucket === 0;
  const isLast = bucket + 1 >= buckets;
  const none = new Uint8Array(0);
  return message.bytes(2, isFirst ? none : key(bucket)).bytes(3, isLast ? none : key(bucket + 1));
}

/** `PartitionSchemaPB` */
export function partitionSchemaMessage({
  schema,
  buckets,
}: Pick<SyntheticSuperblock, "schema" | "buckets">): MessageBytes {
  const message = new MessageBytes();
  if (buckets > 1) {
    const hash = new MessageBytes();
    for (const { id, isKey } of schema.columns) {
      if (isKey) {
        hash.message(1, new MessageBytes().varint(1, id));
      }
    }
    message.message(1, hash.varint(2, buckets));
  }
  return message.message(2, new MessageBytes());
}
