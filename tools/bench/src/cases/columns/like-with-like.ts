/** Tables of one task with many contenders, each next to the peer that does the same work. */
import { atLeast, type BenchGoal, type BenchResult } from "../../bench-case.js";
import { type Timing, timingOf } from "../../measure.js";

/**
 * Contenders that do the same work, the peer first. Bitshuffle contains LZ4 and is compared with Snappy,
 * plain with no codec.
 */
export type LikeWithLike = readonly [peer: string, ...others: string[]];

export function tabulate(
  timings: readonly Timing[],
  groups: readonly LikeWithLike[],
  rows: number,
  goals: (ratio: (name: string) => number) => BenchGoal[],
): Omit<BenchResult, "name" | "title"> {
  const of = (name: string): Timing => timingOf(timings, name);
  const peerOf = (name: string): string => groups.find((group) => group.includes(name))?.[0] ?? name;
  const ratio = (name: string): number => of(peerOf(name)).milliseconds / of(name).milliseconds;
  return {
    unit: "million rows/s",
    peer: groups.length === 1 ? peerOf(timings[0]?.contender ?? "") : "peer",
    rows: groups.flat().map((name) => {
      const { milliseconds, fastest } = of(name);
      const peer = groups.length === 1 ? {} : { peer: peerOf(name) };
      return {
        contender: name,
        milliseconds,
        fastest,
        ...peer,
        rate: rows / milliseconds / 1000,
        ratio: ratio(name),
      };
    }),
    goals: goals(ratio),
  };
}

/** All contenders, for tasks in which they do the same work. */
export const namesOf = ([first, ...others]: readonly Timing[]): LikeWithLike => [
  first?.contender ?? "",
  ...others.map(({ contender: name }) => name),
];

export const goalOf = (
  ratio: (name: string) => number,
  contenderName: string,
  peer: string,
  wanted: number,
): BenchGoal => atLeast(`${contenderName} at ${peer}'s rate, times`, wanted, ratio(contenderName));
