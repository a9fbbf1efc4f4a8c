/** Makes tables of version 6 with one file group and without a metadata table. */
import type { InputCell } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { MemoryDirectory, memoryTree } from "@cfile/io";
import { exportParquet } from "@cfile/parquet/write";
import { type HudiTable, jsonValues, openHudiTable, scanColumns, scanRows } from "../src/index.js";
import type { HudiScanOptions } from "../src/rows/scan.js";

/** Instants of writes: of the base file, of log blocks, and of a write that did not complete. */
export const T1 = "20261122000000001";
export const T2 = "20261122000000002";
export const PENDING = "20261122000000009";
export const BASE = `f-0_0-1-1_${T1}.parquet`;
export const LOG = `.f-0_${T1}.log.1_0-1-1`;

type ColumnType = NonNullable<Parameters<typeof batchFromValues>[0]["type"]>;

/** A column of a base file. */
export interface MadeColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly scale?: number;
  readonly precision?: number;
  readonly values: readonly InputCell[];
}

/** A Parquet file. */
export async function parquetOf(columns: readonly MadeColumn[], schema?: string): Promise<Uint8Array> {
  const types = columns.map(({ values: _, ...column }) => ({ ...column, nullable: true, array: false }));
  async function* rows() {
    const vectors = columns.map(({ type, values }) => batchFromValues({ type, nullable: true }, values));
    const length = columns[0]?.values.length ?? 0;
    yield { names: columns.map(({ name }) => name), columns: vectors, firstRow: 0, length };
  }
  const folder = new MemoryDirectory("data");
  const options = schema === undefined ? {} : { keyValues: { "parquet.avro.schema": schema } };
  await exportParquet(await folder.createSink("a"), { columns: types, rows: rows() }, options);
  const source = await folder.openSource("a");
  return source.read(0, await source.size());
}

/** The content of a made table. */
export interface MadeTable {
  readonly schema?: unknown;
  readonly properties?: string;
  readonly base?: Uint8Array;
  /** Content of the log file. */
  readonly log?: Uint8Array;
  readonly partition?: string;
  /** Text of the file with all versions of the schema; `undefined` if the table has none. */
  readonly history?: string | undefined;
  /** Whether the commits state that the schema has versions. Default: whether there is a history. */
  readonly isEvolved?: boolean;
}

/** The files of a table. */
export function madeFiles({ schema, properties = "", base, log, partition = "", ...versions }: MadeTable) {
  const { history, isEvolved = history !== undefined } = versions;
  const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
  const below = (name: string): string => (partition === "" ? name : `${partition}/${name}`);
  const commit = (files: readonly string[]): Uint8Array =>
    utf8(
      JSON.stringify({
        partitionToWriteStats: {
          [partition]: files.map((path) => ({ path: below(path), fileId: "f-0", fileSizeInBytes: 1 })),
        },
        extraMetadata: {
          ...(schema !== undefined && { schema: JSON.stringify(schema) }),
          ...(isEvolved && { latest_schema: "{}" }),
        },
      }),
    );
  const head = "hoodie.table.version=6\nhoodie.table.name=t\nhoodie.table.type=MERGE_ON_READ\n";
  const files = new Map([
    [".hoodie/hoodie.properties", utf8(head + properties)],
    [below(".hoodie_partition_metadata"), utf8("depth=0\n")],
    [`.hoodie/${T1}.deltacommit`, commit(base === undefined ? [] : [BASE])],
    [`.hoodie/${T2}.deltacommit`, commit([])],
    [`.hoodie/${PENDING}.deltacommit.inflight`, utf8("")],
  ]);
  if (base !== undefined) {
    files.set(below(BASE), base);
  }
  if (log !== undefined) {
    files.set(below(LOG), log);
  }
  if (history !== undefined) {
    files.set(`.hoodie/.schema/${T1}.schemacommit`, utf8("older ones do not count"));
    files.set(`.hoodie/.schema/${T2}.schemacommit`, utf8(history));
    files.set(`.hoodie/.schema/${PENDING}.schemacommit.inflight`, utf8(""));
  }
  return files;
}

export async function madeTable(made: MadeTable): Promise<HudiTable> {
  return openHudiTable(memoryTree(madeFiles(made)));
}

/** The rows of a table as JSON, sorted. */
export async function rowsIn(table: HudiTable, options: HudiScanOptions = {}): Promise<unknown[][]> {
  const all = await scanColumns(table, { baseOnly: options.readOptimized === true });
  const names = options.columns ?? all.map(({ name }) => name);
  const rows: string[] = [];
  for await (const batch of scanRows(table, { ...options, columns: names })) {
    const cells = batch.columns.map((vector, i) => {
      const column = all.find(({ name }) => name === names[i]);
      return column === undefined ? [] : jsonValues(column.avro, vector);
    });
    for (let i = 0; i < batch.length; i++) {
      rows.push(JSON.stringify(cells.map((column) => column[i])));
    }
  }
  return rows.sort().map((row) => JSON.parse(row));
}
