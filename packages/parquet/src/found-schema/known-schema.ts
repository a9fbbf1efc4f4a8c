/** Where the schema of a file without a footer comes from: its damaged footer, another file, or the caller. */
import { invalidArgument } from "@cfile/bytes";
import { type ByteSource, readExactly } from "@cfile/io";
import type { CompressionCodec, FileMetaData, KeyValue, SchemaElement } from "hyparquet";
import { readFooter } from "../read/parquet-footer.js";
import type { ParquetColumn } from "../schema/readable-leaf.js";
import { schemaOf } from "../schema/write-schema.js";
import { type FoundMetadata, readMetadataFields } from "../walk/metadata-fields.js";

/**
 * `"footer"`: the file's own footer, which may be damaged; `"arrow"`: the Arrow schema in it; `"like"`: another file; `"given"`: the
 * caller; `"guessed"`: the pages.
 */
export type SchemaOrigin = "footer" | "arrow" | "like" | "given" | "guessed";

export interface KnownSchema {
  readonly from: SchemaOrigin;
  readonly elements: readonly SchemaElement[];
  /** The list as stored in a footer, including its field head. */
  readonly bytes?: Uint8Array | undefined;
  readonly keyValues: readonly KeyValue[];
  /** Codec of each leaf, where it is known. */
  readonly codecs: readonly (CompressionCodec | undefined)[];
}

/** Keys of metadata about the schema, which also applies to other files with this schema. */
const SCHEMA_KEYS: readonly string[] = [
  "ARROW:schema",
  "org.apache.spark.sql.parquet.row.metadata",
  "parquet.avro.schema",
  "cfile.types",
];

/** The schema of a file's own footer; the rest of the footer may be damaged. */
export function schemaOfFooter({ metadata, schemaBytes }: FoundMetadata): KnownSchema {
  return {
    from: "footer",
    elements: metadata.schema,
    bytes: schemaBytes,
    keyValues: metadata.key_value_metadata ?? [],
    codecs: codecsOf(metadata),
  };
}

/** The schema of another file. @throws {CFileError} as `openParquet` */
export async function schemaLike(
  source: ByteSource,
): Promise<{ readonly schema: KnownSchema; readonly metadata: FileMetaData }> {
  const { metadata, start, end } = await readFooter(source).then(async (footer) => ({
    ...footer,
    end: (await source.size()) - 8,
  }));
  const found = readMetadataFields(await readExactly(source, start, end - start));
  const keyValues = (metadata.key_value_metadata ?? []).filter(({ key }) => SCHEMA_KEYS.includes(key));
  return {
    schema: {
      from: "like",
      elements: metadata.schema,
      bytes: found?.schemaBytes,
      keyValues,
      codecs: codecsOf(metadata),
    },
    metadata,
  };
}

/** The schema that the caller gives: columns, or elements of a Parquet schema with or without their root. */
export function givenSchema(given: readonly ParquetColumn[] | readonly SchemaElement[]): KnownSchema {
  const elements = given.flatMap((column): SchemaElement[] =>
    isColumn(column) ? schemaOf(column, true) : [column],
  );
  const [first] = elements;
  if (first === undefined) {
    throw invalidArgument("no columns (expected at least 1)", { field: "schema" });
  }
  const isRooted = first.repetition_type === undefined && first.type === undefined;
  const root: SchemaElement = { name: "root", num_children: given.length };
  return { from: "given", elements: isRooted ? elements : [root, ...elements], keyValues: [], codecs: [] };
}

function isColumn(column: ParquetColumn | SchemaElement): column is ParquetColumn {
  return "nullable" in column;
}

/** Names from the root to each leaf. */
export function leafPaths(elements: readonly SchemaElement[]): string[][] {
  const paths: string[][] = [];
  let next = 1;
  const visit = (children: number, parents: readonly string[]): void => {
    for (let i = 0; i < children; i++) {
      const element = elements[next++];
      if (element === undefined) {
        return;
      }
      const { name, num_children: own = 0 } = element;
      const path = [...parents, name];
      if (own > 0) {
        visit(own, path);
      } else {
        paths.push(path);
      }
    }
  };
  visit(elements[0]?.num_children ?? 0, []);
  return paths;
}

/** The codec of each leaf in the first row group. */
function codecsOf({ row_groups: groups }: FileMetaData): (CompressionCodec | undefined)[] {
  return (groups[0]?.columns ?? []).map(({ meta_data: meta }) => meta?.codec);
}
