/**
 * Copies the undamaged pages of a Parquet file whose footer is missing or damaged into a new file
 * (docs/spec/parquet.md#15-files-without-a-footer). Pages are copied as stored, which preserves columns of any type and nesting; only pages
 * that lost some rows are rewritten.
 */

import { attempt, CFileError, invalidArgument } from "@cfile/bytes";
import {
  type ByteSink,
  type ByteSource,
  openSink,
  readExactly,
  type SinkInput,
  type SourceInput,
} from "@cfile/io";
import type { ColumnChunk, RowGroup } from "hyparquet";
import { leafPaths } from "../found-schema/known-schema.js";
import { dividePages } from "../layout/divide-pages.js";
import type { LaidGroup } from "../layout/layout.js";
import { PageCollector } from "../layout/page-tokens.js";
import type { StatedFile } from "../layout/stated-chunks.js";
import { type PageLocation, pageLocations } from "../pages/page-locations.js";
import type { Leaf } from "../schema/leaf-schema.js";
import { thriftFields } from "../schema/thrift-fields.js";
import type { OtherPart } from "../walk/file-part.js";
import { type FoundMetadata, readMetadataFields } from "../walk/metadata-fields.js";
import { walkFile } from "../walk/walk-file.js";
import { type ParquetOutput, writeFile } from "../write/parquet-output.js";
import { ChunkCopier } from "./chunk-copier.js";
import { type ChunkPages, ChunkReader } from "./chunk-pages.js";
import { EarlyCopy } from "./early-copy.js";
import { findFacts, type WalkedFile, withSource } from "./facts.js";
import { columnsOfLeaves, columnsWithLosses, type GroupPlan, madeNullable, planGroup } from "./group-plan.js";
import { Ledger, type RebuiltParquet } from "./ledger.js";
import type { RebuildOptions } from "./rebuild-options.js";
import { countRows } from "./row-ranges.js";
import { footerBytes } from "./write-footer.js";

/**
 * Recovers a file without its footer.
 * @throws {CFileError} `E_UNSUPPORTED` if all pages are encrypted; `E_INVALID_ARGUMENT` if the schema is unknown or fits no page; `E_LIMIT`
 *   if the pages can be divided into row groups in too many ways; `E_IO` if source or target fail. Then nothing is written
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

class Rebuild implements WalkedFile {
  private readonly source: ByteSource;
  private readonly options: RebuildOptions;
  readonly collector = new PageCollector();
  readonly others: OtherPart[] = [];
  private readonly offsetIndexes: (readonly PageLocation[])[] = [];
  private readonly columnIndexes: Uint8Array[] = [];
  footer: FoundMetadata | undefined;
  private stated: StatedFile | undefined;

  constructor(source: ByteSource, options: RebuildOptions) {
    this.source = source;
    this.options = options;
  }

  async write(target: ByteSink): Promise<RebuiltParquet> {
    const early = await this.walk(target);
    const { name: path } = this.source;
    const encrypted = this.others.find(({ kind }) => kind === "encrypted");
    if (this.collector.pages.length === 0 && encrypted !== undefined) {
      const reason = "the pages are encrypted: without the footer they cannot be decrypted";
      throw new CFileError("E_UNSUPPORTED", reason, { path, offset: encrypted.offset, field: "page" });
    }
    const { signal } = this.options;
    const { schema, leaves, store, hints } = await findFacts(this.source, this, this.options);
    const facts = { leaves, store, hints };
    const { layout, rows, isCareful } = await dividePages(this.collector, this.stated, facts);
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
        try {
          for (const plan of plans) {
            signal?.throwIfAborted();
            if (plan.rows.length > 0) {
              groups.push(await copyGroup({ copier, out, plan, paths, added }));
            }
          }
        } finally {
          await copier.finish();
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
      {
        footerOf: (metadata) => footerBytes(metadata, nullable.changed.size > 0 ? undefined : schema.bytes),
        early,
      },
    );
    return ledger.finish(written, layout);
  }

  /** @returns number of bytes copied meanwhile */
  private async walk(target: ByteSink): Promise<number> {
    const copy = new EarlyCopy(this.source, target);
    try {
      await this.walkParts(copy);
    } finally {
      await copy.finish();
    }
    return copy.end;
  }

  private async walkParts(copy: EarlyCopy): Promise<void> {
    const { signal, useFooter = true } = this.options;
    const read = ({ offset, size }: OtherPart) => readExactly(this.source, offset, size, { signal });
    for await (const part of walkFile(copy.source, this.options)) {
      this.collector.add(part);
      if (part.kind === "page") {
        copy.advance(part.offset + part.size);
      } else {
        this.others.push(part);
        if (part.kind !== "magic") {
          copy.stop();
        }
      }
      if (part.kind === "offset-index") {
        this.offsetIndexes.push(pageLocations(await read(part)));
      } else if (part.kind === "metadata" && useFooter) {
        this.readFooter(part.offset, await read(part));
      }
    }
    this.collector.markStarts(this.offsetIndexes, this.others);
    if (this.stated !== undefined) {
      for (const part of this.others.filter(({ kind }) => kind === "column-index")) {
        this.columnIndexes.push(await read(part));
      }
    }
  }

  private readFooter(offset: number, bytes: Uint8Array): void {
    const found = readMetadataFields(bytes);
    if (found === undefined) {
      return;
    }
    this.footer = found;
    const { metadata, isComplete } = found;
    const { offsetIndexes, columnIndexes } = this;
    const fields = isComplete ? attempt(() => thriftFields(bytes, "file metadata").fields) : undefined;
    this.stated = fields && { metadata, fields, offset, offsetIndexes, columnIndexes };
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
  let uncompressed = 0n;
  for (const chunk of plan.chunks) {
    const { index } = chunk.leaf;
    const meta = await copier.copy(chunk, paths[index] ?? [], plan.rows, added[index] ?? 0);
    columns.push({ file_offset: 0n, meta_data: meta });
    uncompressed += meta.total_uncompressed_size;
  }
  return {
    columns,
    total_byte_size: uncompressed,
    num_rows: BigInt(countRows(plan.rows)),
    file_offset: BigInt(start),
    total_compressed_size: BigInt(out.offset - start),
  };
}
