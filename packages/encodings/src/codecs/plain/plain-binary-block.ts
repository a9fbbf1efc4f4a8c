/** Decoder of plain binary blocks (docs/spec/cfile.md#53-plain-binary); see `plain-binary-builder.ts` for their layout. */
import { type BlockMemory, ByteReader, freshMemory } from "@cfile/bytes";
import { portableDecoders, type ReadOffsets, type StoredOffsets } from "@cfile/kernels";
import { MIN_GROUP_LENGTH, readGroupVarintSequence } from "@cfile/varint/group-varint";
import { MAX_BINARY_BYTES, tooManyBytes } from "../../batch/binary-values.js";
import { seekBytes } from "../../keys/seek-target.js";
import { badField, requireRange } from "../../types/checks.js";
import type { BinaryVector } from "../../types/vector.js";
import type { BlockDecoder, DecodeContext, SeekPosition, SeekTarget } from "../block-codec.js";

/** Bytes before the values. */
export const HEADER_LENGTH = 12;

type PlainBinaryContext = Pick<DecodeContext, "kernels" | "memory">;

/**
 * Opens the plain binary block in `bytes[start ..)`.
 *
 * @throws {CFileError} `E_TRUNCATED` or `E_CORRUPT` when header and offsets do not fit the bytes
 */
export function openPlainBinaryBlock(
  bytes: Uint8Array,
  start = 0,
  context: PlainBinaryContext = {},
): PlainBinaryBlock {
  return new PlainBinaryBlock(bytes, start, context);
}

export class PlainBinaryBlock implements BlockDecoder {
  readonly ordinal: number;
  readonly count: number;
  private readonly bytes: Uint8Array;
  private readonly start: number;
  /** End of the values and start of the offsets, counted from `start`. */
  private readonly offsetsPosition: number;
  private vector: BinaryVector | undefined;
  private readonly readOffsets: ReadOffsets;
  private readonly memory: BlockMemory;

  constructor(bytes: Uint8Array, start: number, context: PlainBinaryContext) {
    const reader = new ByteReader(bytes, start);
    const { remaining } = reader;
    this.bytes = bytes;
    this.start = start;
    this.readOffsets = (context.kernels ?? portableDecoders).readOffsets(readStoredOffsets);
    this.memory = context.memory ?? freshMemory;
    this.ordinal = reader.u32le("ordinal");
    this.count = reader.u32le("count");
    const position = reader.u32le("offsets position");
    if (position < HEADER_LENGTH || position > remaining) {
      throw badField("offsets position", start + 8, position, `must be ${HEADER_LENGTH} to ${remaining}`);
    }
    if (position > MAX_BINARY_BYTES) {
      throw tooManyBytes("block");
    }
    this.offsetsPosition = position;
    reader.skip(position - HEADER_LENGTH, "values");
    reader.require(Math.ceil(this.count / 4) * MIN_GROUP_LENGTH, "offsets");
  }

  decode(from: number, to: number): BinaryVector {
    requireRange(from, to, this.count);
    const { offsets, data } = this.all();
    return { kind: "binary", length: to - from, offsets: offsets.subarray(from, to + 1), data };
  }

  check(): void {
    this.all();
  }

  seek(target: SeekTarget): SeekPosition {
    return seekBytes(this.all(), this.count, target);
  }

  private all(): BinaryVector {
    this.vector ??= this.readAll();
    return this.vector;
  }

  private readAll(): BinaryVector {
    const { bytes, count, offsetsPosition: last, start: blockStart } = this;
    const start = blockStart + last;
    const offsets = this.readOffsets({ bytes, start, count, first: HEADER_LENGTH, last }, this.memory);
    return { kind: "binary", length: count, offsets, data: bytes.subarray(blockStart, start) };
  }
}

function readStoredOffsets(stored: StoredOffsets, memory: BlockMemory): Int32Array {
  const { bytes, start, count, first, last } = stored;
  const offsets = new Int32Array(memory.take(4 * (count + 1)), 0, count + 1);
  readGroupVarintSequence(new ByteReader(bytes, start), count, offsets, 0, "offsets");
  offsets[count] = last;
  let previous = first;
  for (let i = 0; i <= count; i++) {
    const offset = offsets[i] as number;
    if (offset < previous) {
      const index = Math.min(i, count - 1);
      const actual = (offsets[index] as number) >>> 0;
      throw badField("offsets", start, actual, `value ${index} must start at the last one's end or later`);
    }
    previous = offset;
  }
  return offsets;
}
