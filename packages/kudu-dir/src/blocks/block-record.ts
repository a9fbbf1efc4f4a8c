/**
 * `BlockRecordPB`, an entry of a log block container's journal (docs/spec/kudu-data-dir.md#51-containers);
 * `proto/server.proto` has its fields.
 */
import { corrupt } from "@cfile/bytes";
import { MessageReader } from "@cfile/protobuf/read";
import { type BlockIdPB, decodeBlockRecordPB } from "../generated/decode.js";

/** One entry of a container's journal: a block was written or deleted; see docs/spec/kudu-data-dir.md#51-containers. */
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

/** @throws CFileError `E_CORRUPT` or `E_TRUNCATED` for what is no record, or one that makes no sense */
export function parseBlockRecord(bytes: Uint8Array): BlockRecord {
  const message = decodeBlockRecordPB(new MessageReader(bytes, "BlockRecordPB"));
  const id = checkBlockId(message.blockId);
  const { opType, timestampUs: timestamp, offset, length } = message;
  switch (opType) {
    case CREATE:
      return {
        id,
        op: "create",
        timestamp,
        offset: place(offset, "offset", id),
        length: place(length, "length", id),
      };
    case DELETE:
      return { id, op: "delete", timestamp, offset: 0, length: 0 };
    default:
      throw corrupt(`operation ${opType} on block ${id}`, { field: "op_type", actual: opType });
  }
}

/** The id in a `BlockIdPB`. */
export function checkBlockId({ id }: BlockIdPB): bigint {
  if (id === 0n) {
    throw corrupt("0 is no block id", { field: "block id", actual: 0 });
  }
  return id;
}

function place(value: bigint | undefined, field: string, id: bigint): number {
  if (value === undefined || value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER) / 2n) {
    throw corrupt(`${field} ${value} of block ${id}`, { field, actual: String(value) });
  }
  return Number(value);
}
