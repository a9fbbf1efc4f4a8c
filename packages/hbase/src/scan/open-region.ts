/** The open store files of a region and its unflushed cells, merged by scans and gets. */
import { type CellBatch, lowerBound } from "@cfile/hfile";
import type { ReadOptions } from "@cfile/io";
import { RegionMerge } from "../cells/region-merge.js";
import { type CellBlocks, StoreCursor } from "../cells/store-cursor.js";
import type { RowBounds } from "../files/reference.js";
import type { StoreFile } from "../files/store-file.js";
import type { RegionInfo } from "../root/region-info.js";
import { mayHaveRow, meetsTime, rowsWithin } from "./file-choice.js";
import { type CellPlan, isSingleRow, mergedFamilies, type PlannedFamily } from "./scan-options.js";

/** A family's part of an open region. */
export interface OpenFamily {
  /** Older first. */
  readonly files: readonly StoreFile[];
  /** Cells of the write-ahead log that no file has, in order. */
  readonly unflushed: CellBatch | undefined;
}

/** A region whose files are open. */
export interface OpenRegion {
  readonly info: RegionInfo;
  readonly families: ReadonlyMap<string, OpenFamily>;
}

/** Closes all files of a region. */
export async function closeRegion({ families }: OpenRegion): Promise<void> {
  const files = [...families.values()].flatMap((family) => family.files);
  await Promise.all(files.map(({ hfile }) => hfile.close()));
}

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
  for (const [rank, family] of plan.families.entries()) {
    const { files, unflushed } = region.families.get(family.descriptor.name) ?? NO_FAMILY;
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
      const path = `write-ahead log of region ${region.info.encodedName}`;
      const facts = {
        family: rank,
        familyBytes: family.nameBytes,
        age: files.length,
        sequenceId: undefined,
        path,
      };
      cursors.push(new StoreCursor([batch].values(), facts));
    }
  }
  const merge = new RegionMerge(cursors, mergedFamilies(plan), limit);
  await merge.start();
  return { merge, cursors };
}

const NO_FAMILY: OpenFamily = { files: [], unflushed: undefined };

function cursorOf(
  blocks: CellBlocks,
  { nameBytes: familyBytes }: PlannedFamily,
  family: number,
  age: number,
  { cellSequenceId: sequenceId, hfile }: StoreFile,
): StoreCursor {
  return new StoreCursor(blocks, { family, familyBytes, age, sequenceId, path: hfile.source.name });
}

/** The cells of given rows; `undefined` without any. */
function rowsOfBatch(batch: CellBatch, { from, to }: RowBounds): CellBatch | undefined {
  const start = from === undefined ? 0 : lowerBound(batch, from);
  const end = to === undefined ? batch.length : lowerBound(batch, to);
  return start < end ? batch.slice(start, end) : undefined;
}
