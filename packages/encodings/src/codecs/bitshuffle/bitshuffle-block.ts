/**
 * Bitshuffle blocks (docs/spec/cfile.md#58-bitshuffle).
 *
 * | offset | width | meaning |
 * | --- | --- | --- |
 * | 0 | 4 | u32le ordinal |
 * | 4 | 4 | u32le count n |
 * | 8 | 4 | u32le size of the block, this header included |
 * | 12 | 4 | u32le padded count p: n rounded up to a multiple of 8 |
 * | 16 | 4 | u32le element size e in bytes |
 * | 20 | rest | chunk stream of p elements; those after the first n are zero |
 *
 * The element size is the type's width. Only UINT32 values are stored in 1 or 2 bytes when all of them fit.
 */
import { ChunkStream, portableBitshuffle } from "@cfile/bitshuffle";
import { ByteReader, freshMemory } from "@cfile/bytes";
import { type BitshuffleDecoder, portableDecoders } from "@cfile/kernels";
import { seekIntegers } from "../../keys/seek-target.js";
import { readInt128 } from "../../types/cell-value.js";
import { aboveLimit, badField, DECODED, requireRange } from "../../types/checks.js";
import { type FixedPhysicalType, physicalWidth } from "../../types/data-type.js";
import type { FixedValues, FixedVector } from "../../types/vector.js";
import { allocateFixed, bytesOf, elementsPerValue } from "../../types/vector.js";
import { type BlockDecoder, DEFAULT_MAX_DECODED_BYTES, type DecodeContext } from "../block-codec.js";

const HEADER_LENGTH = 20;
export const SIZE_POSITION = 8;
const PADDED_POSITION = 12;
export const ELEMENT_SIZE_POSITION = 16;

/** Values are shuffled in groups of 8. */
export function paddedCount(count: number): number {
  return Math.ceil(count / 8) * 8;
}

/** An opened bitshuffle block. */
export interface BitshuffleBlock extends BlockDecoder<FixedVector> {
  /** Maximum of the UINT32 values; `undefined` unless all of them were decoded in one pass. */
  largestCode(): number | undefined;
}

/**
 * Opens the bitshuffle block in `bytes[start ..)`. Chunks are decoded on first use and cached.
 *
 * @param context `maxDecodedBytes` bounds the bytes of all values. Default 256 MiB
 * @throws {CFileError} `E_TRUNCATED` or `E_CORRUPT` when the header disagrees with the type or with the bytes,
 *   `E_LIMIT` when the values would take more than `maxDecodedBytes`
 */
export function openBitshuffleBlock(
  physical: FixedPhysicalType,
  bytes: Uint8Array,
  start = 0,
  context: Pick<DecodeContext, "maxDecodedBytes" | "kernels" | "memory"> = {},
): BitshuffleBlock {
  const { maxDecodedBytes = DEFAULT_MAX_DECODED_BYTES, memory = freshMemory } = context;
  const decoder = (context.kernels ?? portableDecoders).bitshuffleDecode(portableBitshuffle);
  const reader = new ByteReader(bytes, start);
  const length = reader.remaining;
  const width = physicalWidth(physical);
  const perValue = elementsPerValue(physical);
  const ordinal = reader.u32le("ordinal");
  const count = reader.u32le("count");
  const size = reader.u32le("block size");
  const padded = reader.u32le("padded count");
  const elementSize = reader.u32le("element size");
  requireField("block size", start + SIZE_POSITION, size, length);
  requireField("padded count", start + PADDED_POSITION, padded, paddedCount(count));
  if (!(physical === "UINT32" && (elementSize === 1 || elementSize === 2))) {
    requireField("element size", start + ELEMENT_SIZE_POSITION, elementSize, width);
  }
  const stream = new ChunkStream(bytes, start + HEADER_LENGTH, bytes.length, elementSize, padded);
  const { chunkElements } = stream;
  if (padded * width > maxDecodedBytes) {
    throw aboveLimit("padded count", padded * width, maxDecodedBytes, start + PADDED_POSITION, DECODED);
  }
  /** Values of the chunks decoded so far, padding included. */
  let values: FixedValues | undefined;
  let largest: number | undefined;
  /** 1 for each decoded chunk. */
  const decoded = new Uint8Array(stream.chunkCount);
  /** Whether `decoded` has a 1. */
  let started = false;
  /** The chunk that a search read last. The values of a whole block would be memory that searches mostly never touch. */
  let searched: { readonly chunk: number; readonly values: FixedValues } | undefined;

  /** Decodes all chunks in one pass, which is fastest with SIMD: callers that need more than one chunk mostly need the rest. */
  const decodeAll = (): void => {
    if (physical === "UINT32") {
      const words = decoder.decodeWords(stream, memory);
      values = new Uint32Array(words.codes.buffer, words.codes.byteOffset, padded);
      largest = words.largest;
    } else {
      values ??= allocateFixed(physical, padded, memory);
      decoder.decodeAll(stream, bytesOf(values));
    }
    decoded.fill(1);
    started = true;
  };

  /** Returns the values after decoding at least `from` to `to`. */
  const decodeChunks = (from: number, to: number): FixedValues => {
    if (!started && to - from > chunkElements) {
      decodeAll();
    }
    values ??= allocateFixed(physical, padded, memory);
    const end = Math.ceil(to / chunkElements);
    for (let chunk = Math.floor(from / chunkElements); from < to && chunk < end; chunk++) {
      if (decoded[chunk] === 0) {
        decodeChunk(decoder, stream.chunk(chunk), values, chunk * chunkElements);
        decoded[chunk] = 1;
        started = true;
      }
    }
    return values;
  };

  const chunkOfSearch = (chunk: number): FixedValues => {
    if (searched?.chunk !== chunk) {
      const memoryOfChunk = searched?.values ?? allocateFixed(physical, Math.min(chunkElements, padded));
      // If the chunk is damaged, the memory has no chunk's values.
      searched = undefined;
      decodeChunk(decoder, stream.chunk(chunk), memoryOfChunk, 0);
      searched = { chunk, values: memoryOfChunk };
    }
    return searched.values;
  };

  return {
    ordinal,
    count,
    largestCode: () => largest,
    decode(from, to) {
      requireRange(from, to, count);
      const range = decodeChunks(from, to).subarray(from * perValue, to * perValue);
      return { kind: "fixed", physical, length: to - from, values: range };
    },
    check() {
      decodeChunks(0, count);
    },
    seek(target) {
      return seekIntegers(physical, count, target, (i) => {
        const chunk = Math.floor(i / chunkElements);
        return decoded[chunk] === 1
          ? valueAt(physical, decodeChunks(i, i + 1), i)
          : valueAt(physical, chunkOfSearch(chunk), i - chunk * chunkElements);
      });
    },
  };
}

function valueAt(physical: FixedPhysicalType, values: FixedValues, position: number): number | bigint {
  return physical === "INT128"
    ? readInt128(bytesOf(values), 16 * position)
    : (values[position] as number | bigint);
}

/** @param first position in `values` for the first value of the chunk */
function decodeChunk(
  decoder: BitshuffleDecoder,
  chunk: ChunkStream,
  values: FixedValues,
  first: number,
): void {
  const { elementSize } = chunk;
  if (values instanceof Uint32Array && elementSize < 4) {
    const { codes } = decoder.decodeWords(chunk, freshMemory);
    values.set(codes, first);
  } else {
    decoder.decodeAll(chunk, bytesOf(values).subarray(first * elementSize));
  }
}

function requireField(field: string, offset: number, actual: number, expected: number): void {
  if (actual !== expected) {
    throw badField(field, offset, actual, expected);
  }
}
