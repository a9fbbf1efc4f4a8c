/** A row group that a range of pages may form. */

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
  /** Which end of the chunk it reaches; pages between two gaps reach neither. */
  readonly reaches: "start" | "end" | "none";
  /** First row of the run, counted from the start of the row group, if an offset index states it. */
  readonly firstRow?: number | undefined;
}

/** The remaining pages of a chunk. */
export interface ParsedChunk {
  readonly column: number;
  /** Index of the dictionary page. */
  readonly dictionary: number | undefined;
  readonly runs: readonly PageRun[];
}

/** A row group that the pages from `start` to `end` may form. */
export interface ParsedGroup {
  readonly start: GroupStart;
  readonly end: GroupStart;
  /** Number of rows; unknown if no chunk is whole. */
  readonly rows: number | undefined;
  readonly chunks: readonly ParsedChunk[];
  /** Higher if more must have been lost. */
  readonly cost: number;
}
