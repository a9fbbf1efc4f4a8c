/** Exports rows in another format, as a file to save. */
import { csvField, jsonCells, plainCells } from "@cfile/cell-text";
import type { ColumnBatch } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";
import type { CFileReader, TableRows } from "@cfile/format";
import type { ByteSink } from "@cfile/io";
import { rewriteCFile } from "cfile/recover";
import type { Exported, ExportRequest } from "../../protocol.js";
import type { Work } from "../docs/doc.js";
import { blobSink } from "./blob-sink.js";

/** `rowsTotal` is for progress; 0 if unknown. */
type ExportedTable = TableRows & { readonly rowsTotal: number };

const TYPES = {
  cfile: "application/octet-stream",
  csv: "text/csv",
  ndjson: "application/x-ndjson",
  arrow: "application/vnd.apache.arrow.stream",
  parquet: "application/vnd.apache.parquet",
} as const;

export async function exportColumn(
  file: CFileReader,
  title: string,
  request: ExportRequest,
  work: Work,
): Promise<Exported> {
  const base = title.replace(/\.cfile$/, "");
  if (request.format !== "cfile") {
    const { type, nullable, array } = file;
    const columns = [{ name: base, type, nullable, array }];
    const rows = rowsOf(file.scan({ signal: work.signal, expandDictionaries: true }), [base]);
    return exportTable({ columns, rows, rowsTotal: file.rowCount }, base, request, work);
  }
  const sink = blobSink(TYPES.cfile);
  await rewriteCFile(file, sink, {
    ...(request.encoding && { encoding: request.encoding }),
    ...(request.compression && { compression: request.compression }),
    signal: work.signal,
    onProgress: work.progress,
  });
  const form = [request.encoding, request.compression].filter(Boolean).join(".").toLowerCase();
  return { name: `${base}${form ? `.${form}` : ""}.cfile`, blob: sink.blob(), rows: file.rowCount };
}

async function* rowsOf(
  batches: AsyncIterable<ColumnBatch>,
  names: readonly string[],
): AsyncGenerator<TableBatch, void, void> {
  for await (const batch of batches) {
    yield { length: batch.length, firstRow: batch.firstRow, columns: [batch], names };
  }
}

/** @throws {CFileError} `E_UNSUPPORTED` for columns that the format cannot store */
export async function exportTable(
  table: ExportedTable,
  base: string,
  { format }: ExportRequest,
  work: Work,
): Promise<Exported> {
  const sink = blobSink(TYPES[format]);
  let rows = 0;
  const counted = async function* (): AsyncGenerator<TableBatch, void, void> {
    for await (const batch of table.rows) {
      work.signal.throwIfAborted();
      rows += batch.length;
      work.progress({ done: rows, total: table.rowsTotal });
      yield batch;
    }
  };
  const given = { ...table, rows: counted() };
  switch (format) {
    case "arrow": {
      const { apacheArrow } = await import("@cfile/arrow/apache");
      for await (const bytes of (await apacheArrow(await import("apache-arrow"))).ipc(given)) {
        await sink.write(bytes);
      }
      break;
    }
    case "parquet":
      await (await import("./export-parquet.js")).exportParquet(sink, given, {
        // Zstandard would require WebAssembly, which a page may forbid.
        codec: "SNAPPY",
      });
      break;
    default:
      await writeText(given, format === "csv", sink);
  }
  await sink.close();
  return { name: `${base}.${format}`, blob: sink.blob(), rows };
}

async function writeText({ columns, rows }: ExportedTable, isCsv: boolean, sink: ByteSink): Promise<void> {
  const encoder = new TextEncoder();
  const names = columns.map(({ name }) => JSON.stringify(name));
  if (isCsv) {
    await sink.write(encoder.encode(`${columns.map(({ name }) => csvField(name)).join(",")}\n`));
  }
  for await (const batch of rows) {
    const cells = batch.columns.map((column, i) => {
      const options = { decode: true, scale: columns[i]?.scale };
      return isCsv ? plainCells(column, options).map(csvField) : jsonCells(column, options);
    });
    let text = "";
    for (let row = 0; row < batch.length; row++) {
      text += isCsv
        ? `${cells.map((column) => column[row]).join(",")}\n`
        : `{${cells.map((column, i) => `${names[i]}:${column[row]}`).join(",")}}\n`;
    }
    await sink.write(encoder.encode(text));
  }
}
