/** A table as an Arrow IPC stream. */
import { apacheArrow } from "@cfile/arrow/apache";
import * as library from "apache-arrow";
import type { BlobSink } from "./blob-sink.js";
import type { ExportedTable } from "./export.js";

export async function writeArrow({ columns, rows }: ExportedTable, sink: BlobSink): Promise<void> {
  const arrow = await apacheArrow(library);
  for await (const bytes of arrow.ipc({ columns, rows })) {
    await sink.write(bytes);
  }
}
