/** Cells of HFiles to the output: many of them, those of a row, and where a row would stand. */

import { printable } from "@cfile/cell-text";
import type { HFileCell, HFileReader, SeekResult } from "@cfile/hfile";
import type { CliContext } from "../program/context.js";
import { AbsentRowError, EXIT, UsageError } from "../program/exit-code.js";
import type { CellFormatName } from "../records/cell-writer.js";
import { cellJson, cellLine } from "./hfile-cell.js";

/** Cells handed to the output at a time. */
const CELLS = 512;

export interface CellOutput {
  readonly format: CellFormatName;
  readonly decode: boolean;
}

/** Cells `from` to `to` of a file, counted from 0. */
export async function writeHFileCells(
  { io, stdout }: CliContext,
  file: HFileReader,
  { from = 0, to }: { readonly from?: number; readonly to?: number },
  output: CellOutput,
): Promise<void> {
  const lines = new CellLines(stdout, output);
  let skipped = 0;
  for await (const batch of file.scan({ limit: to, signal: io.signal })) {
    for (let i = Math.min(from - skipped, batch.length); i < batch.length; i += CELLS) {
      const count = Math.min(CELLS, batch.length - i);
      await lines.write(Array.from({ length: count }, (_, k) => batch.cell(i + k)));
    }
    skipped += Math.min(from - skipped, batch.length);
  }
  await lines.end();
}

/** All cells of a row. */
export async function writeRowCells(
  { io, stdout }: CliContext,
  file: HFileReader,
  row: string | Uint8Array,
  output: CellOutput,
): Promise<void> {
  const cells = await file.getAll(row, { signal: io.signal });
  if (cells.length === 0) {
    throw new AbsentRowError("there is no cell with this key", {
      path: file.source.name,
      field: "key",
    });
  }
  const lines = new CellLines(stdout, output);
  await lines.write(cells);
  await lines.end();
}

/** Where a row stands, or would stand. */
export async function writeSeek(
  context: CliContext,
  file: HFileReader,
  row: string | Uint8Array,
  json: boolean,
): Promise<void> {
  const { io, stdout } = context;
  const found = await file.seek(row, { signal: io.signal });
  await stdout.line(json ? JSON.stringify(seekJson(found)) : seekText(found));
  context.exitCode = "cell" in found || "ceiling" in found ? EXIT.ok : EXIT.failure;
}

function seekJson(found: SeekResult): object {
  const part = (name: "cell" | "floor" | "ceiling", cell: HFileCell | undefined) =>
    cell && { [name]: cellJson(cell, false) };
  return {
    result: found.result,
    hudi_code: found.hudiCode,
    ...part("cell", "cell" in found ? found.cell : undefined),
    ...part("floor", "floor" in found ? found.floor : undefined),
    ...part("ceiling", "ceiling" in found ? found.ceiling : undefined),
  };
}

function seekText(found: SeekResult): string {
  switch (found.result) {
    case "found":
      return `found: ${cellLine(found.cell, true)}`;
    case "before first":
      return `before all keys; the first is ${printable(found.ceiling.rowText)}`;
    case "between":
      return `not there, between ${printable(found.floor.rowText)} and ${printable(found.ceiling.rowText)}`;
    case "after last":
      return `after all keys; the last is ${printable(found.floor.rowText)}`;
    case "empty":
      return "not there: the file is empty";
  }
}

class CellLines {
  private readonly stdout: CliContext["stdout"];
  private readonly output: CellOutput;
  private isFirst = true;

  /** @throws UsageError for CSV */
  constructor(stdout: CliContext["stdout"], output: CellOutput) {
    if (output.format === "csv") {
      throw new UsageError("--csv is for columns; HFiles have --json and --ndjson");
    }
    this.stdout = stdout;
    this.output = output;
  }

  async write(cells: readonly HFileCell[]): Promise<void> {
    const { format, decode } = this.output;
    const texts = cells.map((cell) =>
      format === "text" ? cellLine(cell, decode) : JSON.stringify(cellJson(cell, decode)),
    );
    if (format === "json") {
      await this.stdout.write((this.isFirst ? "[" : ",\n") + texts.join(",\n"));
    } else {
      await this.stdout.line(texts.join("\n"));
    }
    this.isFirst = false;
  }

  async end(): Promise<void> {
    if (this.output.format === "json") {
      await this.stdout.line(this.isFirst ? "[]" : "]");
    }
  }
}
