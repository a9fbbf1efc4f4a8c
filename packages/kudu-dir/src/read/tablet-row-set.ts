/** A row set of a tablet: finds and opens its blocks. */
import { CFileError } from "@cfile/bytes";
import type { ByteSource } from "@cfile/io";
import type { RowSetFiles, RowSetOptions } from "@cfile/rowset";
import { openRowSet, type RowSetReader } from "@cfile/rowset";
import { absentFile } from "../blocks/byte-range.js";
import { collect } from "../blocks/problems.js";
import type { BlockStore } from "../blocks/stored-block.js";
import type { KuduSchema } from "../catalog/schema-message.js";
import { type RowSetBlocks, rolesOf } from "../catalog/superblock.js";
import { Remembered } from "./remembered.js";

/** How far back the UNDO entries of a row set reach. */
export interface HistoryState {
  /** Whether the insertion of every row is retained. */
  readonly complete: boolean;
  /** The earliest entry. */
  readonly earliest: bigint | undefined;
  /** When the base data was written, in microseconds since 1970. */
  readonly writtenAt: bigint | undefined;
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
   *   `E_BLOCK_MISSING` if a block is missing
   */
  open(): Promise<RowSetReader> {
    return this.reader.get(async () => this.openWith(await this.files()));
  }

  /** A reader of other files with the same schema. */
  openWith(files: RowSetFiles): Promise<RowSetReader> {
    return openRowSet(files, this.schema, this.options);
  }

  /** Its files by role. Reading a missing one throws `E_BLOCK_MISSING`. */
  files(): Promise<RowSetFiles> {
    return this.found.get(() => this.findFiles());
  }

  /**
   * An error for each required block that is missing. A Bloom file is not required.
   *
   * @param columnIds of the requested columns; default: all
   */
  async missing(columnIds?: ReadonlySet<number>, needsUndo = true): Promise<readonly CFileError[]> {
    const { columns, undo } = this.blocks;
    const keys = new Set(this.schema.columns.filter(({ isKey }) => isKey).map(({ id }) => id));
    const isRead = (column: number): boolean =>
      columnIds === undefined || columnIds.has(column) || keys.has(column);
    const required: RowSetBlocks = {
      ...this.blocks,
      columns: new Map([...columns].filter(([column]) => isRead(column))),
      bloom: undefined,
      undo: needsUndo ? undo : [],
    };
    const errors = await Promise.all(rolesOf(required).map(({ id, role }) => this.missingError(id, role)));
    return errors.filter((error) => error !== undefined);
  }

  /** An error if the Bloom file is missing. Rows can be read without it. */
  async missingBloom(): Promise<CFileError | undefined> {
    const { bloom } = this.blocks;
    return bloom === undefined ? undefined : this.missingError(bloom, "bloom");
  }

  /** Whether a file is missing that only earlier snapshots need. */
  async lacksUndo(): Promise<boolean> {
    const found = await Promise.all(this.blocks.undo.map((id) => this.store.find(id)));
    return found.includes(undefined);
  }

  /** Bytes of one of its blocks; `undefined` if the block is missing. */
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
   * As {@link history} for a known number of rows. With damaged UNDO files, history is incomplete.
   *
   * @param problems takes the errors of damaged UNDO files
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
    const bases = await Promise.all([...this.blocks.columns.values()].map((id) => this.store.find(id)));
    const times = bases.flatMap((block) => block?.createdAt ?? []);
    const isKnown = times.length > 0 && times.length === bases.length;
    const writtenAt = isKnown ? times.reduce((left, right) => (left > right ? left : right)) : undefined;
    return { complete: problems.length === 0 && deletes >= rows, earliest, writtenAt };
  }

  private async findFiles(): Promise<RowSetFiles> {
    const { columns, bloom, adhocIndex, redo, undo } = this.blocks;
    const find = (role: string) => (id: bigint) => this.source(id, role);
    const entries = [...columns].map(
      async ([column, id]) => [column, await this.source(id, `column ${column}`)] as const,
    );
    return {
      columns: new Map(await Promise.all(entries)),
      // Rows can be found without it.
      bloom: bloom === undefined ? undefined : (await this.store.find(bloom))?.source,
      adhocIndex: adhocIndex === undefined ? undefined : await this.source(adhocIndex, "adhoc-index"),
      redo: await Promise.all(redo.map(find("redo"))),
      undo: await Promise.all(undo.map(find("undo"))),
    };
  }

  private async source(id: bigint, role: string): Promise<ByteSource> {
    const block = await this.store.find(id);
    return block?.source ?? absentFile(`block ${id}`, this.missingBlock(id, role));
  }

  private async missingError(id: bigint, role: string): Promise<CFileError | undefined> {
    return (await this.store.find(id)) === undefined ? this.missingBlock(id, role) : undefined;
  }

  private missingBlock(id: bigint, role: string): CFileError {
    const reason = `block ${id} is missing: ${role} of row set ${this.id}`;
    return new CFileError("E_BLOCK_MISSING", reason, { path: `block ${id}`, field: role });
  }
}
