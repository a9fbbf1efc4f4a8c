/** The report of a recovery without a footer: what was found, written, lost and guessed. */

import type { KnownSchema, SchemaOrigin } from "../found-schema/known-schema.js";
import type { LaidGroup, Layout } from "../layout/layout.js";
import type { FoundPages } from "../layout/page-tokens.js";
import { intersect, type RowRange } from "../prune/row-ranges.js";
import type { Leaf } from "../schema/leaf-schema.js";
import { typeName } from "../schema/type-name.js";
import { isGap, type OtherPart } from "../walk/file-part.js";
import type { WrittenParquet } from "../write/parquet-output.js";
import type { CopyCounts } from "./chunk-copier.js";
import type { ChunkPages } from "./chunk-pages.js";
import { countRows, otherRows } from "./row-ranges.js";

/** A part of the damaged file that is not in the new file. */
export interface RebuildLoss {
  /**
   * `"page"`, `"dictionary"`: it is damaged or unusable. `"chunk"`: no page of the column was found in the row
   * group. `"ambiguous"`: the pages of the row group are not certain. `"bytes"`: bytes where pages may have been.
   */
  readonly part: "page" | "dictionary" | "chunk" | "ambiguous" | "bytes";
  /** File offset and bytes; `undefined` for a missing chunk. */
  readonly offset: number | undefined;
  readonly size: number | undefined;
  /** The leaf's path. */
  readonly column: string | undefined;
  /** Index among the row groups found. */
  readonly rowGroup: number | undefined;
  /** Rows of the row group. */
  readonly rows: RowRange | undefined;
  readonly reason: string;
}

/** A row group that was found. */
export interface RebuiltGroup {
  /** Number of rows; `undefined` if no column is whole. */
  readonly rows: number | undefined;
  readonly rowsKept: number;
  /** Rows with lost cells; rows after the end of a cut file are unknown. */
  readonly lost: readonly RowRange[];
  /** Whether all of it was found. */
  readonly isComplete: boolean;
  /** Whether the pages can be divided in only one way. */
  readonly isCertain: boolean;
  /**
   * Whether another file, or a gap in a file that is too short, decided between several ways. Rows are kept. If that file has row groups of
   * a different size, or pages are also missing elsewhere, values are in the wrong column or row.
   */
  readonly isGuessed: boolean;
}

/** A column of the new file. */
export interface RebuiltColumn {
  readonly path: string;
  /** The type as the Parquet format names it, such as `"INT64"`, `"STRING"`, `"DECIMAL(10, 2)"`. */
  readonly type: string;
  readonly codec: string | undefined;
  /** `"name"` and `"type"` if they are guesses. */
  readonly guessed: readonly ("name" | "type")[];
}

/** The report of a recovery. */
export interface RebuiltParquet extends WrittenParquet {
  readonly schemaFrom: SchemaOrigin;
  readonly columns: readonly RebuiltColumn[];
  readonly pagesFound: number;
  /** Pages copied as they were stored, including dictionaries. */
  readonly pagesKept: number;
  /** New pages with the remaining rows of pages that lost some rows. */
  readonly pagesRewritten: number;
  readonly pagesLost: number;
  /** Pages without a CRC. */
  readonly pagesUnchecked: number;
  readonly groups: readonly RebuiltGroup[];
  readonly losses: readonly RebuildLoss[];
  /** Parts of the file that are not pages, in order. */
  readonly others: readonly OtherPart[];
  /** Whether the file had an unknown number of rows after those found. */
  readonly isCut: boolean;
  /** Whether nothing is lost and nothing is a guess. */
  readonly ok: boolean;
}

const GAP_REASONS: Readonly<Record<string, string>> = /* @__PURE__ */ Object.freeze({
  "cut-page": "the file ends inside a page",
  zeros: "only zeros",
  encrypted: "encrypted modules",
  unknown: "no page header (damaged or foreign bytes)",
});

export class Ledger {
  readonly counts: CopyCounts = { pagesKept: 0, pagesRewritten: 0, pagesCut: 0 };
  private readonly all: FoundPages;
  private readonly others: readonly OtherPart[];
  private readonly schema: KnownSchema;
  private readonly leaves: readonly Leaf[];
  private readonly used: FoundPages;
  private readonly groups: RebuiltGroup[] = [];
  private readonly losses: RebuildLoss[];
  private readonly codecs = new Map<number, string>();

  /** @param used the pages divided into row groups */
  constructor(
    all: FoundPages,
    others: readonly OtherPart[],
    schema: KnownSchema,
    leaves: readonly Leaf[],
    used: FoundPages,
  ) {
    this.all = all;
    this.others = others;
    this.schema = schema;
    this.leaves = leaves;
    this.used = used;
    this.losses = others.filter(isGap).map(
      ({ kind, offset, size }): RebuildLoss => ({
        ...{ part: "bytes", offset, size, column: undefined, rowGroup: undefined, rows: undefined },
        reason: GAP_REASONS[kind] ?? kind,
      }),
    );
  }

  addGroup(group: LaidGroup, chunks: readonly ChunkPages[], kept: readonly RowRange[]): void {
    const rowGroup = this.groups.length;
    const reached = Math.max(0, ...chunks.flatMap(({ covered }) => covered.map(({ to }) => to)));
    const isUsed = group.isCertain || group.isGuessed;
    const whole = isUsed ? chunks.map(({ covered }) => covered).reduce(intersect) : [];
    const lost = otherRows(whole, group.rows ?? reached);
    for (const { leaf, lost: pages, pages: usable, codec, dictionary } of chunks) {
      const column = leaf.path;
      for (const { part, rows, error } of pages) {
        const { offset, size, header } = part;
        const kind = header.kind === "dictionary" ? "dictionary" : "page";
        this.losses.push({ part: kind, offset, size, column, rowGroup, rows, reason: error.reason });
      }
      if (usable.length > 0) {
        this.codecs.set(leaf.index, codec);
        this.counts.pagesKept += dictionary !== undefined && kept.length > 0 ? 1 : 0;
      } else if (pages.length === 0) {
        const nowhere = { offset: undefined, size: undefined, rows: undefined };
        this.losses.push({ part: "chunk", ...nowhere, column, rowGroup, reason: "no page was found" });
      }
    }
    const isWhole = chunks.every(
      ({ covered, lost: pages }) => pages.length === 0 && countRows(covered) === group.rows,
    );
    if (!isUsed) {
      const [from, to] = [this.used.pages[group.start.page], this.used.pages[group.end.page - 1]];
      const offset = from?.offset;
      const size = from && to && to.offset + to.size - from.offset;
      const reason = "the pages can be divided into row groups in several ways";
      const rows = group.rows === undefined ? undefined : { from: 0, to: group.rows };
      this.losses.push({ part: "ambiguous", offset, size, column: undefined, rowGroup, rows, reason });
    }
    const { rows, isCertain, isGuessed } = group;
    this.groups.push({ rows, rowsKept: countRows(kept), lost, isComplete: isWhole, isCertain, isGuessed });
  }

  finish(written: WrittenParquet, { skipped }: Layout): RebuiltParquet {
    const isSkipped = new Set(skipped);
    for (const { offset, size } of this.used.pages.filter((_, index) => isSkipped.has(index))) {
      this.losses.push({
        ...{ part: "page", offset, size, column: undefined, rowGroup: undefined, rows: undefined },
        reason: "the page fits no column, or several",
      });
    }
    const { schema, groups, losses, counts, all, others } = this;
    const isCut = this.used.endsOpen;
    return {
      ...written,
      schemaFrom: schema.from,
      columns: this.leaves.map(({ path, element, index }) => ({
        path,
        type: typeName(element),
        codec: this.codecs.get(index),
        guessed: schema.from === "guessed" ? (["name", "type"] as const) : [],
      })),
      pagesFound: all.pages.length,
      pagesKept: counts.pagesKept,
      pagesRewritten: counts.pagesRewritten,
      pagesLost: all.pages.length - counts.pagesKept - counts.pagesCut,
      pagesUnchecked: all.pages.filter(({ crc }) => crc !== "right").length,
      groups,
      losses,
      others,
      isCut,
      ok:
        losses.length === 0 &&
        groups.every(({ isComplete, isGuessed }) => isComplete && !isGuessed) &&
        schema.from !== "guessed" &&
        !isCut,
    };
  }
}
