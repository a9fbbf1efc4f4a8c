/**
 * The kind of change that an entry makes to its row (docs/spec/deltafile.md#4-rowchangelist): the first byte of its RowChangeList.
 *
 * | byte | type | content |
 * | --- | --- | --- |
 * | 1 | UPDATE | one or more column mutations |
 * | 2 | DELETE | nothing |
 * | 3 | REINSERT | column mutations; none if the table has only key columns |
 */
import { corrupt } from "@cfile/bytes";

/** Changes some of the row's cells. */
export const UPDATE = 1;
/** Deletes the row. */
export const DELETE = 2;
/** Inserts a deleted row again, with the given cells. */
export const REINSERT = 3;

/** The kind of change that an entry makes to its row: `UPDATE`, `DELETE` or `REINSERT`. */
export type ChangeType = typeof UPDATE | typeof DELETE | typeof REINSERT;

/** The name of a change type. */
export type ChangeTypeName = "UPDATE" | "DELETE" | "REINSERT";

/** The type's name; `undefined` for other numbers. */
export function changeTypeName(type: number): ChangeTypeName | undefined {
  return type === UPDATE ? "UPDATE" : type === DELETE ? "DELETE" : type === REINSERT ? "REINSERT" : undefined;
}

/**
 * Checks a type and the number of bytes that follow it.
 *
 * @param offset position of the type, for the error
 * @throws {CFileError} `E_CORRUPT`: unknown type, a DELETE with mutations, an UPDATE without any
 */
export function checkChangeType(type: number, length: number, offset?: number): ChangeType {
  if (type !== UPDATE && type !== DELETE && type !== REINSERT) {
    throw corrupt(`unknown change type: ${type}`, { offset, field: "change type", actual: type });
  }
  const details = { offset, field: "change list", actual: length };
  if (type === DELETE && length > 0) {
    throw corrupt(`DELETE with ${length} bytes of mutations`, details);
  }
  if (type === UPDATE && length === 0) {
    throw corrupt("UPDATE without mutations", details);
  }
  return type;
}

/** The type of change that undoes another, given the row's previous values. */
export function inverseType(type: ChangeType): ChangeType {
  return type === UPDATE ? UPDATE : type === DELETE ? REINSERT : DELETE;
}

/**
 * Checks that the entries of a row, in the order of the file, form a chain: only live rows are updated or deleted, only
 * deleted rows are reinserted. Whether a row is live at first is unknown.
 */
export class RowChain {
  private row = -1;
  private state: "unknown" | "live" | "deleted" = "unknown";

  /** Checks the next entry; returns its problem, or `undefined` if it is valid. */
  next(row: number, type: number): string | undefined {
    const state = row === this.row ? this.state : "unknown";
    this.row = row;
    this.state = type === DELETE ? "deleted" : "live";
    if (type === REINSERT) {
      return state === "live" ? "REINSERT of a live row" : undefined;
    }
    return state === "deleted" ? `${type === DELETE ? "DELETE" : "UPDATE"} of a deleted row` : undefined;
  }
}
