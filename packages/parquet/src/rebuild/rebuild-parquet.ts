/**
 * Makes a new Parquet file of the undamaged pages of one whose footer is lost or wrong
 * (docs/spec/parquet.md#15-files-without-a-footer). Pages are copied as they are stored, so that columns of any type and nesting are
 * kept; only pages that lost some rows are rewritten.
 */

import { CFileError, corrupt, invalidArgument } from "@cfile/bytes";
import {
  type ByteSource,
  openSink,
  openWith,
  readExactly,
  type SinkInput,
  type SourceInput,
} from "@cfile/io";
import type { ColumnChunk, RowGroup, SchemaElement } from "hyparquet";
import { findArrowSchema } from "../found-schema/arrow-schema.js";
import { guessColumns } from "../found-schema/guess-schema.js";
import {
  givenSchema,
  type KnownSchema,
  leafPaths,
  schemaLike,
  schemaOfFooter,
} from "../found-schema/known-schema.js";
import { GroupParser } from "../layout/group-parser.js";
import { type LaidGroup, type Layout, layOut } from "../layout/layout.js";
import type { LayoutHints } from "../layout/layout-hints.js";
import { PageStore } from "../layout/page-store.js";
import { type FoundPages, PageCollector, PageRows, withoutDamaged } from "../layout/page-tokens.js";
import type { PageDecompressors } from "../pages/page-codec.js";
import { pageLocations } from "../pages/page-locations.js";
import { type Leaf, leavesOf } from "../schema/leaf-schema.js";
import type { ParquetColumn } from "../schema/readable-leaf.js";
import type { OtherPart } from "../walk/file-part.js";
import { type FoundMetadata, readMetadataFields } from "../walk/metadata-fields.js";
import { type WalkOptions, walkFile } from "../walk/walk-file.js";
import { type ParquetOutput, writeFile } from "../write/parquet-output.js";
import { ChunkCopier } from "./chunk-copier.js";
import { type ChunkPages, ChunkReader } from "./chunk-pages.js";
import { columnsOfLeaves, columnsWithLosses, type GroupPlan, madeNullable, planGroup } from "./group-plan.js";
import { Ledger, type RebuiltParquet } from "./ledger.js";
import { countRows } from "./row-ranges.js";
import { footerBytes } from "./write-footer.js";

/** How a file without a footer is recovered. `onProgress` counts bytes: first those read, then those copied. */
export interface RebuildOptions extends WalkOptions {
  /** A valid file with the same schema, best of the same writer. */
  readonly like?: SourceInput | undefined;
  /** Columns, or the elements of a Parquet schema. */
  readonly schema?: readonly ParquetColumn[] | readonly SchemaElement[] | undefined;
  /** Whether to use the file's own footer, as far as it is valid. Default `true`. */
  readonly useFooter?: boolean | undefined;
  /** Rows per row group, if known; the last one may have fewer. */
  readonly rowGroupRows?: number | undefined;
  /** `"drop"`: rows with lost cells are left out; `"null"`: lost cells become null. Default `"drop"`. */
  readonly lost?: "drop" | "null" | undefined;
  /** Functions that replace the built-in codecs (all except LZO). */
  readonly decompressors?: PageDecompressors | undefined;
}

/**
 * Recovers a file without its footer.
 * @throws {CFileError} `E_UNSUPPORTED` if all pages are encrypted; `E_INVALID_ARGUMENT` if the schema is unknown or fits no page; `E_LIMIT` if the pages can be divided into row
 *   groups in too many ways; `E_IO` when source or target fail. Then nothing is written
 */
export function rebuildParquet(
  input: SourceInput,
  target: SinkInput,
  options: RebuildOptions = {},
): Promise<RebuiltParquet> {
  return withSource(input, async (source) => {
    const sink = await openSink(target);
    try {
      return await new Rebuild(source, options).write(sink);
    } catch (error) {
      await sink.abort(error);
      throw error;
    }
  });
}

/** Closes the source unless it is the caller's. */
function withSource<T>(input: SourceInput, use: (source: ByteSource) => Promise<T>): Promise<T> {
  return openWith(input, async (source) => {
    const result = await use(source);
    if (source !== input) {
      await source.close?.();
    }
    return result;
  });
}

/** Bytes at the end of the file that are searched for an Arrow schema. */
const MAX_ARROW_BYTES = 16 * 1024 * 1024;

class Rebuild {
  private readonly source: ByteSource;
  private readonly options: RebuildOptions;
  private readonly collector = new PageCollector();
  private readonly others: OtherPart[] = [];
  /** File offsets of the first data pages of chunks, from offset indexes. */
  private readonly starts = new Set<number>();
  private footer: FoundMetadata | undefined;

  constructor(source: ByteSource, options: RebuildOptions) {
    this.source = source;
    this.options = options;
  }

  async write(target: SinkInput): Promise<RebuiltParquet> {
    await this.walk();
    const { name: path } = this.source;
    const encrypted = this.others.find(({ kind }) => kind === "encrypted");
    if (this.collector.pages.length === 0 && encrypted !== undefined) {
      const reason = "the pages are encrypted: without the footer they cannot be decrypted";
      throw new CFileError("E_UNSUPPORTED", reason, { path, offset: encrypted.offset, field: "page" });
    }
    const { signal, decompressors } = this.options;
    const { schema, hints } = await this.known();
    const leaves = leavesOf(schema.elements);
    const store = new PageStore(this.source, schema.codecs, { decompressors, signal });
    const { layout, rows, isCareful } = await this.divide(leaves, store, hints);
    if (layout.groups.length === 0 && this.collector.pages.length > 0) {
      const reason = `the ${this.collector.pages.length} pages do not fit the schema (its columns must be those of the file, in order)`;
      throw invalidArgument(reason, { path: this.source.name, field: "schema" });
    }
    const reader = new ChunkReader(rows, store, !isCareful);
    const ledger = new Ledger(this.collector, this.others, schema, leaves, rows.found);
    const columns = columnsOfLeaves(schema.elements);
    const plans: GroupPlan[] = [];
    for (const group of layout.groups) {
      signal?.throwIfAborted();
      const chunks = await this.chunksOf(group, leaves, reader);
      const plan = planGroup(group, chunks, columns, this.options.lost ?? "drop");
      ledger.addGroup(group, chunks, plan.rows);
      plans.push(plan);
    }
    const nullable = madeNullable(schema.elements, columnsWithLosses(plans, columns));
    const added = columns.map((column) => (nullable.changed.has(column) ? 1 : 0));
    const paths = leafPaths(schema.elements);
    const written = await writeFile(
      target,
      async (out) => {
        const copier = new ChunkCopier(this.source, store, out, ledger.counts, signal);
        const groups: RowGroup[] = [];
        for (const plan of plans) {
          signal?.throwIfAborted();
          if (plan.rows.length > 0) {
            groups.push(await copyGroup({ copier, out, plan, paths, added }));
          }
        }
        return {
          version: 2,
          schema: [...nullable.schema],
          num_rows: groups.reduce((sum, { num_rows: own }) => sum + own, 0n),
          row_groups: groups,
          key_value_metadata: [...schema.keyValues],
          created_by: "cfile",
          metadata_length: 0,
        };
      },
      (metadata) => footerBytes(metadata, nullable.changed.size > 0 ? undefined : schema.bytes),
    );
    return ledger.finish(written, layout);
  }

  private async walk(): Promise<void> {
    const { signal, useFooter = true } = this.options;
    let listed = 0;
    for await (const part of walkFile(this.source, this.options)) {
      this.collector.add(part);
      if (part.kind !== "page") {
        this.others.push(part);
      }
      if (part.kind === "offset-index") {
        const bytes = await readExactly(this.source, part.offset, part.size, { signal });
        const locations = pageLocations(bytes);
        this.starts.add(locations[0]?.offset ?? 0);
        listed += locations.length;
      }
      if (part.kind === "metadata" && useFooter) {
        const bytes = await readExactly(this.source, part.offset, part.size, { signal });
        this.footer = readMetadataFields(bytes) ?? this.footer;
      }
    }
    this.collector.markStarts(this.starts, listed);
  }

  private async known(): Promise<{ readonly schema: KnownSchema; readonly hints: LayoutHints }> {
    const { like, schema: given, rowGroupRows } = this.options;
    const { footer } = this;
    const exact = footer?.isComplete
      ? footer.metadata.row_groups.map(({ num_rows: rows }) => Number(rows))
      : undefined;
    const other = like === undefined ? undefined : await withSource(like, schemaLike);
    const hints = { exact, rowGroupRows, like: other?.metadata };
    const schema =
      given !== undefined
        ? givenSchema(given)
        : (other?.schema ?? (footer === undefined ? undefined : schemaOfFooter(footer)));
    return { schema: schema ?? (await this.arrowSchema()) ?? (await this.guessed()), hints };
  }

  /** The schema that Arrow's writers store a second time, if it survives in the bytes after the last page. */
  private async arrowSchema(): Promise<KnownSchema | undefined> {
    const { signal, useFooter = true } = this.options;
    const last = this.collector.pages.at(-1);
    const end = this.others.at(-1);
    if (!useFooter || last === undefined || end === undefined) {
      return undefined;
    }
    const size = end.offset + end.size;
    const from = Math.max(last.offset + last.size, size - MAX_ARROW_BYTES);
    const elements =
      from < size
        ? findArrowSchema(await readExactly(this.source, from, size - from, { signal }))
        : undefined;
    return elements && { from: "arrow", elements, keyValues: [], codecs: [] };
  }

  /** The schema that the pages themselves show. */
  private async guessed(): Promise<KnownSchema> {
    const { decompressors, signal } = this.options;
    const store = new PageStore(this.source, [], { decompressors, signal });
    const columns = await guessColumns(this.collector, store);
    if (columns.length === 0) {
      const reason =
        "the footer is lost, and with it the schema (give another file with this schema, or the schema)";
      throw invalidArgument(reason, { path: this.source.name, field: "schema" });
    }
    const elements = columns.flatMap((column) => column.elements);
    const root: SchemaElement = { name: "root", num_children: columns.length };
    return { from: "guessed", elements: [root, ...elements], keyValues: [], codecs: [] };
  }

  /** Divides the pages; if they cannot be divided as they are, without damaged ones, and then by their headers alone. */
  private async divide(
    leaves: readonly Leaf[],
    store: PageStore,
    hints: LayoutHints,
  ): Promise<{ readonly layout: Layout; readonly rows: PageRows; readonly isCareful: boolean }> {
    const found: FoundPages = this.collector;
    let best: { layout: Layout; rows: PageRows; isCareful: boolean } | undefined;
    for (const [pages, isCareful] of [
      [found, true],
      [withoutDamaged(found), true],
      [withoutDamaged(found), false],
    ] as const) {
      const rows = new PageRows(pages, leaves, store, isCareful);
      const layout = await layOut(new GroupParser(rows), pages, hints);
      if (best === undefined || layout.cost < best.layout.cost) {
        best = { layout, rows, isCareful };
      }
      if (layout.isGood) {
        break;
      }
    }
    if (best === undefined) {
      throw corrupt("no pages", { path: this.source.name });
    }
    return best;
  }

  private async chunksOf(
    group: LaidGroup,
    leaves: readonly Leaf[],
    reader: ChunkReader,
  ): Promise<ChunkPages[]> {
    const chunks: ChunkPages[] = [];
    for (const leaf of leaves) {
      const parsed = group.chunks.find(({ column }) => column === leaf.index);
      chunks.push(
        await reader.chunk(
          parsed ?? { column: leaf.index, dictionary: undefined, runs: [] },
          leaf,
          group.rows,
        ),
      );
    }
    return chunks;
  }
}

interface CopiedGroup {
  readonly copier: ChunkCopier;
  readonly out: ParquetOutput;
  readonly plan: GroupPlan;
  readonly paths: readonly (readonly string[])[];
  /** For each leaf, 1 if its column becomes nullable. */
  readonly added: readonly (0 | 1)[];
}

async function copyGroup({ copier, out, plan, paths, added }: CopiedGroup): Promise<RowGroup> {
  const start = out.offset;
  const columns: ColumnChunk[] = [];
  for (const chunk of plan.chunks) {
    const { index } = chunk.leaf;
    columns.push(await copier.copy(chunk, paths[index] ?? [], plan.rows, added[index] ?? 0));
  }
  const sizes = columns.map(({ meta_data: meta }) => meta?.total_uncompressed_size ?? 0n);
  return {
    columns,
    total_byte_size: sizes.reduce((sum, size) => sum + size, 0n),
    num_rows: BigInt(countRows(plan.rows)),
    file_offset: BigInt(start),
    total_compressed_size: BigInt(out.offset - start),
  };
}
