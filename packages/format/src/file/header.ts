/**
 * The header (docs/spec/cfile.md#31-layout), at the start of the file:
 *
 * | bytes | content |
 * | --- | --- |
 * | 8 | magic |
 * | 4 | u32le H |
 * | H | protobuf `Header` |
 * | 4 | CRC-32C of all preceding bytes; only with checksums |
 */
import { decodeHeader } from "../generated/decode.js";
import type { CFileVersion } from "./magic.js";
import { decodeMessage, metadataPairs } from "./message.js";
import type { MetadataPair } from "./metadata.js";

/** The header: version and metadata. */
export interface CFileHeader {
  readonly version: CFileVersion;
  readonly metadata: readonly MetadataPair[];
}

/** Parses the header's protobuf. @throws {CFileError} `E_CORRUPT` when the bytes are not a header message */
export function parseHeader(protobuf: Uint8Array, version: CFileVersion): CFileHeader {
  const message = decodeMessage(protobuf, "header", decodeHeader);
  return { version, metadata: metadataPairs(message.metadata) };
}
