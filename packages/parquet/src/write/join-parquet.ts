/** Joins Parquet files with the same columns: row groups are copied byte for byte, only the footer is new. */
import { invalidArgument } from "@cfile/bytes";
import type { ByteSource, SinkInput } from "@cfile/io";
import type { ColumnChunk, FileMetaData, RowGroup, SchemaElement } from "hyparquet";
import { readFooter } from "../read/parquet-footer.js";
import {
  copyRange,
  MAGIC,
  type ParquetOutput,
  takeEarly,
  type WrittenParquet,
  writeFile,
} from "./parquet-output.js";

/** How files are joined. */
export interface JoinOptions {
  /**
   * Number of bytes that the target already has: the magic bytes, and the bytes of the first sources up to their footers. They are not
   * checked. Default 0.
   */
  readonly written?: number | undefined;
}

/**
 * Writes a new file with the row groups of all sources, in order. After an error, nothing is left behind.
 * @param sources at least one file written by `exportParquet`; each is copied before the next one is requested
 * @throws {CFileError} `E_INVALID_ARGUMENT` for different columns; `E_CORRUPT`, `E_TRUNCATED` for a source that is not Parquet;
 *   what requesting a source throws
 */
export async function joinParquet(
  target: SinkInput,
  sources: Iterable<ByteSource> | AsyncIterable<ByteSource>,
  { written }: JoinOptions = {},
): Promise<WrittenParquet> {
  const join = async (out: ParquetOutput): Promise<FileMetaData> => {
    const groups: RowGroup[] = [];
    const files: FileMetaData[] = [];
    for await (const source of sources) {
      const { metadata, start } = await readFooter(source);
      files.push(metadata);
      const shift = BigInt(out.offset - MAGIC.length);
      groups.push(...metadata.row_groups.map((group) => shifted(group, shift)));
      const from = MAGIC.length + takeEarly(out, start - MAGIC.length);
      await copyRange(out, source, from, start);
    }
    const [first, ...others] = files;
    if (first === undefined) {
      throw invalidArgument("no sources (expected at least 1)", { field: "sources" });
    }
    const schema = commonSchema(
      first.schema,
      others.map((metadata) => metadata.schema),
    );
    const rows = groups.reduce((sum, group) => sum + group.num_rows, 0n);
    return { ...first, schema, num_rows: rows, row_groups: groups };
  };
  return writeFile(target, join, { early: written });
}

/** A string column is marked as UTF-8 only if it is in all files. */
function commonSchema(
  first: readonly SchemaElement[],
  others: readonly (readonly SchemaElement[])[],
): SchemaElement[] {
  return first.map((element, i) => {
    const all = [first, ...others].map((schema) => schema[i]);
    const isJoinable = others.every(({ length }) => length === first.length);
    if (!isJoinable || !all.every((other) => SAME.every((key) => other?.[key] === element[key]))) {
      throw invalidArgument(`the files differ in column ${element.name}`, { field: element.name });
    }
    return all.find((other) => other?.converted_type === undefined) ?? element;
  });
}

const SAME = ["name", "type", "repetition_type", "num_children", "type_length"] as const;

function shifted(group: RowGroup, shift: bigint): RowGroup {
  const { file_offset: offset } = group;
  const columns = group.columns.map((chunk): ColumnChunk => {
    const { meta_data: meta } = chunk;
    if (meta === undefined) {
      return chunk;
    }
    const moved = { ...chunk, meta_data: { ...meta, data_page_offset: meta.data_page_offset + shift } };
    for (const key of ["dictionary_page_offset", "bloom_filter_offset"] as const) {
      const at = meta[key];
      if (at !== undefined) {
        moved.meta_data[key] = at + shift;
      }
    }
    for (const key of ["offset_index_offset", "column_index_offset"] as const) {
      const at = chunk[key];
      if (at !== undefined) {
        moved[key] = at + shift;
      }
    }
    return moved;
  });
  return { ...group, ...(offset !== undefined && { file_offset: offset + shift }), columns };
}
