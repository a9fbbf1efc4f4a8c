/** Writes protobuf container files (docs/spec/kudu-data-dir.md#3-protobuf-container), version 2. */
import { ByteBuilder, crc32c } from "@cfile/bytes";
import { MessageReader } from "@cfile/protobuf/read";
import { messageBytes } from "@cfile/protobuf/write";
import { CONTAINER_MAGIC } from "../blocks/container-file.js";
import { decodeContainerSupHeaderPB } from "../generated/decode.js";
import { encodeContainerSupHeaderPB } from "../generated/encode.js";

/** A record: length, its CRC, message, CRC of the message. */
export function containerRecord(message: Uint8Array): Uint8Array {
  const bytes = new ByteBuilder(message.length + 12);
  bytes.u32le(message.length);
  bytes.u32le(crc32c(bytes.view8()));
  bytes.append(message);
  bytes.u32le(crc32c(message));
  return bytes.finish();
}

/**
 * Header and description of a file of messages of one type.
 *
 * @param description first record of another file; its descriptor set must include the type
 */
export function containerHeader(description: Uint8Array, type: string): Uint8Array {
  const bytes = new ByteBuilder();
  bytes.append(CONTAINER_MAGIC);
  bytes.u32le(2);
  bytes.u32le(crc32c(bytes.view8()));
  const { protos } = decodeContainerSupHeaderPB(new MessageReader(description, "ContainerSupHeaderPB"));
  bytes.append(containerRecord(messageBytes(encodeContainerSupHeaderPB, { protos, pbType: type })));
  return bytes.finish();
}
