/**
 * The header (specification 3.1), at the start of the file:
 *
 * | bytes | content |
 * | --- | --- |
 * | 8 | magic |
 * | 4 | u32le H |
 * | H | protobuf `Header` |
 * | 4 | CRC-32C of all before; with checksums only |
 */
import { ByteBuilder, crc32c } from "@cfile/bytes";
import { type CFileVersion, magicOf } from "./magic.js";
import type { MetadataPair } from "./metadata.js";
import { decodeProtobuf, Header, metadataPairs } from "./protobuf.js";

export interface CFileHeader {
  readonly version: CFileVersion;
  readonly metadata: readonly MetadataPair[];
}

export function parseHeader(protobuf: Uint8Array, version: CFileVersion): CFileHeader {
  const message = decodeProtobuf("header", () => Header.decode(protobuf));
  return { version, metadata: metadataPairs(message.metadata) };
}

/** The whole header as it stands at the start of a version 2 file. */
export function encodeHeader(metadata: readonly MetadataPair[], checksums: boolean): Uint8Array {
  const protobuf = Header.encode(
    new Header({ metadata: metadata.map(({ key, value }) => ({ key, value })) }),
  ).finish();
  const out = new ByteBuilder(protobuf.length + 16);
  out.append(magicOf(2));
  out.u32le(protobuf.length);
  out.append(protobuf);
  if (checksums) {
    out.u32le(crc32c(out.view8()));
  }
  return out.finish();
}
