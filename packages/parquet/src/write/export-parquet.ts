/** Writes tables as Parquet: row groups, each with one chunk per column, then indexes and footer. */
import { ArenaBuilder, invalidArgument, type MemoryArena } from "@cfile/bytes";
import type { DataType } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";
import type { TableRows } from "@cfile/format";
import type { SinkInput } from "@cfile/io";
import type { ColumnChunk, Encoding, FileMetaData, RowGroup } from "hyparquet";
import type { ParquetColumn } from "../schema/readable-leaf.js";
import { TYPES_KEY } from "../schema/stated-type.js";
import { pathOf, schemaOf, withFieldIds } from "../schema/write-schema.js";
import { chunkIndexes, chunkStatistics, writtenIndexes } from "./chunk-statistics.js";
import { ChunkWriter, type WrittenChunk } from "./chunk-writer.js";
import { type ColumnMetrics, ColumnTotals } from "./column-metrics.js";
import { loadPageCompressor, type PageCompressor, type WrittenCodec } from "./page-compressor.js";
import { type ParquetOutput, put, type WrittenParquet, writeFile } from "./parquet-output.js";
import { StoredBytes } from "./stored-bytes.js";

/** Rows and their columns; for a row set, `schema.columns` and a scan. */
export type ParquetTable = TableRows;

/** How a Parquet file is written. */
export interface ExportOptions {
  /** Default `"ZSTD"`; `"SNAPPY"` is faster. */
  readonly codec?: WrittenCodec | undefined;
  /** Maximum rows per row group. Default 1048576. */
  readonly rowGroupRows?: number | undefined;
  /** Bytes after which a row group ends, rounded up to a whole batch. A row group is held in memory. Default 64 MiB. */
  readonly rowGroupBytes?: number | undefined;
  /** Version of data pages. Default 1, which every reader supports. */
  readonly dataPageVersion?: 1 | 2 | undefined;
  /** Maximum rows per page; a page ends after 1 MiB. Default 20000. */
  readonly pageRows?: number | undefined;
  /** Bounds of values: `"chunk"` in chunk statistics, `"page"` in column indexes too, or `"none"`. Default `"page"`. */
  readonly statistics?: "page" | "chunk" | "none" | undefined;
  /** Names of columns that get Bloom filters, with 1 % false positives; not for booleans. Default: none. */
  readonly bloomFilters?: readonly string[] | undefined;
  /** Names of columns by which rows are sorted, ascending; recorded, not checked. */
  readonly sortedBy?: readonly string[] | undefined;
  /** Field IDs by column name, as Iceberg requires them; for an array, the IDs of the column and of its elements. Default: none. */
  readonly fieldIds?: ReadonlyMap<string, readonly number[]> | undefined;
  /** Memory shared by consecutive exports; can be the arena of the scan. Default: new memory. */
  readonly arena?: MemoryArena | undefined;
  /** Key-value metadata of the file. */
  readonly keyValues?: Readonly<Record<string, string>> | undefined;
}

/** Size of a written table, and what catalogs store about it. */
export interface WrittenTable extends WrittenParquet {
  /** In the order of the columns. */
  readonly columns: readonly ColumnMetrics[];
  /** Offsets of the row groups. */
  readonly groupOffsets: readonly number[];
}

const BOOLEANS: readonly DataType[] = ["BOOL", "IS_DELETED"];
const DEFAULT_CODEC = "ZSTD";

/**
 * Writes a table to a new Parquet file. After an error, nothing is left behind.
 * @throws {CFileError} `E_INVALID_ARGUMENT` for invalid options, or rows that do not fit the columns; `E_IO` when the sink fails
 */
export async function exportParquet(
  target: SinkInput,
  table: ParquetTable,
  options: ExportOptions = {},
): Promise<WrittenTable> {
  let writer: TableWriter | undefined;
  const written = await writeFile(
    target,
    async (out) => {
      const compress = await loadPageCompressor(options.codec ?? DEFAULT_CODEC);
      writer = new TableWriter(out, table, options, compress);
      return writer.write();
    },
    { arena: options.arena },
  );
  return { ...written, columns: writer?.metrics() ?? [], groupOffsets: writer?.groupOffsets() ?? [] };
}

class TableWriter {
  private readonly out: ParquetOutput;
  private readonly table: ParquetTable;
  private readonly options: ExportOptions;
  private readonly chunks: readonly ChunkWriter[];
  private readonly totals: readonly ColumnTotals[];
  private readonly groups: RowGroup[] = [];
  private readonly indexes: ReturnType<typeof chunkIndexes>[] = [];
  /** Bloom filters of all row groups, written after the last row group. */
  private readonly filters: StoredBytes;
  private readonly filtered: { readonly chunk: ColumnChunk; readonly size: number }[] = [];
  private rows = 0;
  private groupRows = 0;

  constructor(out: ParquetOutput, table: ParquetTable, options: ExportOptions, compress: PageCompressor) {
    this.out = out;
    this.table = table;
    this.options = options;
    const { dataPageVersion: version = 1, pageRows: rows = 20_000 } = options;
    if (!(Number.isSafeInteger(rows) && rows > 0) || (version !== 1 && version !== 2)) {
      const reason = `invalid pageRows: ${rows} (must be at least 1), or dataPageVersion: ${version} (must be 1 or 2)`;
      throw invalidArgument(reason, { field: "pageRows" });
    }
    const { bloomFilters = [], sortedBy = [] } = options;
    const form = {
      compress,
      version,
      rows,
      bloomFilters,
      scratch: new ArenaBuilder(1 << 16, out.arena),
      arena: out.arena,
    };
    this.filters = new StoredBytes(out.arena);
    this.chunks = table.columns.map((column) => new ChunkWriter(column, form));
    this.totals = table.columns.map(() => new ColumnTotals());
    const names = new Set(table.columns.map(({ name }) => name));
    const isBool = ({ name, type }: ParquetColumn) => bloomFilters.includes(name) && BOOLEANS.includes(type);
    for (const [field, listed] of Object.entries({ sortedBy, bloomFilters })) {
      const unknown = listed.find((name) => !names.has(name));
      if (unknown !== undefined) {
        throw invalidArgument(`no column ${JSON.stringify(unknown)}`, { field });
      }
    }
    if (table.columns.some(isBool)) {
      throw invalidArgument("booleans have no Bloom filter", { field: "bloomFilters" });
    }
    if (names.size !== table.columns.length || names.size === 0) {
      throw invalidArgument("column names must be unique, and there must be at least one", {
        field: "columns",
      });
    }
  }

  /** Totals per column, once everything is written. */
  metrics(): ColumnMetrics[] {
    return this.chunks.flatMap(({ isText }, i) => this.totals[i]?.finish(isText) ?? []);
  }

  groupOffsets(): number[] {
    return this.groups.map(({ file_offset: offset }) => Number(offset));
  }

  async write(): Promise<FileMetaData> {
    const { rowGroupRows = 1 << 20, rowGroupBytes = 1 << 26 } = this.options;
    for await (const rows of this.table.rows) {
      this.append(rows);
      const bytes = this.chunks.reduce((sum, chunk) => sum + chunk.stored.length, 0);
      if (this.groupRows >= rowGroupRows || bytes >= rowGroupBytes) {
        await this.endGroup();
      }
    }
    await this.endGroup();
    let { offset } = this.out;
    for (const { chunk, size } of this.filtered) {
      const { meta_data: meta } = chunk;
      if (meta !== undefined) {
        meta.bloom_filter_offset = BigInt(offset);
        meta.bloom_filter_length = size;
      }
      offset += size;
    }
    await this.filters.put(this.out);
    await put(this.out, writtenIndexes(this.indexes, this.out.offset));
    return this.metadata();
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
    const { offset: start } = this.out;
    const columns: ColumnChunk[] = [];
    for (const [i, column] of this.table.columns.entries()) {
      const writer = this.chunks[i];
      if (writer !== undefined) {
        const chunk = writer.finish(this.filters);
        const written = await this.putChunk(column, chunk, writer.stored);
        columns.push(written);
        this.totals[i]?.take(chunk, Number(written.meta_data?.total_compressed_size ?? 0n));
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
      total_compressed_size: BigInt(this.out.offset - start),
    });
    this.groupRows = 0;
  }

  private async putChunk(
    column: ParquetColumn,
    chunk: WrittenChunk,
    stored: StoredBytes,
  ): Promise<ColumnChunk> {
    const { dictionary, pages, valueCount, hasPlain, bloomSize } = chunk;
    const [leaf] = schemaOf(column, true).slice(-1);
    const { offset: start } = this.out;
    for (const part of dictionary?.parts ?? []) {
      await put(this.out, part);
    }
    const { offset: data } = this.out;
    await stored.put(this.out);
    const uncompressed = [...(dictionary === undefined ? [] : [dictionary]), ...pages].reduce(
      (sum, page) => sum + page.uncompressedSize,
      0,
    );
    const encodings: Encoding[] = hasPlain || dictionary !== undefined ? ["RLE", "PLAIN"] : ["RLE"];
    if (dictionary !== undefined) {
      encodings.push("RLE_DICTIONARY");
    }
    const { statistics = "page", codec = DEFAULT_CODEC } = this.options;
    const written: ColumnChunk = {
      file_offset: 0n,
      meta_data: {
        type: leaf?.type ?? "BYTE_ARRAY",
        encodings,
        path_in_schema: pathOf(column),
        codec,
        num_values: BigInt(valueCount),
        total_uncompressed_size: BigInt(uncompressed),
        total_compressed_size: BigInt(this.out.offset - start),
        data_page_offset: BigInt(data),
        ...(dictionary === undefined ? {} : { dictionary_page_offset: BigInt(start) }),
        ...(statistics === "none" ? {} : { statistics: chunkStatistics(chunk) }),
      },
    };
    if (bloomSize !== undefined) {
      this.filtered.push({ chunk: written, size: bloomSize });
    }
    if (leaf !== undefined) {
      this.indexes.push(chunkIndexes(written, leaf, pages, data, statistics === "page"));
    }
    return written;
  }

  private metadata(): FileMetaData {
    const { columns } = this.table;
    const types = Object.fromEntries(columns.map(({ name, type }) => [name, type]));
    const pairs = { ...this.options.keyValues, [TYPES_KEY]: JSON.stringify(types) };
    return {
      version: 2,
      schema: [
        { name: "root", num_children: columns.length },
        ...columns.flatMap((column, i) =>
          withFieldIds(
            schemaOf(column, this.chunks[i]?.isText !== false),
            this.options.fieldIds?.get(column.name),
          ),
        ),
      ],
      num_rows: BigInt(this.rows),
      row_groups: this.groups,
      key_value_metadata: Object.entries(pairs).map(([key, value]) => ({ key, value })),
      created_by: "cfile",
      metadata_length: 0,
    };
  }
}
