/**
 * Search in ascending strings. The head of each, the four bytes after the prefix that all share, is in an array of numbers: most
 * comparisons need no more. Every 64th head is also in a second, small array, which stays in the processor's caches: a search
 * starts there and then touches few cache lines.
 */

import { commonPrefixLength, compareRange, compareToPrefix, keyHead } from "@cfile/bytes";
import type { SeekPosition, SeekTarget } from "../codecs/block-codec.js";
import { partitionPoint, requireBytes } from "../keys/seek-target.js";
import type { BinaryVector } from "../types/vector.js";

const HEADS_PER_MARK = 64;

export class SortedStrings {
  private readonly strings: BinaryVector;
  private readonly length: number;
  /** Length of the common prefix of all strings. */
  private readonly shared: number;
  private readonly heads: Uint32Array;
  private readonly marks: Uint32Array;

  constructor(strings: BinaryVector, length: number) {
    const { offsets, data } = strings;
    const string = (i: number): Uint8Array => data.subarray(offsets[i], offsets[i + 1]);
    this.strings = strings;
    this.length = length;
    this.shared = length === 0 ? 0 : commonPrefixLength(string(0), string(length - 1));
    this.heads = new Uint32Array(length);
    for (let i = 0; i < length; i++) {
      this.heads[i] = keyHead(data, (offsets[i] as number) + this.shared, offsets[i + 1] as number);
    }
    this.marks = this.heads.filter((_, i) => i % HEADS_PER_MARK === 0);
  }

  /**
   * The first string at or after `target`; the number of strings when all are before it.
   *
   * @throws {CFileError} `E_INVALID_ARGUMENT` unless the target is a Uint8Array
   */
  seek(target: SeekTarget): SeekPosition {
    const wanted = requireBytes(target);
    const { heads, length, marks, shared } = this;
    const { data, offsets } = this.strings;
    const order = compareToPrefix(wanted, data, offsets[0] as number, shared);
    if (order !== 0) {
      return { position: order < 0 ? 0 : length, exact: false };
    }
    const head = keyHead(wanted, shared, wanted.length);
    const mark = partitionPoint(marks.length, (i) => (marks[i] as number) < head);
    const above = partitionPoint(marks.length, (i) => (marks[i] as number) <= head);
    let low = mark === 0 ? 0 : (mark - 1) * HEADS_PER_MARK + 1;
    let high = Math.min(above * HEADS_PER_MARK, length);
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

  private compare(position: number, wanted: Uint8Array): number {
    const { data, offsets } = this.strings;
    return compareRange(data, offsets[position] as number, offsets[position + 1] as number, wanted);
  }
}
