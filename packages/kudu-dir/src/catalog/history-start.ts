/**
 * From when on the states of a tablet are known (docs/spec/diskrowset.md#6-rolling-flush-compaction). Servers drop UNDO
 * entries, and rows that were deleted, when they are older than the history that they keep: at a time before, rows would seem
 * to have been there that were not yet inserted, and others would be missing.
 *
 * The age is of the table when it says so, else of the server, which its files do not tell: then what is left of each row set tells
 * too. Until when the server ran is told by journals of blocks, or the time of the superblock's file.
 */
import { CFileError } from "@cfile/bytes";
import { LATEST_TIMESTAMP } from "@cfile/deltafile";
import type { HistoryState } from "../read/tablet-row-set.js";

/** Kudu's `--tablet_history_max_age_sec`. */
const DEFAULT_AGE_SECONDS = 604800;
const LOGICAL_BITS = 12n;

export interface HistoryFacts {
  /** For how long history was kept for certain, in seconds. */
  readonly ageSeconds: number | undefined;
  /** When the server last changed a file, in microseconds since 1970. */
  readonly lastChange: bigint | undefined;
  readonly rowSets: readonly HistoryState[];
}

/** The first timestamp at which the state is known for certain; 0 when all are. */
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
    // All that a row set had at first was older than its files; what was dropped is older than what is left.
    const written = writtenAt === undefined ? undefined : (writtenAt + 1n) << LOGICAL_BITS;
    const known = [written, earliest].reduce<bigint>(
      (least, timestamp) => (timestamp === undefined || timestamp > least ? least : timestamp),
      LATEST_TIMESTAMP,
    );
    start = known > start ? known : start;
  }
  return start;
}

/** What asking for an earlier state is answered with. */
export function historyGone(field: "asOf" | "from", asOf: bigint, start: bigint, tablet: string): CFileError {
  return new CFileError(
    "E_HISTORY_GONE",
    `the state of tablet ${tablet} at ${asOf} is not known any more: its history before ${start} may have been collected, unless the server kept it for longer than is known here`,
    { field, expected: String(start), actual: String(asOf) },
  );
}
