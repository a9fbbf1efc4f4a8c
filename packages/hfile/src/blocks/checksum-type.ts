/**
 * The checksums of a block (docs/spec/hfile.md#2-block-header): header and stored body are cut into chunks, each with one big-endian
 * 32-bit value after the body.
 *
 * | number | type | value of a chunk |
 * | --- | --- | --- |
 * | 0 | NULL | 0, or no area at all |
 * | 1 | CRC32 | as in gzip |
 * | 2 | CRC32C | Castagnoli |
 */
import { CFileError, crc32 } from "@cfile/bytes";
import { chooseDecoders } from "@cfile/kernels/decode";

/** Indexed by number. */
export const CHECKSUM_TYPES = ["NULL", "CRC32", "CRC32C"] as const;

/** How the chunks of a block are checked: not at all (`"NULL"`), by CRC-32 or by CRC-32C. */
export type ChecksumType = (typeof CHECKSUM_TYPES)[number];

/** @throws {CFileError} `E_UNSUPPORTED` for an unknown number */
export function checksumTypeFromId(id: number): ChecksumType {
  const type = CHECKSUM_TYPES[id];
  if (type === undefined) {
    const details = { offset: 24, field: "checksum type", actual: id };
    throw new CFileError("E_UNSUPPORTED", `unsupported checksum type ${id}`, details);
  }
  return type;
}

/** Bytes of the checksums of `length` bytes: four per chunk; the last chunk may be shorter. */
export function checksumAreaLength(length: number, bytesPerChecksum: number): number {
  return 4 * Math.ceil(length / bytesPerChecksum);
}

/** The checksum of `bytes[start..end)`. */
export function chunkChecksum(type: ChecksumType, bytes: Uint8Array, start: number, end: number): number {
  if (type === "CRC32C") {
    return chooseDecoders().crc32c(bytes, start, end);
  }
  return type === "NULL" ? 0 : crc32(bytes, start, end);
}

interface Checksummed {
  readonly checksumType: ChecksumType;
  readonly bytesPerChecksum: number;
  readonly checksumsStart: number;
}

/**
 * Checks every chunk of a block.
 * @returns the number of chunks checked, 0 without checksums
 * @throws {CFileError} `E_CHECKSUM`, with the chunk's offset in the block
 */
export function verifyChecksums(bytes: Uint8Array, header: Checksummed): number {
  const { checksumType: type, bytesPerChecksum, checksumsStart: end } = header;
  if (type === "NULL") {
    return 0;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let chunks = 0;
  for (let from = 0; from < end; from += bytesPerChecksum) {
    const stored = view.getUint32(end + 4 * chunks);
    const actual = chunkChecksum(type, bytes, from, Math.min(end, from + bytesPerChecksum));
    if (stored !== actual) {
      const details = { offset: from, field: `checksum ${chunks}`, expected: stored, actual };
      throw new CFileError("E_CHECKSUM", `${type} mismatch in chunk ${chunks}`, details);
    }
    chunks++;
  }
  return chunks;
}
