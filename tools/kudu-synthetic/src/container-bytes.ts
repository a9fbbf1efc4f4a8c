/**
 * Protobuf container files of version 2 (docs/spec/kudu-data-dir.md#3-protobuf-container): a header, a record
 * that names the message type, and the messages. Kudu also repeats the schema in each file; it is left out
 * because no reader needs it.
 */
import { ByteBuilder, crc32c } from "@cfile/bytes";
import { MessageBytes } from "./message-bytes.js";

export function containerBytes(type: string, records: Iterable<Uint8Array>): Uint8Array {
  const out = new ByteBuilder(1024);
  out.append(new TextEncoder().encode("kuducntr"));
  out.u32le(2);
  out.u32le(crc32c(out.view8()));
  appendRecord(out, new MessageBytes().bytes(1, new Uint8Array(0)).text(2, type).finish());
  for (const record of records) {
    appendRecord(out, record);
  }
  return out.finish();
}

function appendRecord(out: ByteBuilder, record: Uint8Array): void {
  const start = out.view8().length;
  out.u32le(record.length);
  out.u32le(crc32c(out.view8().subarray(start, start + 4)));
  out.append(record);
  out.u32le(crc32c(record));
}
