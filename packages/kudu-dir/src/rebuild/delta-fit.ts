/**
 * Whether a delta file can belong to a row set at all: rows, columns, values, and the order in which both were made. A compaction
 * replaces files, so that what was made before it can only be an old UNDO file.
 */
import { type DeltaFileReader, openDeltaFile } from "@cfile/deltafile/read";
import { mayBeDropped } from "./align-columns.js";
import type { DeletedBlocks } from "./match-compacted.js";
import type { RowSetGroup } from "./row-set-group.js";
import type { SurveyedBlock } from "./survey-blocks.js";

type Kind = "undo" | "redo";

/** A role that a file can have. */
export interface DeltaMatch {
  readonly group: RowSetGroup;
  readonly kind: Kind;
}

/** A delta file whose row set is searched. */
export interface OpenDelta {
  readonly block: SurveyedBlock;
  readonly reader: DeltaFileReader;
  readonly lastRow: number;
  readonly fitsAs: ReadonlySet<Kind>;
  matches: readonly DeltaMatch[];
  evidence: string;
}

/** Hybrid timestamps are microseconds with 12 more bits; smaller ones are counters. */
export const FIRST_HYBRID = 1n << 56n;
const REPLACED_WITHIN = 10_000_000n;
const UNUSED_WITHIN = 10_000n;
/** By how much the clocks of several servers may differ. */
const CLOCK_SLACK = 1_000_000n << 12n;

/** Opens a delta file that was flushed alone, with all row sets that it fits. */
export async function openLone(
  block: SurveyedBlock,
  groups: readonly RowSetGroup[],
  deleted: DeletedBlocks,
): Promise<OpenDelta> {
  const reader = await openDeltaFile(block.source, { cacheBytes: 0 });
  let lastRow = 0;
  for await (const { rows, length } of reader.entries()) {
    lastRow = rows[length - 1] ?? lastRow;
  }
  const fitsAs = new Set<Kind>();
  for (const kind of ["redo", "undo"] as const) {
    if ((await reader.verify({ kind })).ok) {
      fitsAs.add(kind);
    }
  }
  const delta: OpenDelta = {
    block,
    reader,
    lastRow,
    fitsAs,
    matches: [],
    evidence: "only row set that it fits",
  };
  const schemas = new Map<string, boolean>();
  for (const group of groups) {
    const kind = kindIn(delta, group, deleted);
    const isFit = kind !== undefined && (await fitsColumns(delta, group, kind, schemas));
    if (isFit && (kind === "redo" || mayBeOldUndo(block, group, deleted))) {
      delta.matches = [...delta.matches, { group, kind }];
    }
  }
  return delta;
}

/** Whether a REDO file was made with the base files and is gone. A block that was never used is deleted when it is made. */
function mayHaveFirstRedo({ base, compactions }: RowSetGroup, deleted: DeletedBlocks): boolean {
  const first = deleted.get(base.end + 2n);
  const isUnused = first !== undefined && first.deletedAt - first.createdAt < UNUSED_WITHIN;
  return compactions.length > 0 || !isUnused;
}

/** The role that the file can have in a row set, as far as statistics show. */
function kindIn(
  { block, lastRow, fitsAs }: OpenDelta,
  group: RowSetGroup,
  deleted: DeletedBlocks,
): Kind | undefined {
  const { base, compactedUntil } = group;
  const { minTimestamp = 0n, maxTimestamp = 0n, deleteCount = 0 } = block.deltas ?? {};
  if (block.order <= base.end || lastRow >= base.rows) {
    return undefined;
  }
  if (block.order < compactedUntil) {
    // Only the UNDO file of an earlier compaction, whose columns were compacted again, can still be there.
    return fitsAs.has("undo") && deleteCount === 0 ? "undo" : undefined;
  }
  const slack = minTimestamp >= FIRST_HYBRID ? CLOCK_SLACK : 0n;
  // A compacted file has the deletes of the first REDO file, which are as old as the base data.
  const first = mayHaveFirstRedo(group, deleted) ? maxTimestamp : minTimestamp;
  return fitsAs.has("redo") && first + slack >= group.flushedUntil ? "redo" : undefined;
}

/** Whether the file may be of a compaction that replaced the original columns, whose own columns were replaced later. */
function mayBeOldUndo(
  { createdAt, deltas }: SurveyedBlock,
  group: RowSetGroup,
  deleted: DeletedBlocks,
): boolean {
  return [...(deltas?.updateCounts.keys() ?? [])].every((id) => {
    const originals = group.ordersOf(id).flatMap((at) => deleted.get(at) ?? []);
    return (
      originals.length === 0 ||
      createdAt === undefined ||
      originals.some(({ deletedAt }) => deletedAt - createdAt < REPLACED_WITHIN)
    );
  });
}

async function fitsColumns(
  { block, reader }: OpenDelta,
  group: RowSetGroup,
  kind: Kind,
  known: Map<string, boolean>,
): Promise<boolean> {
  for (const { table, alignment } of group.places) {
    const { columns } = table.schema;
    const updated = [...(block.deltas?.updateCounts.keys() ?? [])];
    const isForeign = updated.some((id) => {
      const column = columns.find((one) => one.id === id);
      const isLost = kind === "undo" && alignment.includes(id) && !group.columns.has(id);
      return column === undefined ? !mayBeDropped(table, id) : column.isKey || isLost;
    });
    const key = `${kind} ${table.id}`;
    const fits = known.get(key) ?? (await reader.verify({ kind, columns })).ok;
    known.set(key, fits);
    if (fits && !isForeign) {
      return true;
    }
  }
  return false;
}
