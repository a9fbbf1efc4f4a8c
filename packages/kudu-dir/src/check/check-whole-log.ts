/**
 * Compares a tablet with its log if the log goes back to the first operation: each row that the log inserts and never deletes
 * must be there. This finds row sets that the superblock lacks even if nothing else names them. A tablet may have more rows than its log:
 * `cfile kudu load` adds row sets.
 */
import { type CFileError, corrupt, MemoryArena } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import { compareKeys, encodeRowKeys, keyAt, openRowSet, type RowKeys, TabletReader } from "@cfile/rowset";
import { unlessDamaged } from "../blocks/problems.js";
import type { KuduTablet } from "../read/kudu-tablet.js";

/** Longer logs are not compared, because their rows are kept in memory. Kudu deletes segments of 8 MiB after a flush. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The error for a tablet that lacks rows of its log. Damage of row sets and logs is reported elsewhere. */
export async function checkWholeLog(tablet: KuduTablet): Promise<CFileError | undefined> {
  const { schema } = tablet;
  const rowSets = await unlessDamaged(() => tablet.wholeLog(MAX_BYTES));
  if (rowSets === undefined) {
    return undefined;
  }
  const columns = schema.columns.filter(({ isKey }) => isKey).map(({ name }) => name);
  const lost = await unlessDamaged(async () => {
    const readers = await Promise.all(rowSets.map((rowSet) => openRowSet(rowSet, schema)));
    const scan = { columns, arena: new MemoryArena() };
    return missingRows(new TabletReader(schema, readers).scan(scan), (from) =>
      tablet.scan({ columns, withLog: true, keys: { from }, arena: new MemoryArena() }),
    );
  });
  return lost === undefined || lost.count === 0
    ? undefined
    : corrupt(
        `the tablet lacks ${lost.count} rows that its log inserted, such as ${lost.first}: the superblock lacks row sets`,
        { field: "superblock" },
      );
}

export interface MissingRows {
  count: number;
  /** The key of the first missing row. */
  first: string;
}

/**
 * The rows of `wanted` that are missing.
 *
 * @param wanted rows in key order
 * @param scan reads the existing rows from a key on, in key order
 */
export async function missingRows(
  wanted: AsyncIterable<TableBatch>,
  scan: (from: Uint8Array) => AsyncGenerator<TableBatch, void, void>,
): Promise<MissingRows> {
  const missing: MissingRows = { count: 0, first: "" };
  let found: KeyCursor | undefined;
  try {
    for await (const { length, columns } of wanted) {
      const keys = encodeRowKeys(columns);
      found ??= new KeyCursor(scan(keyAt(keys, 0)));
      for (let row = 0; row < length; row++) {
        // Most keys are in the batch that was read last.
        if (!found.isAt(keys, row) && !(await found.reach(keys, row))) {
          missing.first ||= columns.map((column) => JSON.stringify(String(column.toArray()[row]))).join(", ");
          missing.count++;
        }
      }
    }
  } finally {
    await found?.close();
  }
  return missing;
}

/** Steps through the keys of a scan. */
class KeyCursor {
  private readonly batches: AsyncGenerator<TableBatch, void, void>;
  private keys: RowKeys = encodeRowKeys([]);
  private row = 0;
  private isOver = false;

  constructor(batches: AsyncGenerator<TableBatch, void, void>) {
    this.batches = batches;
  }

  /** Moves to the first key that is not less than the given one, within the batch. Returns whether they are equal. */
  isAt(keys: RowKeys, row: number): boolean {
    let order = -1;
    while (this.row < this.keys.length) {
      order = compareKeys(this.keys, this.row, keys, row);
      if (order >= 0) {
        break;
      }
      this.row++;
    }
    return order === 0;
  }

  /** Moves on to the next batches until one has a key that is not less. Returns whether they are equal. */
  async reach(keys: RowKeys, row: number): Promise<boolean> {
    while (this.row === this.keys.length && !this.isOver) {
      const { done, value } = await this.batches.next();
      if (done === true) {
        this.isOver = true;
      } else {
        this.keys = encodeRowKeys(value.columns);
        this.row = 0;
        if (this.isAt(keys, row)) {
          return true;
        }
      }
    }
    return false;
  }

  async close(): Promise<void> {
    await this.batches.return();
  }
}
