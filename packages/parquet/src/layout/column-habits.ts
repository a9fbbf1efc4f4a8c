/**
 * Usual values of each column in a valid file of the same writer: their bounds, and whether they ascend. Values decide only between
 * divisions that are equal otherwise, because they may differ from file to file.
 */
import { isDamage } from "@cfile/bytes";
import type { Leaf } from "../schema/leaf-schema.js";
import type { PagePart } from "../walk/file-part.js";
import { type Span, spanOf } from "./page-span.js";
import type { PageStore } from "./page-store.js";
import type { ParsedGroup } from "./parsed-group.js";
import type { SiblingChunk } from "./sibling-pages.js";

/** Usual values of a column. */
interface Habit {
  least: number;
  most: number;
  /** Whether the values of each chunk ascend. */
  isAscending: boolean;
  /** Whether each chunk starts above the previous chunk; `undefined` for a single chunk. */
  isOrdered: boolean | undefined;
  /** The page whose values lie closest together: its number of values, and their range. */
  narrow: { readonly count: number; readonly range: number };
}

/** Maximum bytes of pages read to refute a division. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Values can exceed the bounds by the range between them; the range of a page can be this many times smaller than the narrowest one. */
const NARROWER = 4;

/** The habits of each column; `undefined` where values cannot be compared. */
export async function readHabits(
  chunks: readonly SiblingChunk[],
  leaves: readonly Leaf[],
  store: PageStore,
): Promise<ColumnHabits> {
  const habits: (Habit | undefined)[] = [];
  const unordered = new Set<number>();
  for (const { column, dictionary, pages } of chunks) {
    const leaf = leaves[column];
    let before = Number.NEGATIVE_INFINITY;
    for (const page of leaf === undefined || unordered.has(column) ? [] : pages) {
      const span = leaf && (await pageSpan(store, page, leaf, dictionary));
      if (span === undefined) {
        unordered.add(column);
        break;
      }
      const known = habits[column];
      const own = {
        least: span.least,
        most: span.most,
        isAscending: span.isAscending && span.least >= before,
        isOrdered: page === pages[0] && known !== undefined ? span.least > known.most : undefined,
        narrow: { count: page.header.valueCount, range: span.most - span.least },
      };
      before = span.most;
      habits[column] = joined(known ?? own, own);
    }
  }
  return new ColumnHabits(habits.map((habit, column) => (unordered.has(column) ? undefined : habit)));
}

function joined(a: Habit, b: Habit): Habit {
  return {
    least: Math.min(a.least, b.least),
    most: Math.max(a.most, b.most),
    isAscending: a.isAscending && b.isAscending,
    isOrdered: a.isOrdered === undefined ? b.isOrdered : a.isOrdered && b.isOrdered !== false,
    narrow: b.narrow.range < a.narrow.range ? b.narrow : a.narrow,
  };
}

/** Compares the values of row groups with the habits of their columns. */
export class ColumnHabits {
  private readonly habits: readonly (Habit | undefined)[];
  private readonly spans = new Map<string, Span | undefined>();

  constructor(habits: readonly (Habit | undefined)[]) {
    this.habits = habits;
  }

  /** Whether values of a chunk are unusual for its column. */
  async isUnlike(
    { chunks }: ParsedGroup,
    pages: readonly PagePart[],
    leaves: readonly Leaf[],
    store: PageStore,
  ): Promise<boolean> {
    for (const { column, dictionary, runs } of chunks) {
      const [habit, leaf] = [this.habits[column], leaves[column]];
      const words = dictionary === undefined ? undefined : pages[dictionary];
      if (habit === undefined || leaf === undefined) {
        continue;
      }
      let before = Number.NEGATIVE_INFINITY;
      for (const page of runs.flatMap(({ from, to }) => pages.slice(from, to))) {
        const span = await this.span(store, page, leaf, words);
        if (span === undefined) {
          continue;
        }
        if (isUnusual(span, habit, page.header.valueCount, before)) {
          return true;
        }
        before = span.most;
      }
    }
    return false;
  }

  /**
   * Whether values of the row groups, in order, are more likely those of another column: unusual for their own column and usual for the
   * other, or below the previous row group in a column that ascends.
   */
  async refute(
    groups: readonly ParsedGroup[],
    pages: readonly PagePart[],
    leaves: readonly Leaf[],
    store: PageStore,
  ): Promise<boolean> {
    const last = new Map<number, number>();
    let bytes = 0;
    for (const { column, dictionary, runs } of groups.flatMap(({ chunks }) => chunks)) {
      const [habit, leaf] = [this.habits[column], leaves[column]];
      const words = dictionary === undefined ? undefined : pages[dictionary];
      if (habit === undefined || leaf === undefined) {
        continue;
      }
      let before = (habit.isOrdered && last.get(column)) || Number.NEGATIVE_INFINITY;
      for (const page of runs.flatMap(({ from, to }) => pages.slice(from, to))) {
        bytes += page.size;
        const span = bytes > MAX_BYTES ? undefined : await this.span(store, page, leaf, words);
        if (span === undefined) {
          continue;
        }
        const { valueCount: count } = page.header;
        if (habit.isAscending && habit.isOrdered && span.least < before) {
          return true;
        }
        if (isUnusual(span, habit, count, before) && this.isUsualFor(leaf, leaves, span, count)) {
          return true;
        }
        before = span.most;
      }
      last.set(column, before);
    }
    return false;
  }

  /** Whether a page can belong to another column of the same type. */
  private isUsualFor({ index, type }: Leaf, leaves: readonly Leaf[], span: Span, count: number): boolean {
    return this.habits.some(
      (habit, other) =>
        other !== index &&
        leaves[other]?.type === type &&
        habit !== undefined &&
        !isUnusual(span, habit, count, Number.NEGATIVE_INFINITY),
    );
  }

  private async span(
    store: PageStore,
    page: PagePart,
    leaf: Leaf,
    words: PagePart | undefined,
  ): Promise<Span | undefined> {
    const key = `${page.offset} ${leaf.index}`;
    if (!this.spans.has(key)) {
      this.spans.set(key, await pageSpan(store, page, leaf, words));
    }
    return this.spans.get(key);
  }
}

function isUnusual(span: Span, habit: Habit, count: number, before: number): boolean {
  if (habit.isAscending) {
    return !span.isAscending || span.least < before;
  }
  const { least, most, narrow } = habit;
  const range = most - least;
  const isOutside = span.most > most + range || span.least < least - range;
  return isOutside || (count >= narrow.count && span.most - span.least < narrow.range / NARROWER);
}

/** `undefined` for pages whose values cannot be compared or read. */
export async function pageSpan(
  store: PageStore,
  page: PagePart,
  leaf: Leaf,
  dictionary: PagePart | undefined,
): Promise<Span | undefined> {
  try {
    const { data } = await store.page(page, leaf, dictionary);
    return dictionary === undefined && data.values.kind === "codes"
      ? undefined
      : spanOf(data.values, leaf.type);
  } catch (error) {
    if (!isDamage(error)) {
      throw error;
    }
    return undefined;
  }
}
