/** One part of an export: some rows of a tablet, as a file of their own. */

import { MemoryArena } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { KuduDir, KuduTablet } from "@cfile/kudu-dir";
import type { RowSetAccount } from "@cfile/kudu-dir/recover";
import { writeTable } from "../../convert/write-table.js";
import type { CliContext } from "../../program/context.js";
import { type ExportSettings, type ExportUnit, exportedTable, isDamage } from "./export-settings.js";

export interface UnitReport {
  /** Rows written; `undefined` when the tablet is damaged and nothing was written. */
  readonly rows: number | undefined;
  /** Of damaged row sets, when what is left was asked for. */
  readonly accounts: readonly RowSetAccount[];
}

/**
 * Writes a part.
 *
 * @param salvage whether what is left of a damaged tablet is written, the whole of it
 * @param onRows called with the number of rows that were read, again and again
 */
export async function writeUnit(
  context: CliContext,
  dir: KuduDir,
  settings: ExportSettings,
  unit: ExportUnit,
  path: string,
  salvage: boolean,
  onRows: (rows: number) => void,
): Promise<UnitReport> {
  const { tablets, columns, optionsOf } = await exportedTable(dir, settings);
  const tablet = tablets.find(({ id }) => id === unit.tablet);
  const accounts: RowSetAccount[] = [];
  let rows = 0;
  async function* counted(): AsyncGenerator<TableBatch, void, void> {
    for await (const batch of tablet === undefined ? [] : batchesOf(tablet)) {
      context.io.signal?.throwIfAborted();
      rows += batch.length;
      onRows(rows);
      yield batch;
    }
  }
  function batchesOf(source: KuduTablet): AsyncGenerator<TableBatch, void, void> {
    const options = { ...optionsOf(source), signal: context.io.signal };
    const keys = { from: unit.from, to: unit.to };
    // Writers take what they need of a batch before they ask for the next one; Arrow's keep it.
    const isCopied = settings.form === "parquet" || settings.form === "csv";
    const arena = isCopied ? new MemoryArena() : undefined;
    return salvage
      ? source.salvage(options, (account) => accounts.push(account))
      : source.scan({ ...options, keys, arena });
  }
  try {
    await writeTable(
      path,
      { columns, rows: counted() },
      {
        form: settings.form,
        keyNames: columns.filter(({ isKey }) => isKey).map(({ name }) => name),
      },
    );
    return { rows, accounts };
  } catch (error) {
    if (salvage || !isDamage(error)) {
      throw error;
    }
    return { rows: undefined, accounts: [] };
  }
}
