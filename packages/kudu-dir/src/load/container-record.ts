/** Writing protobuf container files (docs/spec/kudu-data-dir.md#3-protobuf-container), version 2. */
import { ByteBuilder, crc32c } from "@cfile/bytes";
import { writeVarint32, writeVarint64 } from "@cfile/varint";
import { MessageReader } from "../catalog/protobuf-message.js";

const MAGIC = /* @__PURE__ */ new TextEncoder().encode("kuducntr");

/** A record: length, CRC of it, message, CRC of the message. */
export function containerRecord(message: Uint8Array): Uint8Array {
  const bytes = new ByteBuilder(message.length + 12);
  bytes.u32le(message.length);
  bytes.u32le(crc32c(bytes.view8()));
  bytes.append(message);
  bytes.u32le(crc32c(message));
  return bytes.finish();
}

/**
 * Header and description of a file of messages of the given type.
 *
 * @param description first record of another file whose description has that type, too
 */
export function containerHeader(description: Uint8Array, type: string): Uint8Array {
  const bytes = new ByteBuilder();
  bytes.append(MAGIC);
  bytes.u32le(2);
  bytes.u32le(crc32c(bytes.view8()));
  const message = new ByteBuilder(description.length + 64);
  const reader = new MessageReader(description, "ContainerSupHeaderPB");
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) {
      writeBytes(message, 1, reader.bytes("protos"));
    } else {
      reader.skip();
    }
  }
  writeBytes(message, 2, new TextEncoder().encode(type));
  bytes.append(containerRecord(message.finish()));
  return bytes.finish();
}

export function writeBytes(message: ByteBuilder, field: number, value: Uint8Array): void {
  writeVarint32(message, (field << 3) | 2);
  writeVarint32(message, value.length);
  message.append(value);
}

/** An int64 or uint64; negative ones take ten bytes. */
export function writeInteger(message: ByteBuilder, field: number, value: bigint): void {
  writeVarint32(message, field << 3);
  let rest = BigInt.asUintN(64, value);
  if (rest <= BigInt(Number.MAX_SAFE_INTEGER)) {
    writeVarint64(message, Number(rest));
    return;
  }
  while (rest > 0x7fn) {
    message.u8(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  message.u8(Number(rest));
}

/** `BlockIdPB` */
export function blockIdMessage(id: bigint): Uint8Array {
  const message = new Uint8Array(9);
  message[0] = (1 << 3) | 1;
  new DataView(message.buffer).setBigUint64(1, id, true);
  return message;
}
