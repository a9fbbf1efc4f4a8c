/** A row group as the pages from one place to another may form it. */

/** Where a row group may start. */
export interface GroupStart {
  /** Index of the first page. */
  readonly page: number;
  /** Its column, which is not the first when the start of the group is lost. */
  readonly column: number;
  /** Whether the group starts in the gap before the page. */
  readonly isInGap: boolean;
}

/** Consecutive pages of a chunk. */
export interface PageRun {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly rows: number;
  /** Which end of the chunk it reaches; pages between two gaps reach none. */
  readonly reaches: "start" | "end" | "none";
  /** Row of the row group with which the run starts, where an offset index states it. */
  readonly firstRow?: number | undefined;
}

/** The remaining pages of a chunk. */
export interface ParsedChunk {
  readonly column: number;
  /** Index of the dictionary page. */
  readonly dictionary: number | undefined;
  readonly runs: readonly PageRun[];
}

/** A row group as the pages from `start` to `end` may form it. */
export interface ParsedGroup {
  readonly start: GroupStart;
  readonly end: GroupStart;
  /** Number of rows; unknown if no chunk is whole. */
  readonly rows: number | undefined;
  readonly chunks: readonly ParsedChunk[];
  /** Higher for more that must have been lost. */
  readonly cost: number;
}
