/**
 * Divides the pages of a file into row groups by all known facts, and states how certain the result is. Another file decides between
 * divisions that are equal otherwise, but proves nothing, because its row groups may have a different size.
 */
import { CFileError } from "@cfile/bytes";
import type { FileMetaData } from "hyparquet";
import type { Leaf } from "../schema/leaf-schema.js";
import { GroupParser } from "./group-parser.js";
import { type LaidGroup, type Layout, layOut } from "./layout.js";
import { hasSizeLike, type LayoutHints, limitsOf } from "./layout-hints.js";
import type { PageStore } from "./page-store.js";
import { type FoundPages, PageRows, withoutDamaged, withoutSpliced } from "./page-tokens.js";
import { isShort, type StatedFile } from "./stated-chunks.js";
import { statedLayout } from "./stated-layout.js";

/** Pages divided into row groups. */
export interface Division {
  readonly layout: Layout;
  readonly rows: PageRows;
  /** Whether pages were read where their headers are ambiguous. */
  readonly isCareful: boolean;
}

/** What decides between several divisions. */
export interface DivisionFacts {
  readonly leaves: readonly Leaf[];
  readonly store: PageStore;
  readonly hints: LayoutHints;
}

/** Maximum number of steps, and of steps per page, of the search for other divisions; beyond them, others are assumed. */
const DOUBT_STEPS = 20_000;
const DOUBT_STEPS_PER_PAGE = 50;

/**
 * Divides the pages as a valid footer states. Otherwise tries all pages, then undamaged pages, then undamaged pages by their headers alone.
 * @param stated a valid footer
 * @throws {CFileError} `E_LIMIT` for pages that can be divided in too many ways
 */
export async function dividePages(
  found: FoundPages,
  stated: StatedFile | undefined,
  { leaves, store, hints }: DivisionFacts,
): Promise<Division> {
  const intact = withoutDamaged(found);
  for (const pages of stated === undefined ? [] : [found, intact]) {
    const rows = new PageRows(isShort(stated) ? withoutSpliced(pages) : pages, leaves, store, true);
    const layout = stated && (await statedLayout(stated, rows, store));
    if (layout !== undefined) {
      return { layout, rows, isCareful: true };
    }
  }
  let best = await division(new PageRows(found, leaves, store, true), hints, true);
  for (const isCareful of [true, false]) {
    if (best.layout.isGood) {
      break;
    }
    const other = await division(new PageRows(intact, leaves, store, isCareful), hints, isCareful);
    best = other.layout.cost < best.layout.cost ? other : best;
  }
  if (leaves.length === 1) {
    return best;
  }
  const { like } = hints;
  const layout = like === undefined ? best.layout : await doubted(best, hints, like);
  return { ...best, layout: stated !== undefined || found.hasMoved ? guessed(layout) : layout };
}

/** Pages are missing at unknown offsets, so even the only division may be wrong. */
function guessed(layout: Layout): Layout {
  const groups = layout.groups.map((group) => ({
    ...group,
    isCertain: false,
    isGuessed: group.isCertain || group.isGuessed,
  }));
  return { ...layout, groups };
}

async function division(rows: PageRows, hints: LayoutHints, isCareful: boolean): Promise<Division> {
  return { layout: await bestLayout(rows, hints), rows, isCareful };
}

async function bestLayout(rows: PageRows, hints: LayoutHints, maxSteps?: number): Promise<Layout> {
  const likely = await layOut(new GroupParser(rows, limitsOf(hints), maxSteps), rows.found, hints);
  return likely.isGood ? likely : await layOut(new GroupParser(rows, undefined, maxSteps), rows.found, hints);
}

/** Row groups decided only by the other file are guesses, or ambiguous if their values contradict that file. */
async function doubted({ layout, rows }: Division, hints: LayoutHints, like: FileMetaData): Promise<Layout> {
  const { exact, rowGroupRows, isRefuted } = hints;
  const hasCertain = layout.groups.some(({ isCertain }) => isCertain);
  const sure = hasCertain ? await certainGroups(rows, { exact, rowGroupRows }) : new Set();
  const groups = layout.groups.map((group): LaidGroup => {
    const isCertain = sure.has(contentOf(group));
    // Around a gap, the other file decides only by the size of its row groups.
    const isTold = group.cost === 0 || hasSizeLike(group, layout.groups.length === 1, like);
    return { ...group, isCertain, isGuessed: !isCertain && group.isCertain && isTold };
  });
  const guessed = groups.filter(({ isGuessed }) => isGuessed);
  if (guessed.length > 0 && (await isRefuted?.(guessed, rows.found.pages)) === true) {
    return { ...layout, groups: groups.map((group) => ({ ...group, isGuessed: false })) };
  }
  return { ...layout, groups };
}

/** The row groups common to all divisions; empty if there are too many divisions. */
async function certainGroups(rows: PageRows, hints: LayoutHints): Promise<ReadonlySet<string>> {
  try {
    const maxSteps = DOUBT_STEPS + DOUBT_STEPS_PER_PAGE * rows.found.pages.length;
    const { groups } = await bestLayout(rows, hints, maxSteps);
    return new Set(groups.filter(({ isCertain }) => isCertain).map(contentOf));
  } catch (error) {
    if (error instanceof CFileError && error.code === "E_LIMIT") {
      return new Set();
    }
    throw error;
  }
}

function contentOf({ start, end, rows, chunks }: LaidGroup): string {
  return JSON.stringify([start, end, rows, chunks]);
}
