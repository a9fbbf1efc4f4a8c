/** Opens Parquet files with the keys of `--parquet-key`. */
import type { ByteSource } from "@cfile/io";
import type { ParquetFile } from "@cfile/parquet";
import type { CliContext } from "../program/context.js";

/** Closes the source if the file cannot be opened. @throws {CFileError} as `openParquet` */
export async function openParquetFile({ io, sources }: CliContext, source: ByteSource): Promise<ParquetFile> {
  const { openParquet } = await import("@cfile/parquet");
  try {
    return await openParquet(source, { signal: io.signal, keys: sources.parquetKeys });
  } catch (error) {
    await source.close?.();
    throw error;
  }
}
