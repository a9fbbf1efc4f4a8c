/**
 * Reads the row sets of a tablet as one table. A key may be in several row sets, but is live in at most one of them; row sets
 * whose keys overlap are merged by key, others are read one after the other.
 */
import { compareBytes, invalidArgument } from "@cfile/bytes";
import { LATEST_TIMESTAMP } from "@cfile/deltafile";
import type { TableBatch } from "@cfile/encodings/batches";
import { checkConditions } from "@cfile/encodings/conditions";
import type { DiffBatch, DiffOptions } from "../delta/row-changes.js";
import type { HistoryOptions, RowVersion } from "../delta/row-history.js";
import { keyConditions } from "../keys/key-conditions.js";
import { encodeRowKey, type RowKey } from "../keys/row-key.js";
import type { RowSetSchema } from "../schema/schema.js";
import type { LookUpOptions, RowCells } from "./row-lookup.js";
import type { RowSetReader } from "./row-set-reader.js";
import { scanInTurn } from "./scan-in-turn.js";
import { checkBatchRows, checkLimit, checkOrder, type RowScanOptions } from "./scan-options.js";

/** Several row sets of one table, read as one. */
export class TabletReader {
  readonly schema: RowSetSchema;
  /** In the order given. */
  readonly rowSets: readonly RowSetReader[];

  /**
   * @param rowSets of one tablet, opened with this schema
   * @throws {CFileError} `E_INVALID_ARGUMENT` when a row set was opened with another schema
   */
  constructor(schema: RowSetSchema, rowSets: readonly RowSetReader[]) {
    if (rowSets.some((rowSet) => rowSet.schema !== schema)) {
      throw invalidArgument("row sets of a tablet must have the same schema", { field: "schema" });
    }
    this.schema = schema;
    this.rowSets = rowSets;
  }

  /**
   * Yields rows in key order, or in the cheapest order if `order` is `"any"`. `rows` of a batch are numbers in the row set of each
   * row.
   *
   * @throws {CFileError} as `RowSetReader.scan`
   */
  async *scan(options: RowScanOptions = {}): AsyncGenerator<TableBatch, void, void> {
    const batchRows = checkBatchRows(options.batchRows);
    let left = checkLimit(options.limit);
    const rowSets = this.rowSetsIn(options);
    if (checkOrder(options.order) === "any") {
      yield* scanInTurn(rowSets, options);
      return;
    }
    for (const group of overlappingGroups(rowSets)) {
      if (left === 0) {
        return;
      }
      const settings = { ...options, limit: left };
      const [only] = group;
      const batches =
        only !== undefined && group.length === 1
          ? only.scan(settings)
          : await scanGroup(this.schema, group, settings, batchRows);
      for await (const batch of batches) {
        left -= batch.length;
        yield batch;
      }
    }
  }

  /**
   * One row by its key; `undefined` when it does not exist at that time.
   *
   * @throws {CFileError} as `RowSetReader.get`
   */
  async get(key: RowKey, options: LookUpOptions = {}): Promise<RowCells | undefined> {
    for (const rowSet of this.rowSetsWith(key)) {
      const row = await rowSet.get(key, options);
      if (row !== undefined) {
        return row;
      }
    }
    return undefined;
  }

  /**
   * Yields rows that changed at timestamps from `from` (inclusive) to `to` (exclusive), in key order, once per key, as of `to`.
   *
   * @throws {CFileError} as `RowSetReader.diff`
   */
  async *diff(
    from: bigint,
    to: bigint = LATEST_TIMESTAMP,
    options: DiffOptions = {},
  ): AsyncGenerator<DiffBatch, void, void> {
    const batchRows = checkBatchRows(options.batchRows);
    const { mergeDiffs, mergeProjection } = await import("../merge/row-merge.js");
    const projection = mergeProjection(this.schema, options.columns);
    for (const group of overlappingGroups(this.rowSets)) {
      const [only] = group;
      if (only !== undefined && group.length === 1) {
        yield* only.diff(from, to, options);
        continue;
      }
      const streams = group.map((rowSet) => ({
        batches: rowSet.diff(from, to, { ...options, columns: projection.columns }),
        minKey: rowSet.minKey,
      }));
      yield* mergeDiffs(streams, projection, batchRows);
    }
  }

  /**
   * All versions of a row in all row sets, oldest first.
   *
   * @throws {CFileError} as `RowSetReader.history`
   */
  async history(key: RowKey, options: HistoryOptions = {}): Promise<RowVersion[]> {
    const lives: RowVersion[][] = [];
    for (const rowSet of this.rowSetsWith(key)) {
      lives.push(await rowSet.history(key, options));
    }
    return lives.sort(compareLives).flat();
  }

  /** Closes all row sets. */
  async close(): Promise<void> {
    await Promise.all(this.rowSets.map((rowSet) => rowSet.close()));
  }

  /** Calls {@link close} at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The row sets that may have keys of a scan. */
  private rowSetsIn({ keys = {}, where }: RowScanOptions): readonly RowSetReader[] {
    const { from, to } = keyConditions(this.schema, keys, checkConditions(where, this.schema.columns)).range;
    return this.rowSets.filter(
      ({ minKey, maxKey, rowCount }) =>
        rowCount > 0 &&
        (from === undefined || compareBytes(from, maxKey) <= 0) &&
        (to === undefined || compareBytes(minKey, to) < 0),
    );
  }

  private rowSetsWith(key: RowKey): RowSetReader[] {
    const encoded = encodeRowKey(this.schema, key);
    return this.rowSets.filter(
      ({ minKey, maxKey, rowCount }) =>
        rowCount > 0 && compareBytes(minKey, encoded) <= 0 && compareBytes(encoded, maxKey) <= 0,
    );
  }
}

/**
 * Orders the lives of a key. In each row set a key lives until its final deletion; it may then be reinserted in another one, even
 * at the same timestamp. The start of a life may be lost with old history, so the ends decide; at most one life has no end.
 */
function compareLives(left: readonly RowVersion[], right: readonly RowVersion[]): number {
  const [a, b] = [left.at(-1), right.at(-1)];
  if (a === undefined || b === undefined) {
    return Number(a !== undefined) - Number(b !== undefined);
  }
  if (a.deleted !== b.deleted) {
    return a.deleted ? -1 : 1;
  }
  return Number((a.timestamp ?? -1n) - (b.timestamp ?? -1n));
}

async function scanGroup(
  schema: RowSetSchema,
  group: readonly RowSetReader[],
  options: RowScanOptions & { readonly limit: number },
  batchRows: number,
): Promise<AsyncGenerator<TableBatch, void, void>> {
  const { mergeProjection, mergeRows } = await import("../merge/row-merge.js");
  const projection = mergeProjection(schema, options.columns);
  const { columns } = projection;
  // Concurrent scans require an arena each; consecutive scans share their memory.
  const arena = options.arena?.part("merged");
  const streams = group.map((rowSet) => ({
    batches: rowSet.scan({ ...options, columns, arena: arena?.share() }),
    minKey: rowSet.minKey,
  }));
  return mergeRows(streams, projection, { batchRows, limit: options.limit, isReused: arena !== undefined });
}

/** The row sets that have rows, in groups whose keys do not overlap, in key order. */
function overlappingGroups(rowSets: readonly RowSetReader[]): RowSetReader[][] {
  const ordered = rowSets
    .filter(({ rowCount }) => rowCount > 0)
    .sort((left, right) => compareBytes(left.minKey, right.minKey));
  const groups: RowSetReader[][] = [];
  let end: Uint8Array | undefined;
  for (const rowSet of ordered) {
    const group = groups.at(-1);
    if (group !== undefined && end !== undefined && compareBytes(rowSet.minKey, end) <= 0) {
      group.push(rowSet);
      end = compareBytes(end, rowSet.maxKey) < 0 ? rowSet.maxKey : end;
    } else {
      groups.push([rowSet]);
      end = rowSet.maxKey;
    }
  }
  return groups;
}
