/** Files with schema, pages and footer chosen by a test. */
import { ByteBuilder, concatBytes } from "@cfile/bytes";
import type { ColumnChunk, FileMetaData, SchemaElement } from "hyparquet";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { serializeTCompactProtocol } from "hyparquet-writer/src/thrift.js";
import { footerBytes } from "../src/rebuild/write-footer.js";
import { writtenLevels } from "../src/write/level-writer.js";
import { dataPageV1 } from "../src/write/page-writer.js";
import { MAGIC } from "../src/write/parquet-output.js";

/** Values and levels of an uncompressed page of 32-bit integers. */
export interface CraftedPage {
  readonly values: readonly number[];
  readonly definitions?: readonly number[];
  readonly repetitions?: readonly number[];
}

/** A stored page, with its header. */
export interface CraftedBytes {
  readonly stored: Uint8Array;
  /** Values and nulls; 0 for a dictionary. */
  readonly valueCount: number;
}

/** A column chunk. By default, its maximum levels are those of its pages. */
export interface CraftedChunk {
  readonly path: string;
  readonly pages: readonly (CraftedPage | CraftedBytes)[];
  readonly maxDefinition?: number;
  readonly maxRepetition?: number;
  /** First rows of the pages in the offset index; `undefined` for a page that it does not list. Default: no index. */
  readonly firstRows?: readonly (number | undefined)[];
}

/** A thrift struct, its fields named `field_1` and so on. */
export function thrift(fields: object): Uint8Array {
  const writer = new ByteWriter();
  serializeTCompactProtocol(writer, { ...fields });
  return writer.getBytes().slice();
}

/** A file with one row group of integer columns. */
export function craftedFile(
  schema: readonly SchemaElement[],
  rows: number,
  chunks: readonly CraftedChunk[],
  change: (metadata: FileMetaData) => FileMetaData = (metadata) => metadata,
): Uint8Array {
  const parts: Uint8Array[] = [MAGIC];
  let offset = MAGIC.length;
  const indexes: (Uint8Array | undefined)[] = [];
  const columns = chunks.map(({ path, pages, maxDefinition, maxRepetition, firstRows = [] }): ColumnChunk => {
    const start = offset;
    let count = 0;
    const offsets: number[] = [];
    for (const crafted of pages) {
      offsets.push(offset);
      if ("stored" in crafted) {
        parts.push(crafted.stored);
        offset += crafted.stored.length;
        count += crafted.valueCount;
        continue;
      }
      const { values, definitions, repetitions } = crafted;
      const valueCount = definitions?.length ?? repetitions?.length ?? values.length;
      const levels = {
        repetitions: writtenLevels(
          repetitions && Uint8Array.from(repetitions),
          maxRepetition ?? Math.max(0, ...(repetitions ?? [])),
        ),
        definitions: writtenLevels(
          definitions && Uint8Array.from(definitions),
          maxDefinition ?? Math.max(0, ...(definitions ?? [])),
        ),
        valueCount,
        nullCount: valueCount - values.length,
      };
      const content = new Uint8Array(Int32Array.from(values).buffer);
      const page = dataPageV1(
        { levels, rowCount: 0, values: content, encoding: "PLAIN" },
        undefined,
        new ByteBuilder(64),
      );
      parts.push(...page.parts);
      offset += page.size;
      count += valueCount;
    }
    const listed = firstRows.flatMap((firstRow, i) => {
      const [from = 0, to = offset] = offsets.slice(i);
      return firstRow === undefined
        ? []
        : [{ field_1: BigInt(from), field_2: to - from, field_3: BigInt(firstRow) }];
    });
    indexes.push(listed.length === 0 ? undefined : thrift({ field_1: listed }));
    return {
      file_offset: 0n,
      meta_data: {
        type: "INT32",
        encodings: ["PLAIN", "RLE"],
        path_in_schema: path.split("."),
        codec: "UNCOMPRESSED",
        num_values: BigInt(count),
        total_uncompressed_size: BigInt(offset - start),
        total_compressed_size: BigInt(offset - start),
        data_page_offset: BigInt(start),
      },
    };
  });
  for (const [i, index] of indexes.entries()) {
    if (index !== undefined) {
      Object.assign(columns[i] ?? {}, {
        offset_index_offset: BigInt(offset),
        offset_index_length: index.length,
      });
      parts.push(index);
      offset += index.length;
    }
  }
  const metadata: FileMetaData = {
    version: 1,
    schema: [...schema],
    num_rows: BigInt(rows),
    row_groups: [{ columns, total_byte_size: BigInt(offset - MAGIC.length), num_rows: BigInt(rows) }],
    metadata_length: 0,
  };
  return concatBytes([...parts, footerBytes(change(metadata), undefined), MAGIC]);
}
