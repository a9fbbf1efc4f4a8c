/**
 * Many keys at once: located in the index, grouped by block, so that each block is read and opened once. Of keys in order, only
 * where a block's keys end is looked for.
 */
import { type OnDamage, reportDamage } from "@cfile/bytes";
import type { IndexEntryLayout } from "@cfile/format";
import type { RowKernels } from "@cfile/kernels/rows";
import type { BloomFilter } from "../filter/bloom-filter.js";
import type { CheckedKeys } from "../filter/key-batch.js";
import type { BloomDirectory } from "./bloom-directory.js";
import type { FilterLoader } from "./filter-loader.js";

/** Options of asking for many keys. */
export interface ProbeOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with each error of a damaged index or filter; the answer for its keys then is "maybe", as in Kudu. Without it,
   * damage is thrown. Failures of the source always are.
   */
  readonly onDamage?: OnDamage | undefined;
  /**
   * Where answers are put, if there is room for them: they are then its beginning.
   *
   * @internal
   */
  readonly target?: Uint8Array | undefined;
}

/** Keys of one block: `order[from..to)` are their numbers, or they are these themselves. */
interface BlockKeys extends IndexEntryLayout {
  readonly from: number;
  readonly to: number;
}

/** 1 (maybe) or 0 (absent) for each key, in any order of keys. */
export async function probeBatch(
  keys: CheckedKeys,
  directory: BloomDirectory,
  loader: FilterLoader,
  kernels: RowKernels,
  options: ProbeOptions,
): Promise<Uint8Array> {
  const answers = answersIn(options.target, keys.length);
  let order: Uint32Array | undefined;
  let groups: BlockKeys[];
  if (keys.isAscending) {
    groups = consecutiveGroups(keys, directory);
  } else {
    const blockOf = locate(keys, directory);
    order = orderByBlock(blockOf);
    groups = groupByBlock(order, blockOf, directory);
  }
  for await (const loaded of loader.loadAll(groups, options)) {
    for (const { block, filter, damage } of loaded) {
      if (damage !== undefined) {
        reportDamage(damage, options.onDamage);
      }
      const { from, to } = block;
      if (filter !== undefined && order === undefined) {
        filter.probeRange(keys, from, to, answers, from, kernels);
      } else {
        probeGroup(keys, order, block, filter, answers);
      }
    }
  }
  return answers;
}

function answersIn(target: Uint8Array | undefined, length: number): Uint8Array {
  return target === undefined || target.length < length
    ? new Uint8Array(length)
    : target.subarray(0, length).fill(0);
}

/** Keys in order, those of one block together; keys before all blocks are left out. */
function consecutiveGroups(keys: CheckedKeys, directory: BloomDirectory): BlockKeys[] {
  const groups: BlockKeys[] = [];
  const { length, data } = keys;
  let index = -1;
  for (let from = 0; from < length; ) {
    index = directory.search(data, keys.start(from), keys.end(from), index);
    const to = directory.endOfBlock(index, keys, from, length);
    if (index >= 0) {
      const { key, offset, size } = directory.entry(index);
      groups.push({ key, offset, size, from, to });
    }
    from = to;
  }
  return groups;
}

/** The number of each key's block; -1 for keys before all blocks. */
function locate(keys: CheckedKeys, directory: BloomDirectory): Int32Array {
  const blockOf = new Int32Array(keys.length);
  let near = -1;
  for (let i = 0; i < blockOf.length; i++) {
    near = directory.search(keys.data, keys.start(i), keys.end(i), near);
    blockOf[i] = near;
  }
  return blockOf;
}

/** The keys' numbers, those of one block together. */
function orderByBlock(blockOf: Int32Array): Uint32Array {
  const order = new Uint32Array(blockOf.length);
  let isSorted = true;
  for (let i = 0; i < order.length; i++) {
    order[i] = i;
    isSorted &&= i === 0 || (blockOf[i - 1] as number) <= (blockOf[i] as number);
  }
  return isSorted
    ? order
    : order.sort((left, right) => (blockOf[left] as number) - (blockOf[right] as number));
}

function groupByBlock(order: Uint32Array, blockOf: Int32Array, directory: BloomDirectory): BlockKeys[] {
  const groups: BlockKeys[] = [];
  for (let from = 0; from < order.length; ) {
    const index = blockOf[order[from] as number] as number;
    let to = from + 1;
    while (to < order.length && blockOf[order[to] as number] === index) {
      to++;
    }
    if (index >= 0) {
      const { key, offset, size } = directory.entry(index);
      groups.push({ key, offset, size, from, to });
    }
    from = to;
  }
  return groups;
}

function probeGroup(
  keys: CheckedKeys,
  order: Uint32Array | undefined,
  { from, to }: BlockKeys,
  filter: BloomFilter | undefined,
  answers: Uint8Array,
): void {
  for (let i = from; i < to; i++) {
    const key = order === undefined ? i : (order[i] as number);
    const isMaybe = filter === undefined || filter.mayContainRange(keys.data, keys.start(key), keys.end(key));
    answers[key] = isMaybe ? 1 : 0;
  }
}
