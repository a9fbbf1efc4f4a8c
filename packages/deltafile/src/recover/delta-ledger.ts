/** The ledger of a recovered delta file: its entries, kept and lost, and the rows that may have lost some. */
import { attempt } from "@cfile/bytes";
import type { Range } from "@cfile/format";
import type { BlockEntry, RecoveryLedger } from "@cfile/format/recover";
import type { ChangeTypeName } from "../changes/change-type.js";
import type { DeltaKind } from "../changes/delta-kind.js";
import type { DeltaStatistics } from "../stats/delta-statistics.js";
import { DELTA_STATS_KEY, parseDeltaStats } from "../stats/delta-stats-message.js";

/** A data block, or a range of bytes in which blocks were lost. The rows of the container are its entries. */
export interface DeltaBlockEntry
  extends Pick<BlockEntry, "block" | "state" | "verified" | "problem" | "movedFrom"> {
  readonly firstEntry: number | undefined;
  /** Number of entries; `undefined` if unknown. */
  readonly entries: number | undefined;
  /** Base rows of the kept entries, or base rows that may have lost entries; without `to`, all later rows. */
  readonly rows: Range<number>;
}

/** An entry of a valid block that cannot follow the kept entries of its row, because entries between them are lost. */
export interface LeftOutEntry {
  readonly row: number;
  readonly timestamp: bigint;
  readonly type: ChangeTypeName | undefined;
  readonly reason: string;
}

/** Changes that the footer counts but the kept entries lack. */
export interface LostChanges {
  readonly deletes: number;
  readonly reinserts: number;
  /** Mutations by column ID, those of REINSERTs included; columns without losses are left out. */
  readonly updates: ReadonlyMap<number, number>;
}

/** Account of a damaged delta file. */
export interface DeltaRecoveryLedger {
  readonly kind: DeltaKind;
  /** `any`: no row has entries with different timestamps, so both kinds have the same order. */
  readonly kindFrom: "given" | "timestamps" | "any";
  /** Data blocks, kept and lost, in order. */
  readonly blocks: readonly DeltaBlockEntry[];
  readonly leftOut: readonly LeftOutEntry[];
  /** `undefined` without a footer. */
  readonly entriesTotal: number | undefined;
  readonly entriesKept: number;
  /** Entries known to be lost, those left out included; without a footer there may have been more after the last block. */
  readonly entriesLost: number;
  /** Kept entries that no checksum confirms. */
  readonly entriesUnverified: number;
  /** `undefined` if the footer or its statistics are lost. */
  readonly lostChanges: LostChanges | undefined;
  /** Whether it is certain that nothing is lost. */
  readonly complete: boolean;
  /** The container: header, footer, index blocks; its rows are the entries. */
  readonly container: RecoveryLedger;
}

/** Compares the statistics of the footer with those of the kept entries. */
export function lostChanges(
  metadata: readonly { readonly key: string; readonly value: Uint8Array }[],
  kept: DeltaStatistics,
): LostChanges | undefined {
  const pair = metadata.find(({ key }) => key === DELTA_STATS_KEY);
  const stated = pair && attempt(() => parseDeltaStats(pair.value));
  if (stated === undefined) {
    return undefined;
  }
  const updates = [...stated.updateCounts].map(
    ([id, count]) => [id, count - (kept.updateCounts.get(id) ?? 0)] as const,
  );
  return {
    deletes: stated.deleteCount - kept.deleteCount,
    reinserts: stated.reinsertCount - kept.reinsertCount,
    updates: new Map(updates.filter(([, count]) => count !== 0)),
  };
}
