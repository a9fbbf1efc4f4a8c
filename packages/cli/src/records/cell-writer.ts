/** Cells to the output, batch by batch. */
import { type CellTextOptions, csvField, jsonCells, plainCells, printable } from "@cfile/cell-text";
import type { ColumnBatch } from "@cfile/encodings";
import type { TextOutput } from "../program/text-output.js";

export type CellFormatName = "text" | "json" | "ndjson" | "csv";

export async function writeCells(
  batches: AsyncIterable<ColumnBatch>,
  format: CellFormatName,
  options: CellTextOptions,
  output: TextOutput,
): Promise<void> {
  await (format === "json"
    ? writeJsonArray(batches, options, output)
    : writeLines(batches, format, options, output));
}

/** One line a cell. */
export async function writeLines(
  batches: AsyncIterable<ColumnBatch>,
  format: Exclude<CellFormatName, "json">,
  options: CellTextOptions,
  output: TextOutput,
): Promise<void> {
  for await (const batch of batches) {
    await output.line(cellLines(batch, format, options).join("\n"));
  }
}

function cellLines(
  batch: ColumnBatch,
  format: Exclude<CellFormatName, "json">,
  options: CellTextOptions,
): string[] {
  switch (format) {
    case "ndjson":
      return jsonCells(batch, options);
    case "csv":
      return plainCells(batch, options).map(csvField);
    case "text":
      return plainCells(batch, options).map((text) => (text === undefined ? "null" : printable(text)));
  }
}

/** A line break before each cell but the first keeps the array readable and its lines short. */
async function writeJsonArray(
  batches: AsyncIterable<ColumnBatch>,
  options: CellTextOptions,
  output: TextOutput,
): Promise<void> {
  let separator = "[";
  for await (const batch of batches) {
    await output.write(separator + jsonCells(batch, options).join(",\n"));
    separator = ",\n";
  }
  await output.line(separator === "[" ? "[]" : "]");
}
