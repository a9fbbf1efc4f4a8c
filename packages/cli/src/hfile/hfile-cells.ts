/** Writes cells of HFiles to the output: a range, the cells of a row, and the position of a row. */
import { printable } from "@cfile/cell-text";
import type { HFileCell, HFileReader, SeekResult } from "@cfile/hfile";
import type { CellFormat } from "../options/options.js";
import type { CliContext } from "../program/context.js";
import { AbsentRowError, EXIT, UsageError } from "../program/exit-code.js";
import { LineWriter } from "../records/line-writer.js";
import { cellJson, cellLine } from "./hfile-cell.js";

/** Maximum number of cells per write to the output. */
const CELLS = 512;

export interface CellOutput {
  readonly format: CellFormat;
  readonly decode: boolean;
}

/** Cells `from` to `to` of a file, counted from 0. */
export async function writeHFileCells(
  { io, stdout }: CliContext,
  file: HFileReader,
  { from = 0, to }: { readonly from?: number; readonly to?: number },
  output: CellOutput,
): Promise<void> {
  const lines = lineWriter(stdout, output);
  let skipped = 0;
  for await (const batch of file.scan({ limit: to, signal: io.signal })) {
    const start = Math.min(from - skipped, batch.length);
    for (let i = start; i < batch.length; i += CELLS) {
      const count = Math.min(CELLS, batch.length - i);
      await lines.write(Array.from({ length: count }, (_, k) => cellText(batch.cell(i + k), output)));
    }
    skipped += start;
  }
  await lines.end();
}

/** All cells of a row. */
export async function writeRowCells(
  { io, stdout }: CliContext,
  file: HFileReader,
  row: Uint8Array,
  output: CellOutput,
): Promise<void> {
  const cells = await file.getAll(row, { signal: io.signal });
  if (cells.length === 0) {
    throw new AbsentRowError("no cell has this key", { path: file.source.name, field: "key" });
  }
  const lines = lineWriter(stdout, output);
  await lines.write(cells.map((cell) => cellText(cell, output)));
  await lines.end();
}

/** Writes the position of a row, or its neighbors. */
export async function writeSeek(
  context: CliContext,
  file: HFileReader,
  row: Uint8Array,
  json: boolean,
): Promise<void> {
  const { io, stdout } = context;
  const found = await file.seek(row, { signal: io.signal });
  await stdout.line(json ? JSON.stringify(seekJson(found)) : seekText(found));
  context.exitCode = "cell" in found || "ceiling" in found ? EXIT.ok : EXIT.failure;
}

function seekJson(found: SeekResult): object {
  const cells = { cell: undefined, floor: undefined, ceiling: undefined, ...found };
  const part = (cell: HFileCell | undefined) => cell && cellJson(cell, false);
  return {
    result: found.result,
    hudi_code: found.hudiCode,
    cell: part(cells.cell),
    floor: part(cells.floor),
    ceiling: part(cells.ceiling),
  };
}

function seekText(found: SeekResult): string {
  switch (found.result) {
    case "found":
      return `found: ${cellLine(found.cell, true)}`;
    case "before first":
      return `absent, before the first key ${printable(found.ceiling.rowText)}`;
    case "between":
      return `absent, between ${printable(found.floor.rowText)} and ${printable(found.ceiling.rowText)}`;
    case "after last":
      return `absent, after the last key ${printable(found.floor.rowText)}`;
    case "empty":
      return "absent: the file is empty";
  }
}

/** @throws UsageError for CSV */
function lineWriter(stdout: CliContext["stdout"], { format }: CellOutput): LineWriter {
  if (format === "csv") {
    throw new UsageError("unsupported format for HFiles: csv (use --format json or ndjson)");
  }
  return new LineWriter(stdout, format === "json");
}

function cellText(cell: HFileCell, { format, decode }: CellOutput): string {
  return format === "text" ? cellLine(cell, decode) : JSON.stringify(cellJson(cell, decode));
}
