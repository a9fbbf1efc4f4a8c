/** Columns of a schema by their names. */
import { unknownColumn } from "@cfile/encodings/conditions";
import type { RowSetColumn, RowSetSchema } from "./schema.js";

/**
 * The columns of these names; all columns without names.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` when there is no such column
 */
export function columnsNamed(
  { columns }: RowSetSchema,
  names: readonly string[] | undefined,
): readonly RowSetColumn[] {
  return (
    names?.map((name, i) => {
      const column = columns.find((candidate) => candidate.name === name);
      if (column === undefined) {
        throw unknownColumn(name, columns, `columns[${i}]`);
      }
      return column;
    }) ?? columns
  );
}
