/** Columns of a split. */
import { unknownColumn } from "@cfile/encodings/conditions";
import type { RowSetColumn } from "@cfile/rowset";

/** The column with a name. @throws {CFileError} `E_INVALID_ARGUMENT` for an unknown name */
export function columnNamed(schema: readonly RowSetColumn[], name: string | undefined): RowSetColumn {
  const found = schema.find((column) => column.name === name);
  if (found === undefined) {
    throw unknownColumn(name, schema, "columns");
  }
  return found;
}
