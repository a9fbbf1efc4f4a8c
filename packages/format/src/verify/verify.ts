/**
 * Checks a whole file: every checksum, every block, both indexes, and their consistency. Continues after a problem, so that one
 * report lists all problems.
 */
import {
  type BlockLocation,
  ByteReader,
  corrupt,
  type FileProblem,
  MemoryArena,
  mismatch,
  problemOf,
  type WorkOptions,
} from "@cfile/bytes";
import { type BinaryVector, type ColumnBatch, loadDictionaryReader } from "@cfile/encodings";
import { decodePositionalKey } from "@cfile/index-btree";
import type { RowKernels } from "@cfile/kernels/rows";
import type { BlockColumn, DataBlock } from "../blocks/data-block.js";
import type { FileKind } from "../file/file-kind.js";
import { type IndexLayout, readIndexLayout } from "../file/layout.js";
import type { OpenFile } from "../read/open-file.js";
import { type FilePart, findUnreferencedBytes } from "./verify-coverage.js";
import { checkDeltaKey, ValueOrder } from "./verify-order.js";

/** `onProgress` is called after each data block and counts data blocks. */
export interface VerifyOptions extends WorkOptions {
  /**
   * Visits each valid data block, for further checks.
   *
   * @internal
   */
  readonly visitor?: ValidBlockVisitor | undefined;
  /**
   * Kernels that compare integers. They are too large to load for a single file.
   *
   * @internal
   */
  readonly rowKernels?: RowKernels | undefined;
  /** Memory shared by consecutive checks. Default: an arena per check. */
  readonly arena?: MemoryArena | undefined;
}

/** A problem of a file, with its location. */
export type VerifyProblem = FileProblem;

/** An object, not a function: a closure per file defeats the JIT. */
export interface ValidBlockVisitor {
  /** Visits a valid data block; the check waits for the promise, if there is one. Exceptions end the check. */
  visitValidBlock(block: ValidBlock): void | Promise<void>;
}

/** A valid block with its content, which may be used only during the visit. */
export interface ValidBlock {
  readonly location: BlockLocation;
  /** Key in the value index. */
  readonly indexKey: Uint8Array | undefined;
  /** The block without its wrapper. */
  readonly content: Uint8Array;
  /** The opened block; `undefined` in Bloom files. */
  readonly block: DataBlock | undefined;
  /** All rows of the block, if their order was checked. */
  readonly values: ColumnBatch | undefined;
}

/** All problems of a file, and its content. */
export interface VerifyReport {
  readonly ok: boolean;
  /** The filters of Bloom files and the change lists of delta files are not checked here. */
  readonly kind: FileKind;
  readonly problems: readonly VerifyProblem[];
  /** Rows in valid data blocks. */
  readonly rows: number;
  readonly dataBlocks: number;
  readonly indexBlocks: number;
  /** Whether the file has checksums; without them, flipped bits in values are not detected. */
  readonly checksums: boolean;
}

export async function verifyFile(file: OpenFile, options: VerifyOptions): Promise<VerifyReport> {
  return new Verifier(file, options).run();
}

class Verifier {
  private readonly problems: VerifyProblem[] = [];
  private readonly file: OpenFile;
  private readonly options: VerifyOptions;
  private readonly parts: FilePart[];
  private posidx: IndexLayout | undefined;
  private validx: IndexLayout | undefined;
  private rows = 0;

  constructor(file: OpenFile, options: VerifyOptions) {
    this.file = file;
    this.options = options;
    const { headerRange, footerRange } = file.structure;
    this.parts = [
      { ...headerRange, name: "header" },
      { ...footerRange, name: "footer" },
    ];
  }

  async run(): Promise<VerifyReport> {
    const { kind, structure } = this.file;
    this.posidx = await this.readIndex("posidx");
    this.validx = await this.readIndex("validx");
    const dictionary = await this.readDictionary();
    const blocks = await this.dataBlocks();
    this.compareIndexes();
    if (dictionary !== "unreadable") {
      await this.checkDataBlocks(blocks, dictionary);
    }
    const { rowCount } = structure.footer;
    if (this.problems.length === 0 && this.rows !== rowCount) {
      this.note(
        mismatch("blocks and footer differ in their rows", rowCount, this.rows, { field: "num_values" }),
      );
    }
    // If an index is damaged, parts of the file are unreferenced just because of that.
    if (this.problems.length === 0) {
      for (const { offset, reason } of findUnreferencedBytes(this.parts, structure.fileSize)) {
        this.note(corrupt(reason, { offset, field: "block pointer" }));
      }
    }
    return {
      ok: this.problems.length === 0,
      kind,
      problems: this.problems,
      rows: this.rows,
      dataBlocks: blocks.length,
      indexBlocks: (this.posidx?.indexBlocks.length ?? 0) + (this.validx?.indexBlocks.length ?? 0),
      checksums: structure.wrapping.checksums,
    };
  }

  /** Reports a `CFileError`; throws failures of the source and aborts. */
  private note(error: unknown, block?: BlockLocation): void {
    this.problems.push(problemOf(error, block));
  }

  private async readIndex(kind: "posidx" | "validx"): Promise<IndexLayout | undefined> {
    const tree = this.file[kind];
    try {
      const layout = tree && (await readIndexLayout(tree, this.options));
      for (const { offset, size } of layout?.indexBlocks ?? []) {
        this.parts.push({ offset, size, name: `${kind} block` });
      }
      return layout;
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

  private async dataBlocks(): Promise<readonly BlockLocation[]> {
    let blocks: readonly BlockLocation[] = this.posidx?.entries ?? this.validx?.entries ?? [];
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

  private compareIndexes(): void {
    const left = this.posidx?.entries;
    const right = this.validx?.entries;
    const agree =
      left === undefined ||
      right === undefined ||
      (left.length === right.length &&
        left.every(({ offset, size }, i) => right[i]?.offset === offset && right[i]?.size === size));
    if (!agree) {
      const reason = "positional and value index point to different data blocks";
      this.note(corrupt(reason, { field: "validx_info", expected: left.length, actual: right.length }));
    }
  }

  private async checkDataBlocks(
    blocks: readonly BlockLocation[],
    dictionary: BinaryVector | undefined,
  ): Promise<void> {
    const { dataBlocks, blocks: reader, kind } = this.file;
    const { arena = new MemoryArena(), onProgress, rowKernels, signal, visitor } = this.options;
    const column: BlockColumn = { ...dataBlocks.column(), dictionary, memory: arena };
    const isOrdered = this.validx !== undefined && kind === "column" && !column.nullable && !column.array;
    const order = isOrdered ? new ValueOrder(column.type, rowKernels) : undefined;
    let expectedRow: number | undefined = 0;
    let i = 0;
    const groups = this.file.groupsOf(blocks, { arena, signal });
    try {
      for (let group = await groups?.next(); group !== undefined; group = await groups?.next()) {
        for (const [at, { offset, size }] of group.pointers.entries()) {
          signal?.throwIfAborted();
          const location = { offset, size };
          arena.recycle();
          try {
            const stored = group.stored[at]?.(arena) ?? (await reader.readStored(location, { signal }));
            const content = reader.unwrap(location, stored, arena);
            const problemsBefore = this.problems.length;
            const checked = this.checkBlock(content, location, { i, column, expectedRow, order });
            const { block } = checked;
            expectedRow = block && block.firstRow + block.rows;
            if (this.problems.length === problemsBefore) {
              const visit = visitor?.visitValidBlock(checked);
              if (visit !== undefined) {
                await visit;
              }
            }
          } catch (error) {
            this.note(error, location);
            // The block after a damaged one is only compared with its own index key.
            expectedRow = undefined;
            order?.forget();
          }
          i++;
          onProgress?.({ done: i, total: blocks.length });
        }
      }
    } finally {
      groups?.close();
    }
  }

  private checkBlock(
    content: Uint8Array,
    location: BlockLocation,
    { i, column, expectedRow, order }: BlockContext,
  ): ValidBlock {
    const { dataBlocks, blocks, kind } = this.file;
    const indexKey = this.validx?.entries[i]?.key;
    if (kind === "bloom") {
      checkBloomBlock(content);
      return { location, indexKey, content, block: undefined, values: undefined };
    }
    const block = dataBlocks.openContent(content, column, blocks.limits);
    block.check();
    this.checkFirstRow(block, location, expectedRow, this.posidx?.entries[i]?.key);
    const values = order && block.decode(0, block.rows);
    if (values !== undefined) {
      order?.check(values, indexKey);
    }
    if (kind === "delta" && indexKey !== undefined) {
      checkDeltaKey(block.decode(0, 1), indexKey);
    }
    this.rows += block.rows;
    return { location, indexKey, content, block, values };
  }

  private checkFirstRow(
    { firstRow }: DataBlock,
    block: BlockLocation,
    expected: number | undefined,
    key: Uint8Array | undefined,
  ): void {
    const keyRow = key && decodePositionalKey(key);
    const expectedRow = expected ?? keyRow;
    if (expectedRow !== undefined && firstRow !== expectedRow) {
      this.note(mismatch("wrong first row of the block", expectedRow, firstRow, { block, field: "ordinal" }));
    }
    if (keyRow !== undefined && keyRow !== firstRow) {
      const reason = "wrong first row of the block in the positional index";
      this.note(mismatch(reason, firstRow, keyRow, { block, field: "posidx key" }));
    }
  }
}

interface BlockContext {
  /** Index of the data block. */
  readonly i: number;
  readonly column: BlockColumn;
  /** `undefined` after a damaged block. */
  readonly expectedRow: number | undefined;
  readonly order: ValueOrder | undefined;
}

/**
 * Checks the frame of a Bloom block: u32le length of a header, the header, at least a byte of filter.
 *
 * @throws {CFileError} `E_TRUNCATED` or `E_CORRUPT`
 */
function checkBloomBlock(bytes: Uint8Array): void {
  const reader = new ByteReader(bytes);
  reader.skip(reader.u32le("bloom header length"), "bloom header");
  if (reader.remaining === 0) {
    throw corrupt("Bloom block without a filter", { offset: reader.position, field: "bloom filter" });
  }
}
