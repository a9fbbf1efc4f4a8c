/** A small Iceberg table in memory, with two commits, and all of its rows. */
import { batchFromValues } from "@cfile/encodings/batches";
import {
  commitSnapshot,
  createIcebergTable,
  type IcebergFile,
  icebergSchema,
  openIcebergTable,
  readSnapshot,
  type SourceColumn,
  type TableFolders,
  writeIcebergFile,
} from "@cfile/iceberg";
import { MemoryDirectory } from "@cfile/io";
import type { Subject } from "../harness.js";
import type { Rows } from "./tolerant-reader.js";

const COLUMNS: readonly SourceColumn[] = [
  { id: 1, name: "id", type: "INT64", nullable: false, array: false, isKey: true },
  { id: 2, name: "word", type: "STRING", nullable: true, array: false, isKey: false },
];
const SCHEMA = icebergSchema(COLUMNS);
const LOCATION = "/warehouse/t";
const FILE_ROWS = 20;

type Files = ReadonlyMap<string, Uint8Array>;

/** The files that the newest metadata needs. Older metadata does not affect the current rows. */
export async function filesOfIceberg(): Promise<(Subject & { readonly files: Files })[]> {
  const [data, metadata] = [new MemoryDirectory(), new MemoryDirectory()];
  const folders = { data, metadata, location: LOCATION };
  const created = { schema: SCHEMA, sortedBy: [1], properties: {} };
  await createIcebergTable(folders, created, { dataFiles: [await dataFile(data, 0)] });
  const table = await openIcebergTable(folders);
  if (table === undefined) {
    throw new TypeError("the table was not created");
  }
  await commitSnapshot(table, { dataFiles: [await dataFile(data, 1)], deleteFiles: [] });
  const files = new Map<string, Uint8Array>();
  for (const [folder, directory] of Object.entries({ data, metadata })) {
    for (const [name, bytes] of directory.snapshot()) {
      files.set(`${folder}/${name}`, bytes);
    }
  }
  return [...files]
    .filter(([path]) => /\.(?:parquet|avro)$/.test(path))
    .map(([name, bytes]) => ({ name, bytes, files }));
}

/** @throws {CFileError} for damage */
export async function icebergRows(files: Files): Promise<Rows> {
  const folder = (name: string): MemoryDirectory =>
    new MemoryDirectory(name, {
      files: new Map(
        [...files].flatMap(([path, bytes]) =>
          path.startsWith(`${name}/`) ? [[path.slice(name.length + 1), bytes] as const] : [],
        ),
      ),
    });
  const folders: TableFolders = { data: folder("data"), metadata: folder("metadata"), location: LOCATION };
  const table = await openIcebergTable(folders);
  const rows: string[] = [];
  for (const file of table === undefined ? [] : (await readSnapshot(table)).files) {
    for await (const { columns } of file.rows()) {
      const [ids = [], words = []] = columns.map((column) => column.toArray().map(String));
      rows.push(...ids.map((id, row) => `${id} ${words[row]}`));
    }
  }
  return rows;
}

async function dataFile(data: MemoryDirectory, number: number): Promise<IcebergFile> {
  const name = `${number}.parquet`;
  const rows = Array.from({ length: FILE_ROWS }, (_, row) => number * FILE_ROWS + row);
  const values = [rows.map(BigInt), rows.map((row) => (row % 5 === 0 ? null : `word ${row}`))];
  async function* batches() {
    yield {
      length: rows.length,
      firstRow: 0,
      names: COLUMNS.map((column) => column.name),
      columns: COLUMNS.map((column, i) => batchFromValues(column, values[i] ?? [])),
    };
  }
  const table = { columns: COLUMNS, rows: batches() };
  return writeIcebergFile(await data.createSink(name), name, table, {
    schema: SCHEMA,
    sortedBy: ["id"],
    isDelete: false,
  });
}
