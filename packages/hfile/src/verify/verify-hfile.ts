/**
 * Verifies a whole file: every block from the first byte to the trailer, every checksum, the order of cells, the index against the
 * blocks, and the counts in trailer and file info. Continues after problems.
 */
import {
  type BlockLocation,
  compareBytes,
  type FileProblem,
  problemOf,
  type WorkOptions,
} from "@cfile/bytes";
import { BLOCK_HEADER_LENGTH, parseBlockHeader } from "../blocks/block-header.js";
import type { BlockKind } from "../blocks/block-kind.js";
import { cellsOf } from "../blocks/data-blocks.js";
import type { CellBatch, HFileCell } from "../cells/cell-batch.js";
import { compareRow } from "../cells/cell-search.js";
import { compareCells } from "../cells/key-order.js";
import { FILE_INFO_KEYS } from "../file/file-info.js";
import type { HFileStructure } from "../file/file-structure.js";
import { DataIndex, IndexCursor } from "../index/index-cursor.js";

/** The problems of a file, and the counts of its content. */
export interface HFileReport {
  readonly ok: boolean;
  readonly problems: readonly FileProblem[];
  /** Number of problems, including those that are not listed. */
  readonly problemCount: number;
  /** Cells in valid data blocks. */
  readonly entries: number;
  /** Valid blocks by kind. */
  readonly blocks: Readonly<Partial<Record<BlockKind, number>>>;
  /** Checksum chunks that were verified; without checksums, flipped bits inside values go unnoticed. */
  readonly chunks: number;
}

const MAX_PROBLEMS = 1000;
const NOTHING = /* @__PURE__ */ new Uint8Array(0);

interface IndexedBlock {
  readonly size: number;
  readonly row: Uint8Array;
  readonly nextRow: Uint8Array | undefined;
}

/** The part of a reader that verification needs. */
export interface VerifiedHFile {
  readonly structure: HFileStructure;
  readonly profile: "hudi" | "hbase";
  readonly lastRow: Uint8Array | undefined;
}

/** Checks the whole file; throws only when the source fails or the signal is aborted. */
export function verifyHFile(file: VerifiedHFile, options: WorkOptions): Promise<HFileReport> {
  return new HFileVerifier(file, options).run();
}

class HFileVerifier {
  private readonly file: VerifiedHFile;
  private readonly options: WorkOptions;
  private readonly problems: FileProblem[] = [];
  private problemCount = 0;
  private entries = 0;
  private chunks = 0;
  private valueBytes = 0;
  private readonly blocks: Partial<Record<BlockKind, number>> = {};
  private lastCell: HFileCell | undefined;

  constructor(file: VerifiedHFile, options: WorkOptions) {
    this.file = file;
    this.options = options;
  }

  async run(): Promise<HFileReport> {
    const indexed = await this.readIndex();
    await this.walk(indexed);
    for (const [offset, { size }] of indexed ?? []) {
      this.report("index entry does not point to a data block", "block offset", { block: { offset, size } });
    }
    if (this.problemCount === 0) {
      this.checkCounts();
    }
    const { problems, problemCount, entries, blocks, chunks } = this;
    return { ok: problemCount === 0, problems, problemCount, entries, blocks, chunks };
  }

  /** Data blocks by offset; `undefined` when the index cannot be read as a whole. */
  private async readIndex(): Promise<Map<number, IndexedBlock> | undefined> {
    const { structure } = this.file;
    const indexed = new Map<number, IndexedBlock>();
    try {
      const cursor = new IndexCursor(new DataIndex(structure, 0), this.options);
      let position = 0;
      let more = await cursor.toFirst();
      while (more) {
        const { location, node, entry } = cursor;
        const row = node.row(entry);
        if (location.offset < position) {
          this.report("the index points back to an earlier data block", "block offset", { block: location });
          return undefined;
        }
        position = location.offset + location.size;
        more = await cursor.toNext();
        const nextRow = more ? cursor.node.row(cursor.entry) : undefined;
        indexed.set(location.offset, { size: location.size, row, nextRow });
      }
      return indexed;
    } catch (error) {
      this.add(problemOf(error));
      return undefined;
    }
  }

  private async walk(indexed: Map<number, IndexedBlock> | undefined): Promise<void> {
    const { loader } = this.file.structure;
    const { end, limits } = loader.options;
    for (let offset = 0; offset < end; ) {
      this.options.signal?.throwIfAborted();
      const headLength = Math.min(BLOCK_HEADER_LENGTH, end - offset);
      let size = 0;
      try {
        const isWhole = headLength === BLOCK_HEADER_LENGTH;
        const head = isWhole ? await loader.read({ offset, size: headLength }, this.options) : NOTHING;
        const header = parseBlockHeader(head, 0, end - offset, limits);
        size = header.size;
        const location = { offset, size };
        const bytes = await loader.read(location, this.options);
        this.checkBlock(bytes, location, header.kind, indexed?.get(offset));
      } catch (error) {
        this.add(problemOf(error, { offset, size: Math.max(size, headLength) }));
        this.lastCell = undefined;
      }
      indexed?.delete(offset);
      if (size === 0) {
        // Without a header, the start of the next block is unknown.
        return;
      }
      offset += size;
      this.options.onProgress?.({ done: offset, total: end });
    }
  }

  private checkBlock(
    bytes: Uint8Array,
    location: BlockLocation,
    kind: BlockKind,
    entry: IndexedBlock | undefined,
  ): void {
    const { structure } = this.file;
    const opened = structure.loader.open(bytes, location, [kind]);
    this.chunks += opened.chunks;
    this.blocks[kind] = (this.blocks[kind] ?? 0) + 1;
    if (kind !== "data" && kind !== "encoded data") {
      return;
    }
    if (entry?.size !== location.size || location.offset >= structure.trailer.loadOnOpenOffset) {
      const sizes = { expected: entry?.size, actual: location.size };
      this.report("data block is missing from the index", "block offset", { block: location, ...sizes });
    }
    const batch = cellsOf(opened, structure);
    this.checkOrder(batch, location);
    if (structure.bytewise && entry !== undefined) {
      if (compareRow(batch, 0, entry.row) < 0) {
        this.report("block starts before its row in the index", "index key", { block: location });
      }
      if (entry.nextRow !== undefined && compareRow(batch, batch.length - 1, entry.nextRow) > 0) {
        this.report("block ends after the next block's row in the index", "index key", { block: location });
      }
    }
    this.entries += batch.length;
  }

  /** Hudi does not order cells within a row. */
  private checkOrder(batch: CellBatch, block: BlockLocation): void {
    const byRow = this.file.profile === "hudi" || /hudi/i.test(this.file.structure.trailer.comparator);
    const compare = byRow ? (a: HFileCell, b: HFileCell) => compareBytes(a.row, b.row) : compareCells;
    const { bytewise } = this.file.structure;
    for (let i = 0; i < batch.length; i++) {
      const cell = batch.cell(i);
      if (bytewise && this.lastCell !== undefined && compare(this.lastCell, cell) > 0) {
        this.report(`cell ${i} precedes the previous cell`, "key", { block, offset: batch.rowStarts[i] });
      }
      this.lastCell = cell;
      this.valueBytes += batch.valueEnd(i) - batch.valueStart(i);
    }
  }

  private checkCounts(): void {
    const { structure, lastRow } = this.file;
    const { trailer, fileInfo } = structure;
    const count = (field: string, expected: number, actual: number | undefined): void => {
      if (actual !== undefined && expected !== actual) {
        this.report(`${field} is ${actual}, but the blocks have ${expected}`, field, { expected, actual });
      }
    };
    count("entry count", this.entries, trailer.entryCount);
    count("meta index count", this.blocks.meta ?? 0, trailer.metaIndexCount);
    if (compareBytes(lastRow ?? NOTHING, this.lastCell?.row ?? NOTHING) !== 0) {
      this.report("last row in the file info differs from that of the last block", FILE_INFO_KEYS.lastKey);
    }
    const field = FILE_INFO_KEYS.averageValueLength;
    if (fileInfo.get(field)?.length === 4) {
      const average = this.entries === 0 ? 0 : Math.floor(this.valueBytes / this.entries);
      count(field, average, Number(fileInfo.integer(field, 4)));
    }
  }

  private report(reason: string, field: string, details: Omit<FileProblem, "code" | "reason"> = {}): void {
    this.add({ code: "E_CORRUPT", reason, field, ...details });
  }

  private add(problem: FileProblem): void {
    this.problemCount++;
    if (this.problems.length < MAX_PROBLEMS) {
      this.problems.push(problem);
    }
  }
}
