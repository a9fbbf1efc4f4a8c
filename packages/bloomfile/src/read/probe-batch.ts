/**
 * Looks up many keys at once: they are located in the index and grouped by block, so that each block is read and opened once.
 * If the keys ascend, a binary search finds the end of each group.
 */
import { type OnDamage, reportDamage } from "@cfile/bytes";
import type { IndexEntryLayout } from "@cfile/format";
import type { RowKernels } from "@cfile/kernels/rows";
import type { BloomFilter } from "../filter/bloom-filter.js";
import type { CheckedKeys } from "../filter/key-batch.js";
import type { BloomDirectory } from "./bloom-directory.js";
import type { FilterLoader } from "./filter-loader.js";

/** Options of looking up keys. */
export interface ProbeOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with each error of a damaged index or filter; the answer for its keys is then "maybe", as in Kudu. By default,
   * damage is thrown. Failures of the source are always thrown.
   */
  readonly onDamage?: OnDamage | undefined;
  /**
   * Array whose start holds the answers if it is long enough.
   *
   * @internal
   */
  readonly target?: Uint8Array | undefined;
}

/** The keys of a block: keys `order[from..to)`, or keys `from..to` if they ascend. */
interface BlockKeys extends IndexEntryLayout {
  readonly from: number;
  readonly to: number;
}

/** 1 (maybe) or 0 (absent) per key, for keys in any order. @throws {CFileError} as `BloomFileReader.mayContain` */
export async function probeBatch(
  keys: CheckedKeys,
  directory: BloomDirectory,
  loader: FilterLoader,
  kernels: RowKernels,
  { target, signal, onDamage }: ProbeOptions,
): Promise<Uint8Array> {
  const { length } = keys;
  const fits = target !== undefined && target.length >= length;
  const answers = fits ? target.subarray(0, length).fill(0) : new Uint8Array(length);
  const blockOf = keys.isAscending ? undefined : locate(keys, directory);
  const order = blockOf && orderByBlock(blockOf);
  const groups =
    blockOf && order ? groupByBlock(order, blockOf, directory) : ascendingGroups(keys, directory);
  for await (const loaded of loader.loadAll(groups, { signal })) {
    for (const { block, filter, damage } of loaded) {
      if (damage !== undefined) {
        reportDamage(damage, onDamage);
      }
      if (filter !== undefined && order === undefined) {
        filter.probeRange(keys, block.from, block.to, answers, kernels);
      } else {
        probeGroup(keys, order, block, filter, answers);
      }
    }
  }
  return answers;
}

/** Ascending keys grouped by block, without those before all blocks. */
function ascendingGroups(keys: CheckedKeys, directory: BloomDirectory): BlockKeys[] {
  const groups: BlockKeys[] = [];
  const { length, data } = keys;
  let index = -1;
  let size = length;
  for (let from = 0; from < length; ) {
    index = directory.search(data, keys.start(from), keys.end(from), index + 1);
    // Most blocks have as many keys as the one before.
    const to = directory.endOfBlock(index, keys, { from, to: length }, from + size);
    addGroup(groups, directory, index, from, to);
    size = to - from;
    from = to;
  }
  return groups;
}

function addGroup(
  groups: BlockKeys[],
  directory: BloomDirectory,
  index: number,
  from: number,
  to: number,
): void {
  const entry = directory.entries[index];
  if (entry !== undefined) {
    const { offset, size, key } = entry;
    groups.push({ offset, size, key, from, to });
  }
}

/** The block number per key; -1 for keys before all blocks. */
function locate(keys: CheckedKeys, directory: BloomDirectory): Int32Array {
  const blockOf = new Int32Array(keys.length);
  let near = -1;
  for (let i = 0; i < blockOf.length; i++) {
    near = directory.search(keys.data, keys.start(i), keys.end(i), near);
    blockOf[i] = near;
  }
  return blockOf;
}

/** The numbers of the keys, grouped by block. */
function orderByBlock(blockOf: Int32Array): Uint32Array {
  const order = new Uint32Array(blockOf.length);
  let isSorted = true;
  for (let i = 0; i < order.length; i++) {
    order[i] = i;
    isSorted &&= i === 0 || (blockOf[i - 1] as number) <= (blockOf[i] as number);
  }
  return isSorted ? order : order.sort((a, b) => (blockOf[a] as number) - (blockOf[b] as number));
}

function groupByBlock(order: Uint32Array, blockOf: Int32Array, directory: BloomDirectory): BlockKeys[] {
  const groups: BlockKeys[] = [];
  for (let from = 0; from < order.length; ) {
    const index = blockOf[order[from] as number] as number;
    let to = from + 1;
    while (to < order.length && blockOf[order[to] as number] === index) {
      to++;
    }
    addGroup(groups, directory, index, from, to);
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
