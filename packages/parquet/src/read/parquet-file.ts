/** An open Parquet file: its columns as CFile columns, page by page. */
import { CFileError, corrupt, invalidArgument, type WorkOptions } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { alignBatches, sliceTable, type TableBatch } from "@cfile/encodings/batches";
import {
  type ColumnCondition,
  type Conditions,
  checkConditions,
  conditionList,
  TableFilter,
} from "@cfile/encodings/conditions";
import { type ByteSource, openWith, type SourceInput } from "@cfile/io";
import type { FileMetaData, RowGroup } from "hyparquet";
import type { PrunedFile, RowPruner } from "../prune/prune-rows.js";
import { type Leaf, LOCKED, leavesOf } from "../schema/leaf-schema.js";
import type { ParquetColumn, ReadableLeaf } from "../schema/readable-leaf.js";
import { statedType } from "../schema/stated-type.js";
import { type ThriftFields, thriftFields } from "../schema/thrift-fields.js";
import type { ParquetReport } from "../verify/verify-pages.js";
import { FileChunks } from "./file-chunks.js";
import { batchOfPage } from "./leaf-batch.js";
import type { PageVisit } from "./page-decoder.js";
import type { ChunkOptions } from "./page-reader.js";
import { type ParquetFooter, readFooter } from "./parquet-footer.js";

/** `onProgress` is called after each batch with the number of rows read. */
export interface ParquetScanOptions extends WorkOptions {
  /** Column names. Default: all that a CFile can store. */
  readonly columns?: readonly string[] | undefined;
  /** Only rows that match all conditions. */
  readonly where?: Conditions | undefined;
  /** Maximum number of rows. Default: all. */
  readonly limit?: number | undefined;
  /** Whether `where` skips row groups and pages by their statistics, Bloom filters and page indexes. Default `true`. */
  readonly useStatistics?: boolean | undefined;
}

/**
 * Opens a Parquet file. Only its footer is read.
 *
 * @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED` when it is not a Parquet file; `E_UNSUPPORTED` when it is encrypted and `keys` lacks
 *   its key; `E_CHECKSUM` for a wrong key
 *
 * @example
 * ```js
 * import { openParquet } from "@cfile/parquet";
 *
 * const file = await openParquet("fixtures/golden/parquet/alltypes_plain.parquet");
 * for await (const { columns: [id, flag] } of file.scan({ columns: ["id", "bool_col"] })) {
 *   console.log(id.toArray().join(" "), flag.toArray().join(" "));
 * }
 * await file.close();
 * ```
 *
 * ```text
 * 4 5 6 7 2 3 0 1 true false true false true false true false
 * ```
 */
export function openParquet(input: SourceInput, options: ChunkOptions = {}): Promise<ParquetFile> {
  return openWith(input, async (source) => {
    return new ParquetFile(source, await readFooter(source, options.keys), options);
  });
}

/** An open Parquet file: its schema, and its columns as batches. */
export class ParquetFile {
  readonly metadata: FileMetaData;
  /** All leaves, including those that a CFile cannot store. */
  readonly leaves: readonly Leaf[];
  private readonly source: ByteSource;
  private readonly footer: ParquetFooter;
  private fields: ThriftFields | undefined;
  /** @internal */
  readonly chunks: FileChunks;

  /** @internal */
  constructor(source: ByteSource, footer: ParquetFooter, options: ChunkOptions) {
    const { metadata, ciphers } = footer;
    this.source = source;
    this.metadata = metadata;
    this.footer = footer;
    const isLocked = ({ index }: Leaf) => ciphers?.some((group) => group[index] === "locked") === true;
    const leaves = leavesOf(metadata.schema);
    this.leaves = leaves.map((leaf) => (isLocked(leaf) ? { ...leaf, kind: LOCKED } : leaf));
    requireRows(metadata, source.name);
    this.chunks = new FileChunks(source, footer, options);
  }

  get rowCount(): number {
    return this.metadata.row_groups.reduce((sum, group) => sum + Number(group.num_rows), 0);
  }

  /** Key-value metadata. */
  get keyValues(): ReadonlyMap<string, string> {
    return new Map((this.metadata.key_value_metadata ?? []).map(({ key, value = "" }) => [key, value]));
  }

  /** Names of the non-null columns by which all row groups claim to be sorted, ascending; not checked. */
  get sortedBy(): readonly string[] {
    const [first, ...others] = this.metadata.row_groups.map((group) => this.sortingOf(group));
    if (first === undefined) {
      return [];
    }
    const end = first.findIndex((name, i) => others.some((names) => names[i] !== name));
    return end < 0 ? first : first.slice(0, end);
  }

  /** Columns that a CFile can store. */
  get columns(): readonly ParquetColumn[] {
    return this.leaves.flatMap((leaf) =>
      "refused" in leaf.kind ? [] : [this.columnOf(this.readable(leaf.name))],
    );
  }

  /** Columns that a CFile cannot store, with the reasons. */
  get refused(): readonly { readonly name: string; readonly reason: string }[] {
    return this.leaves.flatMap(({ path, kind }) =>
      "refused" in kind ? [{ name: path, reason: kind.refused }] : [],
    );
  }

  /**
   * All rows, or those that match `where`.
   * @throws {CFileError} `E_INVALID_ARGUMENT` for an unknown column or a condition that does not fit its column; `E_UNSUPPORTED` for a
   *   column that a CFile cannot store; `E_CHECKSUM`, `E_CORRUPT`, `E_TRUNCATED` with path and offset for damage
   */
  async *scan(options: ParquetScanOptions = {}): AsyncGenerator<TableBatch, void, void> {
    const { limit = Number.POSITIVE_INFINITY, where, signal, onProgress, useStatistics } = options;
    const { columns = this.columns.map(({ name }) => name) } = options;
    const tested = conditionList(where).flatMap(({ column }) => column ?? []);
    const names = [...new Set([...columns, ...tested])];
    const leaves = names.map((name) => this.readable(name));
    const columnsOf = leaves.map((leaf) => this.columnOf(leaf));
    const filter = new TableFilter(where, columnsOf, names);
    const pruner = await this.pruner(checkConditions(where, columnsOf), useStatistics);
    const total = this.rowCount;
    let left = limit;
    const batches = Object.fromEntries(leaves.map((leaf) => [leaf.leaf.name, this.batches(leaf, pruner)]));
    for await (const rows of alignBatches(batches)) {
      signal?.throwIfAborted();
      const matching = filter.matching(rows);
      if (matching !== undefined && left > 0) {
        const batch = sliceTable(matching, 0, Math.min(left, matching.length));
        left -= batch.length;
        yield names.length === columns.length
          ? batch
          : { ...batch, names: columns, columns: batch.columns.slice(0, columns.length) };
      }
      onProgress?.({ done: rows.firstRow + rows.length, total });
      if (left <= 0) {
        return;
      }
    }
  }

  /** The rows of one column, one batch per page. @throws {CFileError} as {@link scan} */
  async *column(name: string): AsyncGenerator<ColumnBatch, void, void> {
    yield* this.batches(this.readable(name), undefined);
  }

  /** @internal Finds the rows that may meet conditions; `undefined` for all rows. */
  async pruner(
    conditions: readonly ColumnCondition<ParquetColumn>[],
    useStatistics = true,
  ): Promise<RowPruner | undefined> {
    if (conditions.length === 0 || !useStatistics) {
      return undefined;
    }
    const { RowPruner } = await import("../prune/prune-rows.js");
    const { source, footer, chunks } = this;
    this.fields ??= thriftFields(footer.bytes, "file metadata").fields;
    const file: PrunedFile = {
      source,
      fields: this.fields,
      footerStart: footer.start,
      readable: (name) => this.readable(name),
      chunkOf: ({ leaf }, group) => this.metadata.row_groups[group]?.columns[leaf.index],
      rowsOfGroup: (group) => this.rowsOfGroup(group),
      locations: ({ leaf }, group) => chunks.locations(leaf, group),
      cipherOf: ({ leaf }, group) => chunks.cipherOf(leaf, group),
    };
    return new RowPruner(file, conditions);
  }

  private async *batches(
    { leaf, kind }: ReadableLeaf,
    pruner: RowPruner | undefined,
  ): AsyncGenerator<ColumnBatch, void, void> {
    let groupStart = 0;
    for (let group = 0; group < this.metadata.row_groups.length; group++) {
      for await (const { data, firstRow } of this.chunks.rows(leaf, group, await pruner?.rows(group))) {
        yield batchOfPage(data, leaf, kind, groupStart + firstRow);
      }
      groupStart += this.rowsOfGroup(group);
    }
  }

  /** Rows of a row group. */
  rowsOfGroup(group: number): number {
    return this.chunks.rowsOfGroup(group);
  }

  /**
   * @internal The pages of a leaf in a row group.
   * @param careful whether to check headers, which have no CRC, against the offset index and the metadata
   */
  pages(leaf: Leaf, group: number, careful = false): AsyncGenerator<PageVisit, void, void> {
    return this.chunks.pages(leaf, group, careful);
  }

  /**
   * Reads every page and reports losses. `onProgress` counts column chunks.
   * @throws {CFileError} `E_IO`, `E_SOURCE_CHANGED` if the source fails; damaged pages are in the report
   */
  async verify(options: WorkOptions = {}): Promise<ParquetReport> {
    const { verifyPages } = await import("../verify/verify-pages.js");
    return verifyPages(this, options);
  }

  /** Closes the file and its source. */
  async close(): Promise<void> {
    await this.source.close?.();
  }

  /** Calls `close` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @internal */
  readable(name: string): ReadableLeaf {
    const leaf = this.leaves.find((candidate) => candidate.name === name);
    if (leaf === undefined) {
      throw invalidArgument(`no column ${JSON.stringify(name)}`, { field: "name" });
    }
    if ("refused" in leaf.kind) {
      const reason = `column ${name} cannot be in a CFile: ${leaf.kind.refused}`;
      throw new CFileError("E_UNSUPPORTED", reason, { field: name });
    }
    return { leaf, kind: statedType(this.keyValues, leaf.kind, leaf) };
  }

  private sortingOf({ sorting_columns: sorting = [] }: RowGroup): string[] {
    const names: string[] = [];
    for (const { column_idx: index, descending } of sorting) {
      const leaf = this.leaves[index];
      if (descending || leaf === undefined || leaf.array || leaf.nullable || "refused" in leaf.kind) {
        break;
      }
      names.push(leaf.name);
    }
    return names;
  }

  private columnOf({ leaf, kind }: ReadableLeaf): ParquetColumn {
    const { type, precision, scale } = kind;
    const digits = precision === undefined ? {} : { precision, scale };
    return { name: leaf.name, type, nullable: leaf.nullable, array: leaf.array, ...digits };
  }
}

function requireRows({ num_rows: total, row_groups: groups }: FileMetaData, path: string): void {
  let sum = 0n;
  for (const { num_rows: rows } of groups) {
    sum += typeof rows === "bigint" && rows >= 0n ? rows : -1n << 64n;
  }
  // Some writers leave the file's own count at 0.
  if ((sum !== total && total !== 0n) || sum < 0n || sum > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw corrupt(`row groups have ${sum} rows (expected ${total})`, { path, field: "num_rows" });
  }
}
