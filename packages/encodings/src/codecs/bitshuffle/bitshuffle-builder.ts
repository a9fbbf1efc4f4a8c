/** Builder of bitshuffle blocks (docs/spec/cfile.md#58-bitshuffle); their layout stands in `bitshuffle-block.ts`. */
import { encodeChunks } from "@cfile/bitshuffle";
import { ByteBuilder, invalidArgument } from "@cfile/bytes";
import type { Kernels } from "@cfile/kernels";
import { requireRange } from "../../conditions/value-range.js";
import { requireOrdinal } from "../../keys/ordinal.js";
import { type FixedPhysicalType, physicalWidth } from "../../types/data-type.js";
import { bytesOf, type FixedValues, type Vector } from "../../types/vector.js";
import type { BlockBuilder, BlockBuilderOptions } from "../block-codec.js";
import { paddedCount, SIZE_POSITION } from "./bitshuffle-block.js";

/** Builds bitshuffle blocks of at most `floor(block size / width)` values. */
export class BitshuffleBuilder implements BlockBuilder {
  private readonly physical: FixedPhysicalType;
  private readonly width: number;
  private readonly capacity: number;
  private readonly kernels: Kernels | undefined;
  private readonly reuseMemory: boolean;
  private readonly elements = new ByteBuilder(1024);
  private readonly block = new ByteBuilder(1024);
  private values = 0;

  constructor(physical: FixedPhysicalType, options: BlockBuilderOptions) {
    this.physical = physical;
    this.width = physicalWidth(physical);
    this.capacity = Math.floor(options.blockSize / this.width);
    this.kernels = options.kernels;
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
    const words =
      this.physical === "UINT32"
        ? this.kernels?.bitshuffleEncodeWords(this.paddedElements(padded, this.width), padded)
        : undefined;
    const size = words?.size ?? this.elementSize();
    block.u32le(ordinal);
    block.u32le(values);
    block.u32le(0);
    block.u32le(padded);
    block.u32le(size);
    if (words === undefined) {
      encodeChunks(this.paddedElements(padded, size), size, padded, block, this.kernels);
    } else {
      block.append(words.stream);
    }
    block.setU32le(SIZE_POSITION, block.length);
    const bytes = block.take(this.reuseMemory);
    elements.clear();
    this.values = 0;
    return bytes;
  }

  private uint32Values(): Uint32Array {
    const buffer = this.elements.reserve(0);
    return new Uint32Array(buffer.buffer, buffer.byteOffset, this.values);
  }

  private elementSize(): number {
    if (this.physical !== "UINT32") {
      return this.width;
    }
    let bits = 0;
    const values = this.uint32Values();
    for (let i = 0; i < values.length; i++) {
      bits |= values[i] as number;
    }
    return bits >>> 8 === 0 ? 1 : bits >>> 16 === 0 ? 2 : 4;
  }

  /** The elements in `size` bytes each, with zeros for those behind the last value. */
  private paddedElements(padded: number, size: number): Uint8Array {
    if (size < this.width) {
      const narrow = size === 1 ? new Uint8Array(padded) : new Uint16Array(padded);
      narrow.set(this.uint32Values());
      return bytesOf(narrow);
    }
    const { elements } = this;
    const end = padded * size;
    return elements.reserve(end - elements.length).fill(0, elements.length, end);
  }
}

/** A builder of bitshuffle blocks. It takes `floor(block size / width)` values a block, never more. */
export function createBitshuffleBuilder(
  physical: FixedPhysicalType,
  options: BlockBuilderOptions,
): BlockBuilder {
  return new BitshuffleBuilder(physical, options);
}
