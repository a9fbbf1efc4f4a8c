/**
 * Rows sorted by key, to be merged with others: in memory, or spilled to files of the store, one plain CFile per column, which no
 * manifest lists.
 */
import type { ColumnBatch } from "@cfile/encodings";
import { takeRows } from "@cfile/encodings/batches";
import { type CFileReader, openCFile } from "@cfile/format";
import { CFileWriter } from "@cfile/format/write";
import { encodeRowKeys } from "../keys/row-keys.js";
import { distinctOrder } from "../keys/sort-keys.js";
import { joinBatches } from "../read/base-column.js";
import { keyColumns, type RowSetColumn, type RowSetSchema } from "../schema/schema.js";
import type { TableStoreFiles } from "../store/table-store-files.js";

export interface SortedRun {
  readonly length: number;
  /** Rows `from` to `to` (exclusive) of all columns, in schema order. */
  read(from: number, to: number): Promise<readonly ColumnBatch[]>;
  /** Releases memory and removes files. */
  discard(): Promise<void>;
}

const RUN_BLOCK_SIZE = 65536;
const CHUNK_ROWS = 4096;

/** The order of the rows by key. @throws {CFileError} `E_INVALID_ARGUMENT` naming a duplicate key */
function sortedOrder(schema: RowSetSchema, columns: readonly (readonly ColumnBatch[])[]): Uint32Array {
  const keyParts = columns.slice(0, keyColumns(schema).length);
  return distinctOrder(schema, encodeRowKeys(keyParts.map(joinBatches)));
}

/** A run of rows in memory. @throws {CFileError} `E_INVALID_ARGUMENT` naming a duplicate key */
export function memoryRun(schema: RowSetSchema, parts: readonly (readonly ColumnBatch[])[]): SortedRun {
  const order = sortedOrder(schema, parts);
  const columns = parts.map(joinBatches);
  return {
    length: order.length,
    read: async (from, to) => columns.map((column) => takeRows(column, order.subarray(from, to))),
    discard: async () => undefined,
  };
}

/**
 * Sorts rows and writes them to the store, column by column; removes written columns from `columns` to release their memory.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` naming a duplicate key; `E_IO`
 */
export async function spillRun(
  store: TableStoreFiles,
  schema: RowSetSchema,
  columns: (readonly ColumnBatch[])[],
): Promise<SortedRun> {
  const order = sortedOrder(schema, columns);
  const run = new SpilledRun(store, order.length);
  try {
    for (const [position, description] of schema.columns.entries()) {
      const column = joinBatches(columns[position] ?? []);
      columns[position] = [];
      const { name, file } = await createRunColumn(store, description);
      await using writer = file;
      for (let from = 0; from < order.length; from += CHUNK_ROWS) {
        await writer.append(takeRows(column, order.subarray(from, from + CHUNK_ROWS)));
      }
      await run.add({ name, file });
    }
  } catch (error) {
    await run.discard();
    throw error;
  }
  return run;
}

/** Writes rows that are already sorted, all columns together. */
export async function writeRun(
  store: TableStoreFiles,
  schema: RowSetSchema,
  batches: AsyncIterable<readonly ColumnBatch[]>,
): Promise<SortedRun> {
  const writers: RunColumn[] = [];
  let rows = 0;
  try {
    for (const column of schema.columns) {
      writers.push(await createRunColumn(store, column));
    }
    for await (const columns of batches) {
      rows += columns[0]?.length ?? 0;
      for (const [position, batch] of columns.entries()) {
        await writers[position]?.file.append(batch);
      }
    }
    const run = new SpilledRun(store, rows);
    for (const writer of writers) {
      await run.add(writer);
    }
    return run;
  } catch (error) {
    await Promise.allSettled(writers.map((writer) => writer.file.abort(error)));
    throw error;
  }
}

interface RunColumn {
  readonly name: string;
  readonly file: CFileWriter;
}

async function createRunColumn(
  store: TableStoreFiles,
  { id, type, nullable, array }: RowSetColumn,
): Promise<RunColumn> {
  const { file: name, sink } = await store.createFile(`run-${id}`);
  const options = { type, nullable, array, encoding: "PLAIN_ENCODING", blockSize: RUN_BLOCK_SIZE } as const;
  return { name, file: new CFileWriter(sink, options) };
}

class SpilledRun implements SortedRun {
  readonly length: number;
  private readonly store: TableStoreFiles;
  private readonly columns: { readonly name: string; readonly file: CFileReader }[] = [];

  constructor(store: TableStoreFiles, length: number) {
    this.store = store;
    this.length = length;
  }

  /** Finishes the file of the next column. */
  async add({ name, file }: RunColumn): Promise<void> {
    const { bytes } = await file.finish();
    this.columns.push({ name, file: await openCFile(this.store.source(name, bytes), { cacheBytes: 0 }) });
  }

  read(from: number, to: number): Promise<readonly ColumnBatch[]> {
    return Promise.all(
      this.columns.map(async ({ file }) => {
        const pieces: ColumnBatch[] = [];
        for await (const batch of file.scan({ rows: { from, to } })) {
          pieces.push(batch);
        }
        return joinBatches(pieces);
      }),
    );
  }

  async discard(): Promise<void> {
    const { columns, store } = this;
    await Promise.allSettled(columns.map(({ file }) => file.close()));
    await Promise.allSettled(columns.map(({ name }) => store.directory.remove(name)));
  }
}
