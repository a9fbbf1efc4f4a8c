/** Builder of plain blocks of BOOL (docs/spec/cfile.md#52-plain-bool); see `plain-bool-block.ts` for their layout. */
import { ByteBuilder, bitmapByteLength, copyBits } from "@cfile/bytes";
import { requireRange } from "../../types/checks.js";
import type { BlockBuilder, BlockBuilderOptions } from "../block-codec.js";
import { wrongVector } from "../builder-input.js";
import { COUNT_HEADER_LENGTH, writeCountHeader } from "../headers/count-header.js";

/** A builder of plain BOOL blocks; it accepts everything and is full above the block size. */
export function createPlainBoolBuilder({ blockSize }: BlockBuilderOptions): BlockBuilder {
  const bits = new ByteBuilder();
  let count = 0;
  return {
    get count() {
      return count;
    },
    get full() {
      return COUNT_HEADER_LENGTH + bits.length > blockSize;
    },
    add(vector, from, to) {
      if (vector.kind !== "bool") {
        throw wrongVector(vector.kind, "BOOL");
      }
      requireRange(from, to, Math.min(vector.length, vector.values.length * 8));
      const length = bitmapByteLength(count + to - from);
      copyBits(vector.values, from, bits.reserve(length - bits.length), count, to - from);
      count += to - from;
      bits.length = length;
      return to - from;
    },
    unitFree: (_, from, to) =>
      Math.max(0, Math.min(to - from, 8 * (blockSize - COUNT_HEADER_LENGTH) - count)),
    finish(ordinal) {
      const block = new ByteBuilder(COUNT_HEADER_LENGTH + bits.length);
      writeCountHeader(block, count, ordinal);
      copyBits(bits.view8(), 0, block.reserve(bits.length), COUNT_HEADER_LENGTH * 8, count);
      block.length += bits.length;
      bits.clear();
      count = 0;
      return block.view8();
    },
  };
}
