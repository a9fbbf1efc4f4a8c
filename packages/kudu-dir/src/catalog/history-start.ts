/**
 * The first time whose snapshot is retained (docs/spec/diskrowset.md#6-rolling-flush-compaction). Servers drop UNDO entries and
 * deleted rows that are older than the history they keep. A snapshot before that would show rows that were not yet inserted and
 * miss others.
 *
 * The age is a setting of the table, or else of the server. Files do not record the server's setting, so the remaining UNDO entries
 * of each row set also count. The journals of blocks, or the time of the superblock's file, show how long the server ran.
 */
import { CFileError } from "@cfile/bytes";
import { LATEST_TIMESTAMP } from "@cfile/deltafile";
import type { HistoryState } from "../read/tablet-row-set.js";

/** Kudu's `--tablet_history_max_age_sec`. */
const DEFAULT_AGE_SECONDS = 604800;
const LOGICAL_BITS = 12n;

export interface HistoryFacts {
  /** Seconds of history that the server certainly kept. */
  readonly ageSeconds: number | undefined;
  /** When the server last changed a file, in microseconds since 1970. */
  readonly lastChange: bigint | undefined;
  readonly rowSets: readonly HistoryState[];
}

/** The first timestamp whose snapshot is certainly complete; 0 if all are. */
export function historyStart({ ageSeconds, lastChange, rowSets }: HistoryFacts): bigint {
  const age = BigInt(ageSeconds ?? DEFAULT_AGE_SECONDS) * 1_000_000n;
  let start = lastChange === undefined || lastChange < age ? 0n : (lastChange - age) << LOGICAL_BITS;
  if (ageSeconds !== undefined && lastChange !== undefined) {
    return start;
  }
  for (const { complete, earliest, writtenAt } of rowSets) {
    if (complete) {
      continue;
    }
    // A row set's first UNDO entries are older than its files, and dropped entries are older than the remaining ones.
    const written = writtenAt === undefined ? undefined : (writtenAt + 1n) << LOGICAL_BITS;
    const known = [written, earliest].reduce<bigint>(
      (least, timestamp) => (timestamp === undefined || timestamp > least ? least : timestamp),
      LATEST_TIMESTAMP,
    );
    start = known > start ? known : start;
  }
  return start;
}

/** The error for an earlier snapshot. */
export function historyGone(field: "asOf" | "from", asOf: bigint, start: bigint, tablet: string): CFileError {
  return new CFileError(
    "E_HISTORY_GONE",
    `the snapshot of tablet ${tablet} at ${asOf} is no longer retained: the server may have removed history before ${start} (set historyMaxAgeSeconds if it kept more)`,
    { field, expected: String(start), actual: String(asOf) },
  );
}
