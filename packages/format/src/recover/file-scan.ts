/** The scan of {@link scanDamagedCFile}: it uses footer and indexes first, then searches the remaining bytes. */
import { type BlockLocation, corrupt, mismatch, problemOf } from "@cfile/bytes";
import { openDictionaryWords } from "@cfile/encodings/dictionary";
import type { IndexBlock } from "@cfile/index-btree";
import type { BlockWrapping } from "../blocks/block-wrapper.js";
import type { VerifyProblem } from "../verify/verify.js";
import { type FileFrame, placeFile } from "./file-frame.js";
import { type IndexClaims, leafClaims, mergeClaims, readClaims } from "./index-claims.js";
import { RecoverableFile } from "./recoverable-file.js";
import type { BlockEntry, ColumnKnowledge, PartEntry, RecoveryLedger } from "./rows/ledger.js";
import { chooseChain } from "./rows/row-chain.js";
import { type BlockClaim, type KeptBlock, type LostBlock, lostEntry, rowLedger } from "./rows/row-ledger.js";
import { probeDataBlock, type RowSpan, type SearchedColumn } from "./search/block-probe.js";
import { searchBlocks } from "./search/block-search.js";
import type { DamagedSource } from "./search/damaged-source.js";
import { classifyBlock, type FoundPart, type ProbedRows, probeRows } from "./search/found-part.js";
import { longBlockStart } from "./search/long-block-start.js";
import { MovedBlocks } from "./search/moved-blocks.js";
import { walkStatedBlocks } from "./stated-walk.js";

/** A block with its probed rows. */
type ProbedBlock = { readonly block: BlockLocation } & ProbedRows;

/** A scan of one file. */
export class FileScan {
  private readonly file: DamagedSource;
  private readonly frame: FileFrame;
  private readonly column: ColumnKnowledge;
  private readonly wrapping: BlockWrapping;
  private blockColumn: SearchedColumn;
  private readonly parts: PartEntry[] = [];
  private readonly found: KeptBlock[] = [];
  /** Blocks of codes, until the dictionary is known. */
  private readonly codeBlocks: KeptBlock[] = [];
  /** Lost blocks by offset. */
  private readonly lost = new Map<number, LostBlock>();
  private readonly contradicting: BlockEntry[] = [];
  private readonly dictionaries: Extract<FoundPart, { kind: "dictionary" }>[] = [];
  private readonly leaves: IndexBlock[] = [];
  private searchProblem: VerifyProblem | undefined;
  private readonly rowsTotal: number | undefined;
  private shift = 0;
  private start = 0;
  private readonly end: number;

  constructor(
    file: DamagedSource,
    frame: FileFrame,
    column: ColumnKnowledge,
    wrapping: BlockWrapping,
    blockColumn: SearchedColumn,
  ) {
    this.file = file;
    this.frame = frame;
    this.column = column;
    this.wrapping = wrapping;
    this.blockColumn = blockColumn;
    this.end = frame.footer?.range.offset ?? file.size;
    this.rowsTotal = frame.footer?.footer.rowCount;
  }

  async run(): Promise<RecoverableFile> {
    const { checksums } = this.wrapping;
    const { footer, footerProblem, headerProblem } = this.frame;
    const place = await placeFile(this.frame, checksums, (block) => this.isReadable(block));
    this.shift = place.shift;
    this.start = place.start;
    this.addPart("header", place.header, place.header ? "valid" : "missing", headerProblem);
    this.addPart("footer", footer?.range, footer ? "valid" : "missing", footerProblem);
    const indexes = await this.readIndexes();
    await this.readDictionary();
    const claims = mergeClaims(indexes.map((index) => index.claims));
    await this.tryClaims(claims);
    const complete = indexes.some((index) => index.complete);
    await (checksums ? this.search(complete) : this.walk(complete, claims));
    await this.resolveCodes();
    for (const claim of leafClaims(this.leaves, [...this.found, ...this.lost.values()], this.shift)) {
      this.lost.set(claim.offset, claim);
    }
    return this.conclude();
  }

  private addPart(
    part: PartEntry["part"],
    block: BlockLocation | undefined,
    state: PartEntry["state"],
    found?: VerifyProblem,
  ): void {
    this.parts.push({ part, block, state, problem: found });
  }

  private async isReadable(block: BlockLocation): Promise<boolean> {
    try {
      const bytes = await this.file.block(block, this.wrapping);
      return this.wrapping.checksums || bytes.length > 0;
    } catch (error) {
      problemOf(error);
      return false;
    }
  }

  private async readIndexes(): Promise<IndexClaims[]> {
    const { shift, wrapping } = this;
    const indexes: IndexClaims[] = [];
    for (const kind of ["posidx", "validx"] as const) {
      const root = this.frame.footer?.footer[kind];
      if (root !== undefined) {
        const index = await readClaims(this.file, { kind, root, shift, wrapping });
        this.parts.push(...index.parts);
        indexes.push(index);
      }
    }
    return indexes;
  }

  private async readDictionary(): Promise<void> {
    const pointer = this.frame.footer?.footer.dictionary;
    if (pointer === undefined || this.column.encoding !== "DICT_ENCODING") {
      return;
    }
    const block = { offset: pointer.offset + this.shift, size: pointer.size };
    try {
      const dictionary = openDictionaryWords(await this.file.block(block, this.wrapping));
      this.blockColumn = { ...this.blockColumn, dictionary };
      this.addPart("dictionary block", block, "valid");
    } catch (error) {
      this.addPart("dictionary block", block, "damaged", problemOf(error, block));
    }
  }

  private async tryClaims(claims: readonly BlockClaim[]): Promise<void> {
    let budget = 2 * this.file.size;
    for (const claim of claims) {
      const { offset, size } = claim;
      const block = { offset, size };
      budget -= size;
      try {
        if (offset < this.start || offset + size > Math.max(this.end, this.file.size) || budget < 0) {
          const reason = "block pointer outside the file's blocks";
          throw corrupt(reason, { block, field: "block pointer", actual: offset });
        }
        const bytes = await this.file.block(block, this.wrapping);
        this.accept({ block, ...probeRows(bytes, this.blockColumn, this.file.limits) }, claim);
      } catch (error) {
        this.lost.set(offset, { ...claim, rows: undefined, problem: problemOf(error, block) });
      }
    }
  }

  /** @throws {CFileError} when its rows differ from the claim or exceed those of the file */
  private accept({ block, span, codes }: ProbedBlock, claim: BlockClaim | undefined): void {
    const { firstRow, rows } = span;
    if (claim?.firstRow !== undefined && claim.firstRow !== firstRow) {
      throw mismatch("wrong first row of the block", claim.firstRow, firstRow, { block, field: "ordinal" });
    }
    const total = this.rowsTotal;
    if (this.wrapping.checksums && total !== undefined && firstRow + rows > total) {
      const reason = "the block has more rows than the footer counts";
      throw mismatch(reason, total, firstRow + rows, { block, field: "num_values" });
    }
    const movedFrom = claim === undefined || claim.offset === block.offset ? undefined : claim.offset;
    (codes ? this.codeBlocks : this.found).push({ ...block, ...span, movedFrom });
  }

  /** The ranges of the file that no valid part covers, ascending. */
  private unexplained(): BlockLocation[] {
    const valid = this.parts.flatMap(({ block, state }) => (state === "valid" && block ? [block] : []));
    const covered = [...this.found, ...this.codeBlocks, ...valid].sort((a, b) => a.offset - b.offset);
    const gaps: BlockLocation[] = [];
    let reached = this.start;
    for (const { offset, size } of [...covered, { offset: this.end, size: 0 }]) {
      const from = Math.min(offset, this.end);
      if (from > reached) {
        gaps.push({ offset: reached, size: from - reached });
      }
      reached = Math.max(reached, offset + size);
    }
    return gaps;
  }

  /** @param complete whether the index lists all blocks, so that other blocks do not belong to this file */
  private async search(complete: boolean): Promise<void> {
    const { file, wrapping } = this;
    const moved = new MovedBlocks(this.lost.values());
    const classify = (block: BlockLocation, stored: Uint8Array): FoundPart | undefined =>
      classifyBlock(block, file.unwrap(block, stored, wrapping), this.blockColumn, file.limits);
    const mayStart = longBlockStart(this.blockColumn, wrapping, file.limits);
    for (const { offset, size } of this.unexplained()) {
      for (const part of await searchBlocks(file, offset, offset + size, { classify, mayStart })) {
        this.take(part, moved, complete);
      }
    }
  }

  private take(part: FoundPart, moved: MovedBlocks, complete: boolean): void {
    const { block } = part;
    if (part.kind === "dictionary") {
      this.dictionaries.push(part);
    } else if (part.kind === "index") {
      this.addPart("index block", block, "valid");
      if (part.node.isLeaf) {
        this.leaves.push(part.node);
      }
    } else {
      const claim = moved.take(block, part.span);
      try {
        if (claim === undefined && (complete || moved.claims(part.span.firstRow))) {
          throw corrupt("the block is not in the index", { block, field: "block pointer" });
        }
        this.accept(part, claim);
        if (claim !== undefined) {
          this.lost.delete(claim.offset);
        }
      } catch (error) {
        this.contradict(block, part.span, problemOf(error));
      }
    }
  }

  private contradict(block: BlockLocation, { firstRow, rows }: RowSpan, found: VerifyProblem): void {
    this.contradicting.push(lostEntry(block, firstRow, rows, found));
  }

  /** Without checksums, only blocks directly after a valid block or the header can be distinguished from random bytes. */
  private async walk(complete: boolean, claims: readonly BlockClaim[]): Promise<void> {
    if (complete) {
      return;
    }
    const { wrapping, blockColumn: column } = this;
    const known = [...this.found, ...this.codeBlocks];
    const ends = new Map(known.map((block) => [block.offset + block.size, block]));
    for (const { offset: start, size } of this.unexplained()) {
      const before = ends.get(start);
      const claimed = claims.find(({ offset }) => offset >= start && offset < start + size);
      if (before === undefined && start !== this.start) {
        continue;
      }
      const end = claimed?.offset ?? start + size;
      const firstRow = before === undefined ? 0 : before.firstRow + before.rows;
      const walked = await walkStatedBlocks(this.file, { start, end, firstRow, wrapping, column });
      this.searchProblem ??= walked.problem;
      for (const block of walked.blocks) {
        this.accept(block, undefined);
      }
    }
  }

  /** Codes can be decoded only with the dictionary of their file. */
  private async resolveCodes(): Promise<void> {
    const size = this.frame.footer?.footer.dictionary?.size;
    const fitting = this.dictionaries.filter(({ block }) => size === undefined || block.size === size);
    const [only] = fitting;
    if (only !== undefined && fitting.length === 1) {
      this.blockColumn = { ...this.blockColumn, dictionary: only.words };
      this.addPart("dictionary block", only.block, "valid");
    } else if (this.column.encoding === "DICT_ENCODING" && this.frame.footer === undefined) {
      this.addPart("dictionary block", undefined, "missing");
    }
    for (const codeBlock of this.codeBlocks) {
      const { offset, firstRow, rows } = codeBlock;
      const block = { offset, size: codeBlock.size };
      try {
        if (this.blockColumn.dictionary === undefined) {
          const reason =
            fitting.length > 1
              ? `the dictionary is ambiguous: found ${fitting.length}, and the footer is lost`
              : "the dictionary of the block's codes is lost";
          throw corrupt(reason, { block, field: "dictionary" });
        }
        probeDataBlock(await this.file.block(block, this.wrapping), this.blockColumn, this.file.limits);
        this.found.push(codeBlock);
      } catch (error) {
        this.lost.set(offset, { ...block, firstRow, rows, problem: problemOf(error, block) });
      }
    }
  }

  private conclude(): RecoverableFile {
    const { file, wrapping } = this;
    const { chain, others } = chooseChain(this.found);
    const reason = "bytes or rows of the block overlap those of kept blocks";
    for (const block of others) {
      this.contradict(block, block, { code: "E_CORRUPT", reason, block, field: "ordinal" });
    }
    const last = chain.at(-1);
    const end = last === undefined ? 0 : last.firstRow + last.rows;
    const total = this.rowsTotal;
    const rowsTotal = total === undefined || wrapping.checksums ? total : Math.max(end, total);
    const blocks = rowLedger({
      kept: chain,
      lost: [...this.lost.values()],
      unexplained: this.unexplained(),
      searchProblem: this.searchProblem,
      rowsTotal,
      verified: wrapping.checksums,
    });
    const rowsOf = (state: BlockEntry["state"]): number =>
      blocks.reduce((sum, entry) => sum + (entry.state === state ? (entry.rows ?? 0) : 0), 0);
    const rowsKept = rowsOf("kept");
    const ledger: RecoveryLedger = {
      path: file.path,
      fileSize: file.size,
      shift: this.shift,
      column: this.column,
      parts: this.parts,
      blocks,
      contradicting: this.contradicting,
      rowsTotal,
      rowsKept,
      rowsLost: rowsOf("lost"),
      rowsUnverified: wrapping.checksums ? 0 : rowsKept,
      complete: rowsTotal !== undefined && blocks.every(({ state }) => state === "kept"),
    };
    return new RecoverableFile(ledger, this.frame, file, wrapping, this.blockColumn);
  }
}
