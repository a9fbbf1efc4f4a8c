/** A table as a Parquet file. */
import { exportParquet } from "@cfile/parquet/write";
import type { BlobSink } from "./blob-sink.js";
import type { ExportedTable } from "./export.js";

export async function writeParquet({ columns, rows }: ExportedTable, sink: BlobSink): Promise<void> {
  await exportParquet(sink, { columns, rows });
}
