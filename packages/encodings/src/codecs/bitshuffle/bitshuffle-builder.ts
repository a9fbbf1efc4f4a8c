/** Builder of bitshuffle blocks (docs/spec/cfile.md#58-bitshuffle); their layout stands in `bitshuffle-block.ts`. */
import { portableShuffle } from "@cfile/bitshuffle/encode";
import { ByteBuilder, invalidArgument } from "@cfile/bytes";
import { type BitshuffleEncoder, portableEncoders } from "@cfile/kernels";
import { requireRange } from "../../conditions/value-range.js";
import { requireOrdinal } from "../../keys/ordinal.js";
import { type FixedPhysicalType, physicalWidth } from "../../types/data-type.js";
import { bytesOf, type FixedValues, type Vector } from "../../types/vector.js";
import type { BlockBuilder, BlockBuilderOptions } from "../block-codec.js";
import { ELEMENT_SIZE_POSITION, paddedCount, SIZE_POSITION } from "./bitshuffle-block.js";

/** Builds bitshuffle blocks of at most `floor(block size / width)` values. */
export class BitshuffleBuilder implements BlockBuilder {
  private readonly physical: FixedPhysicalType;
  private readonly width: number;
  private readonly capacity: number;
  private readonly encoder: BitshuffleEncoder;
  private readonly reuseMemory: boolean;
  private readonly elements = new ByteBuilder(1024);
  private readonly block = new ByteBuilder(1024);
  private values = 0;

  constructor(physical: FixedPhysicalType, options: BlockBuilderOptions) {
    this.physical = physical;
    this.width = physicalWidth(physical);
    this.capacity = Math.floor(options.blockSize / this.width);
    this.encoder = (options.kernels ?? portableEncoders).bitshuffleEncode(portableShuffle);
    this.reuseMemory = options.reuseMemory ?? false;
  }

  get count(): number {
    return this.values;
  }

  get full(): boolean {
    return this.values >= this.capacity;
  }

  /** Values that the block still takes. */
  get room(): number {
    return Math.max(0, this.capacity - this.values);
  }

  /** @throws CFileError `E_INVALID_ARGUMENT` for a vector of another type */
  add(vector: Vector, from: number, to: number, whole = false): number {
    requireRange(from, to, vector.length);
    if (vector.kind !== "fixed" || vector.physical !== this.physical) {
      const actual = vector.kind === "fixed" ? vector.physical : vector.kind;
      throw invalidArgument(`a vector of ${actual} for a block of ${this.physical}`, {
        field: "vector",
        actual,
      });
    }
    return this.addValues(vector.values, from, to, whole);
  }

  unitFree(_vector: Vector, from: number, to: number): number {
    return to - from;
  }

  /** {@link add} for bare values, which must be of the builder's type. */
  addValues(values: FixedValues, from: number, to: number, whole: boolean): number {
    const { width } = this;
    const taken = whole ? to - from : Math.min(to - from, this.room);
    if (values.byteLength < to * width) {
      throw invalidArgument(`${values.byteLength} bytes do not hold ${to} values of ${this.physical}`, {
        field: "vector",
        expected: to * width,
        actual: values.byteLength,
      });
    }
    this.elements.append(bytesOf(values).subarray(from * width, (from + taken) * width));
    this.values += taken;
    return taken;
  }

  finish(ordinal: number): Uint8Array {
    requireOrdinal(ordinal);
    const { block, elements, values } = this;
    const padded = paddedCount(values);
    block.u32le(ordinal);
    block.u32le(values);
    block.u32le(0);
    block.u32le(padded);
    block.u32le(this.width);
    const end = padded * this.width;
    const input = elements.reserve(end - elements.length).fill(0, elements.length, end);
    if (this.physical === "UINT32") {
      block.setU32le(ELEMENT_SIZE_POSITION, this.encoder.encodeWords(input, padded, block));
    } else {
      this.encoder.encode(input, this.width, padded, block);
    }
    block.setU32le(SIZE_POSITION, block.length);
    const bytes = block.take(this.reuseMemory);
    elements.clear();
    this.values = 0;
    return bytes;
  }
}

/** A builder of bitshuffle blocks. It takes `floor(block size / width)` values a block, never more. */
export function createBitshuffleBuilder(
  physical: FixedPhysicalType,
  options: BlockBuilderOptions,
): BlockBuilder {
  return new BitshuffleBuilder(physical, options);
}
