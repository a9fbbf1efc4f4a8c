/**
 * The log of a new replica (docs/spec/kudu-wal.md#2-segment): one segment with one operation that changes nothing. It has the
 * last op ID, and a timestamp that is later than all others.
 */
import { ByteBuilder, concatBytes, crc32c, utf8Bytes } from "@cfile/bytes";
import { messageBytes } from "@cfile/protobuf/write";
import type { LogEntryPB, TabletSuperBlockPB } from "../generated/decode.js";
import { encodeLogEntryBatchPB, encodeLogSegmentHeaderPB } from "../generated/encode.js";
import type { OperationId } from "../log/log-messages.js";

/** The first operation of a log. */
export interface FirstOperation {
  readonly id: OperationId;
  readonly timestamp: bigint;
}

const REPLICATE = 1;
const COMMIT = 2;
const NO_OP = 1;
const NO_COMPRESSION = 1;

export function newLogSegment(
  { tabletId, schema, schemaVersion }: Pick<TabletSuperBlockPB, "tabletId" | "schema" | "schemaVersion">,
  { id, timestamp }: FirstOperation,
): Uint8Array {
  const header = messageBytes(encodeLogSegmentHeaderPB, {
    tabletId,
    sequenceNumber: 1,
    schema,
    schemaVersion,
    compressionCodec: NO_COMPRESSION,
    incompatibleFeatures: [],
  });
  const start = new ByteBuilder();
  start.append(utf8Bytes("kudulogf"));
  start.u32le(header.length);
  start.append(header);
  return concatBytes([
    start.finish(),
    entry({
      type: REPLICATE,
      replicate: { id, timestamp, opType: NO_OP, noopRequest: { timestampInOpidOrder: true } },
    }),
    entry({ type: COMMIT, commit: { opType: NO_OP, commitedOpId: id } }),
  ]);
}

function entry(message: LogEntryPB): Uint8Array {
  const data = messageBytes(encodeLogEntryBatchPB, { entry: [message] });
  const bytes = new ByteBuilder();
  bytes.u32le(data.length);
  bytes.u32le(data.length);
  bytes.u32le(crc32c(data));
  bytes.u32le(crc32c(bytes.view8()));
  bytes.append(data);
  return bytes.finish();
}
