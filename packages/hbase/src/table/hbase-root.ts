/** A root directory of HBase (docs/spec/hbase-table.md#1-root-directory): its namespaces, tables and snapshots. */
import { CacheBudget, CFileError } from "@cfile/bytes";
import { type FileTree, type OpenSourceOptions, openSource, type ReadOptions } from "@cfile/io";
import { diskTree } from "@cfile/io/file";
import { DamageLedger } from "../files/damage-ledger.js";
import { type FileLister, folderFiles } from "../files/family-files.js";
import { namedFile, type StoreMemory } from "../files/store-file.js";
import { WriteAheadLog } from "../log/write-ahead-log.js";
import { currentRegions } from "../root/current-regions.js";
import { readDescriptor } from "../root/descriptor.js";
import { objectTree } from "../root/object-tree.js";
import { parseRegionInfo, type RegionInfo } from "../root/region-info.js";
import {
  type ManifestRegion,
  readManifest,
  readSnapshotInfo,
  type SnapshotInfo,
  snapshotNames,
} from "../root/snapshot-manifest.js";
import { parseTableName, type TableName, tableNameText, tablePath } from "../root/table-name.js";
import { foldersIn, ifPresent, parseFile } from "../root/tree-files.js";
import { type FileBloomFilters, openBlooms } from "./bloom-question.js";
import { HBaseTable } from "./hbase-table.js";

/**
 * A path, a URL (`file:`, `http:`, `https:`, `s3:`), or a tree of files. In S3 only snapshots can be read; web servers must list folders
 * for tables.
 */
export type HBaseRootInput = string | URL | FileTree;

/** Options of {@link openHBaseRoot}. */
export interface HBaseRootOptions extends OpenSourceOptions {
  /** Memory for blocks that gets keep, in bytes. Default 128 MiB. */
  readonly cacheBytes?: number | undefined;
  /** Memory for index blocks, in bytes. Default 32 MiB. */
  readonly indexCacheBytes?: number | undefined;
}

/** Options for opening a table. */
export interface HBaseTableOptions {
  /** Whether to include cells that are only in the write-ahead log; snapshots have none. Default `true`. */
  readonly withLog?: boolean | undefined;
  /** Whether to continue when files are damaged or missing: `losses` of the table lists the lost parts. Default `false`. */
  readonly recover?: boolean | undefined;
}

const MIB = 1024 * 1024;
/** Encoded names of regions; the table of regions has a decimal one. */
const REGION_FOLDER = /^[0-9a-f]{32}$|^\d{1,10}$/;

/**
 * Opens a root directory. Nothing is read yet.
 *
 * @throws {CFileError} `E_NOT_FOUND`, `E_IO`, `E_UNSUPPORTED` as `diskTree`
 *
 * @example
 * ```js
 * import { openHBaseRoot } from "@cfile/hbase";
 *
 * const root = await openHBaseRoot("fixtures/golden/hbase-table/root");
 * const table = await root.openTable("tracked");
 * const cells = await table.get("f00000");
 * console.log(cells.length, cells.family(0), cells.timestamp(0));
 * await table.close();
 * ```
 *
 * ```text
 * 6 a 1700000000006n
 * ```
 */
export async function openHBaseRoot(
  input: HBaseRootInput,
  options: HBaseRootOptions = {},
): Promise<HBaseRoot> {
  return new HBaseRoot(await treeOf(input, options), options);
}

async function treeOf(input: HBaseRootInput, { file, http, s3 }: HBaseRootOptions): Promise<FileTree> {
  if (typeof input !== "string" && !(input instanceof URL)) {
    return input;
  }
  const location = String(input);
  if (/^https?:/i.test(location)) {
    const { httpTree } = await import("@cfile/io/http");
    return httpTree(location, http);
  }
  return /^s3:/i.test(location)
    ? objectTree(location, (url) => openSource(url, { s3 }))
    : diskTree(input, file);
}

/** A root directory. */
export class HBaseRoot {
  readonly tree: FileTree;
  private readonly memory: StoreMemory;
  private readLog: Promise<WriteAheadLog> | undefined;

  /** @internal Comes from {@link openHBaseRoot}. */
  constructor(tree: FileTree, options: HBaseRootOptions) {
    this.tree = tree;
    this.memory = {
      blocks: new CacheBudget(options.cacheBytes ?? 128 * MIB),
      indexes: new CacheBudget(options.indexCacheBytes ?? 32 * MIB),
    };
  }

  /** Names of the namespaces, in order. */
  namespaces(): Promise<readonly string[]> {
    return foldersIn(this.tree, "data");
  }

  /** Names of the tables, `TABLE` or `NAMESPACE:TABLE`, by namespace and in order. */
  async tables(): Promise<readonly string[]> {
    const names: string[] = [];
    for (const namespace of await this.namespaces()) {
      for (const table of await foldersIn(this.tree, `data/${namespace}`)) {
        if (!table.startsWith(".")) {
          names.push(tableNameText({ namespace, table }));
        }
      }
    }
    return names;
  }

  /** Names of the snapshots, in order. */
  snapshots(): Promise<readonly string[]> {
    return snapshotNames(this.tree);
  }

  /** What `.snapshotinfo` says about a snapshot. @throws {CFileError} `E_NOT_FOUND`, `E_CORRUPT` */
  snapshotInfo(name: string, options: ReadOptions = {}): Promise<SnapshotInfo> {
    return readSnapshotInfo(this.tree, name, options);
  }

  /**
   * Opens a table: reads its descriptor and the descriptions of its regions.
   * @throws {CFileError} `E_NOT_FOUND` for a missing table, `E_CORRUPT`; `E_UNSUPPORTED` for the table of regions
   */
  async openTable(name: string, options: HBaseTableOptions = {}): Promise<HBaseTable> {
    const { tree, memory } = this;
    const table = parseTableName(name);
    requireUserOrder(table);
    const folder = `data/${tablePath(table)}`;
    const descriptor = await readDescriptor(tree, folder);
    const regions = currentRegions(await this.regionsOnDisk(table));
    return new HBaseTable({
      tree,
      memory,
      descriptor,
      snapshot: undefined,
      regions,
      listFiles: folderFiles(tree, descriptor),
      ledger: options.recover === true ? new DamageLedger() : undefined,
      log: (options.withLog ?? true) ? () => this.log() : undefined,
    });
  }

  /**
   * Opens a snapshot: reads its description and manifest. Its files are found in the table, in the archive, and through links and
   * references.
   * @throws {CFileError} `E_NOT_FOUND` for a missing snapshot, `E_CORRUPT`, `E_UNSUPPORTED` for one without a manifest
   */
  async openSnapshot(
    name: string,
    options: Pick<HBaseTableOptions, "recover"> & ReadOptions = {},
  ): Promise<HBaseTable> {
    const { tree, memory } = this;
    const snapshot = await readSnapshotInfo(tree, name, options);
    const { descriptor, regions } = await readManifest(tree, { name, version: snapshot.version }, options);
    requireUserOrder(descriptor.name);
    const live = regions.filter(
      ({ info }) => !info.offline && !info.split && info.replicaId === 0 && info.regionId > 0,
    );
    return new HBaseTable({
      tree,
      memory,
      descriptor,
      snapshot,
      regions: currentRegions(live.map(({ info }) => info)),
      listFiles: manifestFiles(live),
      ledger: options.recover === true ? new DamageLedger() : undefined,
      log: undefined,
    });
  }

  /** All regions of a table that have folders, including those that were split or merged. @throws {CFileError} `E_CORRUPT` */
  async regionsOnDisk(table: TableName): Promise<readonly RegionInfo[]> {
    const { tree } = this;
    const folder = `data/${tablePath(table)}`;
    const names = (await foldersIn(tree, folder)).filter((name) => REGION_FOLDER.test(name));
    const regions: RegionInfo[] = [];
    for (const name of names) {
      const info = await ifPresent(parseFile(tree, `${folder}/${name}/.regioninfo`, parseRegionInfo));
      if (info === undefined) {
        await this.requireNoFiles(`${folder}/${name}`);
        continue;
      }
      if (info.encodedName !== name && info.replicaId === 0) {
        const details = {
          path: `${tree.name}/${folder}/${name}`,
          field: "region info",
          expected: name,
          actual: info.encodedName,
        };
        throw new CFileError("E_CORRUPT", "the folder has the description of another region", details);
      }
      regions.push(info);
    }
    return regions;
  }

  /**
   * Opens the Bloom filters of a store file, by its path below the root directory; follows links and references.
   * @throws {CFileError} `E_NOT_FOUND`, `E_BLOCK_MISSING` for a missing file; `E_INVALID_ARGUMENT` for a path that does not name a store
   *   file; for damage
   */
  bloomFilters(path: string): Promise<FileBloomFilters> {
    return openBlooms(this.tree, path, this.memory);
  }

  /** The write-ahead logs, read once. @internal */
  log(): Promise<WriteAheadLog> {
    this.readLog ??= WriteAheadLog.open(this.tree).catch((error: unknown) => {
      this.readLog = undefined;
      throw error;
    });
    return this.readLog;
  }

  /** A region folder without a description may be one that is being created, but then it has no files. */
  private async requireNoFiles(folder: string): Promise<void> {
    for (const family of await foldersIn(this.tree, folder)) {
      const files = (await this.tree.list(`${folder}/${family}`)).filter(({ name }) => !name.startsWith("."));
      if (files.length > 0 && !family.startsWith(".") && family !== "recovered.edits") {
        const details = { path: `${this.tree.name}/${folder}/.regioninfo`, field: "region info" };
        throw new CFileError("E_BLOCK_MISSING", "a region with files has no description", details);
      }
    }
  }
}

/** The files that a snapshot's manifest lists. */
function manifestFiles(regions: readonly ManifestRegion[]): FileLister {
  const byName = new Map(regions.map((region) => [region.info.encodedName, region]));
  return async (region, family) =>
    (byName.get(region.encodedName)?.families.get(family) ?? []).map(({ name, size, reference }) =>
      namedFile(name, region, { size, reference }),
    );
}

/** Rows of the table of regions have a different order. */
function requireUserOrder({ namespace, table }: TableName): void {
  if (namespace === "hbase" && table === "meta") {
    const reason = "hbase:meta is not supported: its rows are in an order of their own";
    throw new CFileError("E_UNSUPPORTED", reason, { field: "table" });
  }
}
