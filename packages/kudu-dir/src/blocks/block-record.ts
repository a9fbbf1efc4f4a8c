/**
 * `BlockRecordPB`, an entry of a log block container's journal (docs/spec/kudu-data-dir.md#51-containers). `proto/server.proto`
 * lists its fields.
 */
import { corrupt } from "@cfile/bytes";
import { MessageReader } from "@cfile/protobuf/read";
import { type BlockIdPB, decodeBlockRecordPB } from "../generated/decode.js";

/** An entry of a container's journal: a block was created or deleted; see docs/spec/kudu-data-dir.md#51-containers. */
export interface BlockRecord {
  readonly id: bigint;
  readonly op: "create" | "delete";
  /** Microseconds since 1970. */
  readonly timestamp: bigint;
  readonly offset: number;
  readonly length: number;
}

/** Values of `op_type`. */
export const CREATE = 1;
const DELETE = 2;

/** @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED`, with the field, if the bytes are not a valid record */
export function parseBlockRecord(bytes: Uint8Array): BlockRecord {
  const message = decodeBlockRecordPB(new MessageReader(bytes, "BlockRecordPB"));
  const id = checkBlockId(message.blockId);
  const { opType, timestampUs: timestamp } = message;
  if (opType === DELETE) {
    return { id, op: "delete", timestamp, offset: 0, length: 0 };
  }
  if (opType !== CREATE) {
    throw corrupt(`block ${id}: invalid operation ${opType}`, { field: "op_type", actual: opType });
  }
  const offset = safeInteger(message.offset, "offset", id);
  const length = safeInteger(message.length, "length", id);
  return { id, op: "create", timestamp, offset, length };
}

/** The ID in a `BlockIdPB`. */
export function checkBlockId({ id }: BlockIdPB): bigint {
  if (id === 0n) {
    throw corrupt("invalid block ID: 0", { field: "block id", actual: 0 });
  }
  return id;
}

function safeInteger(value: bigint | undefined, field: string, id: bigint): number {
  if (value === undefined || value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER) / 2n) {
    throw corrupt(`block ${id}: invalid ${field} ${value}`, { field, actual: String(value) });
  }
  return Number(value);
}
