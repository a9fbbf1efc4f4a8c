/** What a scan can be told, and its defaults. */

import { invalidArgument, type MemoryArena } from "@cfile/bytes";
import { LATEST_TIMESTAMP } from "@cfile/deltafile";
import type { Conditions } from "@cfile/encodings/conditions";
import type { KeyRange } from "../keys/row-key.js";

/** Which columns are read, and as of when. */
export interface ReadOptions {
  /** Names of the columns wanted, in this order. Default: all of the schema. */
  readonly columns?: readonly string[] | undefined;
  /**
   * The state at this timestamp: what was written at earlier ones, not at itself. Default: the latest state.
   * A timestamp is microseconds since 1970 shifted left by 12 bits, and a counter.
   */
  readonly asOf?: bigint | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** `"key"`: in the order of the primary key; `"any"`: as it is cheapest. */
export type RowOrder = "key" | "any";

/** Which rows and columns a scan gives, and how. */
export interface RowScanOptions extends ReadOptions {
  /** Only rows with these keys. */
  readonly keys?: KeyRange | undefined;
  /** Only rows with these numbers in their row set, `from` (inclusive) to `to` (exclusive). */
  readonly rows?: { readonly from: number; readonly to: number } | undefined;
  /** Only rows that fulfil this, or all of these. */
  readonly where?: Conditions | undefined;
  /**
   * In what order rows of several row sets come. `"key"`: in the order of the key, for which row sets whose keys overlap are merged.
   * `"any"`: row set after row set, of each in key order, which needs less of everything: nothing is compared, a row set is opened
   * when the one before has been read, and key columns that were not asked for are not read. Default `"key"`.
   */
  readonly order?: RowOrder | undefined;
  /** Most rows. Default: all. */
  readonly limit?: number | undefined;
  /** Rows of the row set looked at together, of which a batch has those that are wanted. Default 16384. */
  readonly batchRows?: number | undefined;
  /**
   * Memory for one batch at a time: a batch is then valid only until the next one is asked for. Scans one after the other can share
   * an arena. Default: each batch has memory of its own, which callers may keep.
   */
  readonly arena?: MemoryArena | undefined;
}

const DEFAULT_BATCH_ROWS = 16384;

/** @throws CFileError `E_INVALID_ARGUMENT` unless it is a timestamp */
export function checkAsOf(asOf: bigint = LATEST_TIMESTAMP, field = "asOf"): bigint {
  if (typeof asOf !== "bigint" || asOf < 0n || asOf > LATEST_TIMESTAMP) {
    throw invalidArgument(`${field} is ${String(asOf)}, a bigint of 0 to 2^64 - 1 is expected`, { field });
  }
  return asOf;
}

/** @throws CFileError `E_INVALID_ARGUMENT` unless it is 1 or more */
export function checkBatchRows(batchRows: number = DEFAULT_BATCH_ROWS): number {
  if (!(batchRows >= 1)) {
    throw invalidArgument(`batchRows is ${String(batchRows)}, at least 1 is expected`, {
      field: "batchRows",
    });
  }
  return Math.floor(batchRows);
}

/** @throws CFileError `E_INVALID_ARGUMENT` unless it is 0 or more */
export function checkLimit(limit: number = Number.POSITIVE_INFINITY): number {
  if (!(limit >= 0)) {
    throw invalidArgument(`limit is ${String(limit)}, 0 or more is expected`, { field: "limit" });
  }
  return Math.floor(limit);
}

/** @throws CFileError `E_INVALID_ARGUMENT` unless it is an order */
export function checkOrder(order: RowOrder = "key"): RowOrder {
  if (order !== "key" && order !== "any") {
    throw invalidArgument(`order is ${JSON.stringify(order)}, "key" or "any" is expected`, {
      field: "order",
    });
  }
  return order;
}
