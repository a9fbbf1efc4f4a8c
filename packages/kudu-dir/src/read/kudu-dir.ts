/** The directories of a tablet server or master, opened for reading. Nothing in them is changed, created or locked. */
import { CacheBudget, CFileError, compareBytes, corrupt, invalidArgument } from "@cfile/bytes";
import type { ByteSource } from "@cfile/io";
import type { RowSetOptions } from "@cfile/rowset";
import { mapAtOnce } from "../blocks/at-once.js";
import { type BlockPlace, BlockStores } from "../blocks/block-stores.js";
import type { MetadataFile } from "../blocks/container-file.js";
import { serverKeyOf } from "../blocks/encryption.js";
import { type FilePlace, FilePool, placeName } from "../blocks/file-pool.js";
import { collect, withPath } from "../blocks/problems.js";
import type { StoredBlock } from "../blocks/stored-block.js";
import { type ConsensusMetadata, parseConsensusMetadata } from "../catalog/consensus-message.js";
import type { ServerRoots } from "../catalog/server-roots.js";
import { parseSuperblock, rolesOf, type Superblock } from "../catalog/superblock.js";
import type { Quorum } from "../log/log-replay.js";
import { type LogEnd, TabletLog } from "../log/tablet-log.js";
import { KuduTable, type KuduTableParts } from "./kudu-table.js";
import { KuduTablet } from "./kudu-tablet.js";
import { MetadataFiles, type MetadataFolder, type TabletPlace } from "./metadata-files.js";
import { changed } from "./read-again.js";
import { Remembered } from "./remembered.js";

/** Options of `openKuduDir`. */
export interface KuduDirOptions extends Omit<RowSetOptions, "cacheBytes" | "signal"> {
  /** The server's key, as 16, 24 or 32 bytes or as hexadecimal text. Required if a key management service wraps it. */
  readonly serverKey?: Uint8Array | string | undefined;
  /** The server's `--tablet_history_max_age_sec`, for tables that do not set their own. */
  readonly historyMaxAgeSeconds?: number | undefined;
  /** Maximum bytes of cached blocks, for all files together. Default 64 MiB. */
  readonly cacheBytes?: number | undefined;
  /** Where the logs of tablets end, by their IDs: {@link KuduTablet.logEnd} of another reader. Default: where the files end. */
  readonly logEnds?: Readonly<Record<string, LogEnd>> | undefined;
}

/** One use of a block. */
export interface BlockUse {
  readonly tablet: string;
  readonly table: string;
  readonly rowSet: bigint;
  /** `column ID`, `bloom`, `adhoc-index`, `undo` or `redo`. */
  readonly role: string;
}

/** What the other replicas of a tablet say about its log. */
export type QuorumOf = (tablet: string) => Promise<Quorum | undefined>;

/** A tablet whose superblock cannot be read, so its table is unknown. */
export interface DamagedTablet {
  readonly id: string;
  readonly error: CFileError;
}

/** The files of a tablet. */
interface TabletFiles {
  /** Its superblock. */
  readonly record: Uint8Array;
  readonly blocks: BlockStores;
  /** Whether the tablet has already changed once while it was read. */
  readonly isRenewed: boolean;
}

interface TabletList {
  readonly tablets: readonly KuduTablet[];
  readonly damaged: readonly DamagedTablet[];
}

const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024;

/** The directories of a Kudu server: its tables, tablets and blocks. */
export class KuduDir {
  readonly roots: ServerRoots;
  readonly blocks: BlockStores;
  /** @internal */
  readonly pool: FilePool;
  private readonly metadata: MetadataFiles;
  private readonly rowSetOptions: RowSetOptions;
  private readonly historyMaxAgeSeconds: number | undefined;
  private readonly logEnds: Readonly<Record<string, LogEnd>>;
  private readonly quorumOf: QuorumOf;
  private readonly opened = new Map<string, Remembered<KuduTablet>>();
  private readonly listed = new Remembered<TabletList>();

  /** @internal */
  constructor(roots: ServerRoots, options: KuduDirOptions, quorumOf: QuorumOf = async () => undefined) {
    this.quorumOf = quorumOf;
    const { serverKey, historyMaxAgeSeconds, cacheBytes = DEFAULT_CACHE_BYTES, ...others } = options;
    const { logEnds = {}, ...rowSetOptions } = others;
    this.logEnds = logEnds;
    this.roots = roots;
    this.pool = new FilePool(serverKeyOf(roots.instance?.serverKey, serverKey));
    this.metadata = new MetadataFiles(roots, this.pool);
    this.blocks = new BlockStores(roots.dataFolders, this.pool);
    this.rowSetOptions = { ...rowSetOptions, cacheBytes: new CacheBudget(cacheBytes) };
    this.historyMaxAgeSeconds = historyMaxAgeSeconds;
  }

  /** The server's UUID; `undefined` if no root has an instance file. */
  get uuid(): string | undefined {
    return this.roots.instance?.uuid;
  }

  /** Whether the server encrypts its files. */
  get encrypted(): boolean {
    return this.roots.instance?.serverKey !== undefined;
  }

  /**
   * All tablets, ordered by table name and partition. Those with unreadable superblocks are {@link damagedTablets} instead.
   *
   * @throws {CFileError} `E_IO` if a folder cannot be read
   */
  async tablets(): Promise<readonly KuduTablet[]> {
    return (await this.list()).tablets;
  }

  /**
   * Tablets whose superblocks cannot be read.
   *
   * @throws {CFileError} `E_IO` if a folder cannot be read
   */
  async damagedTablets(): Promise<readonly DamagedTablet[]> {
    return (await this.list()).damaged;
  }

  /**
   * All tables with a tablet on this server. Any of the {@link damagedTablets} may belong to each, so they are its `missing` tablets.
   *
   * @throws {CFileError} `E_IO` if a folder cannot be read
   */
  async tables(): Promise<readonly KuduTable[]> {
    const missing = (await this.damagedTablets()).map((tablet) => ({ ...tablet, partition: undefined }));
    const parts = new Map<string, KuduTableParts & { readonly tablets: KuduTablet[] }>();
    for (const tablet of await this.tablets()) {
      const { tableId: id, tableName: name } = tablet;
      const table = parts.get(id) ?? { name, id, tablets: [], missing };
      table.tablets.push(tablet);
      parts.set(id, table);
    }
    return [...parts.values()].map((table) => new KuduTable(table));
  }

  /**
   * A tablet by its ID, or the only tablet of a table by the table's name or ID.
   *
   * @throws {CFileError} `E_NOT_FOUND` if there is no such tablet, `E_INVALID_ARGUMENT` if the table has several; as {@link openKuduDir}
   *   and for a damaged superblock
   */
  async tablet(idOrTable: string): Promise<KuduTablet> {
    const place = (await this.metadata.superblocks()).find(({ id }) => id === idOrTable);
    if (place !== undefined) {
      return this.read(place);
    }
    const { tablets, name } = await this.table(idOrTable);
    const [only, ...others] = tablets;
    if (only === undefined || others.length > 0) {
      const ids = tablets.map(({ id }) => id).join(", ");
      const reason = `table ${JSON.stringify(name)} has ${tablets.length} tablets; choose one of ${ids}`;
      throw invalidArgument(reason, { field: "tablet" });
    }
    return only;
  }

  /**
   * A table by its name or ID.
   *
   * @throws {CFileError} `E_NOT_FOUND` if there is no such table, `E_INVALID_ARGUMENT` if several have that name
   */
  async table(nameOrId: string): Promise<KuduTable> {
    const tables = await this.tables();
    const found = tables.filter(({ name, id }) => name === nameOrId || id === nameOrId);
    const [only, ...others] = found;
    if (only === undefined) {
      const { damaged } = await this.list();
      const known = tables.map(({ name }) => name).join(", ");
      const reason = `no table ${JSON.stringify(nameOrId)}; tables: ${known}`;
      throw (
        (tables.length === 0 ? damaged[0]?.error : undefined) ??
        new CFileError("E_NOT_FOUND", reason, { field: "table" })
      );
    }
    if (others.length > 0) {
      const ids = found.map(({ id }) => id).join(", ");
      const reason = `several tables are named ${JSON.stringify(nameOrId)}; use an ID: ${ids}`;
      throw invalidArgument(reason, { field: "table" });
    }
    return only;
  }

  /** The uses of all blocks that superblocks reference. */
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
   * A block by its ID.
   *
   * @throws {CFileError} `E_BLOCK_MISSING` if it is missing; `E_CORRUPT` if two blocks have the ID
   */
  async block(id: bigint): Promise<StoredBlock> {
    const block = await this.blocks.find(id);
    if (block === undefined) {
      throw new CFileError("E_BLOCK_MISSING", `block ${id} is missing`, { field: "block" });
    }
    return block;
  }

  /**
   * A tablet's current superblock on disk, even if the tablet was read before.
   *
   * @throws {CFileError} `E_NOT_FOUND` if there is no such tablet; as for a damaged superblock
   */
  async superblock(tablet: string): Promise<Superblock> {
    const place = (await this.metadata.superblocks()).find(({ id }) => id === tablet);
    if (place === undefined) {
      throw new CFileError("E_NOT_FOUND", `no tablet ${tablet}`, { field: "tablet" });
    }
    return parseSuperblock((await this.metadata.read(place)).record);
  }

  /**
   * The Raft configuration and term of a tablet's replica; `undefined` if the file is missing.
   *
   * @throws {CFileError} if the file is damaged
   */
  async consensus(tablet: string): Promise<ConsensusMetadata | undefined> {
    const file = await this.metadataFile("consensus-meta", tablet);
    return file && parseConsensusMetadata(file.record);
  }

  /**
   * The file of a tablet's superblock or consensus metadata; `undefined` if it is missing.
   *
   * @internal
   */
  metadataFile(folder: MetadataFolder, tablet: string): Promise<MetadataFile | undefined> {
    return this.metadata.file(folder, tablet);
  }

  /**
   * The bytes of a block whose location is known; does not read the journal of its container.
   *
   * @throws {CFileError} `E_BLOCK_MISSING` if the location is in none of the data directories
   */
  blockAt(place: BlockPlace): ByteSource {
    return this.blocks.at(place);
  }

  /** Damage of roots, superblocks and containers; reads all of them. */
  async problems(): Promise<readonly CFileError[]> {
    const { damaged } = await this.list();
    const superblocks = damaged.map(({ error }) => error);
    return [...this.roots.problems, ...superblocks, ...(await this.blocks.problems())];
  }

  /** Closes all files. */
  close(): Promise<void> {
    return this.pool.close();
  }

  /** Calls `close` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private list(): Promise<TabletList> {
    return this.listed.get(() => this.readAll());
  }

  private async readAll(): Promise<TabletList> {
    const read = await mapAtOnce(await this.metadata.superblocks(), async (place) => {
      const problems: CFileError[] = [];
      const tablet = await collect(problems, () => this.read(place));
      return { tablet, damaged: problems.map((error) => ({ id: place.id, error })) };
    });
    const tablets = read.flatMap(({ tablet }) => tablet ?? []);
    return { tablets: tablets.sort(compareTablets), damaged: read.flatMap(({ damaged }) => damaged) };
  }

  private read(place: TabletPlace): Promise<KuduTablet> {
    const tablet = this.opened.get(place.id) ?? new Remembered<KuduTablet>();
    this.opened.set(place.id, tablet);
    return tablet.get(async () =>
      this.tabletOf(place, {
        record: (await this.metadata.read(place)).record,
        blocks: this.blocks,
        isRenewed: false,
      }),
    );
  }

  private tabletOf(place: TabletPlace, { record, blocks, isRenewed }: TabletFiles): Promise<KuduTablet> {
    return withPath(placeName(place), async () => {
      const superblock = parseSuperblock(record);
      if (superblock.tabletId !== place.id) {
        throw corrupt("the file holds the superblock of another tablet", {
          field: "tablet_id",
          expected: place.id,
          actual: superblock.tabletId,
        });
      }
      const { rowSetOptions } = this;
      const quorum = () => this.quorumOf(place.id);
      const end = this.logEnds[place.id];
      const log = new TabletLog(this.roots.logFolders, this.pool, superblock, quorum, end);
      const renewal = async (error: CFileError): Promise<KuduTablet | undefined> => {
        await this.pool.renew();
        const { record: now } = await this.metadata.read(place);
        const blocksNow = new BlockStores(this.roots.dataFolders, this.pool);
        const [changedAt, changedBefore] = await Promise.all([blocksNow.lastChange(), blocks.lastChange()]);
        const isSame = compareBytes(now, record) === 0 && changedAt === changedBefore;
        if (isSame && error.code !== "E_SOURCE_CHANGED") {
          return undefined;
        }
        if (isRenewed) {
          throw changed(error);
        }
        return this.tabletOf(place, { record: now, blocks: blocksNow, isRenewed: true });
      };
      const ageSeconds = superblock.historyMaxAgeSeconds ?? this.historyMaxAgeSeconds;
      const lastChange = async (): Promise<bigint | undefined> => {
        const last = await blocks.lastChange();
        return last === undefined && ageSeconds !== undefined ? writtenUntil(place) : last;
      };
      return new KuduTablet(superblock, { rowSetOptions, ageSeconds, blocks, lastChange, log, renewal });
    });
  }
}

/**
 * When a superblock was written, which servers do after each collection of history. The result is later if the file is a copy or its
 * time is unknown.
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
