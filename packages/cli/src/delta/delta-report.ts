/** The statistics of a delta file: as JSON and as text. */
import { type DeltaFileReader, type GuessedKind, guessDeltaKind } from "@cfile/deltafile/read";
import { hybridTimeLabel, hybridTimeText } from "../options/hybrid-time.js";
import { counted, countText } from "../records/quantity.js";
import { factLines } from "../records/table.js";

const REASONS: Readonly<Record<GuessedKind["reason"], string>> = {
  timestamps: "by the order of a row's timestamps",
  deletes: "probably: only a DELETE per row",
};

export interface DeltaDescription {
  readonly file: DeltaFileReader;
  /** `undefined` when the entries do not determine the kind. */
  readonly guess: GuessedKind | undefined;
}

/** Reads entries until they determine the kind. */
export async function describeDeltaFile(
  file: DeltaFileReader,
  signal: AbortSignal | undefined,
): Promise<DeltaDescription> {
  return { file, guess: await guessDeltaKind(file, { signal }) };
}

/** Timestamps are strings, as they exceed what a JSON number holds. */
export function deltaJson({ file, guess }: DeltaDescription): Readonly<Record<string, unknown>> {
  const { minTimestamp, maxTimestamp, deleteCount, reinsertCount, updateCounts } = file.statistics;
  return {
    entries: file.entryCount,
    min_timestamp: String(minTimestamp),
    min_timestamp_utc: hybridTimeText(minTimestamp),
    max_timestamp: String(maxTimestamp),
    max_timestamp_utc: hybridTimeText(maxTimestamp),
    deletes: deleteCount,
    reinserts: reinsertCount,
    updates: [...updateCounts].map(([column, count]) => ({ column, count })),
    kind_guess: guess ? { kind: guess.kind, reason: guess.reason } : null,
  };
}

export function deltaLines({ file, guess }: DeltaDescription): string[] {
  const { minTimestamp, maxTimestamp, deleteCount, reinsertCount, updateCounts } = file.statistics;
  return factLines([
    ["kind", guess ? `${guess.kind.toUpperCase()}, ${REASONS[guess.reason]}` : "unknown"],
    ["entries", countText(file.entryCount)],
    ["first timestamp", hybridTimeLabel(minTimestamp)],
    ["last timestamp", hybridTimeLabel(maxTimestamp)],
    ["deletes", countText(deleteCount)],
    ["reinserts", countText(reinsertCount)],
    ...[...updateCounts].map(([column, count]) => [`column ${column}`, counted(count, "change")]),
  ]);
}
