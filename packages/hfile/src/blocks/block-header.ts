/**
 * The header of a block (docs/spec/hfile.md#2-block-header), never compressed; all integers big-endian and signed.
 *
 * | offset | size | field |
 * | --- | --- | --- |
 * | 0 | 8 | magic |
 * | 8 | 4 | size on disk without header: stored body and checksums |
 * | 12 | 4 | uncompressed size of the body |
 * | 16 | 8 | file offset of the previous block of this magic, -1 for none |
 * | 24 | 1 | checksum type |
 * | 25 | 4 | bytes per checksum |
 * | 29 | 4 | size on disk of header and body: where the checksums begin |
 */
import { type ByteBuilder, CFileError, type Limits, utf8Bytes } from "@cfile/bytes";
import { type BlockKind, blockKindAt, magicAt, magicOf } from "./block-kind.js";
import {
  CHECKSUM_TYPES,
  type ChecksumType,
  checksumAreaLength,
  checksumTypeFromId,
} from "./checksum-type.js";
import { mismatch, requireWithin } from "./mismatch.js";

export const BLOCK_HEADER_LENGTH = 33;

/** The 33 bytes before every block, checked; see docs/spec/hfile.md#2-block-header. */
export interface HFileBlockHeader {
  readonly kind: BlockKind;
  /** Bytes of header, stored body and checksums. */
  readonly size: number;
  /** Bytes of header and stored body. */
  readonly checksumsStart: number;
  /** Bytes of the body when decompressed. */
  readonly uncompressedSize: number;
  /** File offset of the previous block of this magic, -1 for none. Advisory: never followed. */
  readonly previousOffset: number;
  readonly checksumType: ChecksumType;
  readonly bytesPerChecksum: number;
}

/**
 * The header at `bytes[start..]`.
 * @param available maximum size of the block in bytes
 * @throws {CFileError} `E_TRUNCATED` when `bytes` or `available` end before the block does, `E_CORRUPT` for sizes that
 *   contradict each other and unknown magics, `E_LIMIT` for a block larger than allowed
 */
export function parseBlockHeader(
  bytes: Uint8Array,
  start: number,
  available: number,
  limits: Limits,
): HFileBlockHeader {
  const room = Math.min(bytes.length - start, available);
  if (room < BLOCK_HEADER_LENGTH) {
    throw truncated(0, "block header", BLOCK_HEADER_LENGTH, room);
  }
  const kind = blockKindAt(bytes, start);
  if (kind === undefined) {
    throw mismatch("block magic", 0, "that of a block", JSON.stringify(magicAt(bytes, start)));
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, BLOCK_HEADER_LENGTH);
  const sizeWithoutHeader = view.getInt32(8);
  const uncompressedSize = view.getInt32(12);
  const checksumsStart = view.getInt32(29);
  const size = BLOCK_HEADER_LENGTH + sizeWithoutHeader;
  if (sizeWithoutHeader < 0) {
    throw mismatch("on-disk size", 8, "at least 0", sizeWithoutHeader);
  }
  if (uncompressedSize < 0) {
    throw mismatch("uncompressed size", 12, "at least 0", uncompressedSize);
  }
  if (checksumsStart < BLOCK_HEADER_LENGTH || checksumsStart > size) {
    throw mismatch("on-disk data size with header", 29, `${BLOCK_HEADER_LENGTH} to ${size}`, checksumsStart);
  }
  requireWithin(limits, "maxStoredBlockSize", size, "block", { offset: 8, field: "on-disk size" });
  if (size > available) {
    throw truncated(8, "on-disk size", size, available);
  }
  const checksumType = checksumTypeFromId(view.getUint8(24));
  const bytesPerChecksum = view.getInt32(25);
  if (checksumType !== "NULL" || size > checksumsStart) {
    if (bytesPerChecksum <= 0) {
      throw mismatch("bytes per checksum", 25, "at least 1", bytesPerChecksum);
    }
    const stored = size - checksumsStart;
    const expected = checksumAreaLength(checksumsStart, bytesPerChecksum);
    // Without checksums, the area may be missing.
    if (stored !== expected && !(checksumType === "NULL" && stored === 0)) {
      throw mismatch("on-disk data size with header", 29, size - expected, checksumsStart);
    }
  }
  return {
    kind,
    size,
    checksumsStart,
    uncompressedSize,
    previousOffset: Number(view.getBigInt64(16)),
    checksumType,
    bytesPerChecksum,
  };
}

function truncated(offset: number, field: string, expected: number, actual: number): CFileError {
  const reason = `block of ${expected} bytes is truncated to ${actual}`;
  return new CFileError("E_TRUNCATED", reason, { offset, field, expected, actual });
}

/** Appends a header. */
export function writeBlockHeader(out: ByteBuilder, header: HFileBlockHeader): void {
  out.append(utf8Bytes(magicOf(header.kind)));
  out.u32be(header.size - BLOCK_HEADER_LENGTH);
  out.u32be(header.uncompressedSize);
  out.u32be(Math.floor(header.previousOffset / 2 ** 32) >>> 0);
  out.u32be(header.previousOffset >>> 0);
  out.u8(CHECKSUM_TYPES.indexOf(header.checksumType));
  out.u32be(header.bytesPerChecksum);
  out.u32be(header.checksumsStart);
}
