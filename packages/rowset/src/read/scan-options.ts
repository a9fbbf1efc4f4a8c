/** Options of scans and their defaults. */
import { invalidArgument, invalidOption, type MemoryArena } from "@cfile/bytes";
import { checkTimestamp, LATEST_TIMESTAMP } from "@cfile/deltafile";
import type { Conditions } from "@cfile/encodings/conditions";
import type { KeyRange } from "../keys/row-key.js";

/** Which columns are read, and as of when. */
export interface ReadOptions {
  /** Names of columns, in this order. Default: all columns of the schema. */
  readonly columns?: readonly string[] | undefined;
  /**
   * Timestamp of the snapshot, which contains writes before it, not at it. Default: the latest snapshot. A timestamp is
   * microseconds since 1970, shifted left by 12 bits, plus a counter.
   */
  readonly asOf?: bigint | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** `"key"`: in primary key order; `"any"`: in the cheapest order. */
export type RowOrder = "key" | "any";

/** Which rows and columns a scan yields, and how. */
export interface RowScanOptions extends ReadOptions {
  /** Only rows with these keys. */
  readonly keys?: KeyRange | undefined;
  /** Only rows with these numbers in their row set, `from` (inclusive) to `to` (exclusive). */
  readonly rows?: { readonly from: number; readonly to: number } | undefined;
  /** Only rows that match this condition, or all of these. */
  readonly where?: Conditions | undefined;
  /**
   * Order of rows from several row sets. `"key"` merges row sets whose keys overlap. `"any"` reads one row set after the other, each
   * in key order: no keys are compared, and key columns that are not requested are not read. Default `"key"`.
   */
  readonly order?: RowOrder | undefined;
  /** Maximum number of rows. Default: all. */
  readonly limit?: number | undefined;
  /** Rows of a row set read together; a batch has those that match. Default 16000. */
  readonly batchRows?: number | undefined;
  /**
   * Memory for one batch at a time: a batch is then valid only until the next one is requested. Consecutive scans can share an
   * arena. Default: new memory, which callers can keep.
   */
  readonly arena?: MemoryArena | undefined;
  /**
   * Whether to keep blocks of columns in the cache of `cacheBytes` and reuse them: for row sets that are scanned
   * repeatedly. The first scan of a local file keeps nothing. Default `false`.
   */
  readonly cacheBlocks?: boolean | undefined;
}

/** The cells of a batch as an array: V8 allocates arrays of more than 16,376 elements separately, which takes longer than filling them. */
const DEFAULT_BATCH_ROWS = 16_000;

/** @throws {CFileError} `E_INVALID_ARGUMENT` for an invalid timestamp */
export function checkAsOf(asOf: bigint = LATEST_TIMESTAMP): bigint {
  return checkTimestamp(asOf, "asOf");
}

/**
 * Checks the timestamp of a write, in Kudu's hybrid time, whose two largest values are reserved.
 *
 * @param last timestamp of the previous write
 * @throws {CFileError} `E_INVALID_ARGUMENT` unless it is a bigint from `last` to 2^64 - 3
 */
export function checkWriteTimestamp(timestamp: bigint, last: bigint): bigint {
  if (typeof timestamp !== "bigint" || timestamp < 0n || timestamp >= LATEST_TIMESTAMP - 1n) {
    throw invalidOption("timestamp", timestamp, "a bigint from 0 to 2^64 - 3");
  }
  if (timestamp < last) {
    const actual = String(timestamp);
    const reason = `timestamp ${actual} is before the previous write at ${last}`;
    throw invalidArgument(reason, { field: "timestamp", expected: `at least ${last}`, actual });
  }
  return timestamp;
}

/** The option `batchRows` of a scan, or its default. @throws {CFileError} `E_INVALID_ARGUMENT` below 1 */
export function checkBatchRows(batchRows: number = DEFAULT_BATCH_ROWS): number {
  return atLeast(1, batchRows, "batchRows");
}

/** The option `limit` of a scan, or its default, infinity. @throws {CFileError} `E_INVALID_ARGUMENT` below 0 */
export function checkLimit(limit: number = Number.POSITIVE_INFINITY): number {
  return atLeast(0, limit, "limit");
}

function atLeast(minimum: number, value: number, field: string): number {
  if (!(value >= minimum)) {
    throw invalidOption(field, value, `a number >= ${minimum}`);
  }
  return Math.floor(value);
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` for an unknown order */
export function checkOrder(order: RowOrder = "key"): RowOrder {
  if (order !== "key" && order !== "any") {
    throw invalidOption("order", JSON.stringify(order), '"key" or "any"');
  }
  return order;
}
