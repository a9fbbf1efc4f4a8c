/**
 * A key can be live in only one row set of a tablet. If a server stops between a compaction and the deletion of the blocks that it
 * replaced, old and new row sets both exist.
 */
import { compareBytes, toHex } from "@cfile/bytes";
import { encodeRowKeys, openRowSet, type RowSetReader, TabletReader } from "@cfile/rowset";
import type { BlockStore } from "../../blocks/stored-block.js";
import type { KuduSchema } from "../../catalog/schema-message.js";
import type { RowSetBlocks } from "../../catalog/superblock.js";
import { TabletRowSet } from "../../read/tablet-row-set.js";

/** Row sets of one tablet. */
export interface JoinedRowSets {
  readonly table: { readonly schema: KuduSchema };
  readonly rowSets: readonly { readonly id: bigint; readonly blocks: RowSetBlocks }[];
  /** The last snapshot that is certain. */
  readonly certainUntil: bigint | undefined;
}

/**
 * Describes the problem if two row sets of the tablet have the same live key; otherwise `undefined`.
 *
 * @throws {CFileError} as reading the key columns and delta files
 */
export async function findSharedKey(
  { rowSets, table, certainUntil: asOf }: JoinedRowSets,
  store: BlockStore,
): Promise<string | undefined> {
  const { schema } = table;
  const readers = new Map<bigint, RowSetReader>();
  for (const { id, blocks } of rowSets.length > 1 ? rowSets : []) {
    const files = await new TabletRowSet(blocks, schema, store, { cacheBytes: 0 }).files();
    readers.set(id, await openRowSet(files, schema, { cacheBytes: 1024 * 1024 }));
  }
  const columns = schema.columns.filter(({ isKey }) => isKey).map(({ name }) => name);
  let last: Uint8Array | undefined;
  for await (const batch of new TabletReader(schema, [...readers.values()]).scan({ columns, asOf })) {
    const { data, offsets } = encodeRowKeys(batch.columns);
    for (let row = 0; row < batch.length; row++) {
      const key = data.subarray(offsets[row], offsets[row + 1]);
      if (last !== undefined && compareBytes(last, key) === 0) {
        const owners: bigint[] = [];
        for (const [id, reader] of readers) {
          if ((await reader.get(key, { asOf })) !== undefined) {
            owners.push(id);
          }
        }
        const names = owners.join(" and ");
        return `row sets ${names} share key 0x${toHex(key)}: an unfinished compaction left the old or the new one`;
      }
      last = key;
    }
  }
  return undefined;
}
