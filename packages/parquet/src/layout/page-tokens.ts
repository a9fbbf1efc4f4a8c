/** The pages of a file in order, and the number of rows of each as part of a column. */
import { isDamage } from "@cfile/bytes";
import { leafWidth } from "../pages/leaf-values.js";
import type { PageLocation } from "../pages/page-locations.js";
import { rowsOf } from "../pages/page-parts.js";
import type { Leaf } from "../schema/leaf-schema.js";
import type { FilePart, OtherPart, PagePart } from "../walk/file-part.js";
import { isGap } from "../walk/file-part.js";
import { isExact, mayFit } from "./page-fit.js";
import type { PageStore } from "./page-store.js";

/** Pages in order, with the gaps between them. */
export interface FoundPages {
  readonly pages: PagePart[];
  /** For each page, whether pages may be missing before it. */
  readonly gapBefore: boolean[];
  /** For each page, whether it is known to start a chunk. */
  readonly startsChunk: boolean[];
  /** Whether all starts of chunks are known. */
  readonly knowsStarts: boolean;
  /** Whether pages may be missing at the end. */
  readonly endsOpen: boolean;
  /** Whether bytes that may be pages follow the last page, so that the file had more. */
  readonly endsInGap: boolean;
  /** Whether pages are not where offset indexes list them: pages are missing, even where the file has no gap. */
  readonly hasMoved: boolean;
}

/** Removes pages with a wrong CRC, which leaves gaps. */
export function withoutDamaged(found: FoundPages): FoundPages {
  return without(
    found,
    found.pages.map(({ crc }) => crc === "wrong"),
  );
}

/**
 * Removes pages that may have bytes of another page at their end: pages without a matching CRC before a gap. For a file that is too short;
 * otherwise only the next page is damaged.
 */
export function withoutSpliced(found: FoundPages): FoundPages {
  const { pages, gapBefore, endsInGap } = found;
  return without(
    found,
    pages.map(({ crc }, i) => crc !== "right" && (gapBefore[i + 1] ?? endsInGap)),
  );
}

function without(found: FoundPages, isLost: readonly boolean[]): FoundPages {
  const { pages, gapBefore, startsChunk, endsOpen, endsInGap } = found;
  const { knowsStarts, hasMoved } = found;
  const kept: FoundPages = {
    ...{ pages: [], gapBefore: [], startsChunk: [] },
    ...{ knowsStarts, hasMoved, endsOpen, endsInGap },
  };
  let isAfterGap = false;
  for (const [i, page] of pages.entries()) {
    isAfterGap ||= gapBefore[i] === true || isLost[i] === true;
    if (isLost[i] !== true) {
      kept.pages.push(page);
      kept.gapBefore.push(isAfterGap);
      kept.startsChunk.push(startsChunk[i] === true);
      isAfterGap = false;
    }
  }
  return { ...kept, endsOpen: endsOpen || isAfterGap, endsInGap: endsInGap || isAfterGap };
}

/** Collects the pages among the parts of a file, which must be added in order. */
export class PageCollector implements FoundPages {
  readonly pages: PagePart[] = [];
  readonly gapBefore: boolean[] = [];
  readonly startsChunk: boolean[] = [];
  /** A file that consists only of pages was cut after a page. */
  endsOpen = true;
  private isAfterGap = false;
  private isAfterChunk = false;
  private isStart = true;
  knowsStarts = false;
  hasMoved = false;

  get endsInGap(): boolean {
    return this.isAfterGap;
  }

  add(part: FilePart): void {
    this.isAfterGap ||= isGap(part) || (this.isStart && part.kind !== "magic");
    this.isStart = false;
    if (part.kind === "page") {
      this.pages.push(part);
      this.gapBefore.push(this.isAfterGap);
      this.startsChunk.push(this.isAfterChunk);
      this.isAfterGap = false;
      this.isAfterChunk = false;
      this.endsOpen = true;
    } else {
      this.isAfterChunk ||= part.kind === "column-metadata";
      const isAfterPages = /^(?:bloom-filter|column-index|offset-index|metadata|tail)$/.test(part.kind);
      this.endsOpen = this.isAfterGap || (this.endsOpen && !isAfterPages);
    }
  }

  /**
   * Marks the pages that start chunks: the dictionary, or the first data page without one. Marks nothing if pages have moved.
   * @param indexes offset indexes, in file order
   * @param others the parts that are not pages, in order
   */
  markStarts(indexes: readonly (readonly PageLocation[])[], others: readonly OtherPart[]): void {
    const sizes = new Map(this.pages.map(({ offset, size }) => [offset, size]));
    const gaps = others.filter(isGap);
    const isHere = ({ offset, size }: PageLocation): boolean =>
      sizes.get(offset) === size ||
      gaps.some((gap) => offset < gap.offset + gap.size && gap.offset < offset + size);
    const listed = indexes.flat();
    this.hasMoved = !listed.every(isHere);
    if (this.hasMoved) {
      return;
    }
    this.knowsStarts =
      listed.length === this.pages.filter(({ header }) => header.kind !== "dictionary").length;
    const starts = new Set(indexes.map(([first]) => first?.offset));
    for (const [i, { offset }] of this.pages.entries()) {
      if (starts.has(offset)) {
        this.startsChunk[this.pages[i - 1]?.header.kind === "dictionary" ? i - 1 : i] = true;
      }
    }
  }
}

/** Caches the number of rows of each page as part of a column. Columns of the same type share the results. */
export class PageRows {
  readonly found: FoundPages;
  readonly leaves: readonly Leaf[];
  private readonly store: PageStore;
  private readonly isCareful: boolean;
  /** For each leaf, the rows of pages; leaves of one kind share them. */
  private readonly known: readonly Map<number, number>[];

  /** @param isCareful whether pages can be read; otherwise their headers decide */
  constructor(found: FoundPages, leaves: readonly Leaf[], store: PageStore, isCareful: boolean) {
    this.found = found;
    this.isCareful = isCareful;
    this.leaves = leaves;
    this.store = store;
    const byKind = new Map<string, Map<number, number>>();
    this.known = leaves.map((leaf) => {
      const kind = [leaf.type, leafWidth(leaf), leaf.maxDefinition, leaf.maxRepetition].join(" ");
      const known = byKind.get(kind) ?? new Map<number, number>();
      byKind.set(kind, known);
      return known;
    });
  }

  /** Whether the page is the dictionary of some column. */
  isDictionary(page: number): boolean {
    return this.found.pages[page]?.header.kind === "dictionary";
  }

  /**
   * Number of rows that start in the page if it can belong to the column; otherwise -1.
   * @param isRead whether to read its bytes, and not only its header
   */
  async rows(page: number, leaf: number, isRead: boolean): Promise<number> {
    const part = this.found.pages[page];
    const column = this.leaves[leaf];
    if (part === undefined || column === undefined || !mayFit(part.header, column)) {
      return -1;
    }
    const { header, crc } = part;
    const stated =
      header.kind === "dictionary" ? 0 : column.maxRepetition === 0 ? header.valueCount : header.rowCount;
    // The bytes of a required PLAIN page show no more than its size.
    const isKnown = crc === "right" ? isExact(header, column) : crc === "wrong" || !this.isCareful;
    if (stated !== undefined && (!isRead || isKnown)) {
      return stated;
    }
    if (crc === "wrong") {
      return -1;
    }
    const known = this.known[leaf]?.get(page);
    if (known !== undefined) {
      return known;
    }
    const rows = await this.read(part, column, stated);
    this.known[leaf]?.set(page, rows);
    return rows;
  }

  private async read(part: PagePart, leaf: Leaf, stated: number | undefined): Promise<number> {
    try {
      if (part.header.kind === "dictionary") {
        await this.store.dictionary(part, leaf);
        return 0;
      }
      const { data } = await this.store.page(part, leaf, undefined);
      return stated ?? rowsOf(data);
    } catch (error) {
      if (!isDamage(error)) {
        throw error;
      }
      // A page that cannot be decompressed is damaged, so its bytes do not rule out the column.
      return part.crc === "absent" && !(await this.store.opens(part)) ? (stated ?? -1) : -1;
    }
  }
}
