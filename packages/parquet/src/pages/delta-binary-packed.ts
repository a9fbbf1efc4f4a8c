/**
 * DELTA_BINARY_PACKED: integers as differences to the previous one, in blocks of miniblocks, each with its own bit width.
 *
 * | bytes | meaning |
 * | --- | --- |
 * | varints | values per block, miniblocks per block, total values; zigzag: the first value |
 * | per block: zigzag varint | the minimum difference |
 * | 1 per miniblock | width of its differences, in bits |
 * | n | bit-packed differences minus the minimum; none after the last value |
 */
import { type ByteReader, CFileError, corrupt } from "@cfile/bytes";
import { DEFAULT_MAX_DECODED_BYTES } from "@cfile/encodings";
import { packedByteLength, unpackBits } from "@cfile/encodings/rle";
import { readVarint32, readVarint64BigInt } from "@cfile/varint";

const FIELD = "DELTA_BINARY_PACKED";
/** Writers use 128. */
const MAX_BLOCK = 1 << 20;

/**
 * Reads `count` integers.
 * @returns `width` bytes per value, little-endian; sums wrap around
 * @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT`; `E_LIMIT` for more integers than the bytes or the memory limit allow
 */
export function readDeltaIntegers(reader: ByteReader, count: number, width: 4 | 8): Uint8Array {
  const offset = reader.position;
  const blockValues = readVarint32(reader, FIELD);
  const miniblocks = readVarint32(reader, FIELD);
  const total = readVarint32(reader, FIELD);
  const miniValues = blockValues / miniblocks;
  if (!(Number.isInteger(miniValues) && miniValues > 0 && miniValues % 8 === 0 && blockValues <= MAX_BLOCK)) {
    const reason = `invalid block size: ${blockValues} values in ${miniblocks} miniblocks`;
    throw corrupt(reason, { offset, field: FIELD });
  }
  if (total !== count) {
    const reason = `invalid number of values: ${total} (expected ${count})`;
    throw corrupt(reason, { offset, field: FIELD, actual: total });
  }
  // Every miniblock takes at least one byte, for its width.
  const maxCount = 1 + reader.remaining * miniValues;
  if (count > maxCount || count * width > DEFAULT_MAX_DECODED_BYTES) {
    const details = { offset, field: FIELD, actual: count };
    throw new CFileError("E_LIMIT", `${count} integers in ${reader.remaining} bytes`, details);
  }
  const words = width === 8 ? 2 : 1;
  const output = new Int32Array(count * words);
  const last = zigzag(reader);
  output.set(last.subarray(0, Math.min(words, output.length)));
  const packed = new BigUint64Array(miniValues);
  const differences = new Int32Array(packed.buffer);
  for (let done = 1; done < count; ) {
    const minDelta = zigzag(reader);
    const widths = reader.take(miniblocks, FIELD);
    for (let i = 0; i < miniblocks && done < count; i++) {
      unpackMiniblock(reader, widths[i] as number, packed);
      const end = Math.min(count, done + miniValues);
      addDifferences(output.subarray(done * words, end * words), words, last, minDelta, differences);
      done = end;
    }
  }
  return new Uint8Array(output.buffer);
}

/** A number as low and high word. */
function zigzag(reader: ByteReader): Int32Array {
  const value = readVarint64BigInt(reader, FIELD);
  return new Int32Array(BigInt64Array.of((value >> 1n) ^ -(value & 1n)).buffer);
}

function unpackMiniblock(reader: ByteReader, width: number, packed: BigUint64Array): void {
  if (width > 64) {
    const reason = `invalid width of differences: ${width} bits (must be at most 64)`;
    throw corrupt(reason, { offset: reader.position, field: FIELD, actual: width });
  }
  if (width === 0) {
    packed.fill(0n);
    return;
  }
  const start = reader.position;
  reader.skip(packedByteLength(packed.length, width), FIELD);
  unpackBits(reader.bytes.subarray(start), width, packed.length, packed);
}

/** Fills `output` with values, each the previous one plus `minDelta` plus a difference; sets `last` to the last of them. */
function addDifferences(
  output: Int32Array,
  words: 1 | 2,
  last: Int32Array,
  minDelta: Int32Array,
  differences: Int32Array,
): void {
  let low = (last[0] as number) >>> 0;
  let high = last[1] as number;
  const minLow = (minDelta[0] as number) >>> 0;
  const minHigh = minDelta[1] as number;
  for (let at = 0, i = 0; at < output.length; at += words, i += 2) {
    const exact = low + minLow + ((differences[i] as number) >>> 0);
    low = exact >>> 0;
    high = (high + minHigh + (differences[i + 1] as number) + Math.floor(exact / 2 ** 32)) | 0;
    output[at] = low;
    if (words === 2) {
      output[at + 1] = high;
    }
  }
  last[0] = low;
  last[1] = high;
}
