/**
 * Builder of plain binary blocks (docs/spec/cfile.md#53-plain-binary), also the form of dictionaries.
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

import type { ByteBuilder } from "@cfile/bytes";
import { type HeldWords, portableEncoders, type WriteOffsets } from "@cfile/kernels";
import { writeGroupVarintSequence } from "@cfile/varint/group-varint";
import { binaryValues, MAX_BINARY_BYTES, misplacedValue, tooManyBytes } from "../../batch/binary-values.js";
import { copyRange } from "../../batch/copy-range.js";
import { requireOrdinal } from "../../keys/ordinal.js";
import type { Vector } from "../../types/vector.js";
import type { BlockBuilder, BlockBuilderOptions } from "../block-codec.js";
import { GivingByteBuilder } from "../giving-byte-builder.js";
import { HEADER_LENGTH } from "./plain-binary-block.js";

/** Bytes of an offset in a group varint. */
function offsetLength(offset: number): number {
  return offset < 0x100 ? 1 : offset < 0x10000 ? 2 : offset < 0x1000000 ? 3 : 4;
}

/**
 * Builds plain binary blocks. Stops right after the value with which the estimate
 * `12 + ceil(n / 4) + sum(bytes of offset + bytes of value)` exceeds the block size.
 */
export class PlainBinaryBuilder implements BlockBuilder {
  private readonly blockSize: number;
  private readonly reuseMemory: boolean;
  private readonly tail: number | undefined;
  private readonly writeOffsets: WriteOffsets;
  /** The header's room and the values. */
  private readonly content = new GivingByteBuilder(1024);
  /** Start offset of each value. */
  private starts = new Int32Array(64);
  private values = 0;
  /** Bytes of all values and of their offsets. */
  private valueBytes = 0;

  constructor({ blockSize, kernels, reuseMemory = false, tail }: BlockBuilderOptions) {
    this.blockSize = blockSize;
    this.writeOffsets = (kernels ?? portableEncoders).writeOffsets(writeStoredOffsets);
    this.reuseMemory = reuseMemory;
    this.tail = tail;
    this.clear();
  }

  get count(): number {
    return this.values;
  }

  get givesMemory(): boolean {
    return this.tail !== undefined;
  }

  /** The size by which a block is full. */
  get estimate(): number {
    return HEADER_LENGTH + Math.ceil(this.values / 4) + this.valueBytes;
  }

  get full(): boolean {
    return this.estimate > this.blockSize;
  }

  unitFree(_vector: Vector, from: number, to: number): number {
    return to - from;
  }

  /** @throws CFileError `E_INVALID_ARGUMENT` for anything but strings, `E_LIMIT` above 2 GiB */
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
      if (!(start >= 0 && start <= end && end <= data.length)) {
        throw misplacedValue(next);
      }
      this.append(data, start, end);
      next++;
    }
    return next - from;
  }

  /** Values that lie one after the other: offsets in one loop, bytes in one copy. */
  private addRange(offsets: Int32Array, data: Uint8Array, from: number, to: number, whole: boolean): number {
    if (from === to || (this.full && !whole)) {
      return 0;
    }
    if (this.addSurely(offsets, data, from, to)) {
      return to - from;
    }
    const first = offsets[from] as number;
    const shift = this.content.length - first;
    let { values, valueBytes } = this;
    let next = from;
    let end = first;
    while (next < to) {
      const start = end;
      end = offsets[next + 1] as number;
      if (!(start <= end)) {
        throw misplacedValue(next);
      }
      if (values === this.starts.length) {
        this.growStarts();
      }
      const offset = start + shift;
      this.starts[values++] = offset;
      valueBytes += offsetLength(offset) + end - start;
      next++;
      if (!whole && HEADER_LENGTH + ((values + 3) >>> 2) + valueBytes > this.blockSize) {
        break;
      }
    }
    if (!(first >= 0 && end <= data.length)) {
      throw misplacedValue(next - 1);
    }
    if (end + shift > MAX_BINARY_BYTES) {
      throw tooManyBytes("block");
    }
    this.content.append(data.subarray(first, end));
    this.values = values;
    this.valueBytes = valueBytes;
    return next - from;
  }

  /**
   * Takes values that do not fill the block, where their offsets in it all have the same length: nothing is reckoned for each.
   * Declines when that is not so, and for values that do not lie one after the other.
   */
  private addSurely(offsets: Int32Array, data: Uint8Array, from: number, to: number): boolean {
    const { content, values } = this;
    const count = to - from;
    const first = offsets[from] as number;
    const last = offsets[to] as number;
    const shift = content.length - first;
    const bytesOfOffset = offsetLength(content.length);
    const added = count * bytesOfOffset + last - first;
    if (
      !(first >= 0 && first <= last && last <= data.length) ||
      HEADER_LENGTH + ((values + count + 3) >>> 2) + this.valueBytes + added > this.blockSize ||
      offsetLength(last + shift) !== bytesOfOffset
    ) {
      return false;
    }
    while (values + count > this.starts.length) {
      this.growStarts();
    }
    const { starts } = this;
    const misplaced = copyShifted(offsets, from, to, shift, starts, values);
    if (misplaced) {
      return false;
    }
    content.append(data.subarray(first, last));
    this.values = values + count;
    this.valueBytes += added;
    return true;
  }

  /** All values so far; valid until the next is added. */
  strings(): HeldWords {
    const { blockSize, content, valueBytes, values } = this;
    if (values === this.starts.length) {
      this.growStarts();
    }
    this.starts[values] = content.length;
    return { offsets: this.starts, data: content.view8(), count: values, valueBytes, blockSize };
  }

  /** Takes the one value `data[start..end)`, full or not. */
  append(data: Uint8Array, start: number, end: number): void {
    const { content } = this;
    const offset = content.length;
    if (offset + (end - start) > MAX_BINARY_BYTES) {
      throw tooManyBytes("block");
    }
    if (this.values === this.starts.length) {
      this.growStarts();
    }
    copyRange(data, start, end, content.reserve(end - start), offset);
    content.length = offset + (end - start);
    this.starts[this.values++] = offset;
    this.valueBytes += offsetLength(offset) + (end - start);
  }

  /** Whether value `index` equals `data[start..end)`. */
  holds(index: number, data: DataView, start: number, end: number): boolean {
    const { content } = this;
    let position = this.starts[index] as number;
    const next = index + 1 < this.values ? (this.starts[index + 1] as number) : content.length;
    if (next - position !== end - start) {
      return false;
    }
    if (end - start >= 4) {
      // Words, the last one overlapping the one before.
      const last = end - 4;
      for (; start < last; start += 4, position += 4) {
        if (content.i32leAt(position) !== data.getInt32(start, true)) {
          return false;
        }
      }
      return content.i32leAt(next - 4) === data.getInt32(last, true);
    }
    const bytes = content.reserve(0);
    while (start < end && bytes[position] === data.getUint8(start)) {
      position++;
      start++;
    }
    return start === end;
  }

  /** Calls `visitor` with where value `index` stands. */
  visit(index: number, visitor: (data: DataView, start: number, end: number) => void): void {
    const next = index + 1 < this.values ? (this.starts[index + 1] as number) : this.content.length;
    const { buffer, byteOffset, length } = this.content.view8();
    visitor(new DataView(buffer, byteOffset, length), this.starts[index] as number, next);
  }

  finish(ordinal: number): Uint8Array {
    requireOrdinal(ordinal);
    const { content } = this;
    const offsetsPosition = content.length;
    content.reserve(0);
    content.setU32le(0, ordinal);
    content.setU32le(4, this.values);
    content.setU32le(8, offsetsPosition);
    this.writeOffsets(this.starts, this.values, content);
    const block = this.tail === undefined ? content.take(this.reuseMemory) : content.give(this.tail);
    this.clear();
    return block;
  }

  private clear(): void {
    this.content.length = HEADER_LENGTH;
    this.values = 0;
    this.valueBytes = 0;
  }

  private growStarts(): void {
    const grown = new Int32Array(this.starts.length * 2);
    grown.set(this.starts);
    this.starts = grown;
  }
}

/**
 * Copies `offsets[from..to)`, each plus `shift`, to `target`; whether an offset is below the one before it. The last one,
 * `offsets[to]`, is not copied. None is below `offsets[from]` or above it by 2^31 or more.
 */
function copyShifted(
  offsets: Int32Array,
  from: number,
  to: number,
  shift: number,
  target: Int32Array,
  start: number,
): boolean {
  let previous = offsets[from] as number;
  let signs = 0;
  for (let i = from, at = start; i < to; i++, at++) {
    const next = offsets[i + 1] as number;
    target[at] = previous + shift;
    // Of numbers that are not negative, the difference has a sign when they descend.
    signs |= next | (next - previous);
    previous = next;
  }
  return signs < 0;
}

function writeStoredOffsets(offsets: Int32Array, count: number, out: ByteBuilder): void {
  writeGroupVarintSequence(out, offsets, 0, count);
}

/** A builder of plain binary blocks. */
export function createPlainBinaryBuilder(options: BlockBuilderOptions): BlockBuilder {
  return new PlainBinaryBuilder(options);
}
