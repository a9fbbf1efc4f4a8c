/**
 * The remains of a Raft group's replicas after power cuts and disk failures. Kudu syncs neither each entry of a log nor the consensus
 * metadata, so a disk may lose the last entries, keep a later entry without an earlier one, or keep older consensus metadata.
 */
import type { Choices, FoundRecord, ModelConfig, ModelEntry, ModelReplica } from "./raft-replica.js";

/** The state of a replica's log. In a `shorter` log, nothing shows that entries are missing. */
type LogState = "whole" | "shorter" | "torn" | "damaged" | "unreadable";

/** A replica as found on its disk. */
export interface ModelDisk {
  readonly replica: ModelReplica;
  readonly log: LogState;
  /** The readable entries of the log. */
  readonly entries: readonly ModelEntry[];
  /** Entries whose commits can be read. */
  readonly commits: ReadonlySet<ModelEntry>;
  /** Entries that an unreadable entry may have replaced. */
  readonly doubtful: ReadonlySet<ModelEntry>;
  /** `undefined` if the consensus metadata cannot be read. */
  readonly config: ModelConfig | undefined;
}

const MOST_LOST = 6;
const MOST_CONFIGS_LOST = 2;
/** Half of the logs are undamaged. */
const LOGS: readonly LogState[] = [
  "whole",
  "shorter",
  "torn",
  "damaged",
  "unreadable",
  "whole",
  "whole",
  "whole",
];

/** @param choices default: undamaged disks */
export function diskOf(replica: ModelReplica, choices?: Choices): ModelDisk {
  const { records, synced, configs, first } = replica;
  const wanted = choices?.of(LOGS) ?? "whole";
  const lost = Math.min(1 + (choices?.below(MOST_LOST) ?? 0), records.length - synced);
  const log = lost > 0 || wanted === "unreadable" ? wanted : "whole";
  const version = configs.length - 1 - (choices?.below(MOST_CONFIGS_LOST + 1) ?? 0);
  const config = choices?.below(8) === 1 ? undefined : (configs[Math.max(0, version)] ?? replica.config);
  const kept = records.length - (log === "whole" ? 0 : lost);
  const found = log === "unreadable" ? [] : records.slice(0, kept);
  // A later entry that can be read shows the damage before it.
  const behindDamage = log === "damaged" ? records.slice(-1) : [];
  const all = [...found, ...behindDamage.map((record) => ({ ...record, isBehindDamage: true }))];
  return { replica, log, config, ...readRecords(all, first) };
}

/**
 * Each operation replaces the earlier ones from its index on.
 *
 * @param first index of the first operation that is not deleted
 */
export function readRecords(
  found: readonly FoundRecord[],
  first = 1,
): Pick<ModelDisk, "entries" | "commits" | "doubtful"> {
  const entries: ModelEntry[] = [];
  const commits = new Set<ModelEntry>();
  const doubtful = new Set<ModelEntry>();
  for (const { entry, isCommit, isBehindDamage = false } of found) {
    if (isCommit) {
      const known = entries.find(({ term, index }) => term === entry.term && index === entry.index);
      commits.add(known ?? entry);
      continue;
    }
    while ((entries.at(-1)?.index ?? 0) >= entry.index) {
      entries.pop();
    }
    // Terms ascend in a log. The unreadable part therefore replaced entries of later terms, and may have replaced those of earlier terms.
    while (isBehindDamage && (entries.at(-1)?.term ?? 0) > entry.term) {
      entries.pop();
    }
    const sure = entries.findLastIndex((one) => commits.has(one) || one.term === entry.term);
    for (const one of isBehindDamage ? entries.slice(sure + 1) : []) {
      doubtful.add(one);
    }
    // The same entry may have been written before and replaced in the meantime.
    doubtful.delete(entry);
    commits.delete(entry);
    entries.push(entry);
  }
  return { entries: entries.filter(({ index }) => index >= first), commits, doubtful };
}
