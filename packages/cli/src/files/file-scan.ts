/** The rows of a single column to the output: their numbers as `row`, their values as `value`. */

import { CFileError } from "@cfile/bytes";
import { rowNumbers } from "@cfile/encodings";
import type { CFileReader } from "cfile";
import { nameList } from "../options/csv-list.js";
import { wholeNumber } from "../options/option-values.js";
import { given, scaleOf } from "../options/options.js";
import { recordFormat } from "../options/record-format.js";
import { parseWhere } from "../options/where-expression.js";
import type { CliContext } from "../program/context.js";
import { UsageError } from "../program/exit-code.js";
import { columnCells, type FieldCells, literalCells } from "../records/field-cells.js";
import { RecordWriter } from "../records/record-writer.js";
import { columnField } from "../records/row-cells.js";
import type { ScanFlags } from "../table-store/row-set-scan.js";

const ROW = "row";
const VALUE = "value";

export async function scanFile(
  { io, stdout }: CliContext,
  file: CFileReader,
  flags: ScanFlags & { readonly scale?: string | undefined },
): Promise<void> {
  if (file.kind !== "column") {
    const hint = file.kind === "delta" ? "; delta cat shows its changes" : "";
    throw new CFileError("E_UNSUPPORTED", `a ${file.kind} file has no rows to scan${hint}`, {
      path: file.path,
    });
  }
  const { type, array } = file;
  const scale = scaleOf(flags.scale);
  const column = { name: VALUE, type, array, scale };
  const names = given(flags.columns, (text) => nameList("--columns", text)) ?? [ROW, VALUE];
  const wrong = names.find((name) => name !== ROW && name !== VALUE);
  if (wrong !== undefined) {
    throw new UsageError(`--columns: there is no column "${wrong}"; a file has ${ROW} and ${VALUE}`);
  }
  const where = flags.where?.map((text) => parseWhere(text, [column])) ?? [];
  const limit = given(flags.limit, (text) => wholeNumber("--limit", text));
  const fields = names.map((name) =>
    name === VALUE ? columnField(column) : { title: ROW, align: "right" as const },
  );
  const writer = new RecordWriter(fields, recordFormat(flags), stdout);
  for await (const batch of file.scan({ where, limit, batchRows: 8192, signal: io.signal })) {
    const cells: Readonly<Record<string, FieldCells>> = {
      [ROW]: literalCells(Array.from(rowNumbers(batch), String)),
      [VALUE]: columnCells(batch, { decode: true, scale }),
    };
    await writer.write(
      batch.length,
      names.flatMap((name) => cells[name] ?? []),
    );
  }
  await writer.finish();
}
