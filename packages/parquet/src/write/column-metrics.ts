/** What catalogs store about a column of a file: sizes, counts and bounds over all its chunks. */
import { chunkTotals } from "./chunk-statistics.js";
import type { WrittenChunk } from "./chunk-writer.js";
import { type Bounds, joinBounds } from "./value-bounds.js";

/** A column of a written file. */
export interface ColumnMetrics {
  /** Compressed bytes of its pages. */
  readonly bytes: number;
  /** Number of values, including nulls; for arrays, of elements. */
  readonly values: number;
  readonly nulls: number;
  /** Bounds of values other than null and NaN; `undefined` if unknown. */
  readonly bounds: Bounds | undefined;
  /** Whether all strings are UTF-8. */
  readonly isText: boolean;
}

export class ColumnTotals {
  private bytes = 0;
  private values = 0;
  private nulls = 0;
  private bounds: Bounds | undefined;
  private isKnown = true;

  take(chunk: WrittenChunk, bytes: number): void {
    const { nulls, bounds } = chunkTotals(chunk);
    this.bytes += bytes;
    this.values += chunk.valueCount;
    this.nulls += nulls;
    this.bounds = joinBounds(this.bounds, bounds);
    this.isKnown &&= bounds !== undefined || nulls === chunk.valueCount;
  }

  finish(isText: boolean): ColumnMetrics {
    const { bytes, values, nulls, bounds, isKnown } = this;
    return { bytes, values, nulls, bounds: isKnown ? bounds : undefined, isText };
  }
}
