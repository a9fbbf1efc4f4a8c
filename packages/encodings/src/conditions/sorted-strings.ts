/**
 * Search in ascending strings. Of each, the four bytes behind what all begin with stand in an array of numbers, its head: most
 * comparisons need no more. Every 64th head stands in a second, small array, which stays in the processor's caches: a search
 * looks there first, and goes through few lines of memory then.
 */
import { commonPrefixLength, compareRange, compareToPrefix, keyHead } from "@cfile/bytes";
import type { SeekPosition, SeekTarget } from "../codecs/block-codec.js";
import { requireBytes } from "../keys/seek-target.js";
import type { BinaryVector } from "../types/vector.js";
import { lowerBound } from "./lower-bound.js";

const HEADS_A_MARK = 64;

export class SortedStrings {
  private readonly offsets: Int32Array;
  private readonly data: Uint8Array;
  private readonly length: number;
  /** Bytes that all strings begin with. */
  private readonly shared: number;
  private readonly heads: Uint32Array;
  private readonly marks: Uint32Array;

  constructor({ offsets, data }: BinaryVector, length: number) {
    this.offsets = offsets;
    this.data = data;
    this.length = length;
    this.heads = new Uint32Array(length);
    this.marks = new Uint32Array(Math.ceil(length / HEADS_A_MARK));
    this.shared = length === 0 ? 0 : commonPrefixLength(this.string(0), this.string(length - 1));
    for (let i = 0; i < length; i++) {
      this.heads[i] = keyHead(data, (offsets[i] as number) + this.shared, offsets[i + 1] as number);
    }
    for (let i = 0; i < this.marks.length; i++) {
      this.marks[i] = this.heads[i * HEADS_A_MARK] as number;
    }
  }

  /**
   * The first string at or after `target`; the number of strings when all are before it.
   *
   * @throws CFileError `E_INVALID_ARGUMENT` when the target is no byte string
   */
  seek(target: SeekTarget): SeekPosition {
    const wanted = requireBytes(target);
    const { data, heads, length, marks, offsets, shared } = this;
    const order = compareToPrefix(wanted, data, offsets[0] as number, shared);
    if (order !== 0) {
      return { position: order < 0 ? 0 : length, exact: false };
    }
    const head = keyHead(wanted, shared, wanted.length);
    const mark = lowerBound(marks.length, (i) => (marks[i] as number) < head);
    const above = lowerBound(marks.length, (i) => (marks[i] as number) <= head);
    let low = mark === 0 ? 0 : (mark - 1) * HEADS_A_MARK + 1;
    let high = Math.min(above * HEADS_A_MARK, length);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const own = heads[middle] as number;
      if (own < head || (own === head && this.compare(middle, wanted) < 0)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return { position: low, exact: low < length && heads[low] === head && this.compare(low, wanted) === 0 };
  }

  private string(position: number): Uint8Array {
    return this.data.subarray(this.offsets[position], this.offsets[position + 1]);
  }

  private compare(position: number, wanted: Uint8Array): number {
    const { data, offsets } = this;
    return compareRange(data, offsets[position] as number, offsets[position + 1] as number, wanted);
  }
}
