/**
 * What an entry does to its row (docs/spec/deltafile.md#4-rowchangelist): the first byte of its RowChangeList.
 *
 * | byte | type | what follows |
 * | --- | --- | --- |
 * | 1 | UPDATE | one or more column mutations |
 * | 2 | DELETE | nothing |
 * | 3 | REINSERT | column mutations, of a table that is nothing but its key none |
 */
import { corrupt } from "@cfile/bytes";

/** Some of the row's cells are changed. */
export const UPDATE = 1;
/** The row is deleted. */
export const DELETE = 2;
/** The row, deleted before, is there again, with the cells given. */
export const REINSERT = 3;

/** What an entry does to its row, as its first byte says: `UPDATE`, `DELETE` or `REINSERT`. */
export type ChangeType = typeof UPDATE | typeof DELETE | typeof REINSERT;

/** The name of a change type, for people. */
export type ChangeTypeName = "UPDATE" | "DELETE" | "REINSERT";

/** The type's name; `undefined` for numbers that are no type. */
export function changeTypeName(type: number): ChangeTypeName | undefined {
  return type === UPDATE ? "UPDATE" : type === DELETE ? "DELETE" : type === REINSERT ? "REINSERT" : undefined;
}

/**
 * Checks a type against the number of bytes that follow it.
 *
 * @param offset where the type stands, for the error
 * @throws CFileError `E_CORRUPT`: no type, a DELETE with something after it, an UPDATE without anything
 */
export function checkChangeType(type: number, length: number, offset?: number): ChangeType {
  if (type !== UPDATE && type !== DELETE && type !== REINSERT) {
    throw corrupt(`${type} is no type of change`, { offset, field: "change type", actual: type });
  }
  if (type === DELETE && length > 0) {
    throw corrupt(`a DELETE is followed by ${length} bytes`, {
      offset,
      field: "change list",
      actual: length,
    });
  }
  if (type === UPDATE && length === 0) {
    throw corrupt("an UPDATE of no column", { offset, field: "change list", actual: 0 });
  }
  return type;
}

/** What undoes a change: to it belong the values that the row had before. */
export function inverseType(type: ChangeType): ChangeType {
  return type === UPDATE ? UPDATE : type === DELETE ? REINSERT : DELETE;
}
