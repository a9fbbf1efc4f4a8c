/** All readers whose tolerance of damage is tested. For whole directories of Kudu servers, see `directories`. */
import { compareFiles } from "./compare-commands.js";
import type { ToleranceCase } from "./compare-readers.js";
import { compareTables } from "./compare-tables.js";
import { FILE_READERS } from "./file-readers.js";
import { KUDU_READERS } from "./kudu-readers.js";
import { SPLIT_READERS } from "./split-readers.js";
import { TABLE_READERS } from "./table-readers.js";
import type { TolerantReader } from "./tolerant-reader.js";

export const READERS: readonly TolerantReader[] = [
  ...FILE_READERS,
  ...TABLE_READERS,
  ...KUDU_READERS,
  ...SPLIT_READERS,
];

/** Differences between the library and the commands. */
export async function compareCommands(each: ToleranceCase): Promise<readonly string[]> {
  return [...(await compareFiles(each)), ...(await compareTables(each))];
}
