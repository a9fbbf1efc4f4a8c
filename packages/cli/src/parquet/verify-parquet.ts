/** The findings of `cfile verify` in a Parquet file. */
import type { ParquetLoss } from "@cfile/parquet";
import type { Findings, Problem, VerifySettings } from "../files/findings.js";
import type { CliContext } from "../program/context.js";
import { counted } from "../records/quantity.js";
import { openParquetFile } from "./open-parquet-file.js";

export async function verifyParquetPages(
  context: CliContext,
  path: string,
  { signal, onProgress }: VerifySettings,
): Promise<Findings> {
  await using file = await openParquetFile(context, await context.sources.open(path));
  const { ok, losses, ...facts } = await file.verify({
    signal,
    onProgress: ({ done, total }) => onProgress(done / total),
  });
  const { rows, pages, uncheckedPages } = facts;
  const unchecked = uncheckedPages === 0 ? "" : `, ${uncheckedPages} without CRC`;
  return {
    ok,
    problems: losses.map(lossProblem),
    summary: `Parquet, ${counted(rows, "row")}, ${counted(pages, "page")}${unchecked}`,
    facts: { kind: "parquet", ...facts },
  };
}

function lossProblem(loss: ParquetLoss): Problem {
  const { code, field, expected, actual } = loss.error;
  return { code, reason: lossText(loss), offset: loss.offset, field, expected, actual };
}

/** `column a, row group 0, page 3 (rows 60000 to 79999): page CRC mismatch`. */
export function lossText({ column, rowGroup, part, page, rows, error }: ParquetLoss): string {
  const what = {
    page: `page ${page}`,
    dictionary: "dictionary",
    rest: `page ${page} and the pages after it`,
    rows: "rows without a page",
    values: "values",
  }[part];
  const range = rows === undefined || rows.to === rows.from ? "" : ` (rows ${rows.from} to ${rows.to - 1})`;
  return `column ${column}, row group ${rowGroup}, ${what}${range}: ${error.reason}`;
}
