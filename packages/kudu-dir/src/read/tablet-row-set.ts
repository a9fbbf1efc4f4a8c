/** A row set of a tablet: finds and opens its blocks. */
import { CFileError, isCFileError, isDamage } from "@cfile/bytes";
import type { ByteSource } from "@cfile/io";
import type { RowSetFiles, RowSetOptions } from "@cfile/rowset";
import { openRowSet, type RowSetReader } from "@cfile/rowset";
import { absentFile } from "../blocks/byte-range.js";
import { collect } from "../blocks/problems.js";
import type { BlockStore, StoredBlock } from "../blocks/stored-block.js";
import type { KuduSchema } from "../catalog/schema-message.js";
import { type BlockRole, type RowSetBlocks, rolesOf } from "../catalog/superblock.js";
import { Remembered } from "./remembered.js";

/** How far back the UNDO entries of a row set reach. */
export interface HistoryState {
  /** Whether the insertion of every row is retained. */
  readonly complete: boolean;
  /** Timestamp of the earliest entry. */
  readonly earliest: bigint | undefined;
  /** When the base data was written, in microseconds since 1970. */
  readonly writtenAt: bigint | undefined;
}

/** A block that cannot be read, and why: it is missing, or two blocks have its ID. */
interface AbsentBlock extends BlockRole {
  readonly error: CFileError;
}

/** A DiskRowSet of a tablet. */
export class TabletRowSet {
  readonly id: bigint;
  readonly blocks: RowSetBlocks;
  private readonly schema: KuduSchema;
  private readonly store: BlockStore;
  private readonly options: RowSetOptions;
  private readonly reader = new Remembered<RowSetReader>();
  private readonly found = new Remembered<RowSetFiles>();

  constructor(blocks: RowSetBlocks, schema: KuduSchema, store: BlockStore, options: RowSetOptions) {
    this.id = blocks.id;
    this.blocks = blocks;
    this.schema = schema;
    this.store = store;
    this.options = options;
  }

  /**
   * The reader; opened once.
   *
   * @throws {CFileError} `E_IO` if a source fails; `E_CORRUPT`, `E_CHECKSUM` or `E_TRUNCATED` if a file is damaged;
   *   `E_BLOCK_MISSING` if a block is missing; `E_CORRUPT` if two blocks share an ID
   */
  open(): Promise<RowSetReader> {
    return this.reader.get(async () => this.openWith(await this.files()));
  }

  /** A reader of other files with the same schema. */
  openWith(files: RowSetFiles): Promise<RowSetReader> {
    return openRowSet(files, this.schema, this.options);
  }

  /** Its files by role. Reading a missing file throws `E_BLOCK_MISSING`; if two blocks share its ID, `E_CORRUPT`. */
  files(): Promise<RowSetFiles> {
    return this.found.get(() => this.findFiles());
  }

  /**
   * An error for each required block that is missing, or whose ID two blocks share. A Bloom file is not required.
   *
   * @param columnIds IDs of the requested columns; default: all
   */
  async missing(columnIds?: ReadonlySet<number>, needsUndo = true): Promise<readonly CFileError[]> {
    const { columns, undo } = this.blocks;
    const keys = new Set(this.schema.columns.filter(({ isKey }) => isKey).map(({ id }) => id));
    const isRead = (column: number): boolean =>
      columnIds === undefined || columnIds.has(column) || keys.has(column);
    const absent = await this.absent({
      ...this.blocks,
      columns: new Map([...columns].filter(([column]) => isRead(column))),
      bloom: undefined,
      undo: needsUndo ? undo : [],
    });
    return absent.map(({ error }) => error);
  }

  /**
   * Blocks that are missing, or whose ID two blocks share.
   *
   * @internal
   * @param blocks the blocks to look for; default: all, including the Bloom file
   */
  async absent(blocks: RowSetBlocks = this.blocks): Promise<readonly AbsentBlock[]> {
    const found = await Promise.all(
      rolesOf(blocks).map(async (one) => ({ ...one, error: await this.find(one) })),
    );
    return found.flatMap(({ error, ...one }) => (isCFileError(error) ? { ...one, error } : []));
  }

  /** Whether a file that only earlier snapshots need cannot be read. */
  async lacksUndo(): Promise<boolean> {
    const found = await Promise.all(this.blocks.undo.map((id) => this.find({ id, role: "undo" })));
    return found.some((block) => isCFileError(block));
  }

  /**
   * Bytes of one of its blocks; `undefined` if the block is missing.
   *
   * @throws {CFileError} `E_CORRUPT` if two blocks have the ID
   */
  async sizeOfBlock(id: bigint): Promise<number | undefined> {
    return (await this.store.find(id))?.source.size();
  }

  /**
   * How far back its UNDO files reach.
   *
   * @throws {CFileError} if its files cannot be read
   */
  async history(): Promise<HistoryState> {
    const problems: CFileError[] = [];
    const state = await this.historyOf((await this.open()).rowCount, problems);
    const [problem] = problems;
    if (problem !== undefined) {
      throw problem;
    }
    return state;
  }

  /**
   * Like {@link history}, for a known number of rows. With damaged UNDO files, history is incomplete.
   *
   * @param problems receives the errors of damaged UNDO files
   */
  async historyOf(rows: number, problems: CFileError[]): Promise<HistoryState> {
    const { undo } = await this.files();
    const { openDeltaFile } = await import("@cfile/deltafile/read");
    let deletes = 0;
    let earliest: bigint | undefined;
    for (const source of undo) {
      const file = await collect(problems, () => openDeltaFile(source, this.options));
      const { deleteCount = 0, reinsertCount = 0, minTimestamp } = file?.statistics ?? {};
      deletes += deleteCount - reinsertCount;
      const isEarlier = minTimestamp !== undefined && (earliest === undefined || minTimestamp < earliest);
      earliest = isEarlier ? minTimestamp : earliest;
    }
    const bases = await Promise.all(
      [...this.blocks.columns].map(([column, id]) => this.find({ id, role: `column ${column}` })),
    );
    const times = bases.flatMap((block) => (isCFileError(block) ? [] : (block.createdAt ?? [])));
    const isKnown = times.length > 0 && times.length === bases.length;
    const writtenAt = isKnown ? times.reduce((left, right) => (left > right ? left : right)) : undefined;
    return { complete: problems.length === 0 && deletes >= rows, earliest, writtenAt };
  }

  private async findFiles(): Promise<RowSetFiles> {
    const { columns, bloom, adhocIndex, redo, undo } = this.blocks;
    const filter = bloom === undefined ? undefined : await this.find({ id: bloom, role: "bloom" });
    const find = (role: string) => (id: bigint) => this.source({ id, role });
    const entries = [...columns].map(
      async ([column, id]) => [column, await this.source({ id, role: `column ${column}` })] as const,
    );
    return {
      columns: new Map(await Promise.all(entries)),
      // Rows can be found without the Bloom file.
      bloom: isCFileError(filter) ? undefined : filter?.source,
      adhocIndex:
        adhocIndex === undefined ? undefined : await this.source({ id: adhocIndex, role: "adhoc-index" }),
      redo: await Promise.all(redo.map(find("redo"))),
      undo: await Promise.all(undo.map(find("undo"))),
    };
  }

  private async source(one: BlockRole): Promise<ByteSource> {
    const block = await this.find(one);
    return isCFileError(block) ? absentFile(`block ${one.id}`, block) : block.source;
  }

  /** @returns an error if the block is missing, or if two blocks have its ID */
  private async find({ id, role }: BlockRole): Promise<StoredBlock | CFileError> {
    const place = { path: `block ${id}`, field: role };
    try {
      const block = await this.store.find(id);
      const reason = `block ${id} is missing: ${role} of row set ${this.id}`;
      return block ?? new CFileError("E_BLOCK_MISSING", reason, place);
    } catch (cause) {
      if (!isDamage(cause)) {
        throw cause;
      }
      return new CFileError(cause.code, cause.reason, { ...place, cause });
    }
  }
}
