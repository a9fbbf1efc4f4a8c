/** Small tables, in memory or on disk, and the expected rows of their files. */
import type { CellValue } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { type ByteDirectory, MemoryDirectory } from "@cfile/io";
import {
  commitSnapshot,
  createIcebergTable,
  type IcebergFile,
  type IcebergTable,
  icebergSchema,
  type SourceColumn,
  type TableFolders,
  writeIcebergFile,
} from "../src/index.js";

const COLUMNS: readonly SourceColumn[] = [
  { id: 10, name: "id", type: "INT64", nullable: false, array: false, isKey: true },
  { id: 11, name: "word", type: "STRING", nullable: true, array: false, isKey: false, comment: "a word" },
];
export const SCHEMA = icebergSchema(COLUMNS);

export type Row = readonly [bigint, string | null];

export function memoryFolders(
  data = new MemoryDirectory("data"),
  metadata = new MemoryDirectory("metadata"),
  location = "/warehouse/t",
): TableFolders & { readonly data: MemoryDirectory; readonly metadata: MemoryDirectory } {
  return { data, metadata, location };
}

async function writeRows(data: ByteDirectory, name: string, rows: readonly Row[]): Promise<IcebergFile> {
  return writeFile(data, name, COLUMNS, rows, false);
}

/** A delete file. */
async function writeKeys(data: ByteDirectory, name: string, keys: readonly bigint[]): Promise<IcebergFile> {
  return writeFile(
    data,
    name,
    COLUMNS.slice(0, 1),
    keys.map((key) => [key]),
    true,
  );
}

async function writeFile(
  data: ByteDirectory,
  name: string,
  columns: readonly SourceColumn[],
  rows: readonly (readonly CellValue[])[],
  isDelete: boolean,
): Promise<IcebergFile> {
  async function* batches() {
    yield {
      length: rows.length,
      firstRow: 0,
      names: columns.map((column) => column.name),
      columns: columns.map((column, i) =>
        batchFromValues(
          column,
          rows.map((row) => row[i] ?? null),
        ),
      ),
    };
  }
  const sink = await data.createSink(name);
  return writeIcebergFile(
    sink,
    name,
    { columns, rows: batches() },
    { schema: SCHEMA, sortedBy: ["id"], isDelete },
  );
}

export const FIRST: readonly Row[] = [
  [1n, "one"],
  [2n, "two"],
  [3n, null],
];
/** The rows after both snapshots. */
export const SECOND: readonly Row[] = [
  [1n, "one"],
  [2n, "zwei"],
  [4n, "four"],
];

export async function firstSnapshot(folders: TableFolders): Promise<IcebergTable> {
  const file = await writeRows(folders.data, "first.parquet", FIRST);
  const properties = { "cfile.table": "t" };
  return createIcebergTable(folders, { schema: SCHEMA, sortedBy: [10], properties }, { dataFiles: [file] });
}

/** Changes row 2, deletes row 3, and inserts row 4. */
export async function secondSnapshot(table: IcebergTable): Promise<IcebergTable> {
  const { data } = table.folders;
  const dataFiles = [await writeRows(data, "second.parquet", SECOND.slice(1))];
  const deleteFiles = [await writeKeys(data, "deletes.parquet", [2n, 3n, 4n])];
  return commitSnapshot(table, { dataFiles, deleteFiles });
}
