/** Builder of plain blocks of fixed-width values (docs/spec/cfile.md#51-plain-fixed-width); see `plain-fixed-block.ts` for their layout. */

import { type FixedPhysicalType, physicalWidth } from "../../types/data-type.js";
import { bytesOf, type Vector } from "../../types/vector.js";
import type { BlockBuilder, BlockBuilderOptions } from "../block-codec.js";
import { requireFixed } from "../builder-input.js";
import { GivingByteBuilder } from "../giving-byte-builder.js";
import { COUNT_HEADER_LENGTH, writeCountHeader } from "../headers/count-header.js";

/** A builder of plain blocks of one type; it takes everything offered and is full above the block size. */
export function createPlainFixedBuilder(
  physical: FixedPhysicalType,
  options: BlockBuilderOptions,
): BlockBuilder {
  return new PlainFixedBuilder(physical, options);
}

class PlainFixedBuilder implements BlockBuilder {
  private readonly physical: FixedPhysicalType;
  private readonly width: number;
  private readonly blockSize: number;
  private readonly reuseMemory: boolean;
  private readonly tail: number | undefined;
  /** The values, behind room for the header. */
  private readonly block = new GivingByteBuilder();

  constructor(physical: FixedPhysicalType, { blockSize, reuseMemory = false, tail }: BlockBuilderOptions) {
    this.physical = physical;
    this.width = physicalWidth(physical);
    this.blockSize = blockSize;
    this.reuseMemory = reuseMemory;
    this.tail = tail;
    writeCountHeader(this.block, 0, 0);
  }

  get count(): number {
    return (this.block.length - COUNT_HEADER_LENGTH) / this.width;
  }

  get full(): boolean {
    return this.block.length > this.blockSize;
  }

  get givesMemory(): boolean {
    return this.tail !== undefined;
  }

  add(vector: Vector, from: number, to: number): number {
    const values = requireFixed(vector, this.physical, from, to);
    this.block.append(bytesOf(values).subarray(from * this.width, to * this.width));
    return to - from;
  }

  unitFree(_vector: Vector, from: number, to: number): number {
    const room = this.blockSize - this.block.length;
    return Math.max(0, Math.min(to - from, Math.floor(room / this.width)));
  }

  finish(ordinal: number): Uint8Array {
    const { block, count } = this;
    const end = block.length;
    block.length = 0;
    writeCountHeader(block, count, ordinal);
    block.length = end;
    const bytes = this.tail === undefined ? block.take(this.reuseMemory) : block.give(this.tail);
    // Room for the next header; nothing is written to it before the next value.
    block.length = COUNT_HEADER_LENGTH;
    return bytes;
  }
}
