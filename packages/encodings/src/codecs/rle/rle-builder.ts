/** Builder of RLE blocks (docs/spec/cfile.md#55-rle); see `rle-block.ts` for their layout. */
import { ByteBuilder } from "@cfile/bytes";
import { requireRange } from "../../types/checks.js";
import type { PhysicalType } from "../../types/data-type.js";
import type { BlockBuilder, BlockBuilderOptions } from "../block-codec.js";
import { wrongVector } from "../builder-input.js";
import { COUNT_HEADER_LENGTH, writeCountHeader } from "../headers/count-header.js";
import { rleType, rleWidth } from "./rle-block.js";
import { RleEncoder } from "./rle-encoder.js";

/** Maximum bytes of a run's header, plus one for the header of the literals after it. */
const MAX_RUN_OVERHEAD = 6;

/**
 * A builder of RLE blocks of one type; it accepts everything. A run does not count toward the size until it ends, so
 * equal values alone never fill a block.
 *
 * @throws {CFileError} `E_UNSUPPORTED` for a type without RLE encoding
 */
export function createRleBuilder(physical: PhysicalType, { blockSize }: BlockBuilderOptions): BlockBuilder {
  const type = rleType(physical);
  const width = rleWidth(type);
  const stream = new RleEncoder(width);
  let count = 0;
  const room = (): number => blockSize - COUNT_HEADER_LENGTH - stream.length;
  return {
    get count() {
      return count;
    },
    get full() {
      return room() < 0;
    },
    add(vector, from, to) {
      requireRange(from, to, vector.length);
      if (vector.kind === "bool" && type === "BOOL") {
        stream.putBits(vector.values, from, to);
      } else if (vector.kind === "fixed" && vector.physical === type) {
        stream.putAll(vector.values, from, to);
      } else {
        throw wrongVector(vector.kind, type);
      }
      count += to - from;
      return to - from;
    },
    unitFree(_, from, to) {
      // Eight values add a literal group or end a run: at most the bits of eight values and the overhead of a run. Up to two more
      // groups are not counted in the stream's length yet.
      const groups = Math.floor(room() / (width + MAX_RUN_OVERHEAD)) - 2;
      return Math.max(0, Math.min(to - from, 8 * groups));
    },
    finish(ordinal) {
      const values = stream.finish();
      const block = new ByteBuilder(COUNT_HEADER_LENGTH + values.length);
      writeCountHeader(block, count, ordinal);
      block.append(values);
      count = 0;
      return block.view8();
    },
  };
}
