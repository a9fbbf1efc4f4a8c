/**
 * Decides whether a delta file can belong to a row set: rows, columns, values, and the order in which both were made. A compaction
 * replaces files, so a file from before it can only be an old UNDO file.
 */
import { type DeltaFileReader, openDeltaFile } from "@cfile/deltafile/read";
import { mayBeDropped } from "../columns/align-columns.js";
import { sequenceOf } from "../columns/block-order.js";
import type { RowSetGroup } from "../row-set-group.js";
import type { SurveyedDelta } from "../survey-blocks.js";
import type { KnownTable } from "../tables/known-tables.js";

type Kind = "undo" | "redo";

/** A role that a file can have. */
export interface DeltaMatch {
  readonly group: RowSetGroup;
  readonly kind: Kind;
}

/** A delta file whose row set is not known yet. */
export interface OpenDelta {
  readonly block: SurveyedDelta;
  readonly reader: DeltaFileReader;
  readonly lastRow: number;
  readonly fitsAs: ReadonlySet<Kind>;
  matches: readonly DeltaMatch[];
  evidence: string;
}

/** Hybrid timestamps are microseconds with 12 more bits; smaller ones are counters. */
export const FIRST_HYBRID = 1n << 56n;
/** Maximum difference between the clocks of servers. */
const CLOCK_SLACK = 1_000_000n << 12n;

/** Opens a delta file that was flushed alone, and finds all row sets that it fits. */
export async function openLone(block: SurveyedDelta, groups: readonly RowSetGroup[]): Promise<OpenDelta> {
  const reader = await openDeltaFile(block.source, { cacheBytes: 0 });
  let lastRow = 0;
  for await (const { rows, length } of reader.entries()) {
    lastRow = Math.max(lastRow, ...rows.subarray(length - 1, length));
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
  const owners = groups.filter(({ nearby }) => nearby.some((one) => one.block === block && one.isOwn));
  for (const group of owners.length > 0 ? owners : groups) {
    for (const kind of kindsIn(delta, group)) {
      if (await fitsColumns(delta, group, kind, schemas)) {
        delta.matches = [...delta.matches, { group, kind }];
      }
    }
  }
  return delta;
}

/** The roles that the file can have in a row set, by its position or as a file that was flushed alone. */
function kindsIn(delta: OpenDelta, group: RowSetGroup): ReadonlySet<Kind> {
  const { block, fitsAs, lastRow } = delta;
  const near = group.nearby.find((one) => one.block === block);
  const own = lastRow < group.base.rows ? (near?.kinds.filter((kind) => fitsAs.has(kind)) ?? []) : [];
  return new Set([...own, ...(near?.isOwn === true ? [] : kindsAlone(delta, group))]);
}

/** The roles that a file that was flushed alone can have in a row set, as far as statistics show. */
function kindsAlone({ block, lastRow, fitsAs }: OpenDelta, group: RowSetGroup): readonly Kind[] {
  const { base, compactions, flushedUntil } = group;
  const { maxTimestamp, deleteCount } = block.deltas;
  if (sequenceOf(block, base.end) === "before" || lastRow >= base.rows) {
    return [];
  }
  const since = compactions.map((last) => sequenceOf(block, last));
  const slack = maxTimestamp >= FIRST_HYBRID ? CLOCK_SLACK : 0n;
  const isRedo = !since.includes("before") && maxTimestamp + slack >= flushedUntil;
  // A file from before a compaction can only still exist if it is the UNDO file of an earlier one, whose columns were compacted again.
  const isUndo = since.some((sequence) => sequence !== "after") && deleteCount === 0;
  return [...(isRedo ? ["redo" as const] : []), ...(isUndo ? ["undo" as const] : [])].filter((kind) =>
    fitsAs.has(kind),
  );
}

/** Whether the table has all columns that a file updates, or may have had them. */
export function hasColumnsOf({ deltas }: SurveyedDelta, table: KnownTable): boolean {
  return [...deltas.updateCounts.keys()].every((id) => {
    const column = table.schema.columns.find((one) => one.id === id);
    return column === undefined ? mayBeDropped(table, id) : !column.isKey;
  });
}

async function fitsColumns(
  { block, reader }: OpenDelta,
  group: RowSetGroup,
  kind: Kind,
  known: Map<string, boolean>,
): Promise<boolean> {
  if (group.places.length === 0) {
    return true;
  }
  for (const { table, alignment } of group.places) {
    const { columns } = table.schema;
    const updated = [...block.deltas.updateCounts.keys()];
    const isLost = updated.some((id) => kind === "undo" && alignment.includes(id) && !group.columns.has(id));
    const key = `${kind} ${table.id}`;
    const fits = known.get(key) ?? (await reader.verify({ kind, columns })).ok;
    known.set(key, fits);
    if (fits && !isLost && hasColumnsOf(block, table)) {
      return true;
    }
  }
  return false;
}
