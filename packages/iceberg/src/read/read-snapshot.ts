/** Reads the rows of a table at a snapshot. */
import { CFileError } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { batchFromValues, type TableBatch, takeTable } from "@cfile/encodings/batches";
import type { TableColumn } from "@cfile/format";
import { openParquet, type ParquetFile } from "@cfile/parquet";
import type { IcebergTable } from "../metadata/table-folders.js";
import { type Snapshot, schemaOf } from "../metadata/table-metadata.js";
import type { IcebergField } from "../schema/iceberg-schema.js";
import { tableColumn } from "../schema/table-columns.js";
import { DeletedRows, type RowDeletes } from "./deleted-rows.js";
import { fileColumns } from "./file-columns.js";
import { type SnapshotFile, snapshotFiles } from "./snapshot-files.js";

/** A data file of a snapshot. */
export interface IcebergRows {
  /** Its name in the folder `data`. */
  readonly name: string;
  /** The rows that are not deleted. */
  rows(signal?: AbortSignal): AsyncGenerator<TableBatch, void, void>;
}

/** A table at a snapshot. */
export interface SnapshotRows {
  readonly columns: readonly TableColumn[];
  /** The columns that identify a row; empty if the schema names none. */
  readonly keyNames: readonly string[];
  readonly files: readonly IcebergRows[];
}

/**
 * Reads what a snapshot consists of; rows are read on demand. Keys of equality deletes are kept in memory.
 *
 * @param snapshot default: the current one; without one, the table has no rows
 * @throws {CFileError} `E_UNSUPPORTED` for types that no column here has, and files that are not Parquet or not in the table's folder;
 *   `E_CORRUPT`
 */
export async function readSnapshot(
  table: IcebergTable,
  snapshot: Snapshot | undefined = table.metadata.current,
): Promise<SnapshotRows> {
  const { folders, metadata } = table;
  const { fields, "identifier-field-ids": keys = [] } = schemaOf(metadata, snapshot);
  const columns = fields.map(tableColumn);
  const open = async (name: string): Promise<ParquetFile> => {
    const source = await (folders.dataTree ?? folders.data).openSource(name);
    try {
      return await openParquet(source);
    } catch (error) {
      await source.close?.();
      throw error;
    }
  };
  const deleted = new DeletedRows(open);
  const files = snapshot === undefined ? [] : await snapshotFiles(table, snapshot);
  return {
    columns,
    keyNames: fields.filter(({ id }) => keys.includes(id)).map(({ name }) => name),
    files: files.map((file) => ({
      name: file.name,
      async *rows(signal) {
        const deletes = await deleted.of(file, signal);
        const opened = await open(file.name);
        try {
          yield* rowsOf({ file, opened, fields, columns, deletes }, signal);
        } finally {
          await opened.close();
        }
      },
    })),
  };
}

interface OpenedFile {
  readonly file: SnapshotFile;
  readonly opened: ParquetFile;
  readonly fields: readonly IcebergField[];
  readonly columns: readonly TableColumn[];
  readonly deletes: RowDeletes | undefined;
}

async function* rowsOf(
  { file, opened, fields, columns, deletes }: OpenedFile,
  signal: AbortSignal | undefined,
): AsyncGenerator<TableBatch, void, void> {
  const present = fileColumns(opened);
  for (const [i, { id }] of fields.entries()) {
    requireSameType(file.name, columns[i], present.get(id));
  }
  const ids = [...new Set([...fields.map(({ id }) => id), ...(deletes?.ids ?? [])])];
  const found = ids.filter((id) => present.has(id));
  const names = found.map((id) => present.get(id)?.name ?? "");
  for await (const batch of opened.scan({ columns: names, signal })) {
    const byId = new Map(found.map((id, i): [number, ColumnBatch | undefined] => [id, batch.columns[i]]));
    const known = new Map(
      [...byId].flatMap(([id, column]) => (column === undefined ? [] : [[id, column] as const])),
    );
    const rows: TableBatch = {
      ...batch,
      names: columns.map(({ name }) => name),
      columns: fields.map(({ id }, i) => known.get(id) ?? nulls(columns[i], batch.length)),
    };
    const live = deletes?.liveRows(batch, known);
    yield live === undefined || live.length === batch.length ? rows : takeTable(rows, live);
  }
}

/** Rows of a column that was added after its file was written. */
function nulls(column: TableColumn | undefined, length: number): ColumnBatch {
  const { type = "INT32", array = false } = column ?? {};
  return batchFromValues({ type, array, nullable: true }, new Array(length).fill(null));
}

const INTEGERS: readonly string[] = ["INT8", "INT16", "INT32", "INT64"];
const BYTES: readonly string[] = ["STRING", "VARCHAR", "BINARY"];

/** Integers and decimals may have become wider since, which does not change their values. */
function requireSameType(
  path: string,
  column: TableColumn | undefined,
  found: TableColumn | undefined,
): void {
  if (column === undefined || found === undefined) {
    return;
  }
  const kindOf = ({ type, scale = 0, array }: TableColumn): string => {
    const kind = [INTEGERS, BYTES].find((types) => types.includes(type))?.[0] ?? type;
    return `${kind.startsWith("DECIMAL") ? `decimal of scale ${scale}` : kind}${array ? " array" : ""}`;
  };
  if (kindOf(column) !== kindOf(found)) {
    const reason = `column ${JSON.stringify(column.name)} is ${kindOf(found)} in a data file, and ${kindOf(column)} in the table`;
    throw new CFileError("E_UNSUPPORTED", reason, { path, field: column.name });
  }
}
