/**
 * Finds the columns of row sets that were written at the same time, so that their blocks are interleaved. Types and order alone are
 * rarely enough: a row set gets its columns only if there is a single way to choose them, and no column is left over.
 */

import { compactedColumns } from "../deltas/run-deltas.js";
import { type MatchContext, matchCompacted, type UnmatchedColumns } from "../match-compacted.js";
import type { RowSetGroup, TablePlace } from "../row-set-group.js";
import type { SurveyedBlock } from "../survey-blocks.js";
import { fits } from "./align-columns.js";
import { type BlockOrder, sequenceOf } from "./block-order.js";

/**
 * Assigns columns that compactions made to row sets, and finds the interleaved row sets whose columns are certain.
 *
 * @throws {CFileError} as {@link matchCompacted}
 */
export async function matchColumns(
  groups: readonly RowSetGroup[],
  order: BlockOrder,
  context: MatchContext,
): Promise<readonly UnmatchedColumns[]> {
  const own = separated(groups, order, context.isPartial);
  for (;;) {
    for (const [group, blocks] of own) {
      group.isUnclear = false;
      for (const block of blocks) {
        order.claim(block, group.id);
      }
    }
    const left = await matchCompacted(await compactedColumns(order), groups, order, context);
    const candidates = new Set(left.flatMap((one) => one.candidates));
    const doubtful = [...own].filter(([group]) => candidates.has(group));
    if (doubtful.length === 0) {
      return left;
    }
    for (const [group, blocks] of doubtful) {
      group.isUnclear = true;
      for (const block of blocks) {
        order.release(block);
      }
      own.delete(group);
    }
  }
}

/** The columns of interleaved row sets that can only be chosen in one way. Removes the choices that other row sets exclude. */
function separated(
  groups: readonly RowSetGroup[],
  order: BlockOrder,
  isPartial: boolean,
): Map<RowSetGroup, readonly SurveyedBlock[]> {
  const mixed = groups.filter(({ base }) => base.isMixed);
  for (const group of isPartial ? [] : mixed) {
    narrow(group, (place) => areReplaced(place, group, order));
  }
  let owners = ownersOf(mixed);
  for (let isNarrower = true; isNarrower; owners = ownersOf(mixed)) {
    isNarrower = mixed
      .filter(({ shape }) => shape === undefined)
      .map((group) => narrow(group, (place) => columnsIn(group, place).every((block) => !owners.has(block))))
      .includes(true);
  }
  const found = new Map<RowSetGroup, readonly SurveyedBlock[]>();
  for (const group of mixed) {
    const columns = columnsIn(group, group.shape);
    if (group.shape !== undefined && columns.every((block) => owners.get(block)?.length === 1)) {
      found.set(group, columns);
    }
  }
  return found;
}

/** Removes candidates that do not satisfy a condition, unless that removes all. Returns whether any was removed. */
function narrow(group: RowSetGroup, isPossible: (place: TablePlace) => boolean): boolean {
  const left = group.places.filter(isPossible);
  const isNarrower = left.length > 0 && left.length < group.places.length;
  group.places = isNarrower ? left : group.places;
  return isNarrower;
}

/** Whether each column whose file is gone may have been replaced: a compaction later made a file that fits. */
function areReplaced({ table, alignment }: TablePlace, { base }: RowSetGroup, order: BlockOrder): boolean {
  const later = order
    .free("column")
    .filter((block) => block.rows === base.rows && sequenceOf(block, base.end) !== "before");
  return alignment.every((id, i) => {
    const column = table.schema.columns.find((one) => one.id === id);
    return column === undefined || base.slots[i] !== undefined || later.some((block) => fits(block, column));
  });
}

/** For each block, the row sets that can only be made with it. */
function ownersOf(mixed: readonly RowSetGroup[]): ReadonlyMap<SurveyedBlock, readonly RowSetGroup[]> {
  const owners = new Map<SurveyedBlock, RowSetGroup[]>();
  for (const group of mixed) {
    for (const block of columnsIn(group, group.shape)) {
      owners.set(block, [...(owners.get(block) ?? []), group]);
    }
  }
  return owners;
}

/** The blocks that are columns if `place` is right, except key columns, which are verified. */
function columnsIn({ base }: RowSetGroup, place: TablePlace | undefined): readonly SurveyedBlock[] {
  return base.slots.flatMap((block, i) =>
    block !== undefined && place?.alignment[i] !== undefined && !base.keyColumns.includes(block)
      ? [block]
      : [],
  );
}
