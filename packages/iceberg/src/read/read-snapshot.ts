/** Reads the rows of a table at a snapshot. */
import { CFileError, corrupt } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { batchFromValues, type TableBatch, takeTable } from "@cfile/encodings/batches";
import type { TableColumn } from "@cfile/format";
import { openParquet, type ParquetFile } from "@cfile/parquet";
import type { IcebergTable } from "../metadata/table-folders.js";
import { identityColumns, type Snapshot, schemaOf } from "../metadata/table-metadata.js";
import { tableColumn } from "../schema/table-columns.js";
import { DeletedRows, type RowDeletes } from "./deleted-rows.js";
import { fileColumns } from "./file-columns.js";
import { promoted, requireComparable, requirePromotable } from "./promoted-types.js";
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

/** A column of the table. */
interface Field {
  readonly id: number;
  readonly column: TableColumn;
}

/**
 * Reads the list of a snapshot's files; rows are read on demand. Keys of equality deletes are kept in memory.
 *
 * @param snapshot default: the current one; without one, the table has no rows
 * @throws {CFileError} `E_UNSUPPORTED` for types without an equivalent, and files that are not Parquet or not in the table's folder;
 *   `E_CORRUPT`
 */
export async function readSnapshot(
  table: IcebergTable,
  snapshot: Snapshot | undefined = table.metadata.current,
): Promise<SnapshotRows> {
  const { folders, metadata } = table;
  const { fields: schema, "identifier-field-ids": keys = [] } = schemaOf(metadata, snapshot);
  const fields = schema.map((field): Field => ({ id: field.id, column: tableColumn(field) }));
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
    columns: fields.map(({ column }) => column),
    keyNames: schema.filter(({ id }) => keys.includes(id)).map(({ name }) => name),
    files: files.map((file) => ({
      name: file.name,
      async *rows(signal) {
        const deletes = await deleted.of(file, signal);
        const opened = await open(file.name);
        try {
          const names = fileColumns(opened);
          for (const { id, column } of fields) {
            if (!names.has(id)) {
              requireNulls(file, id, column, identityColumns(metadata, file.specId));
            }
          }
          yield* rowsOf({ file, opened, names, fields, deletes }, signal);
        } finally {
          await opened.close();
        }
      },
    })),
  };
}

/**
 * Requires that a column which a file lacks is nullable: it was added after the file was written. Identity partition columns have values,
 * but outside the file.
 */
function requireNulls(
  { name: path }: SnapshotFile,
  id: number,
  { name, nullable }: TableColumn,
  identities: readonly number[],
): void {
  if (identities.includes(id)) {
    const reason = `column ${JSON.stringify(name)} is missing: its value is only in the partition of the file`;
    throw new CFileError("E_UNSUPPORTED", reason, { path, field: name });
  }
  if (!nullable) {
    throw corrupt(`a data file lacks column ${id}, which is required`, { path, field: name });
  }
}

interface OpenedFile {
  readonly file: SnapshotFile;
  readonly opened: ParquetFile;
  /** Names of its columns, by ID. */
  readonly names: ReadonlyMap<number, string>;
  readonly fields: readonly Field[];
  readonly deletes: RowDeletes | undefined;
}

async function* rowsOf(
  { file, opened, names, fields, deletes }: OpenedFile,
  signal: AbortSignal | undefined,
): AsyncGenerator<TableBatch, void, void> {
  const found = new Map(opened.columns.map((column) => [column.name, column]));
  const present = new Map<number, string>();
  const need = (
    { id, column }: Field,
    requireType: (path: string, column: TableColumn, found: TableColumn) => void,
  ): void => {
    const name = names.get(id);
    const own = found.get(name ?? "");
    if (own !== undefined) {
      requireType(file.name, column, own);
    }
    if (name !== undefined) {
      present.set(id, name);
    }
  };
  for (const field of fields) {
    need(field, requirePromotable);
  }
  for (const key of deletes?.keys ?? []) {
    need(key, requireComparable);
  }
  if (names.size === 0) {
    const reason = "the columns of a data file have no field IDs; a mapping of their names is not supported";
    throw new CFileError("E_UNSUPPORTED", reason, { path: file.name, field: "field_id" });
  }
  const ids = [...present.keys()];
  for await (const batch of opened.scan({ columns: [...present.values()], signal })) {
    const known = new Map(batch.columns.map((column, i) => [ids[i], column]));
    const rows: TableBatch = {
      ...batch,
      names: fields.map(({ column }) => column.name),
      columns: fields.map(({ id, column }) => {
        const cells = known.get(id);
        return cells === undefined ? nulls(column, batch.length) : promoted(cells, column);
      }),
    };
    const live = deletes?.liveRows(batch, known);
    yield live === undefined || live.length === batch.length ? rows : takeTable(rows, live);
  }
}

/** Rows of a column that was added after its file was written. */
function nulls({ type, array }: TableColumn, length: number): ColumnBatch {
  return batchFromValues({ type, array, nullable: true }, new Array(length).fill(null));
}
