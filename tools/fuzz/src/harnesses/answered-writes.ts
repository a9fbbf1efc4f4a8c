/** Checks that readers of replicas return all writes that were acknowledged to clients, as far as the disks show them. */
import { diskOf, type ModelDisk } from "./raft-disks.js";
import type { RaftModel } from "./raft-model.js";
import type { ModelConfig, ModelEntry } from "./raft-replica.js";

/** The result of reading replicas. */
export interface Answer {
  readonly isSeen: (entry: ModelEntry) => boolean;
  /** The term of a different operation that is read at the index of this one. */
  readonly instead: (entry: ModelEntry) => string | undefined;
  /** Whether it reports that writes may be missing. */
  readonly isIncomplete: boolean;
}

const NO_CONFIG: ModelConfig = { index: -2, voters: [], learners: [] };

export function isReady({ replica }: ModelDisk): boolean {
  return replica.state === "ready";
}

/**
 * @param disks disks of the present servers
 * @throws {RangeError} if a write that may have been answered is not read, or one that was overwritten is, unless the disks hide that
 */
export function checkAnswered(model: RaftModel, disks: readonly ModelDisk[], answer: Answer): void {
  const ready = disks.filter(isReady);
  const isMajority = hasMajority(model, ready);
  const whole = disks.map(({ replica }) => diskOf(replica));
  if (configsInForce(model).some((config) => isShown(config, whole) && !isShown(config, disks))) {
    return;
  }
  // Two logs contradict each other, and nothing shows which one is right. With whole logs, it is known.
  const isAmbiguous = disks.some(({ log }) => log !== "whole") && haveConflict(disks);
  const isSaid = isAmbiguous && answer.isIncomplete;
  const electable = model.hasLost ? model.electable() : [];
  for (const entry of model.committed.values()) {
    const { term, index } = entry;
    const isForgotten = electable.some(({ log }) => log[index - 1]?.term !== term);
    if (
      isForgotten ||
      isOverruled(model, disks, index) ||
      ready.some((disk) => hasLostSilently(disk, index))
    ) {
      continue;
    }
    const isSeen = answer.isSeen(entry);
    const isHeld = ready.some(({ entries }) => hasEntry(entries, entry));
    const isProven =
      (isHeld && isMajority) ||
      ready.some(
        ({ replica, log, entries, commits }) =>
          ((log === "whole" || log === "shorter") && index < replica.first) ||
          entries.some((one) => one.index >= index && commits.has(one)),
      );
    if (isProven && !isSeen && !isSaid) {
      throw new RangeError(`operation ${term}.${index} was answered, and is not read`);
    }
    if (!isSeen && isMajority && !answer.isIncomplete) {
      throw new RangeError(`operation ${term}.${index} was answered, and nothing says that it is missing`);
    }
    const other = answer.instead(entry);
    if (isProven && other !== undefined && !isSaid) {
      throw new RangeError(`operation ${other}.${index} was overwritten by ${term}.${index}, and is read`);
    }
  }
}

/** Whether the present voters of each configuration in force are a majority. */
export function hasMajority(model: RaftModel, ready: readonly ModelDisk[]): boolean {
  return configsInForce(model).every(({ voters }) => {
    const here = voters.filter((name) => ready.some(({ replica }) => replica.name === name));
    return 2 * here.length > voters.length;
  });
}

/** Whether a disk has an operation up to this index that was also answered, and that a leader without it has replaced. */
function isOverruled({ overruled }: RaftModel, disks: readonly ModelDisk[], index: number): boolean {
  return overruled.some(
    (one) =>
      one.index <= index &&
      disks.some(
        ({ entries, replica: { first, log } }) =>
          hasEntry(entries, one) || (one.index < first && log[one.index - 1] === one),
      ),
  );
}

function hasEntry(entries: readonly ModelEntry[], { term, index }: ModelEntry): boolean {
  return entries.some((one) => one.index === index && one.term === term);
}

/** Whether logs cannot share one history: different operations at an index, or an earlier term after a later one. */
function haveConflict(disks: readonly ModelDisk[]): boolean {
  const all = disks.flatMap(({ entries }) => entries).sort((left, right) => left.index - right.index);
  return all.some(({ term, index }, i) => {
    const before = all[i - 1];
    return before !== undefined && (before.term > term || (before.index === index && before.term !== term));
  });
}

/** Whether the log has lost an operation from an index on, and no later configuration in the consensus metadata reveals it. */
function hasLostSilently({ replica, log, entries, config }: ModelDisk, from: number): boolean {
  const isRevealed = config !== undefined && config.index > (entries.at(-1)?.index ?? -1);
  const isLost = (one: ModelEntry): boolean => one.index >= from && !hasEntry(entries, one);
  return log === "shorter" && !isRevealed && replica.log.some(isLost);
}

/** Whether a configuration is in a log, or a later one in consensus metadata. */
function isShown({ index }: ModelConfig, disks: readonly ModelDisk[]): boolean {
  return disks.some(
    ({ config, entries }) =>
      (config !== undefined && config.index >= index) || entries.some((one) => one.config?.index === index),
  );
}

/** The last committed configuration, and those proposed by leaders since then. */
function configsInForce({ servers }: RaftModel): readonly ModelConfig[] {
  const all = [...servers.values()];
  const last = all.reduce((left, { config }) => (config.index > left.index ? config : left), NO_CONFIG);
  return [last, ...all.flatMap(({ log }) => log.flatMap(({ config }) => config ?? []))].filter(
    ({ index }) => index >= last.index,
  );
}
