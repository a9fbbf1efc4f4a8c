/**
 * DELTA_BINARY_PACKED: integers as differences to the one before, in blocks of miniblocks that have a width each.
 *
 * | bytes | meaning |
 * | --- | --- |
 * | varints | values of a block, miniblocks of a block, values in all; zigzag: the first value |
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
 * @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT`; `E_LIMIT` for more integers than the bytes can hold, or memory is for
 */
export function readDeltaIntegers(reader: ByteReader, count: number, width: 4 | 8): Uint8Array {
  const offset = reader.position;
  const blockValues = readVarint32(reader, FIELD);
  const miniblocks = readVarint32(reader, FIELD);
  const total = readVarint32(reader, FIELD);
  const miniValues = blockValues / miniblocks;
  if (!(Number.isInteger(miniValues) && miniValues > 0 && miniValues % 8 === 0 && blockValues <= MAX_BLOCK)) {
    throw corrupt(`blocks of ${blockValues} values in ${miniblocks} parts`, { offset, field: FIELD });
  }
  if (total !== count) {
    throw corrupt(`${total} values, ${count} are expected`, { offset, field: FIELD, actual: total });
  }
  // Every miniblock takes at least the byte with its width.
  const most = 1 + reader.remaining * miniValues;
  if (count > most || count * width > DEFAULT_MAX_DECODED_BYTES) {
    throw new CFileError("E_LIMIT", `${count} integers in ${reader.remaining} bytes`, {
      offset,
      field: FIELD,
      actual: count,
    });
  }
  const sums = new RunningSum(count, width === 8 ? 2 : 1, zigzag(reader));
  const packed = new BigUint64Array(miniValues);
  const differences = new Int32Array(packed.buffer);
  for (let done = 1; done < count; ) {
    const least = zigzag(reader);
    const widths = reader.take(miniblocks, FIELD);
    for (let i = 0; i < miniblocks && done < count; i++) {
      unpackMiniblock(reader, widths[i] as number, packed);
      const taken = Math.min(miniValues, count - done);
      sums.add(least, differences, taken);
      done += taken;
    }
  }
  return new Uint8Array(sums.output.buffer);
}

/** A number as low and high word. */
function zigzag(reader: ByteReader): Int32Array {
  const value = readVarint64BigInt(reader, FIELD);
  return new Int32Array(BigInt64Array.of((value >> 1n) ^ -(value & 1n)).buffer);
}

function unpackMiniblock(reader: ByteReader, width: number, packed: BigUint64Array): void {
  if (width > 64) {
    throw corrupt(`differences of ${width} bits`, { offset: reader.position, field: FIELD, actual: width });
  }
  if (width === 0) {
    packed.fill(0n);
    return;
  }
  const start = reader.position;
  reader.skip(packedByteLength(packed.length, width), FIELD);
  unpackBits(reader.bytes.subarray(start), width, packed.length, packed);
}

/** The decoded values, of one or two words, and the last one. */
class RunningSum {
  readonly output: Int32Array;
  private readonly words: 1 | 2;
  private at: number;
  private low: number;
  private high: number;

  constructor(count: number, words: 1 | 2, first: Int32Array) {
    this.output = new Int32Array(count * words);
    this.words = words;
    this.at = words;
    this.low = (first[0] as number) >>> 0;
    this.high = first[1] as number;
    if (count > 0) {
      this.output.set(first.subarray(0, words));
    }
  }

  /** Appends values, each the previous one plus `least` plus a difference. */
  add(least: Int32Array, differences: Int32Array, count: number): void {
    const { output, words } = this;
    let { low, high, at } = this;
    const leastLow = (least[0] as number) >>> 0;
    const leastHigh = least[1] as number;
    for (let i = 0; i < count; i++, at += words) {
      const exact = low + leastLow + ((differences[2 * i] as number) >>> 0);
      low = exact >>> 0;
      high = (high + leastHigh + (differences[2 * i + 1] as number) + Math.floor(exact / 2 ** 32)) | 0;
      output[at] = low;
      if (words === 2) {
        output[at + 1] = high;
      }
    }
    this.low = low;
    this.high = high;
    this.at = at;
  }
}
