/** Compares the rows read from the directories of a cluster's servers with random histories. */
import { caseSeed, Random } from "../random.js";
import type { Outcome } from "./check-rows.js";
import { ReplicaHistory } from "./replica-history.js";

/** Counts of a run. */
export interface ReplicaModel {
  readonly histories: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** Number of times that a server stopped at a disk operation. */
  readonly stops: number;
  readonly faults: readonly string[];
}

/** Runs the histories `from` to `to` (exclusive) of a seed. */
export async function modelReplicas(seed: number, from: number, to: number): Promise<ReplicaModel> {
  const outcomes = {
    "all answered writes": 0,
    "some missing, as reported": 0,
    "recovered in part": 0,
    refused: 0,
  };
  const faults: string[] = [];
  let stops = 0;
  for (let i = from; i < to; i++) {
    const random = new Random(caseSeed(seed, "kudu replicas", i));
    const history = new ReplicaHistory(random);
    try {
      for await (const outcome of history.play()) {
        outcomes[outcome]++;
      }
    } catch (error) {
      faults.push(
        `seed ${seed}, history ${i} (${history.world}): ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    stops += history.model.stops;
  }
  return { histories: to - from, outcomes, stops, faults };
}
