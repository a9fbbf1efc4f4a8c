/** Builder of plain blocks of BOOL (docs/spec/cfile.md#52-plain-bool); see `plain-bool-block.ts` for their layout. */

import { ByteBuilder, bitmapByteLength, copyBits } from "@cfile/bytes";
import { requireRange } from "../../types/checks.js";
import type { Vector } from "../../types/vector.js";
import type { BlockBuilder, BlockBuilderOptions } from "../block-codec.js";
import { wrongVector } from "../builder-input.js";
import { COUNT_HEADER_LENGTH, writeCountHeader } from "../headers/count-header.js";

/** A builder of plain BOOL blocks; it takes everything offered and is full above the block size. */
export function createPlainBoolBuilder(options: BlockBuilderOptions): BlockBuilder {
  return new PlainBoolBuilder(options.blockSize);
}

class PlainBoolBuilder implements BlockBuilder {
  count = 0;
  private readonly blockSize: number;
  private readonly bits = new ByteBuilder();

  constructor(blockSize: number) {
    this.blockSize = blockSize;
  }

  get full(): boolean {
    return COUNT_HEADER_LENGTH + this.bits.length > this.blockSize;
  }

  add(vector: Vector, from: number, to: number): number {
    if (vector.kind !== "bool") {
      throw wrongVector(vector.kind, "BOOL");
    }
    requireRange(from, to, Math.min(vector.length, vector.values.length * 8));
    const length = bitmapByteLength(this.count + to - from);
    const bitmap = this.bits.reserve(length - this.bits.length);
    copyBits(vector.values, from, bitmap, this.count, to - from);
    this.count += to - from;
    this.bits.length = length;
    return to - from;
  }

  unitFree(_vector: Vector, from: number, to: number): number {
    const room = 8 * (this.blockSize - COUNT_HEADER_LENGTH) - this.count;
    return Math.max(0, Math.min(to - from, room));
  }

  finish(ordinal: number): Uint8Array {
    const block = new ByteBuilder(COUNT_HEADER_LENGTH + this.bits.length);
    writeCountHeader(block, this.count, ordinal);
    const bitmap = block.reserve(this.bits.length);
    copyBits(this.bits.view8(), 0, bitmap, COUNT_HEADER_LENGTH * 8, this.count);
    block.length += this.bits.length;
    this.bits.clear();
    this.count = 0;
    return block.view8();
  }
}
