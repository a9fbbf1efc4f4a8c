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
import { type BlockMemory, ByteReader, freshMemory } from "@cfile/bytes";
import { type BitshuffleDecoder, portableDecoders } from "@cfile/kernels";
import { seekIntegers } from "../../keys/seek-target.js";
import { readInt128 } from "../../types/cell-value.js";
import { aboveLimit, badField, DECODED, requireRange } from "../../types/checks.js";
import { type FixedPhysicalType, physicalWidth } from "../../types/data-type.js";
import {
  allocateFixed,
  bytesOf,
  elementsPerValue,
  type FixedValues,
  type FixedVector,
} from "../../types/vector.js";
import {
  type BlockDecoder,
  DEFAULT_MAX_DECODED_BYTES,
  type DecodeContext,
  type SeekPosition,
  type SeekTarget,
} from "../block-codec.js";

const HEADER_LENGTH = 20;
export const SIZE_POSITION = 8;
const PADDED_POSITION = 12;
export const ELEMENT_SIZE_POSITION = 16;

/** Values are shuffled in groups of 8. */
export function paddedCount(count: number): number {
  return Math.ceil(count / 8) * 8;
}

type BitshuffleContext = Pick<DecodeContext, "maxDecodedBytes" | "kernels" | "memory">;

/**
 * Opens the bitshuffle block in `bytes[start ..)`. Chunks are decoded when first needed, and kept.
 *
 * @param context `maxDecodedBytes` bounds the bytes of all values. Default 256 MiB
 * @throws {CFileError} `E_TRUNCATED` or `E_CORRUPT` when the header disagrees with the type or with the bytes,
 *   `E_LIMIT` when the values would take more than `maxDecodedBytes`
 */
export function openBitshuffleBlock(
  physical: FixedPhysicalType,
  bytes: Uint8Array,
  start = 0,
  context: BitshuffleContext = {},
): BitshuffleBlock {
  return new BitshuffleBlock(physical, bytes, start, context);
}

/** An opened bitshuffle block. */
export class BitshuffleBlock implements BlockDecoder {
  readonly ordinal: number;
  readonly count: number;
  /** Maximum of UINT32 values; known when all were decoded at once. */
  largest: number | undefined;
  private readonly physical: FixedPhysicalType;
  private readonly padded: number;
  private readonly elementSize: number;
  private readonly stream: ChunkStream;
  /** Values of the chunks decoded so far, padding included. */
  private values: FixedValues | undefined;
  /** 1 for each decoded chunk. */
  private readonly decoded: Uint8Array;
  /** Whether `decoded` has a 1. */
  private started = false;
  private readonly decoder: BitshuffleDecoder;
  private readonly memory: BlockMemory;

  constructor(physical: FixedPhysicalType, bytes: Uint8Array, start: number, context: BitshuffleContext) {
    const reader = new ByteReader(bytes, start);
    const length = reader.remaining;
    const width = physicalWidth(physical);
    this.physical = physical;
    this.decoder = (context.kernels ?? portableDecoders).bitshuffleDecode(portableBitshuffle);
    this.memory = context.memory ?? freshMemory;
    this.ordinal = reader.u32le("ordinal");
    this.count = reader.u32le("count");
    const size = reader.u32le("block size");
    this.padded = reader.u32le("padded count");
    this.elementSize = reader.u32le("element size");
    requireField("block size", start + SIZE_POSITION, size, length);
    requireField("padded count", start + PADDED_POSITION, this.padded, paddedCount(this.count));
    if (!(physical === "UINT32" && (this.elementSize === 1 || this.elementSize === 2))) {
      requireField("element size", start + ELEMENT_SIZE_POSITION, this.elementSize, width);
    }
    this.stream = new ChunkStream(bytes, start + HEADER_LENGTH, bytes.length, this.elementSize, this.padded);
    const maxBytes = context.maxDecodedBytes ?? DEFAULT_MAX_DECODED_BYTES;
    if (this.padded * width > maxBytes) {
      throw aboveLimit("padded count", this.padded * width, maxBytes, start + PADDED_POSITION, DECODED);
    }
    this.decoded = new Uint8Array(this.stream.chunkCount);
  }

  decode(from: number, to: number): FixedVector {
    requireRange(from, to, this.count);
    const { physical } = this;
    const perValue = elementsPerValue(physical);
    const values = this.decodeChunks(from, to).subarray(from * perValue, to * perValue);
    return { kind: "fixed", physical, length: to - from, values };
  }

  check(): void {
    this.decodeChunks(0, this.count);
  }

  seek(target: SeekTarget): SeekPosition {
    return seekIntegers(this.physical, this.count, target, (position) => {
      const values = this.decodeChunks(position, position + 1);
      return this.physical === "INT128"
        ? readInt128(bytesOf(values), 16 * position)
        : (values[position] as number | bigint);
    });
  }

  /** Makes sure that the chunks of values `from` to `to` are decoded. */
  private decodeChunks(from: number, to: number): FixedValues {
    const { stream, decoded } = this;
    const { chunkElements } = stream;
    if (!this.started && to - from > chunkElements) {
      this.decodeAll();
    }
    this.values ??= allocateFixed(this.physical, this.padded, this.memory);
    const end = Math.ceil(to / chunkElements);
    for (let chunk = Math.floor(from / chunkElements); from < to && chunk < end; chunk++) {
      if (decoded[chunk] === 0) {
        this.decodeChunk(chunk, this.values);
        decoded[chunk] = 1;
        this.started = true;
      }
    }
    return this.values;
  }

  /** Decodes all chunks at once, which SIMD does best: whoever asks for more than one mostly asks for the rest, too. */
  private decodeAll(): void {
    if (this.physical === "UINT32") {
      const { codes, largest } = this.decoder.decodeWords(this.stream, this.memory);
      this.values = new Uint32Array(codes.buffer, codes.byteOffset, this.padded);
      this.largest = largest;
    } else {
      this.values ??= allocateFixed(this.physical, this.padded, this.memory);
      this.decoder.decodeAll(this.stream, bytesOf(this.values));
    }
    this.decoded.fill(1);
    this.started = true;
  }

  private decodeChunk(chunk: number, values: FixedValues): void {
    const { stream, elementSize } = this;
    const first = chunk * stream.chunkElements;
    if (values instanceof Uint32Array && elementSize < 4) {
      const count = stream.elementsIn(chunk);
      const narrow = elementSize === 1 ? new Uint8Array(count) : new Uint16Array(count);
      stream.decodeChunk(chunk, bytesOf(narrow), 0);
      values.set(narrow, first);
    } else {
      stream.decodeChunk(chunk, bytesOf(values), first * elementSize);
    }
  }
}

function requireField(field: string, offset: number, actual: number, expected: number): void {
  if (actual !== expected) {
    throw badField(field, offset, actual, `must be ${expected}`, expected);
  }
}
