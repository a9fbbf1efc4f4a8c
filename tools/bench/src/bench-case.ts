/** The result of a benchmark: rows of a table, each with a ratio against a named peer. */
export interface BenchRow {
  readonly contender: string;
  /** Median of the runs. */
  readonly milliseconds: number;
  /** Milliseconds of the fastest run. Its distance from the median shows how busy the machine was. */
  readonly fastest?: number;
  /** Work per second, in `unit`. */
  readonly rate: number;
  /** The peer that does the same work, if it differs from the peer of the whole result. */
  readonly peer?: string;
  /**
   * This rate divided by the rate of the peer; 1 for the peer itself; `undefined` if the peer has no figure.
   */
  readonly ratio: number | undefined;
  /** The unit, if it differs from that of the whole result. */
  readonly unit?: string;
  /** The target ratio. */
  readonly wanted?: number;
}

export interface BenchResult {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly peer: string;
  readonly rows: readonly BenchRow[];
  readonly goals: readonly BenchGoal[];
  /** Notes for readers of the table: limits of the machine, missing peers. */
  readonly notes?: readonly string[];
}

/** A goal of the project, checked in the run. */
export interface BenchGoal {
  readonly text: string;
  readonly wanted: number;
  readonly measured: number;
  readonly met: boolean;
}

export interface BenchCase {
  readonly name: string;
  readonly title: string;
  /** @param scale 1 for the full size; smaller values are for testing the benchmark itself */
  readonly run: (scale: number) => Promise<Omit<BenchResult, "name" | "title">>;
}

export function atLeast(text: string, wanted: number, measured: number): BenchGoal {
  return { text, wanted, measured, met: measured >= wanted };
}

export function atMost(text: string, wanted: number, measured: number): BenchGoal {
  return { text, wanted, measured, met: measured <= wanted };
}
