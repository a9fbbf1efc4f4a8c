/** Operations whose code is loaded when they are first called. */
import type { HudiTable } from "./table/hudi-table.js";
import type { HudiReport, HudiVerifyOptions } from "./verify/verify-table.js";

/**
 * Checks every block and page of all files, that storage has the files which timeline and metadata table name, and the reverse. With
 * `deep`, also compares the rows with the record index and the column statistics.
 *
 * @throws {CFileError} `E_IO` when storage fails; the signal's reason; damage is in the report
 */
export async function verifyTable(table: HudiTable, options: HudiVerifyOptions = {}): Promise<HudiReport> {
  const { verifyTable: verify } = await import("./verify/verify-table.js");
  return verify(table, options);
}
