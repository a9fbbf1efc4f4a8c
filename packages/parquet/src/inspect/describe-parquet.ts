/** The structure of a Parquet file: row groups, chunks, statistics and indexes from its footer, and pages from their headers. */
import { ByteReader, isCFileError } from "@cfile/bytes";
import { type ByteSource, readExactly, sizeOf } from "@cfile/io";
import type { ColumnChunk, FileMetaData, KeyValue, SchemaElement, Statistics } from "hyparquet";
import type { ParquetKeys } from "../crypto/file-cipher.js";
import { type PageHeader, readPageHeader } from "../pages/page-header.js";
import { chunkStart } from "../read/page-decoder.js";
import { readFooter } from "../read/parquet-footer.js";
import { leavesOf } from "../schema/leaf-schema.js";

/** Bytes of a part of a file. */
export interface PartRange {
  readonly offset: number;
  readonly size: number;
}

/** A column chunk, as described by its row group's metadata. Offsets are file offsets; sizes are bytes. */
export interface ChunkDescription extends PartRange {
  /** The leaf's path. */
  readonly column: string;
  readonly type: string;
  readonly codec: string;
  readonly encodings: readonly string[];
  /** Values and nulls. */
  readonly values: number;
  readonly uncompressedSize: number;
  /** The pages before the first data page. */
  readonly dictionary: PartRange | undefined;
  readonly nullCount: number | undefined;
  readonly distinctCount: number | undefined;
  readonly min: Statistics["min_value"];
  readonly max: Statistics["min_value"];
  /** Some writers do not state the size of a filter. */
  readonly bloomFilter: { readonly offset: number; readonly size: number | undefined } | undefined;
  readonly columnIndex: PartRange | undefined;
  readonly offsetIndex: PartRange | undefined;
}

/** A row group. */
export interface RowGroupDescription extends PartRange {
  readonly rows: number;
  readonly uncompressedSize: number;
  /** Columns it claims to be sorted by, with `-` before descending ones. */
  readonly sortedBy: readonly string[];
  readonly chunks: readonly ChunkDescription[];
}

/** The content of a file's footer. */
export interface ParquetDescription {
  readonly size: number;
  readonly version: number;
  readonly writer: string | undefined;
  readonly rows: number;
  /** The metadata, its length and the magic number. */
  readonly footer: PartRange;
  readonly schema: readonly SchemaElement[];
  readonly keyValues: readonly KeyValue[];
  readonly rowGroups: readonly RowGroupDescription[];
}

/** A page, as described by its header. */
export interface PageDescription extends PartRange {
  readonly kind: PageHeader["kind"];
  readonly encoding: string;
  /** Values and nulls; entries of a dictionary. */
  readonly values: number;
  /** Rows and nulls, where the header states them. */
  readonly rows: number | undefined;
  readonly nulls: number | undefined;
  readonly uncompressedSize: number;
  readonly crc: number | undefined;
}

/** Describes a file by its footer. @throws {CFileError} as `openParquet` */
export async function describeParquet(source: ByteSource, keys?: ParquetKeys): Promise<ParquetDescription> {
  const size = await sizeOf(source);
  const { metadata, start } = await readFooter(source, keys);
  const { version, created_by: writer, num_rows: rows, schema } = metadata;
  const paths = leavesOf(schema).map(({ path }) => path);
  return {
    size,
    version: Number(version),
    writer,
    rows: Number(rows),
    footer: { offset: start, size: size - start },
    schema,
    keyValues: metadata.key_value_metadata ?? [],
    rowGroups: metadata.row_groups.map((group) => describeGroup(group, paths)),
  };
}

function describeGroup(
  group: FileMetaData["row_groups"][number],
  paths: readonly string[],
): RowGroupDescription {
  const chunks = group.columns.map((chunk, i) => describeChunk(chunk, paths[i] ?? ""));
  const offset = Math.min(...chunks.map((chunk) => chunk.offset));
  return {
    offset: Number.isFinite(offset) ? offset : 0,
    size: chunks.reduce((sum, chunk) => sum + chunk.size, 0),
    rows: Number(group.num_rows),
    uncompressedSize: Number(group.total_byte_size),
    sortedBy: (group.sorting_columns ?? []).map(
      ({ column_idx: index, descending }) => `${descending ? "-" : ""}${paths[index] ?? index}`,
    ),
    chunks,
  };
}

function describeChunk(chunk: ColumnChunk, path: string): ChunkDescription {
  const { meta_data: meta } = chunk;
  const part = (offset: bigint | undefined, size: number | undefined): PartRange | undefined =>
    offset === undefined || size === undefined ? undefined : { offset: Number(offset), size: Number(size) };
  const indexes = {
    columnIndex: part(chunk.column_index_offset, chunk.column_index_length),
    offsetIndex: part(chunk.offset_index_offset, chunk.offset_index_length),
  };
  if (meta === undefined) {
    const unknown = { nullCount: undefined, distinctCount: undefined, min: undefined, max: undefined };
    const none = { dictionary: undefined, bloomFilter: undefined, ...unknown, ...indexes };
    const place = { offset: Number(chunk.file_offset), size: 0, uncompressedSize: 0, values: 0 };
    return { column: path, type: "unknown", codec: "encrypted", encodings: [], ...place, ...none };
  }
  const offset = chunkStart(meta);
  const data = Number(meta.data_page_offset);
  const { statistics } = meta;
  const count = (value: bigint | undefined): number | undefined =>
    value === undefined ? undefined : Number(value);
  return {
    column: path,
    type: meta.type,
    codec: meta.codec,
    encodings: meta.encodings,
    values: Number(meta.num_values),
    offset,
    size: Number(meta.total_compressed_size),
    uncompressedSize: Number(meta.total_uncompressed_size),
    dictionary: offset < data ? { offset, size: data - offset } : undefined,
    nullCount: count(statistics?.null_count),
    distinctCount: count(statistics?.distinct_count),
    min: statistics?.min_value ?? statistics?.min,
    max: statistics?.max_value ?? statistics?.max,
    bloomFilter:
      meta.bloom_filter_offset === undefined
        ? undefined
        : { offset: Number(meta.bloom_filter_offset), size: meta.bloom_filter_length },
    ...indexes,
  };
}

const HEADER_BYTES = 512;
const MAX_HEADER_BYTES = 1024 * 1024;

/** The pages of a chunk, by their headers alone; ends at a damaged header. @throws {CFileError} `E_IO` */
export async function* chunkPages(
  source: ByteSource,
  { offset, values, size }: ChunkDescription,
  options: { readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<PageDescription, void, void> {
  const fileSize = await sizeOf(source);
  for (let at = offset, left = values; left > 0 && at < fileSize; ) {
    const found = await headerAt(source, at, Math.min(fileSize, offset + size + HEADER_BYTES), options);
    if (found === undefined) {
      return;
    }
    const { header, headerSize } = found;
    const stored = headerSize + header.storedSize;
    const { kind, encoding, valueCount, rowCount: rows, nullCount: nulls, uncompressedSize, crc } = header;
    yield {
      kind,
      encoding,
      values: valueCount,
      rows,
      nulls,
      uncompressedSize,
      crc,
      offset: at,
      size: stored,
    };
    left -= kind === "dictionary" || kind === "other" ? 0 : valueCount;
    at += stored;
  }
}

async function headerAt(
  source: ByteSource,
  offset: number,
  end: number,
  { signal }: { readonly signal?: AbortSignal | undefined },
): Promise<{ readonly header: PageHeader; readonly headerSize: number } | undefined> {
  for (let size = HEADER_BYTES; size <= MAX_HEADER_BYTES; size *= 8) {
    const length = Math.min(size, end - offset);
    if (length <= 0) {
      return undefined;
    }
    const reader = new ByteReader(await readExactly(source, offset, length, { signal }));
    try {
      const header = readPageHeader(reader);
      return { header, headerSize: reader.position };
    } catch (error) {
      if (!isCFileError(error)) {
        throw error;
      }
      if (error.code !== "E_TRUNCATED" || length < size) {
        return undefined;
      }
    }
  }
  return undefined;
}
