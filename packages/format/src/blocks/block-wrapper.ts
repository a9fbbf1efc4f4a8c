/**
 * What stands around every block, data, index and dictionary alike (docs/spec/cfile.md#19-checksum and
 * docs/spec/cfile.md#6-compression-wrapper):
 *
 * | bytes | content |
 * | --- | --- |
 * | 4 | u32le uncompressed size U; with a codec only |
 * | C | the block: compressed, or raw when C = U |
 * | 4 | CRC-32C of all before; with checksums only |
 *
 * Version 1 files have two size words (compressed, uncompressed) and no raw form.
 */
import { type BlockMemory, CFileError, corrupt, freshMemory, type Limits } from "@cfile/bytes";
import type { Codec, Expander } from "@cfile/compression";
import { type DecodeKernels, portableDecoders } from "@cfile/kernels";
import type { CFileVersion } from "../file/magic.js";

/** How the blocks of one file are wrapped. */
export interface BlockWrapping {
  readonly version: CFileVersion;
  readonly checksums: boolean;
  /** `undefined` for a file without compression: blocks then have no size word. */
  readonly codec: Expander | undefined;
  /** A faster way to checksums, where there is one. */
  readonly kernels?: DecodeKernels | undefined;
}

/** How the blocks of a file are to be wrapped. */
export interface NewBlockWrapping extends BlockWrapping {
  readonly codec: Codec | undefined;
}

/** A block is stored compressed only if that leaves at most this part of it. */
const MIN_COMPRESSION_RATIO = 0.9;

export const CHECKSUM_LENGTH = 4;

/**
 * The block inside its stored form. Without a codec the result shares memory with `stored`.
 *
 * @param verifyChecksum whether to compare the checksum, where the file has one
 * @throws CFileError `E_CHECKSUM`, `E_CORRUPT`, `E_TRUNCATED` or `E_LIMIT`
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
    throw corrupt(`a block of ${stored.length} bytes has no room for its checksum`, { field: "checksum" });
  }
  if (verify) {
    const expected = new DataView(stored.buffer, stored.byteOffset + end, 4).getUint32(0, true);
    const actual = checksum(stored, end, kernels);
    if (actual !== expected) {
      throw new CFileError("E_CHECKSUM", "the block's checksum does not match its bytes", {
        field: "checksum",
        offset: end,
        expected: `0x${expected.toString(16).padStart(8, "0")}`,
        actual: `0x${actual.toString(16).padStart(8, "0")}`,
      });
    }
  }
  return stored.subarray(0, end);
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
  if (payload.length < headerLength) {
    throw corrupt(`a compressed block of ${payload.length} bytes has no size word`, {
      field: "uncompressed size",
      expected: headerLength,
      actual: payload.length,
    });
  }
  const view = new DataView(payload.buffer, payload.byteOffset, headerLength);
  const body = payload.subarray(headerLength);
  const size = view.getUint32(headerLength - 4, true);
  if (size > limits.maxBlockSize) {
    throw new CFileError(
      "E_LIMIT",
      `a block expands to ${size} bytes, maxBlockSize is ${limits.maxBlockSize}`,
      {
        field: "uncompressed size",
        expected: limits.maxBlockSize,
        actual: size,
      },
    );
  }
  if (version === 1) {
    const compressed = view.getUint32(0, true);
    if (compressed !== body.length) {
      throw corrupt(`compressed size is ${compressed}, the block holds ${body.length} bytes`, {
        field: "compressed size",
        expected: body.length,
        actual: compressed,
      });
    }
  } else if (body.length > size) {
    throw corrupt(`${body.length} stored bytes claim to expand to ${size}`, {
      field: "uncompressed size",
      actual: size,
    });
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
 * The stored form (version 2) of a block.
 *
 * @param isGiven whether the block's memory, with room for a checksum behind it, may be used for the stored form
 * @throws CFileError `E_INVALID_ARGUMENT` when a block for a file with a codec is larger than `limits.maxBlockSize`
 */
export function wrapBlock(
  block: Uint8Array,
  wrapping: NewBlockWrapping,
  limits: Limits,
  isGiven = false,
): Uint8Array {
  const { codec, checksums, kernels } = wrapping;
  if (isGiven && codec === undefined) {
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

/** The block and its checksum, in the memory in which the block stands. */
function withChecksum(block: Uint8Array, kernels?: DecodeKernels): Uint8Array {
  const { buffer, byteOffset, length } = block;
  const stored = new Uint8Array(buffer, byteOffset, length + CHECKSUM_LENGTH);
  new DataView(buffer, byteOffset + length).setUint32(0, checksum(block, length, kernels), true);
  return stored;
}

/** The compressed block where that is worthwhile, else the block itself. */
function smallerForm(block: Uint8Array, codec: Codec, limits: Limits): Uint8Array {
  if (block.length > limits.maxBlockSize) {
    throw new CFileError(
      "E_INVALID_ARGUMENT",
      `a block of ${block.length} bytes is above maxBlockSize (${limits.maxBlockSize}); use a smaller blockSize or batchRows`,
      { field: "block size", expected: limits.maxBlockSize, actual: block.length },
    );
  }
  const compressed = codec.compress(block);
  const isWorthwhile =
    compressed.length < block.length && compressed.length / block.length <= MIN_COMPRESSION_RATIO;
  return isWorthwhile ? compressed : block;
}
