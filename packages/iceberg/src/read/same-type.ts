/** Whether the cells of two columns can be compared. */
import { CFileError } from "@cfile/bytes";
import type { TableColumn } from "@cfile/format";

const INTEGERS: readonly string[] = ["INT8", "INT16", "INT32", "INT64"];
const BYTES: readonly string[] = ["STRING", "VARCHAR", "BINARY"];

/**
 * Integers and decimals may have become wider since the file was written, which does not change their values.
 *
 * @param path of the file with the column `found`
 * @throws {CFileError} `E_UNSUPPORTED` for another type
 */
export function requireSameType(path: string, column: TableColumn, found: TableColumn | undefined): void {
  if (found !== undefined && kindOf(column) !== kindOf(found)) {
    const reason = `column ${JSON.stringify(column.name)} is ${kindOf(found)} in a data file, and ${kindOf(column)} in the table`;
    throw new CFileError("E_UNSUPPORTED", reason, { path, field: column.name });
  }
}

function kindOf({ type, scale = 0, array }: TableColumn): string {
  const kind = [INTEGERS, BYTES].find((types) => types.includes(type))?.[0] ?? type;
  return `${kind.startsWith("DECIMAL") ? `decimal of scale ${scale}` : kind}${array ? " array" : ""}`;
}
