/** The structure of a Parquet file as JSON. Names are stable. */
import { isDamage, toHex } from "@cfile/bytes";
import type { ByteSource } from "@cfile/io";
import type { ParquetKeys } from "@cfile/parquet";
import type { ChunkDescription } from "@cfile/parquet/inspect";

/** A bound of statistics, or another value of metadata. */
type Bound = NonNullable<ChunkDescription["min"]>;

export function boundText(bound: Bound): string {
  const value = boundJson(bound);
  return typeof value === "string" ? value : String(value);
}

/** Integers beyond 2^53 are text, bytes are hexadecimal. */
function boundJson(bound: Bound): string | number | boolean {
  if (typeof bound === "bigint") {
    return Number.isSafeInteger(Number(bound)) ? Number(bound) : String(bound);
  }
  if (bound instanceof Date) {
    return bound.toISOString();
  }
  if (bound instanceof Uint8Array) {
    return toHex(bound);
  }
  return typeof bound === "object" || (typeof bound === "number" && !Number.isFinite(bound))
    ? String(bound)
    : bound;
}

/** The whole structure with every page; without a usable footer, `parts` and the `problem`. */
export async function parquetJson(
  source: ByteSource,
  { signal, keys }: { readonly signal: AbortSignal | undefined; readonly keys: ParquetKeys },
): Promise<object> {
  const { describeParquet, messageTypeLines, chunkPages } = await import("@cfile/parquet/inspect");
  try {
    const { size, version, writer, rows, footer, schema, keyValues, rowGroups } = await describeParquet(
      source,
      keys,
    );
    const groups = [];
    for (const { chunks, ...group } of rowGroups) {
      const columns = [];
      for (const chunk of chunks) {
        const pages = [];
        for await (const page of chunkPages(source, chunk, { signal })) {
          pages.push({
            kind: page.kind,
            offset: page.offset,
            size: page.size,
            encoding: page.encoding,
            values: page.values,
            rows: page.rows,
            nulls: page.nulls,
            uncompressed_size: page.uncompressedSize,
            crc: page.crc,
          });
        }
        columns.push({ ...chunkJson(chunk), pages });
      }
      groups.push({
        rows: group.rows,
        offset: group.offset,
        size: group.size,
        uncompressed_size: group.uncompressedSize,
        sorted_by: group.sortedBy,
        chunks: columns,
      });
    }
    return {
      kind: "parquet",
      size,
      version,
      writer,
      rows,
      footer,
      schema: messageTypeLines(schema).join("\n"),
      metadata: Object.fromEntries(keyValues.map(({ key, value = "" }) => [key, value])),
      row_groups: groups,
    };
  } catch (error) {
    if (!isDamage(error) || error.code === "E_UNSUPPORTED") {
      throw error;
    }
    const { code, reason, offset, field } = error;
    return {
      kind: "parquet",
      problem: { code, reason, offset, field },
      parts: await partsJson(source, signal),
    };
  }
}

function chunkJson(chunk: ChunkDescription): object {
  const { min, max } = chunk;
  return {
    column: chunk.column,
    type: chunk.type,
    codec: chunk.codec,
    encodings: chunk.encodings,
    values: chunk.values,
    nulls: chunk.nullCount,
    distinct: chunk.distinctCount,
    min: min === undefined ? undefined : boundJson(min),
    max: max === undefined ? undefined : boundJson(max),
    offset: chunk.offset,
    size: chunk.size,
    uncompressed_size: chunk.uncompressedSize,
    dictionary: chunk.dictionary,
    bloom_filter: chunk.bloomFilter,
    column_index: chunk.columnIndex,
    offset_index: chunk.offsetIndex,
  };
}

async function partsJson(source: ByteSource, signal: AbortSignal | undefined): Promise<object[]> {
  const { walkFile } = await import("@cfile/parquet/recover");
  const parts: object[] = [];
  for await (const part of walkFile(source, { signal })) {
    const { kind, offset, size } = part;
    if (part.kind === "page") {
      const { kind: page, encoding, valueCount: values } = part.header;
      parts.push({ kind, offset, size, page, encoding, values, crc: part.crc });
    } else {
      parts.push({ kind, offset, size });
    }
  }
  return parts;
}
