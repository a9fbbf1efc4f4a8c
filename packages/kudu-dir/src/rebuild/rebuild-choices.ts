/** Choices of the user for files that fit several owners. */
import { invalidArgument } from "@cfile/bytes";
import type { DeltaKind } from "@cfile/deltafile";
import type { RowSetGroup } from "./row-set-group.js";
import type { SurveyedBlock } from "./survey-blocks.js";

/** The owner of a block. */
export interface ChosenOwner {
  /** The ID of a row set. */
  readonly rowSet: bigint;
  /** The ID of the column, for a column file. Default: the only one that it fits. */
  readonly column?: number | undefined;
  /** Kind of a delta file. Default: `redo`. */
  readonly kind?: DeltaKind | undefined;
}

/** Choices of the user for files that fit several owners. */
export interface RebuildChoices {
  /** Tablet IDs, by the ID of a row set. */
  readonly tablets?: ReadonlyMap<bigint, string> | undefined;
  /** Owners of delta files and of columns that a compaction made, by the ID of the block; `undefined` for a file to leave out. */
  readonly blocks?: ReadonlyMap<bigint, ChosenOwner | undefined> | undefined;
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` for a row set that does not exist */
export function chosenGroup(
  { id }: SurveyedBlock,
  groups: readonly RowSetGroup[],
  { blocks }: RebuildChoices,
): RowSetGroup | undefined {
  const chosen = blocks?.get(id)?.rowSet;
  const group = groups.find((one) => one.id === chosen);
  if (chosen !== undefined && group === undefined) {
    throw invalidArgument(`no row set ${chosen} for block ${id}`, { field: "choices" });
  }
  return group;
}
