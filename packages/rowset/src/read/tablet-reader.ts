/**
 * Reading the row sets of a tablet as one table. A key may be in several row sets, but is alive in one of them at most; row sets
 * whose keys overlap are merged by key, others are read one after the other.
 */

import { compareBytes, invalidArgument } from "@cfile/bytes";
import { LATEST_TIMESTAMP } from "@cfile/deltafile";
import type { TableBatch } from "@cfile/encodings/batches";
import type { DiffOptions } from "../delta/row-changes.js";
import type { HistoryOptions, RowVersion } from "../delta/row-history.js";
import { encodeRowKey, type RowKey } from "../keys/row-key.js";
import type { RowSetSchema } from "../schema/schema.js";
import type { DiffBatch, RowCells } from "./row-batch.js";
import type { LookUpOptions } from "./row-look-up.js";
import type { RowSetReader } from "./row-set-reader.js";
import { scanInTurn } from "./scan-in-turn.js";
import { checkBatchRows, checkLimit, checkOrder, type RowScanOptions } from "./scan-options.js";

/** Several row sets of one table, read as one. */
export class TabletReader {
  readonly schema: RowSetSchema;
  /** In the order in which they were given. */
  readonly rowSets: readonly RowSetReader[];

  /**
   * @param rowSets of one tablet, opened with this schema
   * @throws CFileError `E_INVALID_ARGUMENT` when a row set was opened with another schema
   */
  constructor(schema: RowSetSchema, rowSets: readonly RowSetReader[]) {
    if (rowSets.some((rowSet) => rowSet.schema !== schema)) {
      throw invalidArgument("the row sets of a tablet have the same schema", { field: "schema" });
    }
    this.schema = schema;
    this.rowSets = rowSets;
  }

  /**
   * The rows, in key order unless `order` says that any will do. `rows` of the batches are numbers in the rows' own row sets.
   *
   * @throws CFileError as `RowSetReader.scan`
   */
  async *scan(options: RowScanOptions = {}): AsyncGenerator<TableBatch, void, void> {
    const most = checkBatchRows(options.batchRows);
    let left = checkLimit(options.limit);
    if (checkOrder(options.order) === "any") {
      yield* scanInTurn(this.rowSets, options);
      return;
    }
    for (const group of overlappingGroups(this.rowSets)) {
      if (left === 0) {
        return;
      }
      const settings = { ...options, limit: left };
      const [only, ...others] = group;
      const batches =
        only !== undefined && others.length === 0
          ? only.scan(settings)
          : await scanGroup(this.schema, group, settings, most);
      for await (const batch of batches) {
        left -= batch.length;
        yield batch;
      }
    }
  }

  /**
   * One row by its key: `undefined` when there is none, or not at that time.
   *
   * @throws CFileError as `RowSetReader.get`
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
   * The rows that changed at timestamps from `from` (inclusive) to `to` (exclusive), in key order and once for each key, as they
   * are at `to`.
   *
   * @throws CFileError as `RowSetReader.changes`
   */
  async *diff(
    from: bigint,
    to: bigint = LATEST_TIMESTAMP,
    options: DiffOptions = {},
  ): AsyncGenerator<DiffBatch, void, void> {
    const most = checkBatchRows(options.batchRows);
    const { mergeChanges, mergeProjection } = await import("../merge/row-merge.js");
    const projection = mergeProjection(this.schema, options.columns);
    for (const group of overlappingGroups(this.rowSets)) {
      const [only, ...others] = group;
      if (only !== undefined && others.length === 0) {
        yield* only.diff(from, to, options);
        continue;
      }
      const streams = group.map((rowSet) => ({
        batches: rowSet.diff(from, to, { ...options, columns: projection.columns }),
        least: rowSet.minKey,
      }));
      yield* mergeChanges(streams, projection, most);
    }
  }

  /**
   * All versions of a row, those in all row sets, oldest first.
   *
   * @throws CFileError as `RowSetReader.history`
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

  /** Closes it at the end of an `await using` block, as `close` does. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
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
 * In a row set a key lives until it is deleted there for good; it may then come back in another one, perhaps at the same time. Which
 * of two lives is the later one their ends tell, as the beginning may be forgotten: at most one has none.
 */
function compareLives(left: readonly RowVersion[], right: readonly RowVersion[]): number {
  return compareEnds(left.at(-1), right.at(-1));
}

function compareEnds(left: RowVersion | undefined, right: RowVersion | undefined): number {
  if (left === undefined || right === undefined) {
    return Number(left !== undefined) - Number(right !== undefined);
  }
  if (left.deleted !== right.deleted) {
    return left.deleted ? -1 : 1;
  }
  const [a, b] = [left.timestamp ?? -1n, right.timestamp ?? -1n];
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Row sets whose keys overlap, merged. */
async function scanGroup(
  schema: RowSetSchema,
  group: readonly RowSetReader[],
  options: RowScanOptions & { readonly limit: number },
  most: number,
): Promise<AsyncGenerator<TableBatch, void, void>> {
  const { mergeProjection, mergeRows } = await import("../merge/row-merge.js");
  const projection = mergeProjection(schema, options.columns);
  const { columns } = projection;
  const { limit } = options;
  // They are scanned at the same time.
  const arena = options.arena?.part("merged");
  return mergeRows(
    group.map((rowSet, i) => ({
      batches: rowSet.scan({ ...options, columns, arena: arena?.part(i) }),
      least: rowSet.minKey,
    })),
    projection,
    most,
    limit,
    arena !== undefined,
  );
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
