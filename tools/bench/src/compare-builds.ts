/** Compares the benchmark reports of two builds that ran alternately, row by row. */
import type { BenchRow } from "./bench-case.js";
import type { BenchReport } from "./report.js";

/** The reports of one round: both builds, one after the other. */
export interface BenchRound {
  readonly old: BenchReport;
  readonly new: BenchReport;
}

export interface RowComparison {
  readonly contender: string;
  /** New rate divided by old rate, in each round. */
  readonly ratios: readonly number[];
  /** The fastest new run divided by the fastest old run: each build is measured in its quietest moment. */
  readonly best: number;
  /** Whether a cfile row fell by more than 5 %, both by its fastest runs and in the median round. */
  readonly fell: boolean;
}

/** A row below this ratio, by both measures, is reported as slower. */
const LOWEST_RATIO = 0.95;

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
};

const timeOf = ({ fastest, milliseconds }: BenchRow): number => fastest ?? milliseconds;

/** The row of the same name, or, if labels changed between the builds, the row at the same position. */
function counterpart(rows: readonly BenchRow[], name: string, index: number): BenchRow | undefined {
  return rows.find(({ contender }) => contender === name) ?? rows[index];
}

/** Rows of the case `name`, in the order of the new build's table; rows without a counterpart are left out. */
export function compareCase(rounds: readonly BenchRound[], name: string): RowComparison[] {
  const tables = rounds.map(({ old, new: current }) => ({
    old: old.results.find((result) => result.name === name)?.rows ?? [],
    new: current.results.find((result) => result.name === name)?.rows ?? [],
  }));
  return (tables[0]?.new ?? []).flatMap(({ contender }, index) => {
    const pairs = tables.flatMap(({ old, new: current }) => {
      const before = counterpart(old, contender, index);
      const after = counterpart(current, contender, index);
      return before === undefined || after === undefined ? [] : [[timeOf(before), timeOf(after)] as const];
    });
    if (pairs.length === 0) {
      return [];
    }
    const ratios = pairs.map(([before, after]) => before / after);
    const best = Math.min(...pairs.map(([before]) => before)) / Math.min(...pairs.map(([, after]) => after));
    const fell = contender.startsWith("cfile") && best < LOWEST_RATIO && median(ratios) < LOWEST_RATIO;
    return [{ contender, ratios, best, fell }];
  });
}

const shown = (ratio: number): string => ratio.toFixed(2);

/** The cells of one row of the printed table: name, fastest runs, median, range, verdict. */
export function comparisonCells({ contender, ratios, best, fell }: RowComparison): string[] {
  const range = `${shown(Math.min(...ratios))}–${shown(Math.max(...ratios))}`;
  return [contender, shown(best), shown(median(ratios)), range, fell ? "SLOWER" : ""];
}
