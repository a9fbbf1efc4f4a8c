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
import { BloomFilter, openBloomFile } from "@cfile/bloomfile";
import type { BlockOrder } from "./block-order.js";
import { encodedKeys, findKeyColumns } from "./key-columns.js";
import type { SurveyedBlock } from "./survey-blocks.js";

/** The base files of a row set. */
export interface BaseFiles {
  /** The ID of its key file, which names the row set. */
  readonly id: bigint;
  readonly rows: number;
  /** The only key column, or the ad-hoc index. */
  readonly key: SurveyedBlock;
  readonly keyColumns: readonly SurveyedBlock[];
  /** `undefined` if no Bloom file has these keys. */
  readonly bloom: SurveyedBlock | undefined;
  /** Columns in schema order; `undefined` for each that is gone: replaced by a compaction, or dropped. */
  readonly slots: readonly (SurveyedBlock | undefined)[];
  /** Delta files right before the Bloom file. */
  readonly copiedDeltas: readonly SurveyedBlock[];
  /** Whether blocks of other row sets lie between those of this one. */
  readonly isMixed: boolean;
  /** The order of its first and last block. */
  readonly start: bigint;
  readonly end: bigint;
}

/** Maximum number of blocks between the first column and the Bloom file. */
const MAX_COLUMNS = 2048n;
/** Filters with fewer keys are compared bit by bit. Kudu's filters have 1710 keys. */
const EXACT_KEYS = 8192;

/**
 * Finds the base files of a row set; `undefined` if its key columns are missing.
 *
 * @param key a key column or ad-hoc index
 * @throws {CFileError} as reading the key and Bloom files
 */
export async function findBaseFiles(key: SurveyedBlock, order: BlockOrder): Promise<BaseFiles | undefined> {
  const isComposite = key.kind === "ad-hoc index";
  const keyColumns = isComposite ? await findKeyColumns(key, order) : [key];
  const [first] = keyColumns;
  if (first === undefined) {
    return undefined;
  }
  const near = isComposite ? order.at(key.order - 1n) : bloomAfter(key, order);
  const bloom = await findBloom(key, keyColumns, near, order);
  const isInPlace = bloom !== undefined && bloom.order > first.order;
  const columnsEnd = isInPlace ? bloom.order : endOfColumns(key, first, order);
  return {
    id: key.id,
    rows: key.rows,
    key,
    keyColumns,
    bloom,
    ...filesBetween(first.order, columnsEnd, key, order),
    start: first.order,
    end: isComposite && key.order > columnsEnd ? key.order : columnsEnd,
  };
}

function filesBetween(
  start: bigint,
  end: bigint,
  key: SurveyedBlock,
  order: BlockOrder,
): Pick<BaseFiles, "slots" | "copiedDeltas" | "isMixed"> {
  const copiedDeltas: SurveyedBlock[] = [];
  let columnsEnd = end;
  for (let block = order.at(columnsEnd - 1n); block?.kind === "delta"; block = order.at(columnsEnd - 1n)) {
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

/** Where the columns end if the Bloom file is missing: before the first block that cannot be one. */
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

/** The Bloom file with exactly the keys of the row set: first the near one, then all others. */
async function findBloom(
  key: SurveyedBlock,
  keyColumns: readonly SurveyedBlock[],
  near: SurveyedBlock | undefined,
  order: BlockOrder,
): Promise<SurveyedBlock | undefined> {
  const isNear = near?.kind === "bloom" && order.isFree(near, key.id);
  if (isNear && (await hasExactly(near, key, keyColumns))) {
    return near;
  }
  const others = order
    .free("bloom")
    .filter((block) => block !== near)
    .sort((left, right) => distance(left, key) - distance(right, key));
  for (const bloom of others) {
    if (await hasExactly(bloom, key, keyColumns)) {
      return bloom;
    }
  }
  return undefined;
}

function distance({ order: left }: SurveyedBlock, { order: right }: SurveyedBlock): number {
  return Number(left > right ? left - right : right - left);
}

/** Whether the Bloom file has all keys of the row set, and no others. */
async function hasExactly(
  { source }: SurveyedBlock,
  { keys, rows }: SurveyedBlock,
  keyColumns: readonly SurveyedBlock[],
): Promise<boolean> {
  const bloom = await openBloomFile(source, { cacheBytes: 1024 * 1024 });
  if (keys === undefined || !(await bloom.mayContain(keys.min)) || !(await bloom.mayContain(keys.max))) {
    return false;
  }
  const { blocks, bits, ones, hashCounts, estimatedKeys } = await bloom.statistics();
  const filter = blocks === 1 && rows <= EXACT_KEYS ? BloomFilter.empty(bits / 8, hashCounts.max) : undefined;
  if (filter === undefined && Math.abs(estimatedKeys - rows) > rows / 20) {
    return false;
  }
  for await (const batch of encodedKeys(keyColumns)) {
    if ((await bloom.mayContainMany(batch)).includes(0)) {
      return false;
    }
    filter?.insertMany(batch);
  }
  return filter === undefined || filter.measureFill().ones === ones;
}
