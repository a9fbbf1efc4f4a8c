/** Writes a table as a new Iceberg table with one data file. */
import { join, resolve } from "node:path";
import type { TableRows } from "@cfile/format";
import { createIcebergTable, icebergSchema, writeIcebergFile } from "@cfile/iceberg";
import type { WrittenCodec } from "@cfile/parquet/write";
import { icebergColumns } from "../export/iceberg-columns.js";
import { icebergFolders, requireOwnFolder } from "../kudu/export/iceberg-target.js";
import { packageVersion } from "../program/package-version.js";
import { inNewFolder } from "./write-table.js";

const DATA_FILE = "rows.parquet";

export interface IcebergSettings {
  /** Columns that identify a row. */
  readonly keyNames: readonly string[] | undefined;
  /** Columns by which the rows are sorted, if known. */
  readonly sortedBy: readonly string[] | undefined;
  /** Default: Zstandard. */
  readonly codec?: WrittenCodec | undefined;
  /** Recorded in the table. */
  readonly sources: readonly string[];
}

/**
 * The columns of a table store keep their IDs; others are numbered.
 *
 * @throws {CFileError} before anything is written: `E_UNSUPPORTED` for columns that Iceberg cannot represent, `E_IO` for a folder that
 *   contains a table or other files
 */
export async function writeIcebergTable(
  target: string,
  { columns, rows }: TableRows,
  { keyNames = [], sortedBy = [], codec, sources }: IcebergSettings,
): Promise<{ readonly bytes: number }> {
  const own = columns.map((column, i) => {
    const id = "id" in column && typeof column.id === "number" ? column.id : i + 1;
    return { ...column, id, isKey: keyNames.includes(column.name) };
  });
  const schema = icebergSchema(
    icebergColumns(
      own,
      columns.map(({ name }) => name),
    ),
  );
  await requireOwnFolder(target, true);
  return inNewFolder(target, async () => {
    const folders = await icebergFolders(target, undefined, true);
    const table = { columns, rows };
    const file = await writeIcebergFile(join(target, "data", DATA_FILE), DATA_FILE, table, {
      schema,
      sortedBy,
      parquet: { codec },
    });
    const ids = sortedBy.flatMap((name) => own.find((column) => column.name === name)?.id ?? []);
    const properties = {
      "cfile.source": sources.map((source) => resolve(source)).join(" "),
      "cfile.version": packageVersion(),
    };
    await createIcebergTable(folders, { schema, sortedBy: ids, properties }, { dataFiles: [file] });
    return { bytes: file.bytes };
  });
}
