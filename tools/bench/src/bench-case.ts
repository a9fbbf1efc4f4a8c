/** What every benchmark gives: rows of a table, each with a ratio against a named peer. */
export interface BenchRow {
  readonly contender: string;
  /** Median of the runs. */
  readonly milliseconds: number;
  /** Milliseconds of the fastest run: how far it is from the median tells how busy the machine was. */
  readonly fastest?: number;
  /** Work done in a second, in `unit`. */
  readonly rate: number;
  /** The peer that does the same work, where it is not the whole result's. */
  readonly peer?: string;
  /** How many times the peer's rate this is; 1 for the peer itself; `undefined` where the peer has no figure. */
  readonly ratio: number | undefined;
  /** Where it is not the unit of the whole result. */
  readonly unit?: string;
  /** The ratio that is wanted. */
  readonly wanted?: number;
}

export interface BenchResult {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly peer: string;
  readonly rows: readonly BenchRow[];
  readonly goals: readonly BenchGoal[];
  /** What a reader of the table has to know: yardsticks, peers that are missing. */
  readonly notes?: readonly string[];
}

/** A promise of the project, checked in the run. */
export interface BenchGoal {
  readonly text: string;
  readonly wanted: number;
  readonly measured: number;
  readonly met: boolean;
}

export interface BenchCase {
  readonly name: string;
  readonly title: string;
  /** @param scale 1 for the full size; smaller ones are for trying the benchmark itself */
  readonly run: (scale: number) => Promise<Omit<BenchResult, "name" | "title">>;
}

export function atLeast(text: string, wanted: number, measured: number): BenchGoal {
  return { text, wanted, measured, met: measured >= wanted };
}

export function atMost(text: string, wanted: number, measured: number): BenchGoal {
  return { text, wanted, measured, met: measured <= wanted };
}
