/**
 * Rows sorted by key, to be merged with others: in memory, or spilled into files of the store, which are plain CFiles, one a
 * column, and which no manifest ever names.
 */
import { type CFileError, invalidArgument, toHex } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import type { BatchRange } from "@cfile/encodings/batches";
import { concatBatches, takeRows } from "@cfile/encodings/batches";
import { type CFileReader, openCFile } from "@cfile/format";
import { CFileWriter } from "@cfile/format/write";
import { describeKey } from "../keys/row-key-text.js";
import { compareKeys, encodeRowKeys, keyAt } from "../keys/row-keys.js";
import { sortKeys } from "../keys/sort-keys.js";
import { keyColumns } from "../schema/check-schema.js";
import type { RowSetColumn, RowSetSchema } from "../schema/schema.js";
import type { TableStoreFiles } from "../store/table-store-files.js";

/** Rows of a run, a range at a time. */
export interface SortedRun {
  readonly length: number;
  /** Rows `from` to `to` of all columns, in the order of the schema. */
  read(from: number, to: number): Promise<readonly ColumnBatch[]>;
  /** Frees what it holds; its files are removed. */
  discard(): Promise<void>;
}

/** Rows of a column in whichever batches they came. */
export type ColumnParts = readonly [ColumnBatch, ...ColumnBatch[]];

const RUN_BLOCK_SIZE = 65536;
const CHUNK_ROWS = 4096;

export function joinParts([first, ...rest]: ColumnParts): ColumnBatch {
  const whole = (batch: ColumnBatch): BatchRange => ({ batch, from: 0, to: batch.length });
  return rest.length === 0 ? first : concatBatches([whole(first), ...rest.map(whole)]);
}

/**
 * The order of the rows by key.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` naming a key that several rows have
 */
function sortedOrder(schema: RowSetSchema, keyParts: readonly ColumnParts[]): Uint32Array {
  const keys = encodeRowKeys(keyParts.map(joinParts));
  const order = sortKeys(keys);
  for (let i = 1; i < order.length; i++) {
    const row = order[i] as number;
    if (compareKeys(keys, order[i - 1] as number, keys, row) === 0) {
      throw duplicateKey(schema, keyAt(keys, row));
    }
  }
  return order;
}

export function duplicateKey(schema: RowSetSchema, key: Uint8Array): CFileError {
  return invalidArgument(`several rows have the key ${describeKey(schema, key)}`, {
    field: "key",
    actual: toHex(key),
  });
}

/** Rows in memory, read in order of their keys. */
export class MemoryRun implements SortedRun {
  private readonly columns: readonly ColumnBatch[];
  private readonly order: Uint32Array;

  /** @throws CFileError as {@link sortedOrder} */
  constructor(schema: RowSetSchema, columns: readonly ColumnParts[]) {
    this.order = sortedOrder(schema, columns.slice(0, keyColumns(schema).length));
    this.columns = columns.map(joinParts);
  }

  get length(): number {
    return this.order.length;
  }

  async read(from: number, to: number): Promise<readonly ColumnBatch[]> {
    const rows = this.order.subarray(from, to);
    return this.columns.map((column) => takeRows(column, rows));
  }

  async discard(): Promise<void> {}
}

/** Sorts rows, writes them into the store and forgets them, a column at a time. */
export async function spillRun(
  store: TableStoreFiles,
  schema: RowSetSchema,
  columns: (ColumnParts | undefined)[],
): Promise<SortedRun> {
  const keyParts = columns.slice(0, keyColumns(schema).length);
  const order = sortedOrder(
    schema,
    keyParts.filter((parts) => parts !== undefined),
  );
  const run = new SpilledRun(store, order.length);
  try {
    for (const [position, description] of schema.columns.entries()) {
      const parts = columns[position];
      if (parts === undefined) {
        continue;
      }
      const column = joinParts(parts);
      columns[position] = undefined;
      await using writer = await RunColumnWriter.open(store, description);
      for (let from = 0; from < order.length; from += CHUNK_ROWS) {
        await writer.file.append(takeRows(column, order.subarray(from, from + CHUNK_ROWS)));
      }
      await run.add(writer);
    }
  } catch (error) {
    await run.discard();
    throw error;
  }
  return run;
}

/** Writes rows that are sorted already, of all columns together. */
export async function writeRun(
  store: TableStoreFiles,
  schema: RowSetSchema,
  batches: AsyncIterable<readonly ColumnBatch[]>,
): Promise<SortedRun> {
  const writers: RunColumnWriter[] = [];
  let rows = 0;
  try {
    for (const column of schema.columns) {
      writers.push(await RunColumnWriter.open(store, column));
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

class RunColumnWriter {
  readonly name: string;
  readonly file: CFileWriter;

  private constructor(name: string, file: CFileWriter) {
    this.name = name;
    this.file = file;
  }

  static async open(
    store: TableStoreFiles,
    { id, type, nullable, array }: RowSetColumn,
  ): Promise<RunColumnWriter> {
    const { file, sink } = await store.createFile(`run-${id}`);
    const options = { type, nullable, array, encoding: "PLAIN_ENCODING", blockSize: RUN_BLOCK_SIZE } as const;
    return new RunColumnWriter(file, new CFileWriter(sink, options));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.file.abort();
  }
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
  async add({ name, file }: RunColumnWriter): Promise<void> {
    const { bytes } = await file.finish();
    this.columns.push({
      name,
      file: await openCFile(this.store.source(name, bytes), { cacheBytes: 0 }),
    });
  }

  read(from: number, to: number): Promise<readonly ColumnBatch[]> {
    return Promise.all(
      this.columns.map(async ({ file }) => {
        const pieces: BatchRange[] = [];
        for await (const batch of file.scan({ rows: { from, to } })) {
          pieces.push({ batch, from: 0, to: batch.length });
        }
        const [first, ...rest] = pieces;
        if (first === undefined) {
          throw invalidArgument(`rows ${from} to ${to} are not in the run`, { field: "rows" });
        }
        return concatBatches([first, ...rest]);
      }),
    );
  }

  async discard(): Promise<void> {
    const { columns, store } = this;
    await Promise.allSettled(columns.map(({ file }) => file.close()));
    await Promise.allSettled(columns.map(({ name }) => store.directory.remove(name)));
  }
}
