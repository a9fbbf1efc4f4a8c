/**
 * The header (docs/spec/cfile.md#31-layout), at the start of the file:
 *
 * | bytes | content |
 * | --- | --- |
 * | 8 | magic |
 * | 4 | u32le H |
 * | H | protobuf `Header` |
 * | 4 | CRC-32C of all before; with checksums only |
 */
import { decodeHeader } from "../generated/decode.js";
import type { CFileVersion } from "./magic.js";
import { decodeMessage, metadataPairs } from "./message.js";
import type { MetadataPair } from "./metadata.js";

/** What the header says: version and metadata; see docs/spec/cfile.md#31-layout. */
export interface CFileHeader {
  readonly version: CFileVersion;
  readonly metadata: readonly MetadataPair[];
}

/**
 * The header from its protobuf message.
 *
 * @throws CFileError `E_CORRUPT` when the bytes are no such message
 */
export function parseHeader(protobuf: Uint8Array, version: CFileVersion): CFileHeader {
  const message = decodeMessage(protobuf, "header", decodeHeader);
  return { version, metadata: metadataPairs(message.metadata) };
}
