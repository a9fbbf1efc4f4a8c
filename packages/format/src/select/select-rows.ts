/**
 * Selects the rows of a column that meet conditions. With a value index, only the blocks that can hold such rows are read: sorted
 * values that meet a comparison are adjacent.
 */
import { invalidOption, MemoryArena, withErrorContext } from "@cfile/bytes";
import type { CellValue, ColumnBatch } from "@cfile/encodings";
import { expandDictionaries, sliceRows, takeRows } from "@cfile/encodings/batches";
import {
  type ColumnCondition,
  ConditionTest,
  checkConditions,
  markedPositions,
} from "@cfile/encodings/conditions";
import type { BlockReadOptions } from "../blocks/block-reader.js";
import type { DataBlock } from "../blocks/data-block.js";
import type { SearchValue } from "../read/cell-target.js";
import type { OpenFile } from "../read/open-file.js";
import { firstPlainRow } from "../read/plain-rows.js";
import type { FoundRow, ScanOptions } from "../read/reader-options.js";
import type { scanRows } from "../read/scan.js";

export interface SelectedFile {
  readonly file: OpenFile;
  readonly scan: typeof scanRows;
  /** `CFileReader.find`; `undefined` if the file cannot be searched by value. */
  readonly find:
    | ((value: SearchValue, options: BlockReadOptions) => Promise<FoundRow | undefined>)
    | undefined;
}

/** Selected rows are copied if they are less than 1 / FEW of a batch. */
const FEW = 4;

/**
 * @param searched options with one or more conditions, all of which must be met
 * @throws {CFileError} as `CFileReader.scan`
 */
export async function* selectRows(
  selected: SelectedFile,
  searched: ScanOptions,
): AsyncGenerator<ColumnBatch, void, void> {
  const { where, limit: maxRows, ...rest } = searched;
  const { file, scan } = selected;
  const column = file.dataBlocks.column();
  let left = file.rowRange({ limit: maxRows }).to;
  const conditions = checkConditions(where, [column]);
  const isImpossible = conditions.some(({ op }) => op === "isNull") && !column.nullable && !column.array;
  if (left === 0 || isImpossible) {
    return;
  }
  // Most blocks have no matching row: reuse their memory even if the caller keeps the batches.
  const own = rest.arena === undefined ? new MemoryArena() : undefined;
  const options: ScanOptions = own === undefined ? rest : { ...rest, arena: own };
  const spans = await spansOf(selected, conditions, options);
  const tests = conditions.map((condition) => new ConditionTest(condition));
  let nextRow = await firstCandidate(file, tests, spans[0]?.from ?? Number.POSITIVE_INFINITY, options);
  let room = new Uint8Array(0);
  for (const span of spans) {
    const rows = { from: Math.max(span.from, nextRow), to: span.to };
    if (span.isExact) {
      yield* scan(file, { ...rest, rows, limit: left });
      return;
    }
    const batches = span.isShort
      ? fewBlocks(file, rows, options)
      : scan(file, { ...options, rows }, (block) => mayMatch(block, conditions));
    for await (const batch of batches) {
      room = room.length < batch.length ? new Uint8Array(batch.length) : room;
      const marks = room.subarray(0, batch.length).fill(1);
      const count = Math.min(left, matches(tests, batch, marks));
      const isAtEnd = span.endsAtMismatch && marks[batch.length - 1] === 0;
      if (count > 0) {
        const found = chosen(batch, marks, count);
        // The scan reuses its memory for the next block, but not the memory of batches that were returned.
        if (found.isView) {
          own?.detachAll();
        }
        yield found.batch;
        left -= count;
        if (left === 0) {
          return;
        }
      }
      nextRow = batch.firstRow + batch.length;
      if (isAtEnd) {
        break;
      }
    }
  }
}

/** A range that holds all rows that meet the conditions, narrowed down by the value index. */
export async function candidateRows(
  selected: SelectedFile,
  { where, rows, signal }: Pick<ScanOptions, "where" | "rows" | "signal">,
): Promise<{ readonly from: number; readonly to: number }> {
  const { dataBlocks, structure } = selected.file;
  const conditions = checkConditions(where, [dataBlocks.column()]);
  const spans = await spansOf(selected, conditions, { rows, signal });
  return {
    from: spans[0]?.from ?? structure.footer.rowCount,
    to: Math.max(0, ...spans.map(({ to }) => to)),
  };
}

/** The first row that may meet the conditions: if no word of the dictionary does, a row after all blocks of codes. */
async function firstCandidate(
  file: OpenFile,
  tests: readonly ConditionTest[],
  from: number,
  { signal }: BlockReadOptions,
): Promise<number> {
  const needsValues = tests.some((test) => test.needsValues);
  const dictionary = needsValues ? await file.dataBlocks.loadDictionary({ signal }) : undefined;
  return dictionary !== undefined && tests.some((test) => test.rulesOut(dictionary))
    ? Math.max(from, await firstPlainRow(file, dictionary, { signal }))
    : from;
}

/** A range of rows, some of which may meet the conditions. */
interface Span {
  readonly from: number;
  readonly to: number;
  /** Whether no row after a mismatch matches. */
  readonly endsAtMismatch: boolean;
  /** Whether all rows match. */
  readonly isExact: boolean;
  /** Whether it hardly extends beyond its first block, which has already been read to find it. */
  readonly isShort: boolean;
}

/** Yields the rows block by block, with the cache for lookups and without reading ahead. */
async function* fewBlocks(
  file: OpenFile,
  { from, to }: { readonly from: number; readonly to: number },
  { batchRows = Number.POSITIVE_INFINITY, expandDictionaries: expand, signal }: ScanOptions,
): AsyncGenerator<ColumnBatch, void, void> {
  for (let row = from; row < to; ) {
    const { block, firstRow, rows } = await file.blockOf(row, { signal });
    const end = Math.min(to, firstRow + rows, row + batchRows);
    const decode = (): ColumnBatch => block.decode(row - firstRow, end - firstRow);
    const batch = withErrorContext({ path: file.structure.path }, decode);
    yield expand === true ? expandDictionaries(batch) : batch;
    row = end;
  }
}

/** The spans in row order: one that all conditions narrow down, or one per value of a single `in`. */
async function spansOf(
  { file, find }: SelectedFile,
  conditions: readonly ColumnCondition[],
  { rows, signal }: Pick<ScanOptions, "rows" | "signal">,
): Promise<Span[]> {
  const { rowCount } = file.structure.footer;
  const range = file.rowRange({ rows });
  const whole: Span = { ...range, endsAtMismatch: false, isExact: false, isShort: false };
  if (find === undefined || conditions.length === 0) {
    return [whole];
  }
  const rowOf = async (value: CellValue | undefined): Promise<number> =>
    (await find(searchValue(value), { signal }))?.row ?? rowCount;
  const [only, ...others] = conditions;
  if (only?.op === "in" && others.length === 0) {
    const starts = await Promise.all(only.cells.map(rowOf));
    return starts
      .map((start) => ({ ...whole, from: Math.max(range.from, start), endsAtMismatch: true, isShort: true }))
      .sort((a, b) => a.from - b.from);
  }
  let span: Span = { ...whole, isExact: true, endsAtMismatch: !conditions.some(({ op }) => op === "in") };
  for (const { op, cells } of conditions) {
    const row = op === "<=" || op === "in" || cells.length === 0 ? undefined : await rowOf(cells[0]);
    span = {
      from: op === "<" || row === undefined ? span.from : Math.max(span.from, row),
      to: op === "<" && row !== undefined ? Math.min(span.to, row) : span.to,
      endsAtMismatch: span.endsAtMismatch && op !== ">",
      isExact: span.isExact && (op === "<" || op === ">=" || op === "isNotNull"),
      isShort: span.isShort || op === "=",
    };
  }
  return [span];
}

function searchValue(value: CellValue | undefined): SearchValue {
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "string") {
    return value;
  }
  if (value instanceof Uint8Array) {
    return value;
  }
  throw invalidOption("where", value, "a value that a value index can hold");
}

/** Whether rows of the block may match according to its null count, before any value is decoded. */
function mayMatch({ nulls, rows }: DataBlock, conditions: readonly ColumnCondition[]): boolean {
  return conditions.every(({ op }) => (op === "isNull" ? nulls > 0 : nulls < rows));
}

function matches(tests: readonly ConditionTest[], batch: ColumnBatch, marks: Uint8Array): number {
  let count = batch.length;
  for (const test of tests) {
    count = test.apply(batch, marks);
    if (count === 0) {
      marks.fill(0);
      break;
    }
  }
  return count;
}

/** The first `count` marked rows, and whether they share the memory of `batch`. */
function chosen(
  batch: ColumnBatch,
  marks: Uint8Array,
  count: number,
): { readonly batch: ColumnBatch; readonly isView: boolean } {
  const positions = markedPositions(marks, count);
  const first = positions[0] as number;
  const isWhole = (positions[count - 1] as number) - first === count - 1;
  // Copies of a few rows do not keep the whole block in memory.
  if (isWhole && count * FEW >= batch.length) {
    return { batch: sliceRows(batch, first, first + count), isView: true };
  }
  return {
    batch: takeRows(batch, positions, isWhole ? undefined : rowsAt(batch.firstRow, positions)),
    isView: false,
  };
}

function rowsAt(firstRow: number, positions: Uint32Array): Uint32Array {
  const rows = new Uint32Array(positions.length);
  for (let i = 0; i < rows.length; i++) {
    rows[i] = firstRow + (positions[i] as number);
  }
  return rows;
}
