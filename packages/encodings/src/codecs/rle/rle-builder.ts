/** Builder of RLE blocks (docs/spec/cfile.md#55-rle); see `rle-block.ts` for their layout. */

import { ByteBuilder } from "@cfile/bytes";
import { requireRange } from "../../types/checks.js";
import type { PhysicalType } from "../../types/data-type.js";
import type { Vector } from "../../types/vector.js";
import type { BlockBuilder, BlockBuilderOptions } from "../block-codec.js";
import { wrongVector } from "../builder-input.js";
import { COUNT_HEADER_LENGTH, writeCountHeader } from "../headers/count-header.js";
import { type RlePhysicalType, rleType, rleWidth } from "./rle-block.js";
import { RleEncoder } from "./rle-encoder.js";

/**
 * A builder of RLE blocks of one type; it takes everything offered. A run does not count toward the size before it ends, so
 * equal values alone never fill a block.
 *
 * @throws {CFileError} `E_UNSUPPORTED` for a type without RLE encoding
 */
export function createRleBuilder(physical: PhysicalType, options: BlockBuilderOptions): BlockBuilder {
  return new RleBuilder(rleType(physical), options.blockSize);
}

/** Maximum bytes of a run's header, and one for the header of literals after it. */
const MAX_RUN_OVERHEAD = 6;

class RleBuilder implements BlockBuilder {
  count = 0;
  private readonly physical: RlePhysicalType;
  private readonly blockSize: number;
  private readonly stream: RleEncoder;

  constructor(physical: RlePhysicalType, blockSize: number) {
    this.physical = physical;
    this.blockSize = blockSize;
    this.stream = new RleEncoder(rleWidth(physical));
  }

  get full(): boolean {
    return COUNT_HEADER_LENGTH + this.stream.length > this.blockSize;
  }

  add(vector: Vector, from: number, to: number): number {
    requireRange(from, to, vector.length);
    if (vector.kind === "bool" && this.physical === "BOOL") {
      this.stream.putBits(vector.values, from, to);
    } else if (vector.kind === "fixed" && vector.physical === this.physical) {
      this.stream.putAll(vector.values, from, to);
    } else {
      throw wrongVector(vector.kind, this.physical);
    }
    this.count += to - from;
    return to - from;
  }

  /** Eight values add a literal group, or end a run: at most eight values' bits and a run's overhead. */
  unitFree(_vector: Vector, from: number, to: number): number {
    const room = this.blockSize - COUNT_HEADER_LENGTH - this.stream.length;
    // Up to two groups that are not in `length` yet come on top.
    const groups = Math.floor(room / (this.stream.width + MAX_RUN_OVERHEAD)) - 2;
    return Math.max(0, Math.min(to - from, 8 * groups));
  }

  finish(ordinal: number): Uint8Array {
    const stream = this.stream.finish();
    const block = new ByteBuilder(COUNT_HEADER_LENGTH + stream.length);
    writeCountHeader(block, this.count, ordinal);
    block.append(stream);
    this.count = 0;
    return block.view8();
  }
}
