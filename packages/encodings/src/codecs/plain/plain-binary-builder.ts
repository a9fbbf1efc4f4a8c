/**
 * Builder of plain binary blocks (docs/spec/cfile.md#53-plain-binary), the encoding of values and of dictionaries.
 *
 * | offset | width | meaning |
 * | --- | --- | --- |
 * | 0 | 4 | u32le ordinal |
 * | 4 | 4 | u32le count n |
 * | 8 | 4 | u32le offsets position P |
 * | 12 | P - 12 | values back to back |
 * | P | rest | group varint sequence of the n start offsets, relative to byte 0 |
 *
 * A value ends where the next one starts, the last one at P.
 */
import { type HeldWords, portableEncoders, type WriteOffsets } from "@cfile/kernels";
import { writeGroupVarintSequence } from "@cfile/varint/group-varint";
import { MAX_BINARY_BYTES, tooManyBytes } from "../../batch/binary-values.js";
import { copyRange } from "../../batch/copy-range.js";
import type { Vector } from "../../types/vector.js";
import type { BlockBuilder, BlockBuilderOptions } from "../block-codec.js";
import { binaryValues, misplacedValue, requireInside } from "../builder-input.js";
import { requireOrdinal } from "../headers/count-header.js";
import { TransferableByteBuilder } from "../transferable-byte-builder.js";
import { HEADER_LENGTH } from "./plain-binary-block.js";

/** Bytes of an offset in a group varint. */
function offsetLength(offset: number): number {
  return offset < 0x100 ? 1 : offset < 0x10000 ? 2 : offset < 0x1000000 ? 3 : 4;
}

const writeStoredOffsets: WriteOffsets = (offsets, count, out) =>
  writeGroupVarintSequence(out, offsets, 0, count);

/**
 * Builds plain binary blocks. Stops right after the value that makes the estimate
 * `12 + ceil(n / 4) + sum(bytes of offset + bytes of value)` exceed the block size.
 */
export class PlainBinaryBuilder implements BlockBuilder {
  count = 0;
  readonly givesMemory: boolean;
  private readonly blockSize: number;
  private readonly reuseMemory: boolean;
  private readonly tail: number | undefined;
  private readonly writeOffsets: WriteOffsets;
  /** The values, after space reserved for the header. */
  private readonly content = new TransferableByteBuilder(1024);
  /** Start offset of each value. */
  private starts = new Int32Array(64);
  /** Bytes of all values and of their offsets. */
  private valueBytes = 0;

  constructor({ blockSize, kernels, reuseMemory = false, tail }: BlockBuilderOptions) {
    this.blockSize = blockSize;
    this.writeOffsets = (kernels ?? portableEncoders).writeOffsets(writeStoredOffsets);
    this.reuseMemory = reuseMemory;
    this.tail = tail;
    this.givesMemory = tail !== undefined;
    this.content.length = HEADER_LENGTH;
  }

  /** The size that is compared with the block size. */
  get estimate(): number {
    return this.estimateWith(0, 0);
  }

  get full(): boolean {
    return this.estimate > this.blockSize;
  }

  /** The estimate after adding this many values, of `bytes` bytes including their offsets. */
  private estimateWith(values: number, bytes: number): number {
    return HEADER_LENGTH + ((this.count + values + 3) >>> 2) + this.valueBytes + bytes;
  }

  unitFree(_vector: Vector, from: number, to: number): number {
    return to - from;
  }

  add(vector: Vector, from: number, to: number, whole = false): number {
    const { codes, offsets, data } = binaryValues(vector, from, to);
    if (codes === undefined) {
      return this.addRange(offsets, data, from, to, whole);
    }
    let next = from;
    while (next < to && (whole || !this.full)) {
      const code = codes[next] as number;
      const start = offsets[code] as number;
      const end = offsets[code + 1] as number;
      requireInside(start, end, data, next);
      this.append(data, start, end);
      next++;
    }
    return next - from;
  }

  /** Adds contiguous values: offsets in one loop, bytes in one copy. */
  private addRange(offsets: Int32Array, data: Uint8Array, from: number, to: number, whole: boolean): number {
    if (from === to || (this.full && !whole)) {
      return 0;
    }
    if (this.addFitting(offsets, data, from, to)) {
      return to - from;
    }
    const first = offsets[from] as number;
    const shift = this.content.length - first;
    let { count, valueBytes } = this;
    let next = from;
    let end = first;
    while (next < to) {
      const start = end;
      end = offsets[next + 1] as number;
      if (!(start <= end)) {
        throw misplacedValue(next);
      }
      this.reserveStarts(count + 1);
      const offset = start + shift;
      this.starts[count++] = offset;
      valueBytes += offsetLength(offset) + end - start;
      next++;
      if (!whole && HEADER_LENGTH + ((count + 3) >>> 2) + valueBytes > this.blockSize) {
        break;
      }
    }
    requireInside(first, end, data, next - 1);
    if (end + shift > MAX_BINARY_BYTES) {
      throw tooManyBytes("block");
    }
    this.content.append(data.subarray(first, end));
    this.count = count;
    this.valueBytes = valueBytes;
    return next - from;
  }

  /**
   * Adds values that do not fill the block and whose offsets in it all have the same length, which saves an estimate per value.
   * Returns `false` for other values, and for values that are not contiguous.
   */
  private addFitting(offsets: Int32Array, data: Uint8Array, from: number, to: number): boolean {
    const { content } = this;
    const added = to - from;
    const first = offsets[from] as number;
    const last = offsets[to] as number;
    const shift = content.length - first;
    const bytesOfOffset = offsetLength(content.length);
    const addedBytes = added * bytesOfOffset + last - first;
    if (
      !(first >= 0 && first <= last && last <= data.length) ||
      this.estimateWith(added, addedBytes) > this.blockSize ||
      offsetLength(last + shift) !== bytesOfOffset
    ) {
      return false;
    }
    this.reserveStarts(this.count + added);
    if (!this.copyStarts(offsets, from, to, shift)) {
      return false;
    }
    content.append(data.subarray(first, last));
    this.count += added;
    this.valueBytes += addedBytes;
    return true;
  }

  /**
   * Appends `offsets[from..to)`, each plus `shift`, to the starts. Returns whether the offsets up to `offsets[to]` are non-negative
   * and ascend.
   */
  private copyStarts(offsets: Int32Array, from: number, to: number, shift: number): boolean {
    const { starts } = this;
    let previous = offsets[from] as number;
    let signs = 0;
    for (let i = from, at = this.count; i < to; i++, at++) {
      const next = offsets[i + 1] as number;
      starts[at] = previous + shift;
      // The difference of non-negative numbers is negative where they descend.
      signs |= next | (next - previous);
      previous = next;
    }
    return signs >= 0;
  }

  /** All values so far; valid until the next is added. */
  strings(): HeldWords {
    const { blockSize, content, count, valueBytes } = this;
    this.reserveStarts(count + 1);
    this.starts[count] = content.length;
    return { offsets: this.starts, data: content.view8(), count, valueBytes, blockSize };
  }

  /** Adds the value `data[start..end)`, even if the block is full. */
  append(data: Uint8Array, start: number, end: number): void {
    const { content } = this;
    const offset = content.length;
    if (offset + (end - start) > MAX_BINARY_BYTES) {
      throw tooManyBytes("block");
    }
    this.reserveStarts(this.count + 1);
    copyRange(data, start, end, content.reserve(end - start), offset);
    content.length = offset + (end - start);
    this.starts[this.count++] = offset;
    this.valueBytes += offsetLength(offset) + (end - start);
  }

  /** Whether value `index` equals `data[start..end)`, which has the same length, at least 4. */
  holds(index: number, data: DataView, start: number, end: number): boolean {
    const { content } = this;
    const shift = (this.starts[index] as number) - start;
    // Compares words; the last one overlaps the previous one.
    const last = end - 4;
    for (let at = start; at < last; at += 4) {
      if (content.i32leAt(at + shift) !== data.getInt32(at, true)) {
        return false;
      }
    }
    return content.i32leAt(last + shift) === data.getInt32(last, true);
  }

  finish(ordinal: number): Uint8Array {
    requireOrdinal(ordinal);
    const { content, count } = this;
    const offsetsPosition = content.length;
    content.reserve(0);
    content.setU32le(0, ordinal);
    content.setU32le(4, count);
    content.setU32le(8, offsetsPosition);
    this.writeOffsets(this.starts, count, content);
    const block = this.tail === undefined ? content.take(this.reuseMemory) : content.transfer(this.tail);
    content.length = HEADER_LENGTH;
    this.count = 0;
    this.valueBytes = 0;
    return block;
  }

  private reserveStarts(length: number): void {
    if (length > this.starts.length) {
      const grown = new Int32Array(Math.max(length, this.starts.length * 2));
      grown.set(this.starts);
      this.starts = grown;
    }
  }
}

/** A builder of plain binary blocks. */
export function createPlainBinaryBuilder(options: BlockBuilderOptions): BlockBuilder {
  return new PlainBinaryBuilder(options);
}
