/**
 * `BlockRecordPB`, an entry of a log block container's journal (docs/spec/kudu-data-dir.md#51-containers):
 *
 * | field | value |
 * | --- | --- |
 * | 1 | message with the block id, fixed64, as field 1 |
 * | 2 | 1 CREATE, 2 DELETE |
 * | 3 | wall clock in microseconds |
 * | 4, 5 | offset and length in the `.data` file, of CREATE only |
 */
import { corrupt } from "@cfile/bytes";
import { MessageReader, required } from "../catalog/protobuf-message.js";

export interface BlockRecord {
  readonly id: bigint;
  readonly op: "create" | "delete";
  /** Microseconds since 1970. */
  readonly timestamp: bigint;
  readonly offset: number;
  readonly length: number;
}

/** @throws CFileError `E_CORRUPT` or `E_TRUNCATED` for what is no record, or one that makes no sense */
export function parseBlockRecord(bytes: Uint8Array): BlockRecord {
  const message = new MessageReader(bytes, "BlockRecordPB");
  let id: bigint | undefined;
  let op: number | undefined;
  let timestamp: bigint | undefined;
  let offset: bigint | undefined;
  let length: bigint | undefined;
  for (let field = message.next(); field !== 0; field = message.next()) {
    switch (field) {
      case 1:
        id = parseBlockId(message.message("block_id"));
        break;
      case 2:
        op = message.int32("op_type");
        break;
      case 3:
        timestamp = message.uint64("timestamp_us");
        break;
      case 4:
        offset = message.int64("offset");
        break;
      case 5:
        length = message.int64("length");
        break;
      default:
        message.skip();
    }
  }
  const blockId = required(id, message.name, "block_id");
  if (op !== 1 && op !== 2) {
    throw corrupt(`operation ${op} on block ${blockId}`, { field: "op_type", actual: op });
  }
  const isCreate = op === 1;
  return {
    id: blockId,
    op: isCreate ? "create" : "delete",
    timestamp: required(timestamp, message.name, "timestamp_us"),
    offset: isCreate ? place(offset, "offset", blockId) : 0,
    length: isCreate ? place(length, "length", blockId) : 0,
  };
}

/** `BlockIdPB` */
export function parseBlockId(message: MessageReader): bigint {
  let id: bigint | undefined;
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === 1) {
      id = message.fixed64("block id");
    } else {
      message.skip();
    }
  }
  const found = required(id, "BlockIdPB", "id");
  if (found === 0n) {
    throw corrupt("0 is no block id", { field: "block id", actual: 0 });
  }
  return found;
}

function place(value: bigint | undefined, field: string, id: bigint): number {
  const found = required(value, `CREATE of block ${id}`, field);
  if (found < 0n || found > BigInt(Number.MAX_SAFE_INTEGER) / 2n) {
    throw corrupt(`${field} ${found} of block ${id}`, { field, actual: String(found) });
  }
  return Number(found);
}
