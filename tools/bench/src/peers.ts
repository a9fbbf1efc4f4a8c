/**
 * The same tasks with other libraries: hyparquet with hyparquet-writer, and parquet-wasm with apache-arrow.
 */
import { tableFromArrays, tableFromIPC, tableToIPC } from "apache-arrow";
import { parquetRead, parquetReadObjects } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import * as parquetWasm from "parquet-wasm";

export type ParquetCodec = "SNAPPY" | "UNCOMPRESSED";

export function writeWithHyparquet(
  data: Int32Array | string[],
  type: "INT32" | "STRING",
  codec: ParquetCodec,
  nullable = false,
): ArrayBuffer {
  return parquetWriteBuffer({ columnData: [{ name: "c", data, type, nullable }], codec });
}

/** The column in the pieces that hyparquet returns. */
export async function readWithHyparquet(
  file: ArrayBuffer,
  rows?: { from: number; to: number },
): Promise<ArrayLike<unknown>[]> {
  const chunks: ArrayLike<unknown>[] = [];
  await parquetRead({
    file,
    columns: ["c"],
    ...(rows && { rowStart: rows.from, rowEnd: rows.to }),
    onChunk: (chunk) => {
      chunks.push(chunk.columnData);
    },
  });
  return chunks;
}

/** The column as in the first example of hyparquet's documentation: one object per row. */
export async function readObjectsWithHyparquet(file: ArrayBuffer): Promise<Record<string, unknown>[]> {
  return parquetReadObjects({ file, columns: ["c"] });
}

/** parquet-wasm does not compress by default. */
export function writeWithParquetWasm(data: Int32Array | string[], codec: ParquetCodec): Uint8Array {
  const table = parquetWasm.Table.fromIPCStream(tableToIPC(tableFromArrays({ c: data }), "stream"));
  const properties = new parquetWasm.WriterPropertiesBuilder().setCompression(parquetWasm.Compression[codec]);
  return parquetWasm.writeParquet(table, properties.build());
}

/** The column as an Arrow vector. */
export function readWithParquetWasm(file: Uint8Array) {
  return tableFromIPC(parquetWasm.readParquet(file).intoIPCStream()).getChild("c");
}
