/**
 * Divides the pages of a file into row groups and chunks, at minimum cost: losses have a cost, and so have sizes that contradict known
 * facts. Row groups that another division of equal cost would divide differently are not certain.
 */
import type { GroupParser } from "./group-parser.js";
import { hintCost, type LayoutHints, UNLIKE } from "./layout-hints.js";
import type { FoundPages } from "./page-tokens.js";
import type { GroupStart, ParsedGroup } from "./parsed-group.js";

/** A row group of the division. */
export interface LaidGroup extends ParsedGroup {
  /** Whether every division of equal cost has this row group. */
  readonly isCertain: boolean;
  /** Whether other divisions have equal cost, and another file or a gap decided. */
  readonly isGuessed: boolean;
}

/** Pages in row groups, and the remaining pages. */
export interface Layout {
  readonly groups: readonly LaidGroup[];
  /** Indexes of pages that fit nowhere. */
  readonly skipped: readonly number[];
  /** Higher for more contradictions. */
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

/** The cheapest divisions: the positions that they reach from both ends, and the number of divisions. */
interface Paths {
  readonly ahead: ReadonlyMap<string, Reached>;
  readonly back: ReadonlyMap<string, Reached>;
  readonly total: bigint;
  readonly cost: number;
}

interface Reached {
  cost: number;
  paths: bigint;
  best: Edge | undefined;
}

const SKIPPED = 50;
/**
 * Divisions that exceed the minimum cost by at most this are possible, because the size of a gap does not show which chunks it contained.
 */
const DOUBTFUL = 3;
/** Maximum number of edges checked to find such a division. */
const MAX_DOUBTS = 2_000_000;

function keyOf({ page, column, isInGap }: GroupStart): string {
  return `${page} ${column} ${isInGap}`;
}

/** @throws {CFileError} `E_LIMIT` for pages that can be divided in too many ways */
export async function layOut(parser: GroupParser, found: FoundPages, hints: LayoutHints): Promise<Layout> {
  const count = found.pages.length;
  let edges = await allEdges(parser, found, hints, false);
  let paths = cheapest(edges, count);
  if (paths.cost >= SKIPPED) {
    edges = await allEdges(parser, found, hints, true);
    paths = cheapest(edges, count);
  }
  const { cost } = paths;
  const { isUnlike } = hints;
  if (isUnlike !== undefined && paths.total > 1n && cost < UNLIKE) {
    paths = await toldApart(edges, paths, (group) => isUnlike(group, found.pages), count);
  }
  // The pages of a single column have the same values in any division.
  const isAlone = parser.columns === 1;
  const hasDoubts = cost > 0 && hints.like === undefined && edges.length * paths.ahead.size <= MAX_DOUBTS;
  const isSure = (edge: Edge): boolean =>
    through(edge, paths) === paths.total && (!hasDoubts || !isAvoidable(edge, edges, cost + DOUBTFUL, count));
  const groups: LaidGroup[] = [];
  const skipped: number[] = [];
  const edgeTo = (key: string): Edge | undefined => paths.ahead.get(key)?.best;
  for (let edge = edgeTo(endOf(count)); edge !== undefined; edge = edgeTo(edge.from)) {
    if (edge.group === undefined) {
      skipped.push(edge.page);
    } else {
      groups.push({
        ...edge.group,
        isCertain: isAlone || isSure(edge),
        isGuessed: false,
      });
    }
  }
  return { groups: groups.reverse(), skipped: skipped.reverse(), cost, isGood: cost < UNLIKE };
}

const START = /* @__PURE__ */ keyOf({ page: 0, column: 0, isInGap: false });
const endOf = (count: number): string => keyOf({ page: count, column: 0, isInGap: false });

function cheapest(edges: readonly Edge[], count: number): Paths {
  const [ahead, back] = [reach(edges, START, "from"), reach([...edges].reverse(), endOf(count), "to")];
  const last = ahead.get(endOf(count));
  return { ahead, back, total: last?.paths ?? 0n, cost: last?.cost ?? Number.POSITIVE_INFINITY };
}

/** Number of cheapest divisions that contain the edge. */
function through({ from, to, cost }: Edge, { ahead, back, cost: total }: Paths): bigint {
  const [before, after] = [ahead.get(from), back.get(to)];
  return before !== undefined && after !== undefined && before.cost + cost + after.cost === total
    ? before.paths * after.paths
    : 0n;
}

/** Whether a division of at most this cost avoids the edge. */
function isAvoidable(edge: Edge, edges: readonly Edge[], cost: number, count: number): boolean {
  const others = edges.filter((other) => other !== edge);
  return (reach(others, START, "from").get(endOf(count))?.cost ?? Number.POSITIVE_INFINITY) <= cost;
}

/** The cheapest divisions with values like those of another file; all cheapest divisions if no division has such values. */
async function toldApart(
  edges: readonly Edge[],
  paths: Paths,
  isUnlike: (group: ParsedGroup) => Promise<boolean>,
  count: number,
): Promise<Paths> {
  const equal: Edge[] = [];
  for (const edge of edges) {
    const divisions = through(edge, paths);
    if (divisions > 0n) {
      const isOdd = edge.group !== undefined && divisions < paths.total && (await isUnlike(edge.group));
      equal.push({ ...edge, cost: isOdd ? 1 : 0 });
    }
  }
  const told = cheapest(equal, count);
  return told.cost === 0 ? told : paths;
}

/** Whether pages of the row group are missing at its end. */
function isCut({ rows, chunks }: ParsedGroup, columns: number): boolean {
  const last = chunks.at(-1);
  const seen = last?.runs.reduce((sum, run) => sum + run.rows, 0);
  return last?.column !== columns - 1 || rows === undefined || seen !== rows;
}

/** Edges from all starts that can be reached, in the order of their pages. @param skips whether pages can be skipped */
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
  for (const [page, starts] of waiting.slice(0, -1).entries()) {
    for (const [from, start] of starts) {
      if (skips) {
        const skip = { page: page + 1, column: 0, isInGap: false };
        edges.push({ from, to: keyOf(skip), cost: SKIPPED, group: undefined, page });
        add(skip);
      }
      for (const group of await parser.groupsFrom(start)) {
        const isLast = group.end.page === pages.length && (!endsInGap || isCut(group, parser.columns));
        const cost = group.cost + hintCost(group, isLast, pages, hints);
        edges.push({ from, to: keyOf(group.end), cost, group, page });
        add(group.end);
      }
    }
  }
  return edges;
}

/** The minimum cost of each position, and the number of ways to reach it at this cost. Edges must be in order. */
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
