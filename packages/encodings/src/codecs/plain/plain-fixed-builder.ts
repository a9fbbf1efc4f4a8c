/** Builder of plain blocks of fixed-width values (docs/spec/cfile.md#51-plain-fixed-width); see `plain-fixed-block.ts` for their layout. */
import { type FixedPhysicalType, physicalWidth } from "../../types/data-type.js";
import { bytesOf } from "../../types/vector.js";
import type { BlockBuilder, BlockBuilderOptions } from "../block-codec.js";
import { requireFixed } from "../builder-input.js";
import { COUNT_HEADER_LENGTH, writeCountHeader } from "../headers/count-header.js";
import { TransferableByteBuilder } from "../transferable-byte-builder.js";

/** A builder of plain blocks of one type; it accepts everything and is full above the block size. */
export function createPlainFixedBuilder(
  physical: FixedPhysicalType,
  { blockSize, reuseMemory = false, tail }: BlockBuilderOptions,
): BlockBuilder {
  const width = physicalWidth(physical);
  // The values, after space reserved for the header.
  const block = new TransferableByteBuilder();
  writeCountHeader(block, 0, 0);
  const count = (): number => (block.length - COUNT_HEADER_LENGTH) / width;
  return {
    get count() {
      return count();
    },
    get full() {
      return block.length > blockSize;
    },
    givesMemory: tail !== undefined,
    add(vector, from, to) {
      const values = requireFixed(vector, physical, from, to);
      block.append(bytesOf(values).subarray(from * width, to * width));
      return to - from;
    },
    unitFree: (_, from, to) =>
      Math.max(0, Math.min(to - from, Math.floor((blockSize - block.length) / width))),
    finish(ordinal) {
      const { length } = block;
      const values = count();
      block.length = 0;
      writeCountHeader(block, values, ordinal);
      block.length = length;
      const bytes = tail === undefined ? block.take(reuseMemory) : block.transfer(tail);
      // Space for the next header, without allocating before the next value.
      block.length = COUNT_HEADER_LENGTH;
      return bytes;
    },
  };
}
