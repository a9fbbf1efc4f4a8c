/** A row set of a tablet: its blocks found and opened. */
import { CFileError } from "@cfile/bytes";
import type { ByteSource } from "@cfile/io";
import type { RowSetFiles, RowSetOptions } from "@cfile/rowset";
import { openRowSet, type RowSetReader } from "@cfile/rowset";
import { absentFile } from "../blocks/byte-range.js";
import type { BlockStore, StoredBlock } from "../blocks/stored-block.js";
import type { KuduSchema } from "../catalog/schema-message.js";
import type { RowSetBlocks } from "../catalog/superblock.js";
import { Remembered } from "./remembered.js";

/** What is left of the UNDO entries, which tell what was before. */
export interface HistoryState {
  /** Whether the insertion of every row is known. */
  readonly complete: boolean;
  /** The earliest entry. */
  readonly earliest: bigint | undefined;
  /** When the base data were written, in microseconds since 1970. */
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
   * The reader, opened once.
   *
   * @throws CFileError `E_IO` when a source fails; `E_CORRUPT`, `E_CHECKSUM` or `E_TRUNCATED` when a file is damaged,
   *   `E_NOT_FOUND` when a block is missing
   */
  open(): Promise<RowSetReader> {
    return this.reader.get(async () => this.openWith(await this.files()));
  }

  /** A reader of other files of the same schema. */
  openWith(files: RowSetFiles): Promise<RowSetReader> {
    return openRowSet(files, this.schema, this.options);
  }

  /** Its files by role; reading one that is missing tells so. */
  files(): Promise<RowSetFiles> {
    return this.found.get(() => this.findFiles());
  }

  /**
   * Blocks that are not there, among those needed; a Bloom file is not.
   *
   * @param columnIds of the columns wanted; default: all
   */
  async missing(columnIds?: ReadonlySet<number>, needsUndo = true): Promise<readonly CFileError[]> {
    const { columns, redo, undo, adhocIndex } = this.blocks;
    const keys = new Set(this.schema.columns.filter(({ isKey }) => isKey).map(({ id }) => id));
    const wanted = [...columns]
      .filter(([column]) => columnIds === undefined || columnIds.has(column) || keys.has(column))
      .map(([column, id]) => ({ id, role: `column ${column}` }));
    const needed = [
      ...wanted,
      ...(adhocIndex === undefined ? [] : [{ id: adhocIndex, role: "adhoc-index" }]),
      ...(needsUndo ? undo : []).map((id) => ({ id, role: "undo" })),
      ...redo.map((id) => ({ id, role: "redo" })),
    ];
    const found = await Promise.all(
      needed.map(async ({ id, role }) =>
        (await this.store.find(id)) === undefined ? this.missingBlock(id, role) : undefined,
      ),
    );
    return found.filter((error) => error !== undefined);
  }

  /** That the Bloom file is not there, which rows can be read without. */
  async missingBloom(): Promise<CFileError | undefined> {
    const { bloom } = this.blocks;
    return bloom !== undefined && (await this.store.find(bloom)) === undefined
      ? this.missingBlock(bloom, "bloom")
      : undefined;
  }

  /** Whether a file is missing that only earlier states need. */
  async lacksUndo(): Promise<boolean> {
    for (const id of this.blocks.undo) {
      if ((await this.store.find(id)) === undefined) {
        return true;
      }
    }
    return false;
  }

  /** Bytes of one of its blocks; `undefined` when it is in none of the directories. */
  async sizeOfBlock(id: bigint): Promise<number | undefined> {
    return (await this.store.find(id))?.source.size();
  }

  /**
   * Since when the row set's rows are known: what its UNDO files reach back to.
   *
   * @throws CFileError when its files cannot be read
   */
  async history(): Promise<HistoryState> {
    const reader = await this.open();
    const { undo } = await this.files();
    const { openDeltaFile } = await import("@cfile/deltafile/read");
    let deletes = 0;
    let earliest: bigint | undefined;
    for (const source of undo) {
      const { statistics } = await openDeltaFile(source, this.options);
      deletes += statistics.deleteCount - statistics.reinsertCount;
      const { minTimestamp } = statistics;
      earliest = earliest === undefined || minTimestamp < earliest ? minTimestamp : earliest;
    }
    const bases = await Promise.all([...this.blocks.columns.values()].map((id) => this.store.find(id)));
    const times = bases.map((block) => block?.createdAt);
    const writtenAt = latestOf(times);
    return { complete: deletes >= reader.rowCount, earliest, writtenAt };
  }

  private async findFiles(): Promise<RowSetFiles> {
    const { columns, bloom, adhocIndex, redo, undo } = this.blocks;
    const find = (role: string) => (id: bigint) => this.source(id, role);
    const entries = [...columns].map(
      async ([column, id]): Promise<[number, ByteSource]> => [
        column,
        await this.source(id, `column ${column}`),
      ],
    );
    return {
      columns: new Map(await Promise.all(entries)),
      // Rows are found without it.
      bloom: bloom === undefined ? undefined : (await this.store.find(bloom))?.source,
      adhocIndex: adhocIndex === undefined ? undefined : await this.source(adhocIndex, "adhoc-index"),
      redo: await Promise.all(redo.map(find("redo"))),
      undo: await Promise.all(undo.map(find("undo"))),
    };
  }

  private async source(id: bigint, role: string): Promise<ByteSource> {
    const block: StoredBlock | undefined = await this.store.find(id);
    return block?.source ?? absentFile(`block ${id}`, this.missingBlock(id, role));
  }

  private missingBlock(id: bigint, role: string): CFileError {
    return new CFileError(
      "E_BLOCK_MISSING",
      `block ${id} is in none of the directories: ${role} of row set ${this.id}`,
      {
        path: `block ${id}`,
        field: role,
      },
    );
  }
}

/** The last of the times, when all are known. */
function latestOf(times: readonly (bigint | undefined)[]): bigint | undefined {
  let latest: bigint | undefined;
  for (const time of times) {
    if (time === undefined) {
      return undefined;
    }
    if (latest === undefined || time > latest) {
      latest = time;
    }
  }
  return latest;
}
