/** An open table, and a source that counts the bytes read. */
import type { TableRows } from "@cfile/format";
import { type ByteSource, readExactly, sizeOf } from "@cfile/io";
import { type SourceMetrics, withMetrics } from "@cfile/io/decorators";
import type { CliContext } from "../program/context.js";

/** A table whose files are open. */
export interface OpenTable extends TableRows {
  /** Columns by which rows are sorted: the primary key of table stores, the sorting columns of Parquet files. */
  readonly keyNames?: readonly string[];
  /** Total size of its files. */
  readonly bytes: number;
  /** The fraction read so far, 0 to 1. */
  done(): number;
  close(): Promise<void>;
}

const READ_BYTES = 1 << 20;

/** Opens a source that counts the bytes read. */
export async function countedSource(
  { sources }: CliContext,
  name: string,
): Promise<{ source: ByteSource & { readonly metrics: SourceMetrics }; size: number }> {
  const source = withMetrics(await sources.open(name));
  try {
    return { source, size: await sizeOf(source) };
  } catch (error) {
    await source.close?.();
    throw error;
  }
}

/** All bytes, in order. */
export async function* bytesOf(
  source: ByteSource,
  size: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, void> {
  for (let offset = 0; offset < size; offset += READ_BYTES) {
    yield await readExactly(source, offset, Math.min(READ_BYTES, size - offset), { signal });
  }
}
