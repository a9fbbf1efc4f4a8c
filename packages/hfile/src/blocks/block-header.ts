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
import { type ByteBuilder, CFileError, corrupt, type Limits } from "@cfile/bytes";
import { asciiBytes, type BlockKind, blockKindAt, magicAt, magicOf } from "./block-kind.js";
import {
  type ChecksumType,
  checksumAreaLength,
  checksumTypeFromId,
  checksumTypeId,
} from "./checksum-type.js";

export const BLOCK_HEADER_LENGTH = 33;

/** The 33 bytes in front of every block, checked; see docs/spec/hfile.md#2-block-header. */
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
 *
 * @param available bytes that the block may take at most, from its start
 * @throws CFileError `E_TRUNCATED` when `bytes` or `available` end before the block does, `E_CORRUPT` for sizes that
 *   contradict each other and unknown magics, `E_LIMIT` for a block larger than allowed
 */
export function parseBlockHeader(
  bytes: Uint8Array,
  start: number,
  available: number,
  limits: Limits,
): HFileBlockHeader {
  if (bytes.length - start < BLOCK_HEADER_LENGTH || available < BLOCK_HEADER_LENGTH) {
    throw new CFileError("E_TRUNCATED", "block header is truncated", {
      offset: 0,
      field: "block header",
      expected: BLOCK_HEADER_LENGTH,
      actual: Math.min(bytes.length - start, available),
    });
  }
  const kind = blockKindAt(bytes, start);
  if (kind === undefined) {
    const magic = JSON.stringify(magicAt(bytes, start));
    throw corrupt(`unknown block magic ${magic}`, { offset: 0, field: "block magic", actual: magic });
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, BLOCK_HEADER_LENGTH);
  const sizeWithoutHeader = view.getInt32(8);
  const uncompressedSize = view.getInt32(12);
  const checksumsStart = view.getInt32(29);
  const size = BLOCK_HEADER_LENGTH + sizeWithoutHeader;
  require(sizeWithoutHeader >= 0, 8, "on-disk size", sizeWithoutHeader);
  require(uncompressedSize >= 0, 12, "uncompressed size", uncompressedSize);
  require(checksumsStart >= BLOCK_HEADER_LENGTH &&
    checksumsStart <= size, 29, "on-disk data size with header", checksumsStart);
  if (size > limits.maxStoredBlockSize) {
    throw new CFileError(
      "E_LIMIT",
      `block of ${size} bytes exceeds maxStoredBlockSize ${limits.maxStoredBlockSize}`,
      {
        offset: 8,
        field: "on-disk size",
        expected: limits.maxStoredBlockSize,
        actual: size,
      },
    );
  }
  if (size > available) {
    throw new CFileError("E_TRUNCATED", `block of ${size} bytes is truncated to ${available}`, {
      offset: 8,
      field: "on-disk size",
      expected: size,
      actual: available,
    });
  }
  const checksumType = checksumTypeFromId(view.getUint8(24));
  const bytesPerChecksum = view.getInt32(25);
  if (checksumType !== "NULL" || size > checksumsStart) {
    require(bytesPerChecksum > 0, 25, "bytes per checksum", bytesPerChecksum);
    const stored = size - checksumsStart;
    const expected = checksumAreaLength(checksumsStart, bytesPerChecksum);
    // Without checksums the area may be left out.
    if (stored !== expected && !(checksumType === "NULL" && stored === 0)) {
      throw corrupt(`checksums take ${stored} bytes, expected ${expected}`, {
        offset: 29,
        field: "on-disk data size with header",
        expected,
        actual: stored,
      });
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

function require(holds: boolean, offset: number, field: string, actual: number): void {
  if (!holds) {
    throw corrupt(`invalid ${field} of a block: ${actual}`, { offset, field, actual });
  }
}

/** Appends a header. */
export function writeBlockHeader(out: ByteBuilder, header: HFileBlockHeader): void {
  out.append(asciiBytes(magicOf(header.kind)));
  out.u32be(header.size - BLOCK_HEADER_LENGTH);
  out.u32be(header.uncompressedSize);
  out.u32be(Math.floor(header.previousOffset / 2 ** 32) >>> 0);
  out.u32be(header.previousOffset >>> 0);
  out.u8(checksumTypeId(header.checksumType));
  out.u32be(header.bytesPerChecksum);
  out.u32be(header.checksumsStart);
}
