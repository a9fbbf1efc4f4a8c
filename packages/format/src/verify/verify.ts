/**
 * Checking a whole file: every checksum, every block, both indexes, and that all of them agree. Goes on after a
 * problem, so that one report names everything that is wrong.
 */
import {
  type BlockLocation,
  type CFileErrorCode,
  type FileProblem,
  MemoryArena,
  problemOf,
  type WorkOptions,
} from "@cfile/bytes";
import { type BinaryVector, loadDictionaryReader } from "@cfile/encodings";
import { decodePositionalKey, type IndexTree } from "@cfile/index-btree";
import type { RowKernels } from "@cfile/kernels/rows";
import type { BlockReader, BlockReadOptions } from "../blocks/block-reader.js";
import type { BlockColumn, DataBlock, DataBlockOpener } from "../blocks/data-block.js";
import { checkBloomBlock, type FileKind, fileKindOf } from "../file/file-kind.js";
import type { FileStructure } from "../file/file-structure.js";
import { type IndexLayout, readLayout } from "../file/layout.js";
import { READS } from "../read/read-ahead.js";
import { type FilePart, findUnreferencedBytes } from "./verify-coverage.js";
import { checkDeltaKey, ValueOrder } from "./verify-order.js";
import { readBlocks } from "./verify-reading.js";

/** `onProgress` is called after each data block, and counts these. */
export interface VerifyOptions extends WorkOptions {
  /**
   * Who is shown each data block in which nothing is wrong, to check more of it.
   *
   * @internal
   */
  readonly visitor?: ValidBlockVisitor | undefined;
  /**
   * What looks at the order of integers; a file by itself is not worth their being loaded.
   *
   * @internal
   */
  readonly rowKernels?: RowKernels | undefined;
  /** Shared by checks of many files one after the other. Default: one of its own. */
  readonly arena?: MemoryArena | undefined;
}

/** One thing that is wrong with a file: what it is and where. */
export type VerifyProblem = FileProblem;

/** An object, not a function: one made for each file would be compiled for each. */
export interface ValidBlockVisitor {
  /** Looks at one valid data block. What it throws ends the check. */
  visitValidBlock(block: ValidBlock): void;
}

/** A block that was found sound, with what is in it. All of it is valid only while it is looked at. */
export interface ValidBlock {
  readonly location: BlockLocation;
  /** Of the value index. */
  readonly indexKey: Uint8Array | undefined;
  /** After the wrapper is taken off. */
  readonly content: Uint8Array;
  /** Opened; `undefined` of Bloom files. */
  readonly block: DataBlock | undefined;
}

/** What is wrong with a file, and what was counted in it. */
export interface VerifyReport {
  readonly ok: boolean;
  /** Of Bloom files the filters themselves are not looked into, of delta files not the change lists. */
  readonly kind: FileKind;
  readonly problems: readonly VerifyProblem[];
  /** Rows in sound data blocks. */
  readonly rows: number;
  readonly dataBlocks: number;
  readonly indexBlocks: number;
  /** Whether the file has checksums; without them flipped bits inside values cannot be seen. */
  readonly checksums: boolean;
}

export interface VerifySource {
  readonly openContent: DataBlockOpener;
  readonly structure: FileStructure;
  readonly blocks: BlockReader;
  readonly posidx: IndexTree | undefined;
  readonly validx: IndexTree | undefined;
  readonly listDataBlocks: (options: BlockReadOptions) => Promise<readonly BlockLocation[]>;
}

export async function verifyFile(file: VerifySource, options: VerifyOptions = {}): Promise<VerifyReport> {
  return new Verifier(file, options).run();
}

class Verifier {
  private readonly problems: VerifyProblem[] = [];
  private readonly file: VerifySource;
  private readonly options: VerifyOptions;
  private readonly parts: FilePart[];
  private readonly kind: FileKind;
  private rows = 0;

  constructor(file: VerifySource, options: VerifyOptions) {
    this.file = file;
    this.options = options;
    this.kind = fileKindOf(file.structure.footer);
    const { headerRange, footerRange } = file.structure;
    this.parts = [
      { ...headerRange, name: "header" },
      { ...footerRange, name: "footer" },
    ];
  }

  async run(): Promise<VerifyReport> {
    const posidx = await this.readIndex("posidx");
    const validx = await this.readIndex("validx");
    const dictionary = await this.readDictionary();
    const blocks = await this.dataBlocks(posidx, validx);
    if (posidx && validx) {
      this.compareIndexes(posidx, validx);
    }
    if (dictionary !== "unreadable") {
      await this.checkDataBlocks(blocks, dictionary, posidx, validx);
    }
    const { footer } = this.file.structure;
    if (this.problems.length === 0 && this.rows !== footer.rowCount) {
      this.report("E_CORRUPT", `the blocks hold ${this.rows} rows, the footer counts ${footer.rowCount}`, {
        field: "num_values",
        expected: footer.rowCount,
        actual: this.rows,
      });
    }
    // With a broken index, parts of the file are unreferenced for that reason alone.
    if (this.problems.length === 0) {
      for (const gap of findUnreferencedBytes(this.parts, this.file.structure.fileSize)) {
        this.report("E_CORRUPT", gap.reason, { offset: gap.offset, field: "block pointer" });
      }
    }
    return {
      ok: this.problems.length === 0,
      kind: this.kind,
      problems: this.problems,
      rows: this.rows,
      dataBlocks: blocks.length,
      indexBlocks: (posidx?.indexBlocks.length ?? 0) + (validx?.indexBlocks.length ?? 0),
      checksums: this.file.structure.wrapping.checksums,
    };
  }

  private report(
    code: CFileErrorCode,
    reason: string,
    details: Omit<VerifyProblem, "code" | "reason">,
  ): void {
    this.add({ code, reason, ...details });
  }

  private add(problem: VerifyProblem): void {
    this.problems.push(problem);
  }

  /** Notes a `CFileError` as a problem; failures of the source and aborts go on up. */
  private note(error: unknown, block?: BlockLocation): void {
    this.add(problemOf(error, block));
  }

  private async readIndex(kind: "posidx" | "validx"): Promise<IndexLayout | undefined> {
    const { posidx, validx, structure } = this.file;
    try {
      const layout = await readLayout(
        {
          posidx: kind === "posidx" ? posidx : undefined,
          validx: kind === "validx" ? validx : undefined,
          footer: { ...structure.footer, dictionary: undefined },
        },
        this.options,
      );
      for (const block of layout[kind]?.indexBlocks ?? []) {
        this.parts.push({ offset: block.offset, size: block.size, name: `${kind} block` });
      }
      return layout[kind];
    } catch (error) {
      this.note(error);
      return undefined;
    }
  }

  private async readDictionary(): Promise<BinaryVector | undefined | "unreadable"> {
    const block = this.file.structure.footer.dictionary;
    if (block === undefined) {
      return undefined;
    }
    this.parts.push({ ...block, name: "dictionary block" });
    try {
      const openDictionaryWords = await loadDictionaryReader();
      return openDictionaryWords(await this.file.blocks.read(block, this.options));
    } catch (error) {
      this.note(error, block);
      return "unreadable";
    }
  }

  private async dataBlocks(
    posidx: IndexLayout | undefined,
    validx: IndexLayout | undefined,
  ): Promise<readonly BlockLocation[]> {
    let blocks: readonly BlockLocation[] = posidx?.entries ?? validx?.entries ?? [];
    if (this.file.posidx === undefined && this.file.validx === undefined) {
      try {
        blocks = await this.file.listDataBlocks(this.options);
      } catch (error) {
        this.note(error);
      }
    }
    for (const { offset, size } of blocks) {
      this.parts.push({ offset, size, name: "data block" });
    }
    return blocks;
  }

  private compareIndexes(posidx: IndexLayout, validx: IndexLayout): void {
    if (!haveSameBlocks(posidx.entries, validx.entries)) {
      this.report("E_CORRUPT", "positional and value index lead to different data blocks", {
        field: "validx_info",
        expected: posidx.entries.length,
        actual: validx.entries.length,
      });
    }
  }

  private async checkDataBlocks(
    blocks: readonly BlockLocation[],
    dictionary: BinaryVector | undefined,
    posidx: IndexLayout | undefined,
    validx: IndexLayout | undefined,
  ): Promise<void> {
    const { footer, encoding } = this.file.structure;
    const memory = this.options.arena ?? new MemoryArena();
    const column: BlockColumn = {
      type: footer.dataType,
      encoding,
      nullable: footer.nullable ?? false,
      array: footer.array ?? false,
      dictionary,
      kernels: this.file.structure.wrapping.kernels,
      memory,
    };
    const isOrdered = validx !== undefined && this.kind === "column" && !column.nullable && !column.array;
    const order = isOrdered ? new ValueOrder(column.type, this.options.rowKernels) : undefined;
    let expectedRow: number | undefined = 0;
    let i = 0;
    for await (const { stored, error } of readBlocks(
      this.file.blocks,
      blocks,
      memory.part(READS),
      this.options,
    )) {
      const { offset, size } = blocks[i] as BlockLocation;
      const location = { offset, size };
      const indexKey = validx?.entries[i]?.key;
      const problemsBefore = this.problems.length;
      memory.recycle();
      try {
        if (stored === undefined) {
          throw error;
        }
        const content = this.file.blocks.unwrap(location, stored, memory);
        let block: DataBlock | undefined;
        if (this.kind === "bloom") {
          checkBloomBlock(content);
        } else {
          block = this.file.openContent(content, column, this.file.blocks.limits);
          block.check();
          this.checkRows(block, location, expectedRow, posidx?.entries[i]?.key);
          order?.check(block.decode(0, block.rows), indexKey);
          if (this.kind === "delta" && indexKey !== undefined) {
            checkDeltaKey(block.decode(0, 1), indexKey);
          }
          expectedRow = block.firstRow + block.rows;
          this.rows += block.rows;
        }
        if (this.problems.length === problemsBefore) {
          this.options.visitor?.visitValidBlock({ location, indexKey, content, block });
        }
      } catch (error) {
        this.note(error, location);
        // What follows a bad block is compared with its own index key only.
        expectedRow = undefined;
        order?.forget();
      }
      i++;
      this.options.onProgress?.({ done: i, total: blocks.length });
    }
  }

  private checkRows(
    block: DataBlock,
    location: BlockLocation,
    expected: number | undefined,
    key: Uint8Array | undefined,
  ): void {
    const wanted = expected ?? (key && decodePositionalKey(key));
    if (wanted !== undefined && block.firstRow !== wanted) {
      this.report("E_CORRUPT", `the block's first row is ${block.firstRow}, expected ${wanted}`, {
        block: location,
        field: "ordinal",
        expected: wanted,
        actual: block.firstRow,
      });
    }
    if (key !== undefined && decodePositionalKey(key) !== block.firstRow) {
      this.report("E_CORRUPT", "the positional index has another first row for the block", {
        block: location,
        field: "posidx key",
        expected: block.firstRow,
        actual: decodePositionalKey(key),
      });
    }
  }
}

function haveSameBlocks(left: readonly BlockLocation[], right: readonly BlockLocation[]): boolean {
  for (let i = 0; i < left.length; i++) {
    if (left[i]?.offset !== right[i]?.offset || left[i]?.size !== right[i]?.size) {
      return false;
    }
  }
  return left.length === right.length;
}
