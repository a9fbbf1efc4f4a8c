/**
 * The rows of a column that fulfil conditions. With a value index only the blocks that can hold such rows are read: sorted
 * values that fulfil a comparison stand together.
 */
import { invalidArgument, MemoryArena, withErrorContext } from "@cfile/bytes";
import type { BinaryVector, CellValue, ColumnBatch, DataType } from "@cfile/encodings";
import { expandDictionaries, sliceRows, takeRows } from "@cfile/encodings/batches";
import {
  type ColumnCondition,
  ConditionTest,
  checkConditions,
  markedPositions,
} from "@cfile/encodings/conditions";
import type { BlockReadOptions } from "../blocks/block-reader.js";
import type { DataBlock } from "../blocks/data-block.js";
import type { BlockDirectory } from "../index/block-directory.js";
import type { SearchValue } from "../read/cell-target.js";
import { firstPlainRow } from "../read/plain-rows.js";
import type { FoundRow, ScanOptions } from "../read/reader-options.js";
import { checkLimit, rowRangeOf } from "../read/row-range.js";

/** The parts of a reader that a selection needs. */
export interface SelectedFile {
  readonly reader: {
    readonly path: string;
    readonly type: DataType;
    readonly array: boolean;
    readonly nullable: boolean;
    readonly rowCount: number;
    find(value: SearchValue, options: BlockReadOptions): Promise<FoundRow | undefined>;
    dataBlockOf(row: number, options: BlockReadOptions): Promise<DataBlock>;
    readDictionary(options: BlockReadOptions): Promise<BinaryVector | undefined>;
  };
  readonly directory: BlockDirectory;
  /** Whether `find` works. */
  readonly isSearchable: boolean;
  readonly scan: (
    options: ScanOptions,
    isWanted: (block: DataBlock) => boolean,
  ) => AsyncGenerator<ColumnBatch, void, void>;
}

/** Rows that are this part of a block, or less, are copied. */
const FEW = 4;

/** @param searched options with a condition, or several that must all be fulfilled */
export async function* selectRows(
  file: SelectedFile,
  searched: ScanOptions,
): AsyncGenerator<ColumnBatch, void, void> {
  const { where, limit: asked, ...rest } = searched;
  const { reader } = file;
  let left = checkLimit(asked);
  const conditions = checkConditions(where, [reader]);
  const isImpossible = conditions.some(({ op }) => op === "isNull") && !reader.nullable && !reader.array;
  if (left === 0 || isImpossible) {
    return;
  }
  // Most blocks have no row that is wanted: their memory is free again, also where batches have memory of their own.
  const own = rest.arena === undefined ? new MemoryArena() : undefined;
  const options: ScanOptions = own === undefined ? rest : { ...rest, arena: own };
  const spans = await spansOf(file, conditions, options);
  const tests = conditions.map((condition) => new ConditionTest(condition));
  const from = await firstCandidate(file, tests, spans[0]?.from ?? reader.rowCount, options);
  let nextRow = from;
  let room = new Uint8Array(0);
  for (const span of spans) {
    const rows = { from: Math.max(span.from, nextRow), to: span.to };
    if (span.isExact) {
      yield* file.scan({ ...rest, rows, limit: left }, () => true);
      return;
    }
    const batches = span.isShort
      ? fewBlocks(file, rows, options)
      : file.scan({ ...options, rows }, (block) => mayMatch(block, conditions));
    for await (const batch of batches) {
      room = room.length < batch.length ? new Uint8Array(batch.length) : room;
      const marks = room.subarray(0, batch.length).fill(1);
      const count = Math.min(left, matches(tests, batch, marks));
      const isAtEnd = span.endsAtMismatch && marks[batch.length - 1] === 0;
      if (count > 0) {
        const found = chosen(batch, marks, count);
        // The scan takes the memory back with its next block; what is given out it must not.
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

/** The rows among which all are that fulfil the conditions: those that the value index leaves, where there is one. */
export async function candidateRows(
  file: Pick<SelectedFile, "reader" | "isSearchable">,
  { where, rows, signal }: Pick<ScanOptions, "where" | "rows" | "signal">,
): Promise<{ readonly from: number; readonly to: number }> {
  const spans = await spansOf(file, checkConditions(where, [file.reader]), { rows, signal });
  return { from: spans[0]?.from ?? file.reader.rowCount, to: Math.max(0, ...spans.map(({ to }) => to)) };
}

/** The first row that may fulfil them: where no word of the dictionary does, only rows behind those with codes. */
async function firstCandidate(
  { reader, directory }: SelectedFile,
  tests: readonly ConditionTest[],
  from: number,
  { signal }: BlockReadOptions,
): Promise<number> {
  const dictionary = tests.some(({ needsValues }) => needsValues)
    ? await reader.readDictionary({ signal })
    : undefined;
  if (dictionary === undefined || !tests.some((test) => test.rulesOut(dictionary))) {
    return from;
  }
  const { rowCount, nullable, array } = reader;
  const blockOf = (row: number): Promise<DataBlock> => reader.dataBlockOf(row, { signal });
  const column = { rowCount, nullable, array, dictionary, directory, blockOf };
  return Math.max(from, await firstPlainRow(column, { signal }));
}

/** Rows of which some may fulfil the conditions. */
interface Span {
  readonly from: number;
  readonly to: number;
  /** Whether a row that does not fulfil it is followed by no more rows that do. */
  readonly endsAtMismatch: boolean;
  /** Whether all of them do. */
  readonly isExact: boolean;
  /** Whether it hardly goes beyond the block in which it begins, which the search for it has read. */
  readonly isShort: boolean;
}

/** The rows block by block, through the blocks that look-ups keep and without reading ahead. */
async function* fewBlocks(
  { reader }: SelectedFile,
  { from, to }: { readonly from: number; readonly to: number },
  { batchRows = Number.POSITIVE_INFINITY, expandDictionaries: expand, signal }: ScanOptions,
): AsyncGenerator<ColumnBatch, void, void> {
  for (let row = from; row < to; ) {
    const block = await reader.dataBlockOf(row, { signal });
    const { firstRow } = block;
    const end = Math.min(to, firstRow + block.rows, row + batchRows);
    const batch = withErrorContext({ path: reader.path }, () => block.decode(row - firstRow, end - firstRow));
    yield expand === true ? expandDictionaries(batch) : batch;
    row = end;
  }
}

/** In row order. Of several conditions each takes its part away; of `in` by itself each value has a span. */
async function spansOf(
  { reader, isSearchable }: Pick<SelectedFile, "reader" | "isSearchable">,
  conditions: readonly ColumnCondition[],
  { rows, signal }: Pick<ScanOptions, "rows" | "signal">,
): Promise<Span[]> {
  const range = rowRangeOf(reader.rowCount, { rows });
  const whole: Span = { ...range, endsAtMismatch: false, isExact: false, isShort: false };
  if (!isSearchable || conditions.length === 0) {
    return [whole];
  }
  const rowOf = async (value: CellValue | undefined): Promise<number> =>
    (await reader.find(searchValue(value), { signal }))?.row ?? reader.rowCount;
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
  switch (typeof value) {
    case "number":
    case "bigint":
    case "string":
      return value;
    default:
      if (value instanceof Uint8Array) {
        return value;
      }
      throw invalidArgument("such a value is not in a value index", { field: "where" });
  }
}

/** By the counts of nulls in the block's header, before any value is decoded. */
function mayMatch({ nulls, rows }: DataBlock, conditions: readonly ColumnCondition[]): boolean {
  return conditions.every(({ op }) => (op === "isNull" ? nulls > 0 : nulls < rows));
}

function matches(tests: readonly ConditionTest[], batch: ColumnBatch, marks: Uint8Array): number {
  let count = batch.length;
  for (const test of tests) {
    count = batch.kind === "dictionary" && test.rulesOut(batch.dictionary) ? 0 : test.apply(batch, marks);
    if (count === 0) {
      marks.fill(0);
      break;
    }
  }
  return count;
}

/** The first `count` marked rows, and whether they are where those of `batch` are. */
function chosen(
  batch: ColumnBatch,
  marks: Uint8Array,
  count: number,
): { readonly batch: ColumnBatch; readonly isView: boolean } {
  const positions = markedPositions(marks, count);
  const first = positions[0] ?? 0;
  const isWhole = (positions[count - 1] ?? 0) - first === count - 1;
  // Of few rows a copy: they must not keep a whole block in memory.
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
