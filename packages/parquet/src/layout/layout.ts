/**
 * Divides the pages of a file into row groups and chunks, at minimum cost: losses, and sizes that contradict what is known, cost. Row groups that
 * another division of equal merit would divide otherwise are not certain.
 */
import type { GroupParser, GroupStart, ParsedGroup } from "./group-parser.js";
import { hintCost, type LayoutHints, UNLIKE } from "./layout-hints.js";
import type { FoundPages } from "./page-tokens.js";

/** A row group of the division. */
export interface LaidGroup extends ParsedGroup {
  /** Whether every division of equal merit has this row group. */
  readonly isCertain: boolean;
}

/** Pages in row groups, and pages that are in none. */
export interface Layout {
  readonly groups: readonly LaidGroup[];
  /** Indexes of pages that fit nowhere. */
  readonly skipped: readonly number[];
  /** Higher for more that does not agree. */
  readonly cost: number;
  /** Whether all pages are in row groups that agree with what is known. */
  readonly isGood: boolean;
}

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly cost: number;
  /** `undefined` for a page that is skipped. */
  readonly group: ParsedGroup | undefined;
  readonly page: number;
}

interface Reached {
  cost: number;
  paths: bigint;
  best: Edge | undefined;
}

const SKIPPED = 50;
const keyOf = ({ page, column, isInGap }: GroupStart): string => `${page} ${column} ${isInGap}`;

/** @throws {CFileError} `E_LIMIT` for pages that can be divided in too many ways */
export async function layOut(parser: GroupParser, found: FoundPages, hints: LayoutHints): Promise<Layout> {
  const { pages } = found;
  const first = keyOf({ page: 0, column: 0, isInGap: false });
  const last = keyOf({ page: pages.length, column: 0, isInGap: false });
  let edges = await allEdges(parser, found, hints, false);
  let ahead = reach(edges, first, "from");
  if ((ahead.get(last)?.cost ?? SKIPPED) >= SKIPPED) {
    edges = await allEdges(parser, found, hints, true);
    ahead = reach(edges, first, "from");
  }
  const back = reach([...edges].reverse(), last, "to");
  const total = ahead.get(last)?.paths ?? 0n;
  const groups: LaidGroup[] = [];
  const skipped: number[] = [];
  for (let at = last; at !== first; ) {
    const edge = ahead.get(at)?.best;
    if (edge === undefined) {
      break;
    }
    if (edge.group === undefined) {
      skipped.push(edge.page);
    } else {
      const through = (ahead.get(edge.from)?.paths ?? 0n) * (back.get(edge.to)?.paths ?? 0n);
      groups.push({ ...edge.group, isCertain: through === total });
    }
    at = edge.from;
  }
  const cost = ahead.get(last)?.cost ?? Number.POSITIVE_INFINITY;
  return { groups: groups.reverse(), skipped: skipped.reverse(), cost, isGood: cost < UNLIKE };
}

/** Edges from all starts that can be reached, in the order of their pages. @param skips whether pages may fit nowhere */
async function allEdges(
  parser: GroupParser,
  { pages, endsInGap }: FoundPages,
  hints: LayoutHints,
  skips: boolean,
): Promise<Edge[]> {
  const edges: Edge[] = [];
  const waiting: Map<string, GroupStart>[] = Array.from({ length: pages.length + 1 }, () => new Map());
  const add = (start: GroupStart): void => {
    waiting[start.page]?.set(keyOf(start), start);
  };
  add({ page: 0, column: 0, isInGap: false });
  for (let page = 0; page < pages.length; page++) {
    for (const [from, start] of waiting[page] ?? []) {
      if (skips) {
        const skip = { page: page + 1, column: 0, isInGap: false };
        edges.push({ from, to: keyOf(skip), cost: SKIPPED, group: undefined, page });
        add(skip);
      }
      for (const group of await parser.groupsFrom(start)) {
        const isLast = group.end.page === pages.length && !endsInGap;
        const cost = group.cost + hintCost(group, isLast, pages, hints);
        edges.push({ from, to: keyOf(group.end), cost, group, page });
        add(group.end);
      }
    }
  }
  return edges;
}

/** The minimum cost of each position, and the number of ways to reach it so. Edges must be in order. */
function reach(edges: readonly Edge[], start: string, side: "from" | "to"): Map<string, Reached> {
  const reached = new Map<string, Reached>([[start, { cost: 0, paths: 1n, best: undefined }]]);
  for (const edge of edges) {
    const before = reached.get(edge[side]);
    if (before === undefined) {
      continue;
    }
    const key = edge[side === "from" ? "to" : "from"];
    const cost = before.cost + edge.cost;
    const known = reached.get(key);
    if (known === undefined || cost < known.cost) {
      reached.set(key, { cost, paths: before.paths, best: edge });
    } else if (cost === known.cost) {
      known.paths += before.paths;
    }
  }
  return reached;
}
