/** Writes a part of an export: the rows of a split as a file. */
import { isDamage } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { TabletSplit } from "@cfile/splits";
import { writeSplit } from "@cfile/splits/run";
import { observed } from "../../convert/observed.js";
import type { TableForm } from "../../convert/table-form.js";
import { writeTable } from "../../convert/write-table.js";
import type { CliContext } from "../../program/context.js";
import { accountJson } from "../../splits/account-json.js";
import type { WritesValues } from "../cluster/cluster-directories.js";
import type { KuduTables, ServerValues } from "../kudu-directory.js";
import type { PartReport } from "./export-parts.js";

/** Settings of all parts: plain data that can be sent to workers. */
export interface PartSettings extends ServerValues, WritesValues {
  readonly form: TableForm;
}

export interface PartTask {
  readonly split: TabletSplit;
  readonly path: string;
  /** Whether to recover a damaged tablet. */
  readonly recover: boolean;
}

/**
 * Writes a part.
 *
 * @param onRows takes the number of rows read so far
 * @returns `undefined` when the tablet is damaged and nothing was written
 */
export async function writePart(
  { sources, io }: CliContext,
  dir: KuduTables,
  { form }: PartSettings,
  { split, path, recover }: PartTask,
  onRows: (rows: number) => void,
): Promise<PartReport | undefined> {
  // The writers of Parquet and CSV are done with a batch before they ask for the next one; others keep it.
  const keepBatches = form !== "parquet" && form !== "csv";
  const open = (location: string) => sources.openAnew(location);
  let rows = 0;
  const count = ({ length }: TableBatch): void => {
    io.signal?.throwIfAborted();
    rows += length;
    onRows(rows);
  };
  const keyNames = split.schema.filter(({ isKey }) => isKey).map(({ name }) => name);
  try {
    const options = { open, dir, recover, keepBatches, signal: io.signal };
    const { recovered } = await writeSplit(split, options, (table) => {
      rows = 0;
      return writeTable(path, { ...table, rows: observed(table.rows, count) }, { form, keyNames });
    });
    const accounts = recovered.flatMap((one) => (one.kind === "row set" ? [accountJson(one.account)] : []));
    return { rows, accounts };
  } catch (error) {
    if (recover || !isDamage(error)) {
      throw error;
    }
    return undefined;
  }
}
