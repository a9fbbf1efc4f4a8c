/** Begins to merge the files and unflushed cells of a region, without waiting if all blocks of a row are in memory. */
import { type CellBatch, lowerBound } from "@cfile/hfile";
import type { ReadOptions } from "@cfile/io";
import type { CellOutput } from "../cells/cell-output.js";
import { RegionMerge } from "../cells/region-merge.js";
import { type CellBlocks, StoreCursor } from "../cells/store-cursor.js";
import type { RowBounds } from "../files/reference.js";
import type { StoreFile } from "../files/store-file.js";
import { cachedMayHaveRow, mayHaveRow, meetsTime, rowsWithin } from "./file-choice.js";
import type { OpenFamily, OpenRegion } from "./open-region.js";
import { type CellPlan, isSingleRow, mergedFamilies, nextRow, type PlannedFamily } from "./scan-options.js";

/** A merge of the region's cells, and the cursors to close after it. */
export interface StartedMerge {
  readonly merge: RegionMerge;
  readonly cursors: readonly StoreCursor[];
}

/**
 * Begins to read rows of a region.
 * @throws {CFileError} for damage; `E_IO` from a source
 */
export async function startMerge(
  region: OpenRegion,
  plan: CellPlan,
  rows: RowBounds,
  limit: number,
  options: ReadOptions,
): Promise<StartedMerge> {
  const single = isSingleRow(rows.from, rows.to) ? rows.from : undefined;
  const cursors: StoreCursor[] = [];
  const opened = await Promise.all(plan.families.map(({ descriptor }) => region.family(descriptor.name)));
  for (const [rank, family] of plan.families.entries()) {
    const { files, unflushed } = opened[rank] as OpenFamily;
    for (const [age, file] of files.entries()) {
      const part = meetsTime(file, plan, family) ? rowsWithin(file, rows) : undefined;
      const isRead =
        part !== undefined &&
        (single === undefined || (await mayHaveRow(file, single, family.qualifiers, options)));
      if (isRead) {
        const blocks = file.hfile.scan({ ...part, signal: options.signal, cache: single !== undefined });
        cursors.push(cursorOf(blocks, family, rank, age, file));
      }
    }
    const batch = unflushed && rowsOfBatch(unflushed, rows);
    if (batch !== undefined) {
      cursors.push(cursorOf([batch].values(), family, rank, files.length, region));
    }
  }
  const merge = new RegionMerge(cursors, mergedFamilies(plan), limit);
  await merge.start();
  return { merge, cursors };
}

/**
 * The cells of a row.
 * @returns `undefined` if a file is not open yet, or a block is not in memory
 * @throws {CFileError} for damage
 */
export function cachedCells(region: OpenRegion, plan: CellPlan, row: Uint8Array): CellOutput | undefined {
  const rows = { from: row, to: nextRow(row) };
  const cursors: StoreCursor[] = [];
  const begun: boolean[] = [];
  for (const [rank, family] of plan.families.entries()) {
    const opened = region.openedFamily(family.descriptor.name);
    if (opened === undefined) {
      return undefined;
    }
    const add = (batch: CellBatch, age: number, origin: StoreFile | OpenRegion): void => {
      const cursor = cursorOf(NO_BLOCKS, family, rank, age, origin);
      begun.push(cursor.begin(batch));
      cursors.push(cursor);
    };
    const { files, unflushed } = opened;
    for (let age = 0; age < files.length; age++) {
      const file = files[age] as StoreFile;
      const isRead =
        meetsTime(file, plan, family) &&
        rowsWithin(file, rows) !== undefined &&
        cachedMayHaveRow(file, row, family.qualifiers) !== false;
      if (!isRead) {
        continue;
      }
      const batch = file.hfile.cachedRow?.(row);
      if (batch === undefined) {
        return undefined;
      }
      if (batch !== "absent") {
        add(batch, age, file);
      }
    }
    const batch = unflushed && rowsOfBatch(unflushed, rows);
    if (batch !== undefined) {
      add(batch, files.length, region);
    }
  }
  const merge = new RegionMerge(cursors, mergedFamilies(plan), 1);
  merge.begin(begun);
  return merge.all();
}

const NO_BLOCKS: CellBlocks = /* @__PURE__ */ [].values();

function cursorOf(
  blocks: CellBlocks,
  { nameBytes: familyBytes }: PlannedFamily,
  family: number,
  age: number,
  origin: StoreFile | OpenRegion,
): StoreCursor {
  const isFile = "hfile" in origin;
  const sequenceId = isFile ? origin.cellSequenceId : undefined;
  const path = isFile ? origin.hfile.source.name : `write-ahead log of region ${origin.info.encodedName}`;
  return new StoreCursor(blocks, { family, familyBytes, age, sequenceId, path });
}

/** The cells of given rows; `undefined` without any. */
function rowsOfBatch(batch: CellBatch, { from, to }: RowBounds): CellBatch | undefined {
  const start = from === undefined ? 0 : lowerBound(batch, from);
  const end = to === undefined ? batch.length : lowerBound(batch, to);
  return start < end ? batch.slice(start, end) : undefined;
}
