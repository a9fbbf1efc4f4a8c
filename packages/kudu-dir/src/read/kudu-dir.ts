/** The directories of a tablet server or master, opened to read; nothing in them is ever changed, made or locked. */
import { CacheBudget, CFileError, compareBytes, corrupt, invalidArgument, isCFileError } from "@cfile/bytes";
import { type ByteSource, type FileTree, readExactly, sizeOf } from "@cfile/io";
import { diskTree } from "@cfile/io/file";

import type { RowSetOptions } from "@cfile/rowset";
import { type BlockPlace, BlockStores } from "../blocks/block-stores.js";
import { isContainerFile, onlyRecord } from "../blocks/container-file.js";
import { serverKeyOf } from "../blocks/encryption.js";
import { type FilePlace, FilePool, placeName } from "../blocks/file-pool.js";
import type { StoredBlock } from "../blocks/stored-block.js";
import { findServerRoots, joined, type ServerRoots } from "../catalog/server-roots.js";
import { parseSuperblock, rolesOf, type Superblock } from "../catalog/superblock.js";
import { TabletLog } from "../log/tablet-log.js";
import { KuduTable } from "./kudu-table.js";
import { KuduTablet } from "./kudu-tablet.js";
import { changed } from "./read-again.js";
import { Remembered } from "./remembered.js";

/** A path, a `file:` URL, or a tree of files. */
export type KuduDirInput = string | URL | FileTree;

/** How the directories are read: with which key, and with how much memory. */
export interface KuduDirOptions extends Omit<RowSetOptions, "cacheBytes" | "signal"> {
  /** The server's key, 16, 24 or 32 bytes or as hexadecimal text, when a key management service has wrapped it. */
  readonly serverKey?: Uint8Array | string | undefined;
  /** For how long the server kept history, of tables that do not say: its `--tablet_history_max_age_sec`. */
  readonly historyMaxAgeSeconds?: number | undefined;
  /** Most bytes of blocks that are kept, of all files together. Default 64 MiB. */
  readonly cacheBytes?: number | undefined;
}

/** What a block is used for. */
export interface BlockUse {
  readonly tablet: string;
  readonly table: string;
  readonly rowSet: bigint;
  /** `column ID`, `bloom`, `adhoc-index`, `undo` or `redo`. */
  readonly role: string;
}

interface TabletPlace extends FilePlace {
  readonly id: string;
}

interface TabletList {
  readonly tablets: readonly KuduTablet[];
  readonly problems: readonly CFileError[];
}

const TABLET_ID = /^[0-9a-f]{32}$/;
const MAX_SUPERBLOCK = 256 * 1024 * 1024;
const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024;

/**
 * Opens the directories of one server: its roots, or one folder that holds them all; or only some of them, for what they have. Only
 * the small files are read that say whose directories they are.
 *
 * @throws CFileError `E_NOT_FOUND`: nothing of a server is here; `E_INVALID_ARGUMENT`: directories of several servers, or no key;
 *   `E_IO`, `E_UNSUPPORTED`: as `diskTree`
 *
 * @example
 * ```js
 * import { openKuduDir } from "@cfile/kudu-dir";
 *
 * const server = await openKuduDir("fixtures/golden/servers/log");
 * const table = await server.table("history");
 * for await (const { columns } of table.scan({ columns: ["id", "n"], limit: 2 })) {
 *   console.log(columns.map((column) => column.toArray()));
 * }
 * await server.close();
 * ```
 *
 * ```text
 * [ [ -50000, -49087 ], [ 1008, -28171 ] ]
 * ```
 */
export async function openKuduDir(
  input: KuduDirInput | readonly KuduDirInput[],
  options: KuduDirOptions = {},
): Promise<KuduDir> {
  const inputs = [input].flat() as readonly KuduDirInput[];
  const trees = await Promise.all(
    inputs.map((one) => (typeof one === "string" || one instanceof URL ? diskTree(one) : one)),
  );
  return new KuduDir(await findServerRoots(trees), options);
}

/** The directories of a Kudu server, without the server: its tables, tablets and blocks. */
export class KuduDir {
  readonly roots: ServerRoots;
  readonly blocks: BlockStores;
  /** @internal */
  readonly pool: FilePool;
  private readonly rowSetOptions: RowSetOptions;
  private readonly historyMaxAgeSeconds: number | undefined;
  private readonly opened = new Map<string, Remembered<KuduTablet>>();
  private readonly listed = new Remembered<TabletList>();

  /** @internal */
  constructor(roots: ServerRoots, options: KuduDirOptions) {
    const { serverKey, historyMaxAgeSeconds, cacheBytes = DEFAULT_CACHE_BYTES, ...rowSetOptions } = options;
    this.roots = roots;
    this.pool = new FilePool(serverKeyOf(roots.instance?.serverKey, serverKey));
    this.blocks = new BlockStores(roots.dataFolders, this.pool);
    this.rowSetOptions = { ...rowSetOptions, cacheBytes: new CacheBudget(cacheBytes) };
    this.historyMaxAgeSeconds = historyMaxAgeSeconds;
  }

  /** The server's id; `undefined` when none of the roots tells. */
  get uuid(): string | undefined {
    return this.roots.instance?.uuid;
  }

  /** Whether the server encrypts its files. */
  get encrypted(): boolean {
    return this.roots.instance?.serverKey !== undefined;
  }

  /**
   * All tablets, in the order of their tables' names and partitions; those whose superblocks cannot be read are among the
   * {@link problems}.
   *
   * @throws CFileError `E_IO` when a folder cannot be read
   */
  async tablets(): Promise<readonly KuduTablet[]> {
    return (await this.list()).tablets;
  }

  /**
   * All tables of which there are tablets.
   *
   * @throws CFileError `E_IO` when a folder cannot be read
   */
  async tables(): Promise<readonly KuduTable[]> {
    const groups = new Map<string, KuduTablet[]>();
    for (const tablet of await this.tablets()) {
      groups.set(tablet.tableId, [...(groups.get(tablet.tableId) ?? []), tablet]);
    }
    return [...groups].map(([id, tablets]) => new KuduTable(tablets[0]?.tableName ?? id, id, tablets));
  }

  /**
   * A tablet by its id, or the only one of a table by the table's name or id.
   *
   * @throws CFileError `E_NOT_FOUND` when there is none, `E_INVALID_ARGUMENT` when the table has several; as {@link openKuduDir} and for
   *   a damaged superblock
   */
  async tablet(idOrTable: string): Promise<KuduTablet> {
    if (TABLET_ID.test(idOrTable)) {
      const place = (await this.places()).find(({ id }) => id === idOrTable);
      if (place !== undefined) {
        return this.read(place);
      }
    }
    const { tablets, name } = await this.table(idOrTable);
    const [only, ...others] = tablets;
    if (only === undefined || others.length > 0) {
      const ids = tablets.map(({ id }) => id).join(", ");
      throw invalidArgument(`table ${JSON.stringify(name)} has ${tablets.length} tablets: ${ids}`, {
        field: "tablet",
      });
    }
    return only;
  }

  /**
   * A table by its name or id.
   *
   * @throws CFileError `E_NOT_FOUND` when there is none, `E_INVALID_ARGUMENT` when there are several of that name
   */
  async table(nameOrId: string): Promise<KuduTable> {
    const tables = await this.tables();
    const found = tables.filter(({ name, id }) => name === nameOrId || id === nameOrId);
    const [only, ...others] = found;
    if (only === undefined) {
      const { problems } = await this.list();
      const known = tables.map(({ name }) => name).join(", ");
      throw (
        (tables.length === 0 ? problems[0] : undefined) ??
        new CFileError("E_NOT_FOUND", `there is no table ${JSON.stringify(nameOrId)}; there are ${known}`, {
          field: "table",
        })
      );
    }
    if (others.length > 0) {
      const ids = found.map(({ id }) => id).join(", ");
      throw invalidArgument(`there are several tables ${JSON.stringify(nameOrId)}: ${ids}`, {
        field: "table",
      });
    }
    return only;
  }

  /** What all blocks are used for that superblocks name. */
  async blockUses(): Promise<ReadonlyMap<bigint, readonly BlockUse[]>> {
    const uses = new Map<bigint, BlockUse[]>();
    for (const { id: tablet, tableName: table, superblock } of await this.tablets()) {
      for (const rowSet of superblock.rowSets) {
        for (const { id, role } of rolesOf(rowSet)) {
          uses.set(id, [...(uses.get(id) ?? []), { tablet, table, rowSet: rowSet.id, role }]);
        }
      }
    }
    return uses;
  }

  /**
   * A block.
   *
   * @throws CFileError `E_BLOCK_MISSING` when there is none; `E_CORRUPT` when there are two
   */
  async block(id: bigint): Promise<StoredBlock> {
    const block = await this.blocks.find(id);
    if (block === undefined) {
      throw new CFileError("E_BLOCK_MISSING", `block ${id} is in none of the directories`, {
        field: "block",
      });
    }
    return block;
  }

  /**
   * A tablet's superblock as it is on the disk now, whatever was read of the tablet before.
   *
   * @throws CFileError `E_NOT_FOUND` when there is none; as for a damaged superblock
   */
  async superblock(tablet: string): Promise<Superblock> {
    const place = (await this.places()).find(({ id }) => id === tablet);
    if (place === undefined) {
      throw new CFileError("E_NOT_FOUND", `there is no tablet ${tablet}`, { field: "tablet" });
    }
    await this.pool.renew(place);
    return parseSuperblock(await this.readSuperblock(place));
  }

  /**
   * The bytes of a block whose place is known, without the journals of its container.
   *
   * @throws CFileError `E_BLOCK_MISSING` when the place is in none of the data directories
   */
  blockAt(place: BlockPlace): ByteSource {
    return this.blocks.at(place);
  }

  /** What is wrong with roots, superblocks and containers, which are all read for it. */
  async problems(): Promise<readonly CFileError[]> {
    const { problems } = await this.list();
    return [...this.roots.problems, ...problems, ...(await this.blocks.problems())];
  }

  /** Closes all files. */
  close(): Promise<void> {
    return this.pool.close();
  }

  /** Closes it at the end of an `await using` block, as `close` does. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private list(): Promise<TabletList> {
    return this.listed.get(() => this.readAll());
  }

  private async readAll(): Promise<TabletList> {
    const problems: CFileError[] = [];
    const tablets: KuduTablet[] = [];
    for (const place of await this.places()) {
      try {
        tablets.push(await this.read(place));
      } catch (error) {
        if (!isCFileError(error)) {
          throw error;
        }
        problems.push(error);
      }
    }
    return { tablets: tablets.sort(compareTablets), problems };
  }

  private async places(): Promise<readonly TabletPlace[]> {
    const found = new Map<string, TabletPlace>();
    for (const { tree, path } of this.roots.metadataFolders) {
      for (const { name, kind } of await tree.list(path)) {
        if (kind === "file" && TABLET_ID.test(name) && !found.has(name)) {
          found.set(name, { id: name, tree, path: joined(path, name) });
        }
      }
    }
    return [...found.values()];
  }

  private read(place: TabletPlace): Promise<KuduTablet> {
    const tablet = this.opened.get(place.id) ?? new Remembered<KuduTablet>();
    this.opened.set(place.id, tablet);
    return tablet.get(() => this.readTablet(place));
  }

  private async readTablet(place: TabletPlace): Promise<KuduTablet> {
    return this.tabletOf(place, await this.readSuperblock(place), this.blocks, 0);
  }

  private async readSuperblock(place: TabletPlace): Promise<Uint8Array> {
    try {
      return await this.readRecord(place);
    } catch (error) {
      throw isCFileError(error) ? error.within({ path: placeName(place) }) : error;
    }
  }

  /** @param renewals how often the tablet was another one than before */
  private tabletOf(
    place: TabletPlace,
    record: Uint8Array,
    blocks: BlockStores,
    renewals: number,
  ): KuduTablet {
    try {
      const superblock = parseSuperblock(record);
      if (superblock.tabletId !== place.id) {
        throw corrupt(`the superblock of tablet ${superblock.tabletId} in the file of another`, {
          field: "tablet_id",
          expected: place.id,
          actual: superblock.tabletId,
        });
      }
      const { rowSetOptions, historyMaxAgeSeconds } = this;
      const log = new TabletLog(this.roots.logFolders, this.pool, superblock);
      const renewal = async (error: CFileError): Promise<KuduTablet | undefined> => {
        await this.pool.renew();
        const now = await this.readSuperblock(place);
        const blocksNow = new BlockStores(this.roots.dataFolders, this.pool);
        const isSame =
          compareBytes(now, record) === 0 && (await blocksNow.lastChange()) === (await blocks.lastChange());
        if (isSame && error.code !== "E_SOURCE_CHANGED") {
          return undefined;
        }
        if (renewals > 0) {
          throw changed(error);
        }
        return this.tabletOf(place, now, blocksNow, renewals + 1);
      };
      const ageSeconds = superblock.historyMaxAgeSeconds ?? historyMaxAgeSeconds;
      const lastChange = async (): Promise<bigint | undefined> => {
        const last = await blocks.lastChange();
        return last === undefined && ageSeconds !== undefined ? writtenUntil(place) : last;
      };
      return new KuduTablet(superblock, { rowSetOptions, ageSeconds, blocks, lastChange, log, renewal });
    } catch (error) {
      throw isCFileError(error) ? error.within({ path: placeName(place) }) : error;
    }
  }

  private readRecord(place: FilePlace): Promise<Uint8Array> {
    return this.pool.use(place, async ({ source, start }) => {
      const size = await sizeOf(source);
      if (size > MAX_SUPERBLOCK) {
        throw new CFileError("E_LIMIT", `a superblock of ${size} bytes`, { field: "file size" });
      }
      const bytes = await readExactly(source, 0, size);
      if (start > 0 && !isContainerFile(bytes, start)) {
        throw new CFileError(
          "E_UNSUPPORTED",
          "the file is encrypted with another key: give the server key that its key management service has",
          { path: placeName(place), field: "server_key" },
        );
      }
      return onlyRecord(bytes, placeName(place), start);
    });
  }
}

/**
 * When a superblock was written, which servers do whenever they have collected something; or later, when the file is a copy or nothing
 * tells.
 */
async function writtenUntil({ tree, path }: FilePlace): Promise<bigint> {
  return BigInt(Math.ceil((await tree.modified?.(path)) ?? Date.now())) * 1000n;
}

function compareTablets(left: KuduTablet, right: KuduTablet): number {
  if (left.tableName !== right.tableName) {
    return left.tableName < right.tableName ? -1 : 1;
  }
  const order = compareBytes(left.superblock.partition.keyStart, right.superblock.partition.keyStart);
  return order || (left.id < right.id ? -1 : 1);
}
