/** The search behind {@link scanDamagedCFile}: step by step from what the footer says to what only the bytes themselves can tell. */
import { type BlockLocation, CFileError, problemOf } from "@cfile/bytes";
import { openDictionaryWords } from "@cfile/encodings/dictionary";
import type { IndexBlock } from "@cfile/index-btree";
import type { BlockWrapping } from "../blocks/block-wrapper.js";
import type { VerifyProblem } from "../verify/verify.js";
import type { FileFrame } from "./file-frame.js";
import { type BlockClaim, type IndexSurvey, mergeClaims, surveyIndex } from "./index-survey.js";
import { RecoverableFile } from "./recoverable-file.js";
import { leafClaims } from "./rows/leaf-claims.js";
import {
  type BlockEntry,
  type ColumnKnowledge,
  type PartEntry,
  problem,
  type RecoveryLedger,
} from "./rows/ledger.js";
import { chooseChain } from "./rows/row-chain.js";
import { type KeptBlock, type LostBlock, rowLedger } from "./rows/row-ledger.js";
import { probeDataBlock, type RowSpan, type SearchedColumn } from "./search/block-probe.js";
import { searchBlocks } from "./search/block-search.js";
import type { DamagedSource } from "./search/damaged-source.js";
import { classifyBlock, type FoundPart, type ProbedRows, probeRows } from "./search/found-part.js";
import { MovedBlocks } from "./search/moved-blocks.js";
import { uncovered } from "./search/span-cover.js";
import { walkStatedBlocks } from "./stated-walk.js";

/** One search through one file. */
export class FileSurvey {
  private readonly file: DamagedSource;
  private readonly frame: FileFrame;
  private readonly column: ColumnKnowledge;
  private readonly wrapping: BlockWrapping;
  private blockColumn: SearchedColumn;
  private readonly parts: PartEntry[] = [];
  private readonly found: KeptBlock[] = [];
  /** Blocks of codes that wait for a dictionary. */
  private readonly codeBlocks: KeptBlock[] = [];
  /** By offset. */
  private readonly lost = new Map<number, LostBlock>();
  private readonly contradicting: BlockEntry[] = [];
  private readonly dictionaries: Extract<FoundPart, { kind: "dictionary" }>[] = [];
  private readonly leaves: IndexBlock[] = [];
  private searchProblem: VerifyProblem | undefined;
  private rowsTotal: number | undefined;
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
    await this.place();
    const indexes = await this.readIndexes();
    await this.readDictionary();
    const claims = mergeClaims(indexes.map((index) => index.claims));
    await this.tryClaims(claims);
    const complete = indexes.some((index) => index.complete);
    await (this.wrapping.checksums ? this.search(complete) : this.walk(complete, claims));
    await this.resolveCodes();
    for (const claim of leafClaims(this.leaves, [...this.found, ...this.lost.values()], this.shift)) {
      this.lost.set(claim.offset, claim);
    }
    return this.conclude();
  }

  /** Where the file begins: foreign bytes may stand in front, or its own may be missing. */
  private async place(): Promise<void> {
    const { footer, header } = this.frame;
    const shifts = [0];
    const pointers = footer
      ? [footer.footer.posidx, footer.footer.validx, footer.footer.dictionary].filter(
          (pointer) => pointer !== undefined,
        )
      : [];
    if (footer !== undefined && pointers.length > 0) {
      // The last of them stands right before the footer.
      shifts.push(
        footer.range.offset - Math.max(...pointers.map((pointer) => pointer.offset + pointer.size)),
      );
    }
    if (header !== undefined) {
      shifts.push(header.range.offset);
    }
    let placed: number | undefined;
    for (const shift of shifts) {
      for (const { offset, size } of placed === undefined ? pointers : []) {
        if (await this.isReadable({ offset: offset + shift, size })) {
          placed = shift;
          break;
        }
      }
    }
    this.shift = placed ?? header?.range.offset ?? 0;
    // Where bytes were put in or taken out behind it, the header stands before the place that the footer tells.
    const own =
      header !== undefined && (footer === undefined || header.range.offset <= Math.max(0, this.shift));
    if (!own) {
      this.start = Math.max(0, this.shift);
    } else if (footer === undefined && this.wrapping.checksums) {
      // What looks like a header may be a part of a value.
      this.start = header.range.offset === 0 ? header.range.size : 0;
    } else {
      this.start = header.range.offset + header.range.size;
    }
    this.notePart("header", own ? header?.range : undefined, this.frame.headerProblem);
    this.notePart("footer", footer?.range, this.frame.footerProblem);
  }

  private notePart(part: "header" | "footer", block: BlockLocation | undefined, found?: VerifyProblem): void {
    this.parts.push({ part, block, state: block ? "valid" : "missing", problem: found });
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

  private async readIndexes(): Promise<IndexSurvey[]> {
    const surveys: IndexSurvey[] = [];
    for (const kind of ["posidx", "validx"] as const) {
      const root = this.frame.footer?.footer[kind];
      if (root !== undefined) {
        const { shift, wrapping } = this;
        const survey = await surveyIndex(this.file, { kind, root, shift, wrapping });
        this.parts.push(...survey.parts);
        surveys.push(survey);
      }
    }
    return surveys;
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
      this.parts.push({ part: "dictionary block", block, state: "valid", problem: undefined });
    } catch (error) {
      this.parts.push({
        part: "dictionary block",
        block,
        state: "damaged",
        problem: problemOf(error, block),
      });
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
          throw new CFileError("E_CORRUPT", "a block pointer leads to where no block can be", {
            block,
            field: "block pointer",
            actual: offset,
          });
        }
        this.accept({ block, ...this.probe(await this.file.block(block, this.wrapping)) }, claim);
      } catch (error) {
        this.lost.set(offset, { ...claim, rows: undefined, problem: problemOf(error, block) });
      }
    }
  }

  private probe(bytes: Uint8Array): ProbedRows {
    return probeRows(bytes, this.blockColumn, this.file.limits);
  }

  /** @throws CFileError when its rows are not those of the claim, or none that the file has */
  private accept(
    { block, span, codes }: { block: BlockLocation; span: RowSpan; codes: boolean },
    claim: BlockClaim | undefined,
  ): void {
    if (claim?.firstRow !== undefined && claim.firstRow !== span.firstRow) {
      throw new CFileError(
        "E_CORRUPT",
        `the block's first row is ${span.firstRow}, its index key ${claim.firstRow}`,
        {
          block,
          field: "ordinal",
          expected: claim.firstRow,
          actual: span.firstRow,
        },
      );
    }
    if (
      this.wrapping.checksums &&
      this.rowsTotal !== undefined &&
      span.firstRow + span.rows > this.rowsTotal
    ) {
      throw new CFileError("E_CORRUPT", "the block has rows that the footer does not count", {
        block,
        field: "num_values",
        expected: this.rowsTotal,
        actual: span.firstRow + span.rows,
      });
    }
    const movedFrom = claim === undefined || claim.offset === block.offset ? undefined : claim.offset;
    (codes ? this.codeBlocks : this.found).push({ ...block, ...span, movedFrom });
  }

  private unexplained(): BlockLocation[] {
    const covered = [
      ...this.found,
      ...this.codeBlocks,
      ...this.parts.flatMap(({ block, state }) => (state === "valid" && block ? [block] : [])),
    ];
    return uncovered(this.start, this.end, covered);
  }

  /** @param complete whether the index names every block: one that it does not name is none of this file */
  private async search(complete: boolean): Promise<void> {
    const moved = new MovedBlocks(this.lost.values());
    for (const { offset, size } of this.unexplained()) {
      const parts = await searchBlocks<FoundPart>(this.file, offset, offset + size, (block, stored) =>
        classifyBlock(
          block,
          this.file.unwrap(block, stored, this.wrapping),
          this.blockColumn,
          this.file.limits,
        ),
      );
      for (const part of parts) {
        this.take(part, moved, complete);
      }
    }
  }

  private take(part: FoundPart, moved: MovedBlocks, complete: boolean): void {
    const { block } = part;
    if (part.kind === "dictionary") {
      this.dictionaries.push(part);
    } else if (part.kind === "index") {
      this.parts.push({ part: "index block", block, state: "valid", problem: undefined });
      if (part.node.isLeaf) {
        this.leaves.push(part.node);
      }
    } else {
      const claim = moved.take(block, part.span);
      const refused = claim === undefined && (complete || moved.claims(part.span.firstRow));
      try {
        if (refused) {
          throw new CFileError("E_CORRUPT", "a block that the index does not know", {
            block,
            field: "block pointer",
          });
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
    this.contradicting.push({
      block: { offset: block.offset, size: block.size },
      firstRow,
      rows,
      state: "lost",
      verified: false,
      problem: found,
      movedFrom: undefined,
    });
  }

  /** Without checksums only what follows the last sound block, or the header, can be told from chance. */
  private async walk(complete: boolean, claims: readonly BlockClaim[]): Promise<void> {
    if (complete) {
      return;
    }
    const { wrapping, blockColumn: column } = this;
    const covered = [...this.unexplained()];
    const ends = new Map(
      [...this.found, ...this.codeBlocks].map((block) => [block.offset + block.size, block]),
    );
    for (const gap of covered) {
      const before = ends.get(gap.offset);
      const claimed = claims.find(({ offset }) => offset >= gap.offset && offset < gap.offset + gap.size);
      if (before === undefined && gap.offset !== this.start) {
        continue;
      }
      const { blocks, problem: ended } = await walkStatedBlocks(this.file, {
        start: gap.offset,
        end: claimed?.offset ?? gap.offset + gap.size,
        firstRow: before === undefined ? 0 : before.firstRow + before.rows,
        wrapping,
        column,
      });
      this.searchProblem ??= ended;
      for (const { offset, size, codes, firstRow, rows } of blocks) {
        this.accept({ block: { offset, size }, span: { firstRow, rows }, codes }, undefined);
      }
    }
  }

  /** Codes mean something only with the one dictionary of their file. */
  private async resolveCodes(): Promise<void> {
    const size = this.frame.footer?.footer.dictionary?.size;
    const fitting = this.dictionaries.filter(({ block }) => size === undefined || block.size === size);
    const [only] = fitting;
    if (only !== undefined && fitting.length === 1) {
      this.blockColumn = { ...this.blockColumn, dictionary: only.words };
      this.parts.push({ part: "dictionary block", block: only.block, state: "valid", problem: undefined });
    } else if (this.column.encoding === "DICT_ENCODING" && this.frame.footer === undefined) {
      this.parts.push({ part: "dictionary block", block: undefined, state: "missing", problem: undefined });
    }
    for (const block of this.codeBlocks) {
      const { offset } = block;
      const place = { offset, size: block.size };
      const { firstRow, rows } = block;
      try {
        if (this.blockColumn.dictionary === undefined) {
          throw new CFileError(
            "E_CORRUPT",
            fitting.length > 1
              ? `${fitting.length} dictionaries were found, and no footer says which is the file's`
              : "the dictionary of the block's codes is lost",
            { block: place, field: "dictionary" },
          );
        }
        probeDataBlock(await this.file.block(place, this.wrapping), this.blockColumn, this.file.limits);
        this.found.push(block);
      } catch (error) {
        this.lost.set(offset, { ...place, firstRow, rows, problem: problemOf(error, place) });
      }
    }
  }

  private conclude(): RecoverableFile {
    const { chain, others } = chooseChain(this.found);
    for (const block of others) {
      const reason = "the block's bytes or rows overlap those of blocks that were kept";
      this.contradict(block, block, problem("E_CORRUPT", reason, { block, field: "ordinal" }));
    }
    const last = chain.at(-1);
    const end = last === undefined ? 0 : last.firstRow + last.rows;
    const rowsTotal =
      this.rowsTotal !== undefined && !this.wrapping.checksums
        ? Math.max(end, this.rowsTotal)
        : this.rowsTotal;
    const blocks = rowLedger({
      kept: chain,
      lost: [...this.lost.values()],
      unexplained: this.unexplained(),
      searchProblem: this.searchProblem,
      rowsTotal,
      verified: this.wrapping.checksums,
    });
    const rowsOf = (state: BlockEntry["state"]): number =>
      blocks.reduce((sum, entry) => sum + (entry.state === state ? (entry.rows ?? 0) : 0), 0);
    const rowsKept = rowsOf("kept");
    const ledger: RecoveryLedger = {
      path: this.file.path,
      fileSize: this.file.size,
      shift: this.shift,
      column: this.column,
      parts: this.parts,
      blocks,
      contradicting: this.contradicting,
      rowsTotal,
      rowsKept,
      rowsLost: rowsOf("lost"),
      rowsUnverified: this.wrapping.checksums ? 0 : rowsKept,
      complete: rowsTotal !== undefined && blocks.every(({ state }) => state === "kept"),
    };
    return new RecoverableFile(ledger, this.frame, this.file, this.wrapping, this.blockColumn);
  }
}
