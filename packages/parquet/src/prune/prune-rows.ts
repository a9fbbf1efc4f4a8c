/**
 * Finds the rows of a row group that may meet conditions, without reading pages: by statistics of the chunk, its Bloom filter, and
 * bounds of its pages, in this order. Indexes that cannot be read rule nothing out.
 */
import { ByteBuilder, CFileError, type CFileErrorCode } from "@cfile/bytes";
import type { ScalarBatch } from "@cfile/encodings";
import type { ColumnCondition } from "@cfile/encodings/conditions";
import type { ByteSource } from "@cfile/io";
import { readExactly } from "@cfile/io";
import type { ColumnChunk } from "hyparquet";
import type { ChunkCipher } from "../crypto/module-cipher.js";
import type { PageLocation } from "../pages/page-locations.js";
import type { ParquetColumn, ReadableLeaf } from "../schema/readable-leaf.js";
import type { ThriftFields } from "../schema/thrift-fields.js";
import { appendPlain, BitBuilder } from "../write/plain-writer.js";
import { BloomFilter } from "./bloom-filter.js";
import { hasOrder, mayMeet } from "./bounds-test.js";
import { chunkBoundsOf, columnIndexOf } from "./column-index.js";
import { intersect, joined, type RowRange } from "./row-ranges.js";

/** The part of a file that pruning needs. */
export interface PrunedFile {
  readonly source: ByteSource;
  /** Fields of the file's metadata. */
  readonly fields: ThriftFields | undefined;
  /** File offset of the metadata. */
  readonly footerStart: number;
  readable(name: string): ReadableLeaf;
  chunkOf(column: ReadableLeaf, group: number): ColumnChunk | undefined;
  rowsOfGroup(group: number): number;
  /** The data pages of a chunk; empty without a valid offset index. */
  locations(column: ReadableLeaf, group: number): Promise<readonly PageLocation[]>;
  /** The cipher of a chunk, if it is encrypted. */
  cipherOf(column: ReadableLeaf, group: number): ChunkCipher | undefined;
}

/** Rows of each row group that may meet all conditions; computed once per row group. */
export class RowPruner {
  private readonly file: PrunedFile;
  private readonly conditions: readonly ColumnCondition<ParquetColumn>[];
  private readonly found = new Map<number, Promise<readonly RowRange[]>>();

  constructor(file: PrunedFile, conditions: readonly ColumnCondition<ParquetColumn>[]) {
    this.file = file;
    this.conditions = conditions;
  }

  /** Ascending ranges, counted from the start of the row group. @throws {CFileError} `E_IO` when the source fails */
  rows(group: number): Promise<readonly RowRange[]> {
    const known = this.found.get(group) ?? this.find(group);
    this.found.set(group, known);
    return known;
  }

  private async find(group: number): Promise<readonly RowRange[]> {
    let rows: readonly RowRange[] = [{ from: 0, to: this.file.rowsOfGroup(group) }];
    const tests = [this.byStatistics, this.byBloomFilter, this.byPages];
    for (const test of tests) {
      for (const condition of this.conditions) {
        const column = this.file.readable(condition.column.name);
        const kept = await test.call(this, condition, column, group);
        rows = kept === "all" ? rows : intersect(rows, kept);
        if (rows.length === 0) {
          return rows;
        }
      }
    }
    return rows;
  }

  private async byStatistics(
    condition: ColumnCondition,
    column: ReadableLeaf,
    group: number,
  ): Promise<readonly RowRange[] | "all"> {
    const { fields } = this.file;
    const bounds = fields && hasOrder(column) && chunkBoundsOf(fields, group, column.leaf.index);
    return bounds && mayMeet(condition, bounds, column)[0] === 0 ? [] : "all";
  }

  private async byBloomFilter(
    condition: ColumnCondition,
    column: ReadableLeaf,
    group: number,
  ): Promise<readonly RowRange[] | "all"> {
    const { op, operands } = condition;
    const offset = this.file.chunkOf(column, group)?.meta_data?.bloom_filter_offset;
    if (offset === undefined || (op !== "=" && op !== "in") || operands.length > MAX_TESTED) {
      return "all";
    }
    const values = plainOperands(operands, column);
    if (values === undefined) {
      return "all";
    }
    const { source, footerStart } = this.file;
    const cipher = this.file.cipherOf(column, group);
    const filter = await unlessDamaged(BloomFilter.open(source, Number(offset), footerStart, cipher));
    if (filter === undefined) {
      return "all";
    }
    const found = await Promise.all(values.map((value) => filter.mayHave(value)));
    return found.includes(true) ? "all" : [];
  }

  private async byPages(
    condition: ColumnCondition,
    column: ReadableLeaf,
    group: number,
  ): Promise<readonly RowRange[] | "all"> {
    const chunk = this.file.chunkOf(column, group);
    const offset = Number(chunk?.column_index_offset ?? 0);
    const length = Number(chunk?.column_index_length ?? 0);
    const { source, footerStart } = this.file;
    const isValid = offset >= 4 && length > 0 && length <= MAX_INDEX_BYTES && offset + length <= footerStart;
    if (!isValid || !hasOrder(column)) {
      return "all";
    }
    const locations = await this.file.locations(column, group);
    const cipher = this.file.cipherOf(column, group);
    const stored = await readExactly(source, offset, length, { field: "column index" });
    const bytes = cipher === undefined ? stored : await unlessDamaged(cipher.decrypt(stored, "columnIndex"));
    const bounds = bytes && columnIndexOf(bytes, locations.length);
    if (bounds === undefined) {
      return "all";
    }
    const marks = mayMeet(condition, bounds, column);
    const rows = this.file.rowsOfGroup(group);
    const pages = locations.map(({ firstRow }, i) => ({
      from: firstRow,
      to: marks[i] === 1 ? (locations[i + 1]?.firstRow ?? rows) : firstRow,
    }));
    return joined(pages);
  }
}

/** Maximum values of a condition that are looked up in Bloom filters. */
const MAX_TESTED = 64;
const MAX_INDEX_BYTES = 64 * 1024 * 1024;

const DAMAGE: readonly CFileErrorCode[] = ["E_CORRUPT", "E_TRUNCATED", "E_CHECKSUM"];

async function unlessDamaged<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof CFileError && DAMAGE.includes(error.code)) {
      return undefined;
    }
    throw error;
  }
}

/** Values as a Bloom filter hashes them; `undefined` for types whose equal values may have several encodings. */
function plainOperands(operands: ScalarBatch, { kind }: ReadableLeaf): Uint8Array[] | undefined {
  const { length } = operands;
  if (operands.kind === "binary") {
    return Array.from({ length }, (_, i) =>
      operands.data.subarray(operands.offsets[i], operands.offsets[i + 1]),
    );
  }
  const isExact = kind.change === "none" || kind.change === "narrow";
  if (!isExact || operands.kind !== "fixed") {
    return undefined;
  }
  const { values } = operands;
  // Zeros of both signs are equal and have different bytes.
  if ((values instanceof Float32Array || values instanceof Float64Array) && values.includes(0)) {
    return undefined;
  }
  const plain = new ByteBuilder();
  appendPlain(plain, new BitBuilder(), operands);
  const bytes = plain.finish();
  const width = bytes.length / length;
  return Array.from({ length }, (_, i) => bytes.subarray(i * width, (i + 1) * width));
}
