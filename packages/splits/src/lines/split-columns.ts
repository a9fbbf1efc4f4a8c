/** Columns of a split. */
import { invalidArgument } from "@cfile/bytes";
import type { RowSetColumn } from "@cfile/rowset";

/** The column with a name. @throws {CFileError} `E_INVALID_ARGUMENT` for an unknown name */
export function columnNamed(schema: readonly RowSetColumn[], name: string | undefined): RowSetColumn {
  const found = schema.find((column) => column.name === name);
  if (found === undefined) {
    throw invalidArgument(`no column ${JSON.stringify(name)}`, { field: "columns" });
  }
  return found;
}
