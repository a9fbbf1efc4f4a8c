/** The chunks that a valid footer states, with their pages and bounds where indexes and statistics state them. */
import type { FileMetaData } from "hyparquet";
import { type LeafValues, leafWidth } from "../pages/leaf-values.js";
import type { PageLocation } from "../pages/page-locations.js";
import type { PartBounds } from "../prune/bounds-test.js";
import { chunkBoundsOf, columnIndexOf } from "../prune/column-index.js";
import { chunkStart } from "../read/page-decoder.js";
import { statedEnd } from "../read/parquet-footer.js";
import type { Leaf } from "../schema/leaf-schema.js";
import type { ThriftFields } from "../schema/thrift-fields.js";
import { spanOf } from "./page-span.js";

/** A valid footer, and the indexes before it. */
export interface StatedFile {
  readonly metadata: FileMetaData;
  /** The same metadata, with bounds as bytes. */
  readonly fields: ThriftFields;
  /** File offset of the footer. */
  readonly offset: number;
  /** In file order. */
  readonly offsetIndexes: readonly (readonly PageLocation[])[];
  readonly columnIndexes: readonly Uint8Array[];
}

/** Whether the file lost bytes before its footer, so that pages have moved. */
export function isShort(file: StatedFile | undefined): boolean {
  return file !== undefined && statedEnd(file.metadata) > file.offset;
}

/** Bounds of values, as numbers that keep their order. */
export interface StatedBounds {
  readonly least: number;
  readonly most: number;
  /** Whether both are values of the column, not only limits. */
  readonly isExact: boolean;
}

/** A data page of an offset index. */
export interface StatedPage {
  readonly size: number;
  readonly firstRow: number;
  readonly rows: number;
  readonly bounds: StatedBounds | undefined;
}

/** A chunk as the footer states it. */
export interface StatedChunk {
  readonly group: number;
  readonly column: number;
  /** File offset. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** Rows of the row group. */
  readonly rows: number;
  /** Bytes of the dictionary page, 0 without one; `undefined` if unknown. */
  readonly dictionarySize: number | undefined;
  /** From the offset index; `undefined` without a valid one. */
  readonly pages: readonly StatedPage[] | undefined;
  readonly bounds: StatedBounds | undefined;
}

/** All chunks in file order; empty unless their columns match the leaves. */
export function statedChunks(file: StatedFile, leaves: readonly Leaf[]): StatedChunk[] {
  const { row_groups: groups } = file.metadata;
  const chunks: StatedChunk[] = [];
  const indexes = new IndexesOfChunks(file);
  for (const [group, { columns, num_rows: count }] of groups.entries()) {
    for (const leaf of leaves) {
      const column = leaf.index;
      const meta = columns[column]?.meta_data;
      if (meta === undefined || meta.type !== leaf.type || columns.length !== leaves.length) {
        return [];
      }
      const from = chunkStart(meta);
      const to = from + Number(meta.total_compressed_size);
      const data = Number(meta.data_page_offset);
      const rows = Number(count);
      const bounds = boundsAt(chunkBoundsOf(file.fields, group, column), leaf, 0);
      const pages = indexes.pages(group, leaf, { from: data, to, rows });
      // Some writers do not state where the dictionary is.
      const dictionarySize = pages === undefined && data === from ? undefined : data - from;
      chunks.push({ group, column, from, to, rows, dictionarySize, pages, bounds });
    }
  }
  return chunks.sort((a, b) => a.from - b.from);
}

/** Finds the indexes of a chunk, even if all of them have moved. */
class IndexesOfChunks {
  /** By the offset of the first page. */
  private readonly locations = new Map<number | undefined, readonly PageLocation[]>();
  private readonly columnIndexes = new Map<string | undefined, Uint8Array>();

  constructor({ metadata, offsetIndexes, columnIndexes }: StatedFile) {
    for (const own of offsetIndexes) {
      this.locations.set(own[0]?.offset, own);
    }
    const indexed = metadata.row_groups
      .flatMap(({ columns }, group) => columns.map((chunk, column) => ({ chunk, key: `${group} ${column}` })))
      .filter(({ chunk }) => Number(chunk.column_index_length ?? 0) > 0)
      .sort((a, b) => Number(a.chunk.column_index_offset) - Number(b.chunk.column_index_offset));
    if (indexed.length === columnIndexes.length) {
      for (const [i, bytes] of columnIndexes.entries()) {
        this.columnIndexes.set(indexed[i]?.key, bytes);
      }
    }
  }

  /** The data pages of a chunk; `undefined` if they do not cover exactly the bytes `from` to `to`. */
  pages(
    group: number,
    leaf: Leaf,
    { from, to, rows }: Pick<StatedChunk, "from" | "to" | "rows">,
  ): readonly StatedPage[] | undefined {
    const locations = this.locations.get(from) ?? [];
    const index = this.columnIndexes.get(`${group} ${leaf.index}`);
    const bounds = index && columnIndexOf(index, locations.length);
    const pages = locations.map(({ size, firstRow }, i) => ({
      ...{ size, firstRow, rows: (locations[i + 1]?.firstRow ?? rows) - firstRow },
      bounds: boundsAt(bounds, leaf, i),
    }));
    const end = locations.reduce((at, { offset, size }) => (at === offset ? at + size : -1), from);
    return end === to && pages.every((page) => page.rows > 0) ? pages : undefined;
  }
}

/** Types whose bounds are values; bounds of strings may be truncated. */
const NUMBERS: readonly Leaf["type"][] = ["INT32", "INT64", "FLOAT", "DOUBLE"];

/** `undefined` for types whose bounds do not have the order of {@link spanOf}. */
function boundsAt(bounds: PartBounds | undefined, leaf: Leaf, part: number): StatedBounds | undefined {
  if (bounds?.areNull[part] !== false || !hasOrder(leaf)) {
    return undefined;
  }
  const [least, most] = [bounds.mins, bounds.maxs].map((values) => numberOf(values[part], leaf));
  return least === undefined || most === undefined
    ? undefined
    : { least, most, isExact: NUMBERS.includes(leaf.type) };
}

function hasOrder({ type, element: { converted_type: converted, logical_type: logical } }: Leaf): boolean {
  const isUnsigned =
    converted?.startsWith("UINT") === true || (logical?.type === "INTEGER" && !logical.isSigned);
  const isText = converted === "UTF8" || logical?.type === "STRING";
  return NUMBERS.includes(type) ? !isUnsigned : type === "BYTE_ARRAY" && isText;
}

function numberOf(value: Uint8Array | undefined, leaf: Leaf): number | undefined {
  const width = leafWidth(leaf);
  if (value === undefined || (width !== undefined && value.length !== width)) {
    return undefined;
  }
  const one: LeafValues =
    width === undefined
      ? { kind: "binary", length: 1, data: value, offsets: Int32Array.of(0, value.length) }
      : { kind: "fixed", length: 1, width, bytes: value };
  return spanOf(one, leaf.type)?.least;
}
