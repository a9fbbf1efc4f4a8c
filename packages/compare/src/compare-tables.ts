/**
 * Compares two tables, regardless of the order of their rows:
 *
 * 1. Both are read once, for their digests. Equal digests end the comparison.
 * 2. Otherwise both are read again, for the digests of groups of rows,
 * 3. for the hashes of the rows in groups that differ: which keys differ, and how many,
 * 4. and for the rows of the first of these keys, to show them.
 */
import { invalidArgument } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import { type ComparedTable, kindOf } from "./compared-table.js";
import { GroupDigest } from "./digest/group-digest.js";
import { RowHasher } from "./digest/row-hasher.js";
import { digestTexts, TableDigest } from "./digest/table-digest.js";
import {
  type ChangeCounts,
  type ChangedKey,
  type Changes,
  changedKeys,
  HashList,
} from "./rows/changed-keys.js";
import { differencesOf, type RowDifference, WantedRows } from "./rows/row-differences.js";

/** Options of {@link compareTables}. */
export interface CompareOptions {
  /** Columns to compare. Default: all. */
  readonly columns?: readonly string[] | undefined;
  /** Columns that identify a row. Default: the primary key of either table; without one, rows are compared as a whole. */
  readonly key?: readonly string[] | undefined;
  /** Maximum number of differences to return. Default 20. */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of rows of each batch that was read. */
  readonly onRows?: ((rows: number) => void) | undefined;
}

/** A column that cannot be compared. */
export interface ColumnProblem {
  readonly name: string;
  /** The type in each table; `undefined` where the column is absent. */
  readonly types: readonly [a: string | undefined, b: string | undefined];
}

/** A column in both tables. */
export interface ColumnDigests {
  readonly name: string;
  /** The digests of all rows, 16 hexadecimal digits each; equal cells have equal digests. */
  readonly digests: readonly [a: string, b: string];
}

/** A partition of one table. */
export interface PartitionDigests {
  readonly name: string;
  readonly rows: number;
  /** One per compared column. */
  readonly digests: readonly string[];
}

/** The result of {@link compareTables}. */
export interface Comparison {
  readonly isEqual: boolean;
  /** Columns that only one table has, or whose types cannot be compared. */
  readonly problems: readonly ColumnProblem[];
  readonly columns: readonly ColumnDigests[];
  readonly rows: readonly [a: number, b: number];
  readonly partitions: readonly [a: readonly PartitionDigests[], b: readonly PartitionDigests[]];
  readonly counts: ChangeCounts;
  /** Whether the counts are exact: not if more than {@link MAX_HASHES} rows are in groups that differ. */
  readonly isExact: boolean;
  /** The first differences. */
  readonly differences: readonly RowDifference[];
}

/** Maximum number of rows whose hashes are kept at a time, of both tables together: 16 bytes each, and 4 to sort them. */
export const MAX_HASHES = 3_000_000;

/**
 * @throws {CFileError} `E_INVALID_ARGUMENT` for a column or key that is not in both tables with a comparable type, and what reading
 * the tables throws
 */
export async function compareTables(
  a: ComparedTable,
  b: ComparedTable,
  options: CompareOptions = {},
): Promise<Comparison> {
  const { limit = 20 } = options;
  const { names, problems } = commonColumns(a, b, options.columns);
  const key = keyOf(a, b, names, options.key);
  const task = { tables: [a, b] as const, names, key, options };
  const [left, right] = await eachTable(task.tables, (table) => digestOf(table, task));
  const digests = [left.digests, right.digests] as const;
  const hasSameRows = left.rows === right.rows && digests[0].join() === digests[1].join();
  const { groups, isExact } = hasSameRows ? { groups: [], isExact: true } : await differingGroups(task);
  const { counts, keys } = await changesIn(groups, limit, task);
  const differences = await differencesIn(keys, task);
  return {
    isEqual: hasSameRows && problems.length === 0,
    problems,
    columns: names.map((name, i) => ({ name, digests: [digests[0][i] ?? "", digests[1][i] ?? ""] })),
    rows: [left.rows, right.rows],
    partitions: [partitionsOf(left), partitionsOf(right)],
    counts,
    isExact,
    differences: differences.slice(0, limit),
  };
}

interface Task {
  readonly tables: readonly [ComparedTable, ComparedTable];
  readonly names: readonly string[];
  readonly key: readonly string[];
  readonly options: CompareOptions;
}

function commonColumns(
  a: ComparedTable,
  b: ComparedTable,
  selected: readonly string[] | undefined,
): { readonly names: string[]; readonly problems: ColumnProblem[] } {
  const all = new Set([...a.columns, ...b.columns].map(({ name }) => name));
  const names: string[] = [];
  const problems: ColumnProblem[] = [];
  for (const name of selected ?? all) {
    const kinds = [a, b]
      .map(({ columns }) => columns.find((column) => column.name === name))
      .map((c) => c && kindOf(c));
    const [kindA, kindB] = kinds;
    if (kindA !== undefined && kindA === kindB) {
      names.push(name);
    } else if (selected !== undefined && kindA === undefined && kindB === undefined) {
      throw invalidArgument(`no such column: "${name}"`, { field: "columns" });
    } else {
      problems.push({ name, types: [kindA, kindB] });
    }
  }
  return { names, problems };
}

function keyOf(
  a: ComparedTable,
  b: ComparedTable,
  names: readonly string[],
  given: readonly string[] | undefined,
): readonly string[] {
  const missing = given?.find((name) => !names.includes(name));
  if (missing !== undefined) {
    throw invalidArgument(`not a comparable column of both tables: "${missing}"`, { field: "key" });
  }
  const known = given ?? [a.keyNames, b.keyNames].find((one) => one !== undefined && one.length > 0) ?? [];
  return known.every((name) => names.includes(name)) ? known : [];
}

async function eachTable<T>(
  [a, b]: readonly [ComparedTable, ComparedTable],
  work: (table: ComparedTable) => Promise<T>,
): Promise<[T, T]> {
  return [await work(a), await work(b)];
}

async function digestOf(
  table: ComparedTable,
  { names, key, options: { signal, onRows } }: Task,
): Promise<TableDigest> {
  const digest = new TableDigest(names, key);
  for (const partition of table.partitions) {
    const part = digest.startPartition(partition.name);
    for await (const batch of partition.rows(signal)) {
      signal?.throwIfAborted();
      digest.add(part, batch);
      onRows?.(batch.length);
    }
  }
  return digest;
}

/** The first groups that differ, with at most {@link MAX_HASHES} rows together. */
async function differingGroups({ tables, names, key, options }: Task) {
  const [a, b] = await eachTable(tables, async (table) => {
    const digest = new GroupDigest();
    const hasher = new RowHasher(names, key);
    await readAgain(table, options, (batch) => digest.add(batch, hasher));
    return digest;
  });
  const groups = a.differing(b);
  let total = 0;
  const end = groups.findIndex((group) => {
    total += (a.rows[group] ?? 0) + (b.rows[group] ?? 0);
    return total > MAX_HASHES;
  });
  return { groups: end < 0 ? groups : groups.slice(0, end), isExact: end < 0 };
}

async function changesIn(
  groups: readonly number[],
  limit: number,
  { tables, names, key, options }: Task,
): Promise<Changes> {
  if (groups.length === 0) {
    return { counts: { onlyA: 0, onlyB: 0, changed: 0 }, keys: [] };
  }
  const [left, right] = await eachTable(tables, async (table) => {
    const list = new HashList(groups);
    const hasher = new RowHasher(names, key);
    await readAgain(table, options, (batch) => list.add(batch, hasher));
    return list;
  });
  return changedKeys(left, right, limit, key.length > 0);
}

async function differencesIn(
  keys: readonly ChangedKey[],
  { tables, names, key, options }: Task,
): Promise<RowDifference[]> {
  if (keys.length === 0) {
    return [];
  }
  const hashes = keys.flatMap(({ a, b }) => [...a, ...b]);
  const rows = await eachTable(tables, async (table) => {
    const wanted = new WantedRows(hashes);
    const hasher = new RowHasher(names, key);
    await readAgain(table, options, (batch) => wanted.add(batch, hasher));
    return wanted;
  });
  return keys.flatMap((one) => differencesOf(one, rows, names, key.length > 0));
}

async function readAgain(
  table: ComparedTable,
  { signal }: CompareOptions,
  add: (batch: TableBatch) => void,
): Promise<void> {
  for (const partition of table.partitions) {
    for await (const batch of partition.rows(signal)) {
      signal?.throwIfAborted();
      add(batch);
    }
  }
}

function partitionsOf({ partitions }: TableDigest): PartitionDigests[] {
  return partitions.map(({ name, rows, sums }) => ({ name, rows, digests: digestTexts(sums).slice(0, -1) }));
}
