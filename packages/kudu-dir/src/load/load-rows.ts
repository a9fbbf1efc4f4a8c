/**
 * Bulk load: the rows of a row set become rows of a table, in directories that no server uses. They are new row sets of the tablets that
 * they belong to, with Bloom file, index and UNDO file; nothing that is there is changed but the superblocks, which name them.
 */
import { CFileError, invalidArgument } from "@cfile/bytes";
import { type TableBatch, takeRows } from "@cfile/encodings/batches";
import type { RowSetSchema } from "@cfile/rowset";
import type { DataFolder } from "../catalog/server-roots.js";
import { rolesOf } from "../catalog/superblock.js";
import type { KuduDir } from "../read/kudu-dir.js";
import type { KuduTablet } from "../read/kudu-tablet.js";
import { checkLoadable } from "./loadable-tablet.js";
import { MatchedColumns } from "./matched-columns.js";
import { LOW_BITS, type NewBlocks, newBlocks, type OpenFolder } from "./new-blocks.js";
import { PartitionKeys } from "./partition-keys.js";
import { superblockFile } from "./superblock-file.js";
import type { TabletLoad } from "./tablet-load.js";

const ALL_BITS = (1n << 64n) - 1n;

/** Rows in key order, as `openTableStore` of `@cfile/rowset` gives them. */
export interface RowsToLoad {
  readonly schema: RowSetSchema;
  /** All rows, in the order of their keys, in batches of the columns asked for. */
  scan(options: {
    readonly columns: readonly string[];
    readonly signal?: AbortSignal | undefined;
  }): AsyncIterable<TableBatch>;
}

/** Where a bulk load writes, and since when its rows are there. */
export interface LoadOptions {
  /** Folders to write into, by their whole paths. */
  readonly openFolder: OpenFolder;
  /** When the rows were inserted: at this timestamp and before, they are not there. Default: now. */
  readonly timestamp?: bigint | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a bulk load added, and where. */
export interface LoadedRows {
  readonly rows: number;
  readonly timestamp: bigint;
  /** Only those that got rows. */
  readonly tablets: readonly { readonly id: string; readonly rows: number; readonly rowSets: number }[];
}

/** As `on-demand.ts` says. */
export async function loadRows(
  dir: KuduDir,
  tableName: string,
  source: RowsToLoad,
  options: LoadOptions,
): Promise<LoadedRows> {
  if (dir.encrypted) {
    throw new CFileError("E_UNSUPPORTED", "nothing is written into encrypted directories", {
      field: "server_key",
    });
  }
  const { tablets } = await dir.table(tableName);
  const { timestamp = BigInt(Date.now()) * 4096000n, signal } = options;
  const { TabletLoad: Load } = await import("./tablet-load.js");
  const loads = new Map<number, TabletLoad>();
  const [schemaOf] = tablets;
  if (schemaOf === undefined) {
    throw new CFileError("E_NOT_FOUND", "the table has no tablets here", { field: "table" });
  }
  const columns = new MatchedColumns(schemaOf.schema, source.schema);
  const partitions = new PartitionKeys(tablets);
  for (const tablet of tablets) {
    await checkLoadable(dir, tablet, timestamp);
  }
  const blocks = new BlocksByFolder(dir, options.openFolder, await largestBlock(dir));
  let rows = 0;
  try {
    for await (const batch of source.scan({ columns: columns.names, signal })) {
      signal?.throwIfAborted();
      const batches = columns.match(batch.columns);
      const owners = partitions.tabletsOf(batches);
      for (const owner of new Set(owners)) {
        const tablet = tablets[owner];
        if (tablet === undefined) {
          throw invalidArgument("a row belongs to no tablet that is here", { field: "partition" });
        }
        let load = loads.get(owner);
        if (load === undefined) {
          const file = await superblockFile(dir, tablet);
          load = await Load.begin(tablet, file, await blocks.of(tablet, file.description), timestamp);
          loads.set(owner, load);
        }
        const positions = Uint32Array.from([...owners.keys()].filter((row) => owners[row] === owner));
        await load.append(batches.map((column) => takeRows(column, positions)));
      }
      rows += batch.length;
    }
    for (const load of loads.values()) {
      await load.finish();
    }
    await blocks.finish();
  } catch (error) {
    await Promise.allSettled([...loads.values()].map((load) => load.abort(error)));
    await blocks.abort();
    throw error;
  }
  // Blocks that no superblock names are no harm; from here on tablets get their rows one after the other.
  for (const load of loads.values()) {
    await load.commit(options.openFolder);
  }
  const loaded = [...loads.values()].map(({ tablet, rows: count, rowSets }) => ({
    id: tablet.id,
    rows: count,
    rowSets: rowSets.length,
  }));
  return { rows, timestamp, tablets: loaded };
}

/** New blocks in the data directories of the tablets that get some. */
class BlocksByFolder {
  private readonly dir: KuduDir;
  private readonly openFolder: OpenFolder;
  private readonly ids: { last: bigint };
  private readonly opened = new Map<DataFolder, NewBlocks>();

  constructor(dir: KuduDir, openFolder: OpenFolder, last: bigint) {
    this.dir = dir;
    this.openFolder = openFolder;
    this.ids = { last };
  }

  async of({ superblock: { dataDirs } }: KuduTablet, description: Uint8Array): Promise<NewBlocks> {
    const { dataFolders } = this.dir.roots;
    const own = dataFolders.find(
      ({ instance }) => instance !== undefined && dataDirs.includes(instance.uuid),
    );
    const folder = own ?? dataFolders[0];
    if (folder === undefined) {
      throw new CFileError("E_NOT_FOUND", "there is no data directory", { field: "data" });
    }
    const { ids, openFolder } = this;
    const known = this.opened.get(folder) ?? (await newBlocks({ folder, ids, description, openFolder }));
    this.opened.set(folder, known);
    return known;
  }

  async finish(): Promise<void> {
    for (const blocks of this.opened.values()) {
      await blocks.finish();
    }
  }

  async abort(): Promise<void> {
    await Promise.allSettled([...this.opened.values()].map((blocks) => blocks.abort()));
  }
}

async function largestBlock(dir: KuduDir): Promise<bigint> {
  // In the ids of block files the upper bits are those of the data directory, in which only the lower ones count on.
  const bits = dir.roots.dataFolders.some(({ type }) => type === "file") ? LOW_BITS : ALL_BITS;
  let largest = 0n;
  const see = (id: bigint): void => {
    const number = id & bits;
    largest = number > largest ? number : largest;
  };
  for (const { id } of await dir.blocks.list()) {
    see(id);
  }
  for (const { superblock } of await dir.tablets()) {
    superblock.orphanedBlocks.forEach(see);
    for (const rowSet of superblock.rowSets) {
      for (const { id } of rolesOf(rowSet)) {
        see(id);
      }
    }
  }
  return largest;
}
