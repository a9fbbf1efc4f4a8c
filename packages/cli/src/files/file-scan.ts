/** Writes the rows of a CFile to the output: their numbers as `row`, their values as `value`. */
import { CFileError } from "@cfile/bytes";
import { rowNumbers } from "@cfile/encodings";
import type { CFileReader } from "cfile";
import { parseWhere } from "../options/where-expression.js";
import type { CliContext } from "../program/context.js";
import { columnCells, type FieldCells, literalCells } from "../records/field-cells.js";
import { RecordWriter } from "../records/record-writer.js";
import { columnField, selectedColumns } from "../records/row-cells.js";
import { right } from "../records/table.js";
import type { ScanValues } from "../table-store/table-scan.js";

const FIELDS = [{ name: "row" }, { name: "value" }] as const;

export async function scanFile(
  { io, stdout }: CliContext,
  file: CFileReader,
  values: ScanValues & { readonly scale: number | undefined },
): Promise<void> {
  const { kind, path, type, array } = file;
  if (kind !== "column") {
    const hint = kind === "delta" ? "cfile delta cat" : "cfile bloom stats";
    throw new CFileError("E_UNSUPPORTED", `a ${kind} file has no rows to scan (use ${hint})`, { path });
  }
  const { scale, limit } = values;
  const column = { name: "value", type, array, scale };
  const names = selectedColumns(FIELDS, values.columns).map(({ name }) => name);
  const where = values.where.map((text) => parseWhere(text, [column]));
  const fields = names.map((name) => (name === "value" ? columnField(column) : right(name)));
  const writer = new RecordWriter(stdout, fields, values);
  for await (const batch of file.scan({ where, limit, batchRows: 8192, signal: io.signal })) {
    const cells: Readonly<Record<(typeof names)[number], FieldCells>> = {
      row: literalCells(Array.from(rowNumbers(batch), String)),
      value: columnCells(batch, { decode: true, scale }),
    };
    await writer.write(
      batch.length,
      names.map((name) => cells[name]),
    );
  }
  await writer.finish();
}
