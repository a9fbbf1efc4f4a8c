/** Builder of bitshuffle blocks (docs/spec/cfile.md#58-bitshuffle); see `bitshuffle-block.ts` for their layout. */
import { portableShuffle } from "@cfile/bitshuffle/encode";
import { ByteBuilder } from "@cfile/bytes";
import { type BitshuffleEncoder, portableEncoders } from "@cfile/kernels";
import { type FixedPhysicalType, physicalWidth } from "../../types/data-type.js";
import { bytesOf, type FixedValues, type Vector } from "../../types/vector.js";
import type { BlockBuilder, BlockBuilderOptions } from "../block-codec.js";
import { requireFixed } from "../builder-input.js";
import { requireOrdinal } from "../headers/count-header.js";
import { ELEMENT_SIZE_POSITION, paddedCount, SIZE_POSITION } from "./bitshuffle-block.js";

/** Builds bitshuffle blocks of at most `floor(block size / width)` values. */
export class BitshuffleBuilder implements BlockBuilder {
  count = 0;
  private readonly physical: FixedPhysicalType;
  private readonly width: number;
  private readonly capacity: number;
  private readonly encoder: BitshuffleEncoder;
  private readonly reuseMemory: boolean;
  private readonly elements = new ByteBuilder(1024);
  private readonly block = new ByteBuilder(1024);

  constructor(physical: FixedPhysicalType, options: BlockBuilderOptions) {
    this.physical = physical;
    this.width = physicalWidth(physical);
    this.capacity = Math.floor(options.blockSize / this.width);
    this.encoder = (options.kernels ?? portableEncoders).bitshuffleEncode(portableShuffle);
    this.reuseMemory = options.reuseMemory ?? false;
  }

  get full(): boolean {
    return this.count >= this.capacity;
  }

  /** Number of values that still fit in the block. */
  get room(): number {
    return Math.max(0, this.capacity - this.count);
  }

  add(vector: Vector, from: number, to: number, whole = false): number {
    return this.addValues(requireFixed(vector, this.physical, from, to), from, to, whole);
  }

  unitFree(_vector: Vector, from: number, to: number): number {
    return to - from;
  }

  /** {@link add} for values of the builder's type, without checks. */
  addValues(values: FixedValues, from: number, to: number, whole: boolean): number {
    const { width } = this;
    const taken = whole ? to - from : Math.min(to - from, this.room);
    this.elements.append(bytesOf(values).subarray(from * width, (from + taken) * width));
    this.count += taken;
    return taken;
  }

  finish(ordinal: number): Uint8Array {
    requireOrdinal(ordinal);
    const { block, count, elements } = this;
    const padded = paddedCount(count);
    for (const field of [ordinal, count, 0, padded, this.width]) {
      block.u32le(field);
    }
    const end = padded * this.width;
    const input = elements.reserve(end - elements.length).fill(0, elements.length, end);
    if (this.physical === "UINT32") {
      block.setU32le(ELEMENT_SIZE_POSITION, this.encoder.encodeWords(input, padded, block));
    } else {
      this.encoder.encode(input, this.width, padded, block);
    }
    block.setU32le(SIZE_POSITION, block.length);
    elements.clear();
    this.count = 0;
    return block.take(this.reuseMemory);
  }
}

/** A builder of bitshuffle blocks. It takes exactly `floor(block size / width)` values per block unless `whole` is set. */
export function createBitshuffleBuilder(
  physical: FixedPhysicalType,
  options: BlockBuilderOptions,
): BlockBuilder {
  return new BitshuffleBuilder(physical, options);
}
