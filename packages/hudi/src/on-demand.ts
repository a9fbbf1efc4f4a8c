/** Operations whose code is lazily loaded. */
import type { HudiTable } from "./table/hudi-table.js";
import type { HudiReport, HudiVerifyOptions } from "./verify/verify-table.js";

/**
 * Checks every block and page of all files, and that the files on storage are those that timeline and metadata table name. With
 * `deep`, also compares the rows with the record index and the column statistics.
 *
 * @throws {CFileError} `E_IO` when storage fails; the signal's reason; damage is in the report
 */
export async function verifyTable(table: HudiTable, options: HudiVerifyOptions = {}): Promise<HudiReport> {
  const { verifyTable: verify } = await import("./verify/verify-table.js");
  return verify(table, options);
}
