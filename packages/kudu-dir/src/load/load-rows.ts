/**
 * Bulk load: adds the rows of a source to a table, in directories that no server uses. They become new row sets of their tablets, with
 * Bloom file, index and UNDO file. Of the existing files, only superblocks change: they name the new row sets.
 */
import { CFileError, invalidArgument } from "@cfile/bytes";
import { type TableBatch, takeRows } from "@cfile/encodings/batches";
import type { RowSetSchema } from "@cfile/rowset";
import type { DataFolder } from "../catalog/server-roots.js";
import { rolesOf } from "../catalog/superblock.js";
import type { KuduDir } from "../read/kudu-dir.js";
import type { KuduTablet } from "../read/kudu-tablet.js";
import { MatchedColumns } from "./matched-columns.js";
import { LOW_BITS, type NewBlocks, newBlocks, type OpenFolder } from "./new-blocks.js";
import { PartitionKeys } from "./partition-keys.js";
import { superblockFile } from "./superblock-file.js";
import { TabletLoad } from "./tablet-load.js";

const ALL_BITS = (1n << 64n) - 1n;

/** Rows in key order, for example from `openTableStore` of `@cfile/rowset`. */
export interface RowsToLoad {
  readonly schema: RowSetSchema;
  /** All rows in key order, in batches of the requested columns. */
  scan(options: {
    readonly columns: readonly string[];
    readonly signal?: AbortSignal | undefined;
  }): AsyncIterable<TableBatch>;
}

/** Options of a bulk load. */
export interface LoadOptions {
  /** Opens a folder for writing, by its full path. */
  readonly openFolder: OpenFolder;
  /** When the rows were inserted: later snapshots have them. Default: now. */
  readonly timestamp?: bigint | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a bulk load added, and where. */
export interface LoadedRows {
  readonly rows: number;
  readonly timestamp: bigint;
  /** Only tablets that got rows. */
  readonly tablets: readonly { readonly id: string; readonly rows: number; readonly rowSets: number }[];
}

/** See `on-demand.ts`. */
export async function loadRows(
  dir: KuduDir,
  tableName: string,
  source: RowsToLoad,
  options: LoadOptions,
): Promise<LoadedRows> {
  if (dir.encrypted) {
    throw unsupported("cannot load rows into encrypted directories", "server_key");
  }
  const { tablets } = await dir.table(tableName);
  const { timestamp = BigInt(Date.now()) * 4096000n, signal, openFolder } = options;
  const [first] = tablets;
  if (first === undefined) {
    throw new CFileError("E_NOT_FOUND", `table ${tableName} has no tablets here`, { field: "table" });
  }
  const columns = new MatchedColumns(first.schema, source.schema);
  const partitions = new PartitionKeys(tablets);
  for (const tablet of tablets) {
    await checkLoadable(dir, tablet, timestamp);
  }
  const loads = new Map<number, TabletLoad>();
  const blocks = new BlocksByFolder(dir, openFolder, await largestBlock(dir));
  let rows = 0;
  try {
    for await (const batch of source.scan({ columns: columns.names, signal })) {
      signal?.throwIfAborted();
      const batches = columns.match(batch.columns);
      const owners = partitions.tabletsOf(batches);
      for (const owner of new Set(owners)) {
        const tablet = tablets[owner];
        if (tablet === undefined) {
          throw invalidArgument("a row belongs to a tablet that is not in these directories", {
            field: "partition",
          });
        }
        let load = loads.get(owner);
        if (load === undefined) {
          const file = await superblockFile(dir, tablet.id);
          load = await TabletLoad.begin(tablet, file, await blocks.of(tablet, file.description), timestamp);
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
  // Blocks that no superblock references do no harm. From here on, tablets get their rows one after the other.
  for (const load of loads.values()) {
    await load.commit(openFolder);
  }
  const loaded = [...loads.values()].map((load) => ({
    id: load.tablet.id,
    rows: load.rows,
    rowSets: load.rowSets.length,
  }));
  return { rows, timestamp, tablets: loaded };
}

async function checkLoadable(dir: KuduDir, tablet: KuduTablet, timestamp: bigint): Promise<void> {
  const { id, state } = tablet;
  if (state !== "ready") {
    throw unsupported(`tablet ${id} is ${state} (must be ready)`, "tablet_data_state");
  }
  const { lastWrite = 0n, doubtful = 0, problems: [problem] = [] } = (await tablet.unflushed()) ?? {};
  if (problem !== undefined) {
    throw problem;
  }
  if (timestamp <= lastWrite || timestamp > BigInt(Date.now() + 60_000) * 4096000n) {
    const reason = `invalid timestamp: ${timestamp} (must be after the last write, ${lastWrite}, and not in the future)`;
    throw invalidArgument(reason, { field: "timestamp" });
  }
  if (doubtful > 0) {
    throw unsupported(`tablet ${id} has ${doubtful} row operations that may or may not be applied`, "wals");
  }
  const peers = (await dir.consensus(id))?.config.peers.length ?? 0;
  if (peers > 1) {
    throw unsupported(`tablet ${id} has ${peers} replicas; the others would not get the rows`, "peers");
  }
}

function unsupported(reason: string, field: string): CFileError {
  return new CFileError("E_UNSUPPORTED", reason, { field });
}

/** New blocks in the data directories of the tablets that get rows. */
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
    const own = dataFolders.find(({ instance }) => instance && dataDirs.includes(instance.uuid));
    const folder = own ?? dataFolders[0];
    if (folder === undefined) {
      throw new CFileError("E_NOT_FOUND", "the server has no data directory", { field: "data" });
    }
    const { ids, openFolder } = this;
    const blocks = this.opened.get(folder) ?? (await newBlocks({ folder, ids, description, openFolder }));
    this.opened.set(folder, blocks);
    return blocks;
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

/** The largest block ID in use. In IDs of block files, the upper bits name the data directory and are ignored. */
async function largestBlock(dir: KuduDir): Promise<bigint> {
  const bits = dir.roots.dataFolders.some(({ type }) => type === "file") ? LOW_BITS : ALL_BITS;
  const stored = (await dir.blocks.list()).map(({ id }) => id);
  const referenced = (await dir.tablets()).flatMap(({ superblock: { orphanedBlocks, rowSets } }) => [
    ...orphanedBlocks,
    ...rowSets.flatMap((rowSet) => rolesOf(rowSet).map(({ id }) => id)),
  ]);
  return [...stored, ...referenced].reduce((last, id) => ((id & bits) > last ? id & bits : last), 0n);
}
