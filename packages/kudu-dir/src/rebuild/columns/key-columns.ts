/** The key columns of a row set: read together, and found by the encoded keys in the ad-hoc index. */
import { type CFileError, equalBytes, findingOf } from "@cfile/bytes";
import { type ColumnBatch, DATA_TYPES } from "@cfile/encodings";
import { alignBatches, type TableBatch } from "@cfile/encodings/batches";
import { openCFile } from "@cfile/format";
import { compareKeys, encodeRowKeys, type RowKeys } from "@cfile/rowset";
import type { SurveyedBlock } from "../survey-blocks.js";
import type { BlockOrder } from "./block-order.js";

/** Maximum number of blocks searched before an ad-hoc index. */
const MAX_BLOCKS = 2048n;
const MAX_KEY_COLUMNS = 64;

/** The cells of columns, in row order. */
export async function* scanColumns(blocks: readonly SurveyedBlock[]): AsyncGenerator<TableBatch, void, void> {
  const files = await Promise.all(blocks.map(({ source }) => openCFile(source, { cacheBytes: 0 })));
  yield* alignBatches(Object.fromEntries(files.map((file, i) => [`column_${i}`, file.scan()])));
}

/** The encoded keys of all rows. */
export async function* encodedKeys(
  keyColumns: readonly SurveyedBlock[],
): AsyncGenerator<RowKeys & { readonly isAscending: true }, void, void> {
  for await (const { columns } of scanColumns(keyColumns)) {
    yield { ...encodeRowKeys(columns), isAscending: true };
  }
}

/**
 * The key columns of an ad-hoc index: columns before it whose encoded cells are the values of the index. Empty if there are no
 * such columns.
 *
 * @param first the first encoded key
 * @throws {CFileError} the damage of a column that may be one of them, unless they are found without it
 */
export async function findKeyColumns(
  index: SurveyedBlock,
  first: Uint8Array,
  order: BlockOrder,
): Promise<readonly SurveyedBlock[]> {
  const damage: CFileError[] = [];
  const near = columnsBefore(index, order, true);
  let found = await keysAmong(near, index, first, damage);
  // The blocks of row sets that are written at the same time are interleaved.
  const all = columnsBefore(index, order, false);
  if (found.length === 0 && all.length > near.length) {
    found = await keysAmong(all, index, first, damage);
  }
  const [error] = damage;
  if (found.length === 0 && error !== undefined) {
    throw error;
  }
  return found;
}

/** The columns with the same number of rows, oldest first. @param isNear whether to stop at the previous ad-hoc index */
function columnsBefore(index: SurveyedBlock, order: BlockOrder, isNear: boolean): readonly SurveyedBlock[] {
  const columns: SurveyedBlock[] = [];
  for (let at = index.order - 1n; at >= index.order - MAX_BLOCKS; at--) {
    const block = order.at(at);
    if (isNear && block?.kind === "ad-hoc index") {
      break;
    }
    if (block?.kind === "column" && block.rows === index.rows && order.isFree(block, index.id)) {
      columns.unshift(block);
    }
  }
  return columns;
}

/**
 * The consecutive columns that encode to the values of the index.
 *
 * @param damage receives the errors of columns whose first cell cannot be read
 */
async function keysAmong(
  columns: readonly SurveyedBlock[],
  index: SurveyedBlock,
  first: Uint8Array,
  damage: CFileError[],
): Promise<readonly SurveyedBlock[]> {
  const all = await Promise.all(columns.map((column) => firstCell(column, damage)));
  for (let start = columns.length - 2; start >= 0; start--) {
    const cells: ColumnBatch[] = [];
    for (const cell of all.slice(start, start + MAX_KEY_COLUMNS)) {
      if (cell === undefined) {
        break;
      }
      cells.push(cell);
      const found = columns.slice(start, start + cells.length);
      const isFirst = cells.length > 1 && equalBytes(encodeRowKeys(cells).data, first);
      if (isFirst && (await areKeys(found, index))) {
        return found;
      }
    }
  }
  return [];
}

/** The first cell of a column that can be part of a key. */
async function firstCell(
  { source, type, nullable, array }: SurveyedBlock,
  damage: CFileError[],
): Promise<ColumnBatch | undefined> {
  if (nullable || array || !DATA_TYPES[type].isKey) {
    return undefined;
  }
  try {
    const file = await openCFile(source, { cacheBytes: 0 });
    for await (const batch of file.scan({ rows: { from: 0, to: 1 } })) {
      return batch;
    }
  } catch (error) {
    damage.push(findingOf(error));
  }
  return undefined;
}

/** Whether the encoded cells of the columns are the values of the index. */
async function areKeys(columns: readonly SurveyedBlock[], index: SurveyedBlock): Promise<boolean> {
  for await (const batch of scanColumns([...columns, index])) {
    const keys = encodeRowKeys(batch.columns.slice(0, -1));
    // A single BINARY value is its own encoded key.
    const stored = encodeRowKeys(batch.columns.slice(-1));
    for (let row = 0; row < keys.length; row++) {
      if (compareKeys(keys, row, stored, row) !== 0) {
        return false;
      }
    }
  }
  return true;
}
