/** Writes the values of a column to the output, batch by batch. */
import { type CellTextOptions, csvField, jsonCells, plainCells, printable } from "@cfile/cell-text";
import type { ColumnBatch } from "@cfile/encodings";
import type { CellFormat } from "../options/options.js";
import type { TextOutput } from "../program/output/text-output.js";
import { LineWriter } from "./line-writer.js";

export async function writeCells(
  batches: AsyncIterable<ColumnBatch>,
  format: CellFormat,
  options: CellTextOptions,
  output: TextOutput,
): Promise<void> {
  const lines = new LineWriter(output, format === "json");
  for await (const batch of batches) {
    await lines.write(cellTexts(batch, format, options));
  }
  await lines.end();
}

function cellTexts(batch: ColumnBatch, format: CellFormat, options: CellTextOptions): string[] {
  switch (format) {
    case "json":
    case "ndjson":
      return jsonCells(batch, options);
    case "csv":
      return plainCells(batch, options).map(csvField);
    case "text":
      return plainCells(batch, options).map((text) => (text === undefined ? "null" : printable(text)));
  }
}
