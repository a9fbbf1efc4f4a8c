/**
 * The wrapper around every data, index and dictionary block (docs/spec/cfile.md#19-checksum and
 * docs/spec/cfile.md#6-compression-wrapper):
 *
 * | bytes | content |
 * | --- | --- |
 * | 4 | u32le uncompressed size U; only with a codec |
 * | C | the block: compressed, or raw when C = U |
 * | 4 | CRC-32C of all preceding bytes; only with checksums |
 *
 * Version 1 files have two size words (compressed, uncompressed) and no uncompressed blocks.
 */
import {
  type BlockMemory,
  CFileError,
  type CFileErrorDetails,
  freshMemory,
  invalidArgument,
  type Limits,
  mismatch,
  overLimit,
} from "@cfile/bytes";
import type { Codec, Expander } from "@cfile/compression";
import { type DecodeKernels, portableDecoders } from "@cfile/kernels";
import type { CFileVersion } from "../file/magic.js";

/** How the blocks of one file are wrapped. */
export interface BlockWrapping {
  readonly version: CFileVersion;
  readonly checksums: boolean;
  /** `undefined` for a file without compression: its blocks have no size word. */
  readonly codec: Expander | undefined;
  /** Default: the portable kernels. */
  readonly kernels?: DecodeKernels | undefined;
}

/** How the blocks of a new file are wrapped. */
export interface NewBlockWrapping extends BlockWrapping {
  readonly codec: Codec | undefined;
}

/** A block is stored compressed only if that reduces its size to this fraction or less. */
const MIN_COMPRESSION_RATIO = 0.9;

export const CHECKSUM_LENGTH = 4;

/**
 * The content of a stored block. Without a codec it shares memory with `stored`.
 *
 * @param verifyChecksum whether to compare the checksum, if the file has one
 * @throws {CFileError} `E_CHECKSUM`, `E_CORRUPT`, `E_TRUNCATED` or `E_LIMIT`
 */
export function unwrapBlock(
  stored: Uint8Array,
  wrapping: BlockWrapping,
  limits: Limits,
  verifyChecksum: boolean,
  memory: BlockMemory = freshMemory,
): Uint8Array {
  const payload = wrapping.checksums ? checkedPayload(stored, verifyChecksum, wrapping.kernels) : stored;
  return wrapping.codec === undefined
    ? payload
    : expand(payload, wrapping.codec, wrapping.version, limits, memory);
}

function checkedPayload(stored: Uint8Array, verify: boolean, kernels?: DecodeKernels): Uint8Array {
  const end = stored.length - CHECKSUM_LENGTH;
  if (end < 0) {
    throw mismatch("block is too short for its checksum", CHECKSUM_LENGTH, stored.length, {
      field: "checksum",
    });
  }
  if (verify) {
    const expected = u32le(stored, end);
    const actual = checksum(stored, end, kernels);
    if (actual !== expected) {
      throw checksumError({ field: "checksum", offset: end }, expected, actual);
    }
  }
  return stored.subarray(0, end);
}

/** `E_CHECKSUM` for the CRC of a block, header or footer that differs from the stored one. */
export function checksumError(details: CFileErrorDetails, stored: number, computed: number): CFileError {
  const [expected, actual] = [hex32(stored), hex32(computed)];
  const reason = `CRC mismatch (expected ${expected}, found ${actual})`;
  return new CFileError("E_CHECKSUM", reason, { ...details, expected, actual });
}

export function hex32(value: number): string {
  return `0x${value.toString(16).padStart(8, "0")}`;
}

/** The little-endian value of the four bytes at `position`. */
export function u32le(bytes: Uint8Array, position: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + position, 4).getUint32(0, true);
}

/** The CRC-32C of the first `length` bytes. */
function checksum(bytes: Uint8Array, length: number, kernels: DecodeKernels = portableDecoders): number {
  return kernels.crc32c(bytes, 0, length);
}

function expand(
  payload: Uint8Array,
  codec: Expander,
  version: CFileVersion,
  limits: Limits,
  memory: BlockMemory,
): Uint8Array {
  const headerLength = version === 1 ? 8 : 4;
  const field = "uncompressed size";
  if (payload.length < headerLength) {
    throw mismatch("compressed block is too short for its size words", headerLength, payload.length, {
      field,
    });
  }
  const body = payload.subarray(headerLength);
  const size = u32le(payload, headerLength - 4);
  if (size > limits.maxBlockSize) {
    throw overLimit("uncompressed block size", "maxBlockSize", limits, size, { field });
  }
  if (version === 1) {
    const compressed = u32le(payload, 0);
    if (compressed !== body.length) {
      throw mismatch("wrong compressed size", body.length, compressed, { field: "compressed size" });
    }
  } else if (body.length > size) {
    throw mismatch("block expands to less than its compressed bytes", `>= ${body.length}`, size, { field });
  } else if (body.length === size) {
    return body;
  }
  const expanded = codec.expand?.(body, size);
  if (expanded !== undefined) {
    return expanded;
  }
  const output = new Uint8Array(memory.take(size), 0, size);
  codec.decompress(body, output);
  return output;
}

/**
 * Wraps a block (version 2).
 *
 * @param isOwned whether the result may use the block's memory, which must have room for a checksum after the block
 * @throws {CFileError} `E_INVALID_ARGUMENT` when a block to be compressed is larger than `limits.maxBlockSize`
 */
export function wrapBlock(
  block: Uint8Array,
  wrapping: NewBlockWrapping,
  limits: Limits,
  isOwned = false,
): Uint8Array {
  const { codec, checksums, kernels } = wrapping;
  if (isOwned && codec === undefined) {
    return checksums ? withChecksum(block, kernels) : block;
  }
  const payload = codec === undefined ? block : smallerForm(block, codec, limits);
  const sizeWord = codec === undefined ? 0 : 4;
  const end = sizeWord + payload.length;
  const stored = new Uint8Array(end + (checksums ? CHECKSUM_LENGTH : 0));
  const view = new DataView(stored.buffer);
  if (codec !== undefined) {
    view.setUint32(0, block.length, true);
  }
  stored.set(payload, sizeWord);
  if (checksums) {
    view.setUint32(end, checksum(stored, end, kernels), true);
  }
  return stored;
}

/** Writes the checksum into the memory after the block. */
function withChecksum(block: Uint8Array, kernels?: DecodeKernels): Uint8Array {
  const { buffer, byteOffset, length } = block;
  const stored = new Uint8Array(buffer, byteOffset, length + CHECKSUM_LENGTH);
  new DataView(buffer, byteOffset + length).setUint32(0, checksum(block, length, kernels), true);
  return stored;
}

/** The compressed block if that is worthwhile, else the block itself. */
function smallerForm(block: Uint8Array, codec: Codec, limits: Limits): Uint8Array {
  if (block.length > limits.maxBlockSize) {
    const { length } = block;
    const reason = `block of ${length} bytes exceeds maxBlockSize (${limits.maxBlockSize}); use a smaller blockSize or batchRows`;
    throw invalidArgument(reason, { field: "block size", expected: limits.maxBlockSize, actual: length });
  }
  const compressed = codec.compress(block);
  const isWorthwhile =
    compressed.length < block.length && compressed.length / block.length <= MIN_COMPRESSION_RATIO;
  return isWorthwhile ? compressed : block;
}
