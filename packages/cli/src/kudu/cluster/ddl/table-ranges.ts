/** The ranges of a table's partitions, decoded from the partition keys of its tablets (docs/spec/kudu-cluster.md#2-the-catalog). */
import { compareBytes, corrupt, toHex } from "@cfile/bytes";
import { decodeCompositeKey, type KeyValue } from "@cfile/encodings/keys";
import {
  type HashPartitioning,
  hashOfRange,
  type KuduColumn,
  rangeEnd,
  rangeStart,
} from "@cfile/kudu-dir/catalog";
import type { DescribedTable } from "../describe-text.js";

export interface TableRange {
  /** Values of the range columns, inclusive; `undefined` for an unbounded range. */
  readonly lower: readonly KeyValue[] | undefined;
  /** Exclusive. */
  readonly upper: readonly KeyValue[] | undefined;
  /** The range's own hash partitioning, if it differs from the table's. */
  readonly hash: readonly HashPartitioning[] | undefined;
}

/** The columns that divide the table into ranges, in order. */
export function rangeColumns({ columns, partitionSchema }: DescribedTable): readonly KuduColumn[] {
  const ids = partitionSchema?.rangeColumnIds;
  return ids === undefined
    ? columns.filter(({ isKey }) => isKey)
    : ids.flatMap((id) => columns.filter((column) => column.id === id));
}

/**
 * All ranges, in ascending order; a single unbounded range is left out.
 *
 * @throws {CFileError} `E_CORRUPT` for an invalid partition key
 */
export function tableRanges(table: DescribedTable): readonly TableRange[] {
  const { partitionSchema } = table;
  const columns = rangeColumns(table);
  const ranges = new Map<string, { start: Uint8Array; range: TableRange }>();
  for (const partition of table.partitions) {
    const start = rangeStart(partition);
    const hash = partitionSchema && hashOfRange(partitionSchema, partition);
    const range = {
      lower: boundOf(columns, start),
      upper: boundOf(columns, rangeEnd(partition)),
      hash: hash === partitionSchema?.hash ? undefined : hash,
    };
    ranges.set(toHex(start), { start, range });
  }
  return [...ranges.values()]
    .sort((left, right) => compareBytes(left.start, right.start))
    .map(({ range }) => range)
    .filter(({ lower, upper, hash }) => lower ?? upper ?? hash);
}

function boundOf(columns: readonly KuduColumn[], key: Uint8Array): readonly KeyValue[] | undefined {
  if (key.length === 0) {
    return undefined;
  }
  const values = decodeCompositeKey(
    columns.map(({ type }) => type),
    key,
  );
  if (values.length !== columns.length) {
    throw corrupt(`partition key 0x${toHex(key)} does not have ${columns.length} columns`, {
      field: "partition_key",
    });
  }
  return values;
}
