/**
 * Compares a tablet with its log where the log goes back to the first operation: each row that the log inserts and does not delete
 * must be there. A superblock that lacks row sets shows here even if nothing else names them. A tablet may have more rows than its log:
 * `cfile kudu load` adds row sets.
 */
import { type CFileError, corrupt } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import { openRowSet, TabletReader } from "@cfile/rowset";
import { unlessDamaged } from "../blocks/problems.js";
import type { KuduTablet } from "../read/kudu-tablet.js";

/** Longer logs are not compared: their rows are in memory. Kudu deletes segments of 8 MiB after a flush. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The error of a tablet that lacks rows of its log. Damage of row sets and logs is reported elsewhere. */
export async function checkWholeLog(tablet: KuduTablet): Promise<CFileError | undefined> {
  const { schema } = tablet;
  const rowSets = await unlessDamaged(() => tablet.wholeLog(MAX_BYTES));
  if (rowSets === undefined) {
    return undefined;
  }
  const columns = schema.columns.filter(({ isKey }) => isKey).map(({ name }) => name);
  const lost = await unlessDamaged(async () => {
    const readers = await Promise.all(rowSets.map((rowSet) => openRowSet(rowSet, schema)));
    const keys = await keysOf(new TabletReader(schema, readers).scan({ columns }));
    for (const key of await keysOf(tablet.scan({ columns, withLog: true }))) {
      keys.delete(key);
    }
    return keys;
  });
  const [first] = lost ?? [];
  return first === undefined
    ? undefined
    : corrupt(
        `the tablet lacks ${lost?.size} rows that its log inserted, such as ${first}: the superblock lacks row sets`,
        { field: "superblock" },
      );
}

async function keysOf(batches: AsyncIterable<TableBatch>): Promise<Set<string>> {
  const keys = new Set<string>();
  for await (const { length, columns } of batches) {
    const cells = columns.map((column) => column.toArray());
    for (let row = 0; row < length; row++) {
      keys.add(cells.map((values) => JSON.stringify(String(values[row]))).join(", "));
    }
  }
  return keys;
}
