/** Joins Parquet files with the same columns: row groups are copied byte for byte, only the footer is new. */
import { invalidArgument } from "@cfile/bytes";
import { type ByteSource, openSink, readExactly, type SinkInput } from "@cfile/io";
import type { ColumnChunk, FileMetaData, RowGroup, SchemaElement } from "hyparquet";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { writeMetadata } from "hyparquet-writer/src/metadata.js";
import { type ParquetFooter, readFooter } from "../read/parquet-footer.js";
import type { WrittenParquet } from "./export-parquet.js";

const MAGIC = Uint8Array.of(0x50, 0x41, 0x52, 0x31);
const PIECE = 1 << 20;

/**
 * Writes a new file with the row groups of all sources, in order. After an error, nothing is left behind.
 * @param sources at least one file written by `exportParquet`
 * @throws {CFileError} `E_INVALID_ARGUMENT` for different columns; `E_CORRUPT`, `E_TRUNCATED` for a source that is not Parquet
 */
export async function joinParquet(
  target: SinkInput,
  sources: readonly ByteSource[],
): Promise<WrittenParquet> {
  const footers = await Promise.all(sources.map(readFooter));
  const schema = commonSchema(footers);
  const sink = await openSink(target);
  try {
    let offset = 0;
    const put = async (bytes: Uint8Array): Promise<void> => {
      await sink.write(bytes);
      offset += bytes.length;
    };
    await put(MAGIC);
    const groups: RowGroup[] = [];
    for (const [i, source] of sources.entries()) {
      const { metadata, start } = footers[i] as ParquetFooter;
      const shift = BigInt(offset - MAGIC.length);
      groups.push(...metadata.row_groups.map((group) => shifted(group, shift)));
      for (let at = MAGIC.length; at < start; at += PIECE) {
        await put(await readExactly(source, at, Math.min(PIECE, start - at)));
      }
    }
    const rows = groups.reduce((sum, group) => sum + group.num_rows, 0n);
    const [first] = footers as [ParquetFooter];
    const footer = new ByteWriter();
    const metadata: FileMetaData = { ...first.metadata, schema, num_rows: rows, row_groups: groups };
    writeMetadata(footer, metadata);
    await put(footer.getBytes());
    await put(MAGIC);
    await sink.close();
    return { rows: Number(rows), bytes: offset, rowGroups: groups.length };
  } catch (error) {
    await sink.abort(error);
    throw error;
  }
}

/** A string column is text only if it is in all files. */
function commonSchema(footers: readonly ParquetFooter[]): SchemaElement[] {
  const [first, ...others] = footers.map(({ metadata }) => metadata.schema);
  if (first === undefined) {
    throw invalidArgument("no sources (expected at least 1)", { field: "sources" });
  }
  return first.map((element, i) => {
    const all = [element, ...others.map((schema) => schema[i])];
    if (
      others.some((schema) => schema.length !== first.length) ||
      all.some((other) => !isSame(element, other))
    ) {
      throw invalidArgument(`the files differ in column ${element.name}`, { field: element.name });
    }
    return all.find((other) => other?.converted_type === undefined) ?? element;
  });
}

const SAME = ["name", "type", "repetition_type", "num_children", "type_length"] as const;

function isSame(element: SchemaElement, other: SchemaElement | undefined): boolean {
  return other !== undefined && SAME.every((key) => other[key] === element[key]);
}

function shifted(group: RowGroup, shift: bigint): RowGroup {
  const { file_offset: offset } = group;
  const columns = group.columns.map((chunk): ColumnChunk => {
    const { meta_data: meta } = chunk;
    if (meta === undefined) {
      return chunk;
    }
    const { data_page_offset: data, dictionary_page_offset: dictionary } = meta;
    const moved = { ...meta, data_page_offset: data + shift };
    return {
      ...chunk,
      meta_data: dictionary === undefined ? moved : { ...moved, dictionary_page_offset: dictionary + shift },
    };
  });
  return { ...group, ...(offset !== undefined && { file_offset: offset + shift }), columns };
}
