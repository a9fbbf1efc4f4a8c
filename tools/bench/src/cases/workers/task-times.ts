/**
 * Times of a task in turns: by one process, by two processes that share nothing, and by two workers of one process. Ratios are
 * medians of those within a turn, because the speed of a virtual machine changes from second to second.
 */
import { atLeast, type BenchGoal, type BenchRow } from "../../bench-case.js";
import { median, medianRatio, takeTurns } from "../../turns.js";

export const PEER = "one process";
const HALVES = "two processes, each with half of the task";
const WHOLE = "two processes, each with the whole task";
const POOL = "one process with two workers";
const SENT = "two workers that send their batches to one thread";
const GOAL = 0.95;

export interface Task {
  readonly turns: number;
  /** The whole task in two workers. */
  readonly pool: () => Promise<void>;
  /** The task in one thread. @param copy distinguishes processes that run together, and their halves */
  readonly alone: (part: "whole" | "half", copy: 0 | 1) => Promise<void>;
  /** The task in two workers that send decoded values to the requesting thread instead of consuming them. */
  readonly send?: () => Promise<void>;
}

export type Contender = "one" | "halves" | "two" | "whole" | "sent";
export type Times = Readonly<Record<Contender, readonly number[]>>;

export interface Measured {
  readonly rows: BenchRow[];
  readonly goal: BenchGoal;
  /** The ratio to two processes that do the whole task each, with its name. */
  readonly twice: string;
}

async function timed(task: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await task();
  return performance.now() - start;
}

export function taskTimes({ turns, pool, alone, send }: Task): Promise<Times> {
  const together = (part: "whole" | "half") => timed(() => Promise.all([alone(part, 0), alone(part, 1)]));
  return takeTurns(turns, {
    one: () => timed(() => alone("whole", 0)),
    halves: () => together("half"),
    two: () => timed(pool),
    whole: () => together("whole"),
    sent: () => (send === undefined ? Promise.resolve(Number.NaN) : timed(send)),
  });
}

export function measured(name: string, rows: number, { one, halves, two, whole, sent }: Times): Measured {
  const row = (contender: string, work: number, times: readonly number[]): BenchRow => ({
    contender: `${contender}: ${name}`,
    milliseconds: median(times),
    fastest: Math.min(...times),
    rate: (work * rows) / median(times) / 1000,
    ratio: work * medianRatio(one, times),
  });
  return {
    rows: [
      row(PEER, 1, one),
      row(HALVES, 1, halves),
      row(POOL, 1, two),
      row(WHOLE, 2, whole),
      ...(Number.isNaN(sent[0]) ? [] : [row(SENT, 1, sent)]),
    ],
    goal: atLeast(
      `${name}: two workers at the rate of two processes with half of the task, times`,
      GOAL,
      medianRatio(halves, two),
    ),
    twice: `${name} ${(medianRatio(whole, two) / 2).toPrecision(3)}`,
  };
}
