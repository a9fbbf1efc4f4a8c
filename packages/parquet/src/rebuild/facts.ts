/** Known facts about a file without a footer: its schema, and traits of row groups, pages and values in another file. */
import { invalidArgument } from "@cfile/bytes";
import { type ByteSource, openWith, readExactly, type SourceInput } from "@cfile/io";
import type { FileMetaData, SchemaElement } from "hyparquet";
import { findArrowSchema } from "../found-schema/arrow-schema.js";
import { guessColumns } from "../found-schema/guess-schema.js";
import { givenSchema, type KnownSchema, schemaLike, schemaOfFooter } from "../found-schema/known-schema.js";
import { type ColumnHabits, readHabits } from "../layout/column-habits.js";
import type { LayoutHints } from "../layout/layout-hints.js";
import { PageStore } from "../layout/page-store.js";
import type { FoundPages } from "../layout/page-tokens.js";
import { pageHabits, siblingChunks } from "../layout/sibling-pages.js";
import { type Leaf, leavesOf } from "../schema/leaf-schema.js";
import type { OtherPart } from "../walk/file-part.js";
import type { FoundMetadata } from "../walk/metadata-fields.js";
import type { RebuildOptions } from "./rebuild-options.js";

/** The parts of the file. */
export interface WalkedFile {
  readonly collector: FoundPages;
  readonly others: readonly OtherPart[];
  readonly footer: FoundMetadata | undefined;
}

/** The schema, and hints that decide between several ways to divide the pages. */
export interface Facts {
  readonly schema: KnownSchema;
  readonly leaves: readonly Leaf[];
  readonly store: PageStore;
  readonly hints: LayoutHints;
}

/** Maximum bytes at the end of the file that are searched for an Arrow schema. */
const MAX_ARROW_BYTES = 16 * 1024 * 1024;

/** @throws {CFileError} `E_INVALID_ARGUMENT` if the schema is unknown; as `openParquet` for another file */
export async function findFacts(
  source: ByteSource,
  walked: WalkedFile,
  options: RebuildOptions,
): Promise<Facts> {
  const { like, schema: given, rowGroupRows, decompressors, signal } = options;
  const { footer } = walked;
  const other = like === undefined ? undefined : await withSource(like, schemaLike);
  const schema =
    (given !== undefined ? givenSchema(given) : other?.schema) ??
    (footer === undefined ? undefined : schemaOfFooter(footer)) ??
    (await arrowSchema(source, walked, options)) ??
    (await guessed(source, walked, options));
  const leaves = leavesOf(schema.elements);
  const store = new PageStore(source, schema.codecs, { decompressors, signal });
  const exact = footer?.isComplete
    ? footer.metadata.row_groups.map(({ num_rows: rows }) => Number(rows))
    : undefined;
  const likeness = other && (await likenessOf(other.metadata, { schema, leaves, store }, options));
  return { schema, leaves, store, hints: { exact, rowGroupRows, ...likeness } };
}

/** Opens a source, and closes it after use unless the caller opened it. */
export function withSource<T>(input: SourceInput, use: (source: ByteSource) => Promise<T>): Promise<T> {
  return openWith(input, async (source) => {
    const result = await use(source);
    if (source !== input) {
      await source.close?.();
    }
    return result;
  });
}

/** Hints about row groups, pages and values from the other file. */
async function likenessOf(
  metadata: FileMetaData,
  { schema, leaves, store }: Omit<Facts, "hints">,
  { like, signal, decompressors }: RebuildOptions,
): Promise<LayoutHints> {
  const { row_groups: groups } = metadata;
  if (like === undefined || groups.some(({ columns }) => columns.length !== leaves.length)) {
    return {};
  }
  const chunks = await withSource(like, (source) => siblingChunks(source, metadata, signal));
  let known: ColumnHabits | undefined;
  const habits = async (): Promise<ColumnHabits> => {
    known ??= await withSource(like, (source) =>
      readHabits(chunks, leaves, new PageStore(source, schema.codecs, { decompressors, signal })),
    );
    return known;
  };
  return {
    like: metadata,
    likePages: pageHabits(chunks),
    isUnlike: async (group, pages) => (await habits()).isUnlike(group, pages, leaves, store),
    isRefuted: async (groups, pages) => (await habits()).refute(groups, pages, leaves, store),
  };
}

/** The second copy of the schema that Arrow's writers store, if it survives in the bytes after the last page. */
async function arrowSchema(
  source: ByteSource,
  { collector, others }: WalkedFile,
  { signal, useFooter = true }: RebuildOptions,
): Promise<KnownSchema | undefined> {
  const last = collector.pages.at(-1);
  const end = others.at(-1);
  if (!useFooter || last === undefined || end === undefined) {
    return undefined;
  }
  const size = end.offset + end.size;
  const from = Math.max(last.offset + last.size, size - MAX_ARROW_BYTES);
  const elements =
    from < size ? findArrowSchema(await readExactly(source, from, size - from, { signal })) : undefined;
  return elements && { from: "arrow", elements, keyValues: [], codecs: [] };
}

/** The schema guessed from the pages. */
async function guessed(
  source: ByteSource,
  { collector }: WalkedFile,
  { decompressors, signal }: RebuildOptions,
): Promise<KnownSchema> {
  const columns = await guessColumns(collector, new PageStore(source, [], { decompressors, signal }));
  if (columns.length === 0) {
    const reason =
      "the footer is lost, and with it the schema (give another file with this schema, or the schema)";
    throw invalidArgument(reason, { path: source.name, field: "schema" });
  }
  const elements = columns.flatMap((column) => column.elements);
  const root: SchemaElement = { name: "root", num_children: columns.length };
  return { from: "guessed", elements: [root, ...elements], keyValues: [], codecs: [] };
}
