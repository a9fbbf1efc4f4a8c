/** The rows of a single column to the output: their numbers as `row`, their values as `value`. */

import { CFileError, isCFileError } from "@cfile/bytes";
import type { CellValue, ColumnBatch, DataType } from "@cfile/encodings";
import { DATA_TYPES } from "@cfile/encodings";
import { batchFromValues, takeRows } from "@cfile/encodings/batches";
import { ConditionTest } from "@cfile/encodings/conditions";
import type { Predicate } from "@cfile/rowset";
import type { CFileReader, Range, SearchValue } from "cfile";
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
import type { ScanFlags } from "../rowset/row-set-scan.js";

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
  const limit = given(flags.limit, (text) => wholeNumber("--limit", text)) ?? Number.POSITIVE_INFINITY;
  const fields = names.map((name) =>
    name === VALUE ? columnField(column) : { title: ROW, align: "right" as const },
  );
  const writer = new RecordWriter(fields, recordFormat(flags), stdout);
  const filter = new RowFilter(type, where);
  let left = limit;
  const options = { values: valueRange(file, where), batchRows: 8192, signal: io.signal };
  for await (const batch of left === 0 ? [] : file.scan(options)) {
    const rows = filter.rowsOf(batch, left);
    if (rows.length > 0) {
      const cells: Readonly<Record<string, FieldCells>> = {
        [ROW]: literalCells(Array.from(rows, (position) => String(batch.firstRow + position))),
        [VALUE]: columnCells(takeRows(batch, rows), { decode: true, scale }),
      };
      await writer.write(
        rows.length,
        names.flatMap((name) => cells[name] ?? []),
      );
      left -= rows.length;
    }
    if (left === 0) {
      break;
    }
  }
  await writer.finish();
}

class RowFilter {
  private readonly tests: readonly ConditionTest[];

  constructor(type: CFileReader["type"], where: readonly Predicate[]) {
    this.tests = where.map((predicate) => {
      const operands = batchFromValues({ type }, operandsOf(predicate));
      if (operands.kind === "array") {
        throw new UsageError("--where: an array is no value to compare with");
      }
      return new ConditionTest({ op: predicate.op, operands });
    });
  }

  /** Positions in the batch of the rows that fulfil all conditions, at most `most` of them. */
  rowsOf(batch: ColumnBatch, most: number): Uint32Array {
    const marks = new Uint8Array(batch.length).fill(1);
    for (const test of this.tests) {
      test.apply(batch, marks);
    }
    const positions = new Uint32Array(batch.length);
    let count = 0;
    for (let i = 0; i < batch.length && count < most; i++) {
      if (marks[i] === 1) {
        positions[count++] = i;
      }
    }
    return positions.subarray(0, count);
  }
}

function operandsOf(predicate: Predicate): CellValue[] {
  return "values" in predicate ? [...predicate.values] : "value" in predicate ? [predicate.value] : [];
}

/** What the conditions leave of the values of a column with a value index; a column without one is read as a whole. */
function valueRange(file: CFileReader, where: readonly Predicate[]): Range<SearchValue> | undefined {
  if (file.structure.footer.validx === undefined || !DATA_TYPES[file.type].isKey) {
    return undefined;
  }
  // Of several bounds one is enough: the others are conditions all the same.
  const range: { from?: SearchValue; to?: SearchValue } = {};
  for (const predicate of where) {
    if (!("value" in predicate) || !isSearchValue(predicate.value)) {
      continue;
    }
    const { op, value } = predicate;
    if (op === "=" || op === ">" || op === ">=" || op === "prefix") {
      range.from ??= value;
    }
    const end = op === "<" ? value : op === "=" || op === "<=" ? valueAfter(file.type, value) : undefined;
    if (end !== undefined) {
      range.to ??= end;
    }
  }
  return range;
}

function isSearchValue(value: CellValue): value is number | bigint | string | Uint8Array {
  return (
    typeof value === "number" ||
    typeof value === "bigint" ||
    typeof value === "string" ||
    value instanceof Uint8Array
  );
}

/** The value that comes after this one, with none between; `undefined` after the largest. */
function valueAfter(type: DataType, value: number | bigint | string | Uint8Array): SearchValue | undefined {
  if (typeof value === "number" || typeof value === "bigint") {
    const next = BigInt(value) + 1n;
    return fits(type, next) ? next : undefined;
  }
  const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
  const after = new Uint8Array(bytes.length + 1);
  after.set(bytes);
  return after;
}

function fits(type: DataType, value: bigint): boolean {
  try {
    return batchFromValues({ type }, [value]).length === 1;
  } catch (error) {
    if (isCFileError(error, "E_INVALID_ARGUMENT")) {
      return false;
    }
    throw error;
  }
}
