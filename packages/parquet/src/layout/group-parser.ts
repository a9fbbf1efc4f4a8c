/**
 * Finds the row groups that may start at a page: the chunks of all columns in the order of the schema, with the same number of rows.
 * A dictionary page starts a chunk. Around a gap, a chunk may have lost its end, its start, or everything.
 */
import { CFileError } from "@cfile/bytes";
import type { LayoutLimits } from "./layout-hints.js";
import type { PageRows } from "./page-tokens.js";
import type { GroupStart, PageRun, ParsedChunk, ParsedGroup } from "./parsed-group.js";

interface State {
  readonly page: number;
  readonly rows: number | undefined;
  readonly chunks: readonly ParsedChunk[];
  readonly cost: number;
}

/** The chunk that is being read. */
interface OpenChunk {
  readonly column: number;
  readonly dictionary: number | undefined;
  readonly runs: readonly PageRun[];
  /** Whether the next run follows a gap. */
  readonly isBehindGap: boolean;
}

const COST = { gap: 1, lostChunk: 3, lostGroupEnd: 4, badEnd: 60 } as const;
const MAX_GROUPS = 1000;
const MAX_STEPS = 5_000_000;

export class GroupParser {
  private readonly rows: PageRows;
  private readonly limits: LayoutLimits | undefined;
  readonly columns: number;
  /** For each page, the number of values from it to the end of the file; `undefined` if values are not rows. */
  private readonly valuesAfter: readonly number[] | undefined;
  private readonly pageCount: number;
  private readonly maxSteps: number;
  private steps = 0;
  private found: ParsedGroup[] = [];
  private start: GroupStart = { page: 0, column: 0, isInGap: false };

  /** @param limits row groups that exceed them are not searched for */
  constructor(rows: PageRows, limits?: LayoutLimits, maxSteps = MAX_STEPS) {
    this.maxSteps = maxSteps;
    this.rows = rows;
    this.limits = limits;
    this.valuesAfter = valuesAfter(rows);
    this.columns = rows.leaves.length;
    this.pageCount = rows.found.pages.length;
  }

  /**
   * All row groups that may start here.
   * @throws {CFileError} `E_LIMIT` when there are too many possibilities
   */
  async groupsFrom(start: GroupStart): Promise<readonly ParsedGroup[]> {
    this.start = start;
    this.found = [];
    const cost = COST.lostChunk * start.column;
    const state: State = { page: start.page, rows: undefined, chunks: [], cost };
    if (start.isInGap) {
      await this.resume(state, { column: start.column, dictionary: undefined, runs: [], isBehindGap: true });
    } else {
      await this.chunk(state, 0);
    }
    return distinct(this.found);
  }

  /** Parses the chunk of `column`, which starts at the state's page or in the gap before it. */
  private async chunk(state: State, column: number): Promise<void> {
    if (column === this.columns) {
      this.push(state, { page: state.page, column: 0, isInGap: false });
      return;
    }
    const open = { column, dictionary: undefined, runs: [], isBehindGap: false };
    if (this.rows.found.gapBefore[state.page] === true) {
      await this.afterGap(state, open);
      return;
    }
    await this.resume(state, open);
  }

  /** Takes the chunk's dictionary, if it is next, then its pages. */
  private async resume(state: State, open: OpenChunk): Promise<void> {
    const { page } = state;
    if (!this.rows.isDictionary(page)) {
      await this.pages(state, open);
      return;
    }
    const isNew = open.runs.length === 0 && open.dictionary === undefined;
    if (!isNew || (await this.rows.rows(page, open.column, true)) < 0) {
      return;
    }
    const next = { ...state, page: page + 1 };
    const started = { ...open, dictionary: page, isBehindGap: false };
    if (next.page === this.pageCount) {
      this.pushEnd(closed(next, started));
    } else if (this.rows.found.gapBefore[next.page] === true) {
      await this.afterGap(next, started);
    } else {
      await this.pages(next, started);
    }
  }

  /** Takes pages up to every possible end of the chunk. */
  private async pages(state: State, open: OpenChunk): Promise<void> {
    const { column, isBehindGap } = open;
    const { rows: expected } = state;
    const before = open.runs.reduce((sum, run) => sum + run.rows, 0);
    let rows = 0;
    let values = isBehindGap ? Number.POSITIVE_INFINITY : 0;
    for (let page = state.page; ; page++) {
      this.step();
      const run = { from: state.page, to: page, rows, reaches: isBehindGap ? "none" : "start" } as const;
      const here = { ...state, page };
      const isWhole = !isBehindGap && open.runs.length === 0;
      // At the end of a cut file, pages after a gap may be followed by more of their chunk.
      const isCut =
        page === this.pageCount && (column < this.columns - 1 || (isBehindGap && this.rows.found.endsOpen));
      const mayEnd =
        this.mayEnd(expected, before + rows, isWhole) && (!isWhole || this.mayHave(expected, rows));
      if (page > state.page && !isCut && mayEnd) {
        const last = { ...run, reaches: isBehindGap ? "end" : "start" } as const;
        const known = isWhole ? rows : expected;
        const ended = { ...closed(here, { ...open, runs: [...open.runs, last] }), rows: known };
        if (
          (isWhole && expected !== undefined && !this.rows.found.knowsStarts) ||
          (await this.isEnd(page, column))
        ) {
          await this.chunk(ended, column + 1);
        }
      }
      if (page === this.pageCount) {
        if (!isCut && isWhole && (expected === undefined || rows === expected)) {
          return;
        }
        this.pushEnd(closed(here, { ...open, runs: [...open.runs, run] }));
        return;
      }
      if (page > state.page && this.rows.found.gapBefore[page] === true) {
        if (before + rows === expected) {
          return;
        }
        await this.afterGap(here, { ...open, runs: [...open.runs, run] });
        return;
      }
      const last = page > state.page ? this.rows.found.pages[page - 1] : undefined;
      values += last?.header.valueCount ?? 0;
      const isFull = last !== undefined && this.limits?.endsChunk(last, column, values) === true;
      if (isFull || (last !== undefined && this.rows.found.startsChunk[page] === true)) {
        return;
      }
      const isRead = page === state.page || expected === undefined || isBehindGap;
      const own = this.rows.isDictionary(page) ? -1 : await this.rows.rows(page, column, isRead);
      rows += Math.max(0, own);
      if (own < 0 || before + rows > (expected ?? this.limits?.maxRows ?? Number.POSITIVE_INFINITY)) {
        return;
      }
    }
  }

  private mayEnd(expected: number | undefined, rows: number, isWhole: boolean): boolean {
    return expected === undefined || (isWhole ? rows === expected : rows <= expected);
  }

  /** Whether the row group can have this number of rows, as one of several or as the last one of the file. */
  private mayHave(expected: number | undefined, rows: number): boolean {
    const { limits, columns, start } = this;
    const values = this.valuesAfter?.[start.page];
    return (
      expected !== undefined ||
      limits === undefined ||
      limits.mayHave(rows) ||
      values === undefined ||
      values <= rows * columns
    );
  }

  /** Whether a chunk can end before this page, which must then be able to start the next chunk. */
  private async isEnd(page: number, column: number): Promise<boolean> {
    const { gapBefore, startsChunk } = this.rows.found;
    if (page === this.pageCount || gapBefore[page] === true || startsChunk[page] === true) {
      return true;
    }
    const isOwn = !this.rows.isDictionary(page) && (await this.rows.rows(page, column, true)) >= 0;
    if (this.rows.found.knowsStarts) {
      return false;
    }
    // Row groups of a single column can be joined.
    if (isOwn && this.columns === 1) {
      return false;
    }
    return (await this.rows.rows(page, (column + 1) % this.columns, true)) >= 0;
  }

  /** Pages may be missing before the state's page: it may belong to this chunk, to a later one, or to another row group. */
  private async afterGap(state: State, open: OpenChunk): Promise<void> {
    const isStarted = open.runs.length > 0 || open.dictionary !== undefined;
    const cost = state.cost + COST.gap;
    await this.resume({ ...state, cost }, { ...open, isBehindGap: true });
    const left = isStarted ? closed({ ...state, cost }, open) : { ...state, cost };
    for (let column = open.column + 1; column < this.columns; column++) {
      const lost = column - open.column - (isStarted ? 1 : 0);
      const next = { ...left, cost: cost + COST.lostChunk * lost };
      await this.resume(next, { column, dictionary: undefined, runs: [], isBehindGap: true });
    }
    if (left.chunks.length === 0) {
      return;
    }
    const lost = this.columns - open.column - (isStarted ? 1 : 0);
    const ended = { ...left, cost: cost + COST.lostGroupEnd + COST.lostChunk * lost };
    for (let column = 0; column < this.columns; column++) {
      if ((await this.rows.rows(state.page, column, true)) >= 0) {
        this.push(ended, { page: state.page, column, isInGap: true });
      }
    }
  }

  /** The file ends inside the group. */
  private pushEnd(state: State): void {
    const cost = state.cost + (this.rows.found.endsOpen ? 0 : COST.badEnd);
    this.push({ ...state, cost }, { page: this.pageCount, column: 0, isInGap: false });
  }

  private push({ rows, chunks, cost }: State, end: GroupStart): void {
    const isPossible = chunks.every(
      ({ runs }) => runs.reduce((sum, run) => sum + run.rows, 0) <= (rows ?? Number.POSITIVE_INFINITY),
    );
    if (isPossible && chunks.length > 0) {
      this.found.push({ start: this.start, end, rows, chunks, cost });
    }
    if (this.found.length > MAX_GROUPS) {
      throw ambiguous();
    }
  }

  private step(): void {
    if (++this.steps > this.maxSteps) {
      throw ambiguous();
    }
  }
}

/** A gap at the end of a chunk is also at the start of the next one, so the same division is found twice. */
function distinct(groups: readonly ParsedGroup[]): readonly ParsedGroup[] {
  if (groups.length < 2) {
    return groups;
  }
  const byContent = new Map<string, ParsedGroup>();
  for (const group of groups) {
    const key = JSON.stringify([group.end, group.rows, group.chunks]);
    const known = byContent.get(key);
    if (known === undefined || group.cost < known.cost) {
      byContent.set(key, group);
    }
  }
  return [...byContent.values()];
}

function valuesAfter({ found: { pages }, leaves }: PageRows): number[] | undefined {
  if (leaves.some(({ maxRepetition }) => maxRepetition > 0)) {
    return undefined;
  }
  const values: number[] = [];
  let sum = 0;
  for (const [page, { header }] of [...pages.entries()].reverse()) {
    sum += header.kind === "dictionary" ? 0 : header.valueCount;
    values[page] = sum;
  }
  return values;
}

function closed(state: State, { column, dictionary, runs }: OpenChunk): State {
  return { ...state, chunks: [...state.chunks, { column, dictionary, runs }] };
}

function ambiguous(): CFileError {
  const reason = "too many ways to divide the pages into row groups (state the number of rows per row group)";
  return new CFileError("E_LIMIT", reason, { field: "rowGroupRows" });
}
