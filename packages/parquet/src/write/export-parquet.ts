/** Writes tables as Parquet: row groups, each with one chunk per column, then indexes and footer. */
import { invalidArgument } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { TableRows } from "@cfile/format";
import { type ByteSink, openSink, type SinkInput } from "@cfile/io";
import type { ColumnChunk, Encoding, FileMetaData, KeyValue, RowGroup } from "hyparquet";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { writeMetadata } from "hyparquet-writer/src/metadata.js";
import type { ParquetColumn } from "../read/parquet-file.js";
import { TYPES_KEY } from "../schema/stated-type.js";
import { pathOf, schemaOf } from "../schema/write-schema.js";
import { chunkIndexes, chunkStatistics, writtenIndexes } from "./chunk-statistics.js";
import { ChunkWriter, type WrittenChunk } from "./chunk-writer.js";
import type { WrittenCodec, WrittenPage } from "./page-writer.js";

/** Rows and their columns; for a row set, `schema.columns` and a scan. */
export type ParquetTable = TableRows;

/** How a Parquet file is written. */
export interface ExportOptions {
  /** Default `"SNAPPY"`. */
  readonly codec?: WrittenCodec | undefined;
  /** Maximum rows per row group. Default 1048576. */
  readonly rowGroupRows?: number | undefined;
  /** Bytes per row group, which are in memory; the last batch may exceed them. Default 64 MiB. */
  readonly rowGroupBytes?: number | undefined;
  /** Version of data pages. Default 1, which every reader supports. */
  readonly dataPageVersion?: 1 | 2 | undefined;
  /** Maximum rows per page; a page ends after 1 MiB. Default 20000. */
  readonly pageRows?: number | undefined;
  /** Bounds of values: `"chunk"` in chunk statistics, `"page"` in column indexes too, or `"none"`. Default `"page"`. */
  readonly statistics?: "page" | "chunk" | "none" | undefined;
  /** Names of columns by which rows are sorted, ascending; recorded, not checked. */
  readonly sortedBy?: readonly string[] | undefined;
  /** Key-value metadata of the file. */
  readonly keyValues?: Readonly<Record<string, string>> | undefined;
}

/** Size of a written file. */
export interface WrittenParquet {
  readonly rows: number;
  readonly bytes: number;
  readonly rowGroups: number;
}

const MAGIC = Uint8Array.of(0x50, 0x41, 0x52, 0x31);

/**
 * Writes a table to a new Parquet file. After an error, nothing is left behind.
 * @throws {CFileError} `E_INVALID_ARGUMENT` for invalid options, or rows that do not fit the columns; `E_IO` when the sink fails
 */
export async function exportParquet(
  target: SinkInput,
  table: ParquetTable,
  options: ExportOptions = {},
): Promise<WrittenParquet> {
  const sink = await openSink(target);
  try {
    const written = await new TableWriter(sink, table, options).write();
    await sink.close();
    return written;
  } catch (error) {
    await sink.abort(error);
    throw error;
  }
}

class TableWriter {
  private readonly sink: ByteSink;
  private readonly table: ParquetTable;
  private readonly options: ExportOptions;
  private readonly codec: WrittenCodec;
  private readonly chunks: readonly ChunkWriter[];
  private readonly groups: RowGroup[] = [];
  private readonly indexes: ReturnType<typeof chunkIndexes>[] = [];
  private offset = 0;
  private rows = 0;
  private groupRows = 0;

  constructor(sink: ByteSink, table: ParquetTable, options: ExportOptions) {
    this.sink = sink;
    this.table = table;
    this.options = options;
    const { codec = "SNAPPY", dataPageVersion: version = 1, pageRows: rows = 20_000 } = options;
    this.codec = codec;
    if (!(Number.isSafeInteger(rows) && rows > 0) || (version !== 1 && version !== 2)) {
      const reason = `invalid pageRows: ${rows} (must be at least 1), or dataPageVersion: ${version} (must be 1 or 2)`;
      throw invalidArgument(reason, { field: "pageRows" });
    }
    this.chunks = table.columns.map((column) => new ChunkWriter(column, { codec, version, rows }));
    const stranger = options.sortedBy?.find((name) => !table.columns.some((column) => column.name === name));
    if (stranger !== undefined) {
      throw invalidArgument(`no column ${JSON.stringify(stranger)}`, { field: "sortedBy" });
    }
    const names = new Set(table.columns.map(({ name }) => name));
    if (names.size !== table.columns.length || names.size === 0) {
      throw invalidArgument("column names must be unique, and there must be at least one", {
        field: "columns",
      });
    }
  }

  async write(): Promise<WrittenParquet> {
    const { rowGroupRows = 1 << 20, rowGroupBytes = 1 << 26 } = this.options;
    await this.put(MAGIC);
    for await (const rows of this.table.rows) {
      this.append(rows);
      const bytes = this.chunks.reduce((sum, chunk) => sum + chunk.storedBytes, 0);
      if (this.groupRows >= rowGroupRows || bytes >= rowGroupBytes) {
        await this.endGroup();
      }
    }
    await this.endGroup();
    await this.put(writtenIndexes(this.indexes, this.offset));
    const footer = new ByteWriter();
    writeMetadata(footer, this.metadata());
    await this.put(footer.getBytes());
    await this.put(MAGIC);
    return { rows: this.rows, bytes: this.offset, rowGroups: this.groups.length };
  }

  private append(rows: TableBatch): void {
    this.table.columns.forEach((column, i) => {
      const batch = rows.columns[i];
      const isFit =
        batch !== undefined &&
        batch.length === rows.length &&
        batch.type === column.type &&
        (batch.kind === "array") === column.array &&
        (column.nullable || batch.nullCount === 0);
      if (!isFit) {
        const reason = `rows from ${this.rows} do not fit column ${column.name}`;
        throw invalidArgument(reason, { field: column.name });
      }
      this.chunks[i]?.append(batch);
    });
    this.rows += rows.length;
    this.groupRows += rows.length;
  }

  private async endGroup(): Promise<void> {
    if (this.groupRows === 0) {
      return;
    }
    const start = this.offset;
    const columns: ColumnChunk[] = [];
    for (const [i, column] of this.table.columns.entries()) {
      const chunk = this.chunks[i]?.finish();
      if (chunk !== undefined) {
        columns.push(await this.putChunk(column, chunk));
      }
    }
    const sizes = columns.map(({ meta_data: meta }) => meta?.total_uncompressed_size ?? 0n);
    const sorting = (this.options.sortedBy ?? []).map((name) => ({
      column_idx: this.table.columns.findIndex((column) => column.name === name),
      descending: false,
      nulls_first: false,
    }));
    this.groups.push({
      columns,
      total_byte_size: sizes.reduce((sum, size) => sum + size, 0n),
      num_rows: BigInt(this.groupRows),
      ...(sorting.length > 0 ? { sorting_columns: sorting } : {}),
      file_offset: BigInt(start),
      total_compressed_size: BigInt(this.offset - start),
    });
    this.groupRows = 0;
  }

  private async putChunk(column: ParquetColumn, chunk: WrittenChunk): Promise<ColumnChunk> {
    const { dictionary, pages, valueCount, hasPlain } = chunk;
    const [leaf] = schemaOf(column, true).slice(-1);
    const start = this.offset;
    let uncompressed = 0;
    if (dictionary !== undefined) {
      await this.putPage(dictionary);
      uncompressed += dictionary.uncompressedSize;
    }
    const data = this.offset;
    for (const page of pages) {
      await this.putPage(page);
      uncompressed += page.uncompressedSize;
    }
    const coded: Encoding[] = dictionary === undefined ? [] : ["PLAIN", "RLE_DICTIONARY"];
    const encodings: Encoding[] = ["RLE", ...(hasPlain && coded.length === 0 ? (["PLAIN"] as const) : coded)];
    const { statistics = "page" } = this.options;
    const written: ColumnChunk = {
      file_offset: 0n,
      meta_data: {
        type: leaf?.type ?? "BYTE_ARRAY",
        encodings,
        path_in_schema: pathOf(column),
        codec: this.codec,
        num_values: BigInt(valueCount),
        total_uncompressed_size: BigInt(uncompressed),
        total_compressed_size: BigInt(this.offset - start),
        data_page_offset: BigInt(data),
        ...(dictionary === undefined ? {} : { dictionary_page_offset: BigInt(start) }),
        ...(statistics === "none" ? {} : { statistics: chunkStatistics(chunk) }),
      },
    };
    if (leaf !== undefined) {
      this.indexes.push(chunkIndexes(written, leaf, pages, data, statistics === "page"));
    }
    return written;
  }

  private metadata(): FileMetaData {
    const { columns } = this.table;
    const types = Object.fromEntries(columns.map(({ name, type }) => [name, type]));
    const pairs = { ...this.options.keyValues, [TYPES_KEY]: JSON.stringify(types) };
    const keyValues: KeyValue[] = Object.entries(pairs).map(([key, value]) => ({ key, value }));
    return {
      version: 2,
      schema: [
        { name: "root", num_children: columns.length },
        ...columns.flatMap((column, i) => schemaOf(column, this.chunks[i]?.isText !== false)),
      ],
      num_rows: BigInt(this.rows),
      row_groups: this.groups,
      key_value_metadata: keyValues,
      created_by: "cfile",
      metadata_length: 0,
    };
  }

  private async putPage({ parts, size }: WrittenPage): Promise<void> {
    for (const part of parts) {
      await this.sink.write(part, true);
    }
    this.offset += size;
  }

  private async put(bytes: Uint8Array): Promise<void> {
    await this.sink.write(bytes);
    this.offset += bytes.length;
  }
}
