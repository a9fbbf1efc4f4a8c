/**
 * The base files of each row set, found from its key file. A flush or compaction makes its blocks in this order, and block IDs
 * ascend (docs/spec/diskrowset.md#3-order-of-operations):
 *
 * | block | verified by |
 * | --- | --- |
 * | columns in schema order, key columns first | key columns: their encoded keys are the values of the ad-hoc index |
 * | Bloom file | has exactly the keys of the row set |
 * | ad-hoc index, if there are several key columns | the search begins here, otherwise at the key column |
 * | UNDO file, REDO file | see `run-deltas.ts` |
 *
 * A replica that was copied from another server has its delta files before the Bloom file.
 */
import { findingOf } from "@cfile/bytes";
import { isDelta, type SurveyedBlock, type SurveyedDelta } from "../survey-blocks.js";
import type { BlockOrder } from "./block-order.js";
import { hasExactly, type VerifiedKeys } from "./bloom-keys.js";
import { encodedKeys, findKeyColumns } from "./key-columns.js";

/** The files of a row set that are verified by its keys. */
export interface KeyFiles extends VerifiedKeys {
  /** The ID of its key file, which names the row set. */
  readonly id: bigint;
  readonly rows: number;
  /** The only key column, or the ad-hoc index. */
  readonly key: SurveyedBlock;
  /** `undefined` if no Bloom file has these keys. */
  readonly bloom: SurveyedBlock | undefined;
}

/** The base files of a row set. */
export interface BaseFiles extends KeyFiles {
  /** Columns in schema order; `undefined` for each column whose file is gone: replaced by a compaction, or dropped. */
  readonly slots: readonly (SurveyedBlock | undefined)[];
  /** Delta files right before the Bloom file. */
  readonly copiedDeltas: readonly SurveyedDelta[];
  /** Whether blocks of other row sets lie between those of this one. */
  readonly isMixed: boolean;
  /** The order of its first and last block. */
  readonly start: bigint;
  readonly end: bigint;
}

/** Maximum number of blocks between the first column and the Bloom file. */
const MAX_COLUMNS = 2048n;

/**
 * Finds the key files of a row set; `undefined` if its key columns are missing.
 *
 * @param key a key column or ad-hoc index
 * @throws {CFileError} as reading the key and Bloom files
 */
export async function findKeyFiles(key: SurveyedBlock, order: BlockOrder): Promise<KeyFiles | undefined> {
  const { id, rows, keys: bounds } = key;
  if (bounds === undefined) {
    return undefined;
  }
  const isComposite = key.kind === "ad-hoc index";
  const keyColumns = isComposite ? await findKeyColumns(key, bounds.min, order) : [key];
  const near = isComposite ? order.at(key.order - 1n) : bloomAfter(key, order);
  if (keyColumns.length === 0) {
    return undefined;
  }
  const files = { id, rows, key, bounds, keyColumns };
  const bloom = await findBloom(files, near, order);
  if (bloom === undefined) {
    await readAll(keyColumns);
  }
  return { ...files, bloom };
}

/** Checks that all keys can be read. With a Bloom file, comparing it with them does the same. */
async function readAll(keyColumns: readonly SurveyedBlock[]): Promise<void> {
  for await (const _ of encodedKeys(keyColumns)) {
    // Damage is thrown.
  }
}

/** The base files of a row set, by position. The files of other row sets already have owners. */
export function baseFilesOf(files: KeyFiles, order: BlockOrder): BaseFiles {
  const { key, keyColumns, bloom } = files;
  const [first = key] = keyColumns;
  const isInPlace = bloom !== undefined && bloom.order > first.order;
  const columnsEnd = isInPlace ? bloom.order : endOfColumns(key, first, order);
  const end = key.order > columnsEnd ? key.order : columnsEnd;
  return { ...files, ...filesBetween(first.order, columnsEnd, key, order), start: first.order, end };
}

function filesBetween(
  start: bigint,
  end: bigint,
  key: SurveyedBlock,
  order: BlockOrder,
): Pick<BaseFiles, "slots" | "copiedDeltas" | "isMixed"> {
  const copiedDeltas: SurveyedDelta[] = [];
  let columnsEnd = end;
  for (let block = order.at(columnsEnd - 1n); isDelta(block); block = order.at(columnsEnd - 1n)) {
    copiedDeltas.unshift(block);
    columnsEnd--;
  }
  const slots: (SurveyedBlock | undefined)[] = [];
  let isMixed = false;
  for (let at = start; at < columnsEnd; at++) {
    const block = order.at(at);
    if (block === undefined || block.kind === "damaged" || isColumnOf(block, key, order)) {
      slots.push(block);
    } else {
      isMixed = true;
    }
  }
  return { slots, copiedDeltas, isMixed };
}

/** Whether the block can be a column of the row set with this key file. */
function isColumnOf(block: SurveyedBlock, key: SurveyedBlock, order: BlockOrder): boolean {
  return block === key || (block.kind === "column" && block.rows === key.rows && order.isFree(block, key.id));
}

function bloomAfter(key: SurveyedBlock, order: BlockOrder): SurveyedBlock | undefined {
  for (let at = key.order + 1n; at <= key.order + MAX_COLUMNS; at++) {
    const block = order.at(at);
    if (block?.kind === "bloom" || block?.kind === "key column") {
      return block.kind === "bloom" ? block : undefined;
    }
  }
  return undefined;
}

/** Where the columns end if the Bloom file is missing: before the first block that cannot be a column. */
function endOfColumns(key: SurveyedBlock, first: SurveyedBlock, order: BlockOrder): bigint {
  if (key.kind === "ad-hoc index" && key.order > first.order) {
    return key.order - 1n;
  }
  let at = first.order;
  for (let block = order.at(at); block !== undefined && isColumnOf(block, key, order); ) {
    block = order.at(++at);
  }
  return at;
}

/** The Bloom file with exactly the keys of the row set: the near one, or the only other one. */
async function findBloom(
  files: Omit<KeyFiles, "bloom">,
  near: SurveyedBlock | undefined,
  order: BlockOrder,
): Promise<SurveyedBlock | undefined> {
  const { id } = files;
  const isNear = near?.kind === "bloom" && order.isFree(near, id);
  if (isNear && (await isBloomOf(near, files))) {
    return near;
  }
  const found: SurveyedBlock[] = [];
  for (const bloom of order.blocks) {
    if (bloom.kind === "bloom" && bloom !== near && (await isBloomOf(bloom, files))) {
      found.push(bloom);
    }
  }
  const [only, ...others] = found;
  return only !== undefined && others.length === 0 && order.isFree(only, id) ? only : undefined;
}

/** Whether the Bloom file belongs to the row set; false if it is damaged. */
async function isBloomOf(bloom: SurveyedBlock, files: VerifiedKeys): Promise<boolean> {
  try {
    return await hasExactly(bloom, files);
  } catch (error) {
    if (findingOf(error).path === bloom.source.name) {
      return false;
    }
    throw error;
  }
}
