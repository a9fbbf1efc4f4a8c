/**
 * A random history of a Raft group that writes its files to simulated disks. Servers stop at any disk operation: they are killed, their
 * disk fails, or a power cut keeps any part of the unsynced data. They start again with the remaining files.
 */
import { randomRemains } from "../disk/random-remains.js";
import { DISKS, type DiskKind, type DiskRemains } from "../disk/simulated-disk.js";
import { RaftModel } from "../harnesses/raft-model.js";
import type { Random } from "../random.js";
import { checkRows, type Outcome, type RowSetCache } from "./check-rows.js";
import { type FoundFiles, type ReplicaFate, ReplicaFiles } from "./replica-files.js";

/** The reason why servers stop in a history. */
const WORLDS = ["killed", "failing disks", "power cuts"] as const;
type World = (typeof WORLDS)[number];

const LENGTHS = [60, 150, 300, 500, 800];
const SETS = 4;
/** On average, one check per this many steps. */
const CHECKED = 60;
const MOST_OPERATIONS = 60;

/** Can be played only once. */
export class ReplicaHistory {
  readonly world: World;
  readonly model: RaftModel;
  /** The disks that were read last. */
  found: ReadonlyMap<string, FoundFiles> = new Map();
  private readonly random: Random;
  private readonly files = new Map<string, ReplicaFiles>();
  private readonly cache: RowSetCache = new Map();

  constructor(random: Random) {
    this.random = random;
    this.world = random.pick(WORLDS);
    const recordsPerSegment = 3 + random.below(12);
    const nextFate = (): ReplicaFate => this.nextFate();
    const bytes = Uint8Array.from({ length: random.pick(LENGTHS) }, () => random.below(256));
    this.model = new RaftModel(bytes, ({ name, config }, source) => {
      const files = new ReplicaFiles(
        name,
        config,
        { nextFate, recordsPerSegment },
        source === undefined ? undefined : this.files.get(source),
      );
      this.files.set(name, files);
      return files;
    });
  }

  /** Reads the directories of any servers at random moments and at the end, and compares the rows with the model. */
  async *play(): AsyncGenerator<Outcome, void, void> {
    const { model, random } = this;
    while (!model.isDone) {
      model.step();
      if (random.below(CHECKED) === 0 && model.committed.size > 0) {
        yield* this.check(1, "keeps everything");
      }
    }
    yield* this.check(SETS, "keeps everything");
    if (this.world === "power cuts") {
      yield* this.check(SETS, randomRemains(random));
    }
  }

  /** Reads the remaining files if all servers stop. @param sets number of sets of servers to read, starting with the set of all servers */
  private async *check(sets: number, remains: DiskKind | DiskRemains): AsyncGenerator<Outcome, void, void> {
    this.found = new Map([...this.files].map(([name, files]) => [name, files.find(remains)]));
    const names = [...this.found.keys()];
    for (let i = 0; i < sets; i++) {
      const some = names.filter(() => i === 0 || this.random.below(3) > 0);
      yield await checkRows(this.model, this.found, some.length === 0 ? names : some, this.cache);
    }
  }

  private nextFate(): ReplicaFate {
    const { random, world } = this;
    const at = random.below(MOST_OPERATIONS);
    const isStopped = random.below(3) > 0;
    const kinds =
      world === "failing disks" ? (["EIO", "ENOSPC", "writes half and fails"] as const) : (["EIO"] as const);
    const remains = world !== "power cuts" || random.below(3) === 0 ? "keeps everything" : this.nextRemains();
    return { fault: isStopped ? { at, kind: random.pick(kinds) } : undefined, remains };
  }

  private nextRemains(): DiskKind | DiskRemains {
    const { random } = this;
    return random.below(4) === 0 ? random.pick(Object.keys(DISKS) as DiskKind[]) : randomRemains(random);
  }
}
