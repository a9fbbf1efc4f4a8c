/**
 * Divides a run into shards, so that it can stop and resume, and so that even a part of it covers all harnesses.
 */
import type { Harness } from "./harness.js";
import type { Shard } from "./run-fuzz.js";

const MIN_ROUNDS = 25;
/** Slow harnesses have small shares; the result of a shard is reported when all of its cases have run. */
const MAX_CASES_PER_SHARE = 50;

/** Cases of each harness in a run of this size, at least one. */
export function casesOf(harnesses: readonly Harness[], cases: number): ReadonlyMap<string, number> {
  const all = harnesses.reduce((sum, { share }) => sum + share, 0);
  return new Map(harnesses.map(({ name, share }) => [name, Math.max(1, Math.ceil((cases * share) / all))]));
}

/** All shards of a run; a round contains a part of every harness. */
export function planShards(harnesses: readonly Harness[], seed: number, cases: number): Shard[] {
  const shards: Shard[] = [];
  const counts = casesOf(harnesses, cases);
  const longest = Math.max(...harnesses.map(({ name, share }) => (counts.get(name) ?? 0) / share));
  const rounds = Math.max(MIN_ROUNDS, Math.ceil(longest / MAX_CASES_PER_SHARE));
  for (let round = 0; round < rounds; round++) {
    for (const [harness, count] of counts) {
      const from = Math.floor((count * round) / rounds);
      const to = Math.floor((count * (round + 1)) / rounds);
      if (to > from) {
        shards.push({ seed, harness, from, to });
      }
    }
  }
  return shards;
}
