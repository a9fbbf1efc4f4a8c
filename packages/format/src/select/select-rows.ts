/**
 * The rows of a column that fulfil a condition. With a value index only the blocks that can hold such rows are read: sorted
 * values that fulfil a comparison stand together.
 */
import { invalidArgument, MemoryArena, withErrorContext } from "@cfile/bytes";
import type { BinaryVector, CellValue, ColumnBatch, DataType, ScalarBatch } from "@cfile/encodings";
import { DATA_TYPES } from "@cfile/encodings";
import { batchFromValues, expandDictionaries, sliceRows, takeRows } from "@cfile/encodings/batches";
import { ConditionTest } from "@cfile/encodings/conditions";
import type { BlockReadOptions } from "../blocks/block-reader.js";
import type { DataBlock } from "../blocks/data-block.js";
import type { BlockDirectory } from "../index/block-directory.js";
import type { SearchValue } from "../read/cell-target.js";
import { firstPlainRow } from "../read/plain-rows.js";
import type { CFileReader } from "../read/reader.js";
import type { FoundRow, ScanOptions } from "../read/reader-options.js";
import { checkLimit } from "../read/row-range.js";

/** What a row's value must fulfil; a null fulfils nothing but `isNull`. Numbers compare as numbers, strings as bytes. */
export type Where =
  | { readonly op: "=" | "<" | "<=" | ">" | ">="; readonly value: CellValue }
  | { readonly op: "in"; readonly values: readonly CellValue[] }
  /** Strings that begin with these bytes. */
  | { readonly op: "prefix"; readonly value: string | Uint8Array }
  | { readonly op: "isNull" | "isNotNull" };

export interface SelectOptions extends Omit<ScanOptions, "values"> {
  readonly where: Where;
}

export interface SelectedRows {
  /** Row numbers in the file, ascending: one for each row of the batch. */
  readonly rows: Uint32Array;
  readonly batch: ColumnBatch;
}

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

const OPS: readonly Where["op"][] = ["=", "<", "<=", ">", ">=", "in", "prefix", "isNull", "isNotNull"];

export async function* selectRows(
  file: SelectedFile,
  options: SelectOptions,
): AsyncGenerator<SelectedRows, void, void> {
  const { where, limit: asked, ...rest } = options;
  const limit = checkLimit(asked);
  // Most blocks have no row that is wanted: their memory is free again, also where batches have memory of their own.
  const own = rest.arena === undefined ? new MemoryArena() : undefined;
  const scanOptions: ScanOptions = own === undefined ? rest : { ...rest, arena: own };
  const test = new ConditionTest({ op: where.op, operands: operandsOf(where, file.reader) });
  if (limit === 0 || (where.op === "isNull" && !file.reader.nullable && !file.reader.array)) {
    return;
  }
  const from = await firstCandidate(file, test, scanOptions);
  const rowsAsked = { from, to: scanOptions.rows?.to };
  if (from >= file.reader.rowCount) {
    return;
  }
  let left = limit;
  let nextRow = 0;
  let room = new Uint8Array(0);
  for (const span of await spansOf(file, where, { ...scanOptions, rows: rowsAsked })) {
    const rows = { from: Math.max(span.from, nextRow), to: span.to };
    const batches = span.isShort
      ? fewBlocks(file, rows, scanOptions)
      : file.scan({ ...scanOptions, rows }, (block) => mayMatch(block, where.op));
    for await (const batch of batches) {
      room = room.length < batch.length ? new Uint8Array(batch.length) : room;
      const marks = room.subarray(0, batch.length).fill(1);
      const count = Math.min(left, matches(test, batch, marks));
      const isAtEnd = span.endsAtMismatch && marks[batch.length - 1] === 0;
      if (count > 0) {
        const found = chosen(batch, marks, count);
        // The scan takes the memory back with its next block; what is given out it must not.
        if (found.isView) {
          own?.detachAll();
        }
        yield found.selected;
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

/** Only the batches, of a range of values besides. */
export async function* matchingBatches(
  file: Pick<CFileReader, "rowRange" | "select">,
  where: Where,
  { values, ...options }: ScanOptions,
): AsyncGenerator<ColumnBatch, void, void> {
  const { rows, signal } = options;
  const range = await file.rowRange({ rows, values, signal });
  for await (const { batch } of file.select({ ...options, rows: range, where })) {
    yield batch;
  }
}

/** The first row that may fulfil it: where no word of the dictionary does, only rows behind those with codes. */
async function firstCandidate(
  { reader, directory }: SelectedFile,
  test: ConditionTest,
  { rows, signal }: Pick<ScanOptions, "rows" | "signal">,
): Promise<number> {
  const from = rows?.from ?? 0;
  const dictionary = test.needsValues ? await reader.readDictionary({ signal }) : undefined;
  if (dictionary === undefined || !test.rulesOut(dictionary)) {
    return from;
  }
  const { rowCount, nullable, array } = reader;
  const blockOf = (row: number): Promise<DataBlock> => reader.dataBlockOf(row, { signal });
  const column = { rowCount, nullable, array, dictionary, directory, blockOf };
  return Math.max(from, await firstPlainRow(column, { signal }));
}

/** Rows of which some may fulfil the condition. */
interface Span {
  readonly from: number;
  readonly to: number;
  /** Whether a row that does not fulfil it is followed by no more rows that do. */
  readonly endsAtMismatch: boolean;
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

async function spansOf(
  { reader, isSearchable }: SelectedFile,
  where: Where,
  { rows, signal }: Pick<ScanOptions, "rows" | "signal">,
): Promise<Span[]> {
  const from = rows?.from ?? 0;
  const to = Math.min(reader.rowCount, rows?.to ?? reader.rowCount);
  const whole: Span = { from, to, endsAtMismatch: false, isShort: false };
  if (!isSearchable) {
    return [whole];
  }
  const rowOf = async (value: CellValue): Promise<number> =>
    (await reader.find(searchValue(value), { signal }))?.row ?? reader.rowCount;
  const equal = async (value: CellValue): Promise<Span> => ({
    from: Math.max(from, await rowOf(value)),
    to,
    endsAtMismatch: true,
    isShort: true,
  });
  switch (where.op) {
    case "=":
      return [await equal(where.value)];
    case "in": {
      const spans = await Promise.all(where.values.map(equal));
      return spans.sort((a, b) => a.from - b.from);
    }
    case "prefix":
      return [{ ...(await equal(where.value)), isShort: false }];
    case ">":
    case ">=":
      return [{ ...whole, from: Math.max(from, await rowOf(where.value)) }];
    case "<":
      return [{ ...whole, to: Math.min(to, await rowOf(where.value)) }];
    case "<=":
      return [{ ...whole, endsAtMismatch: true }];
    default:
      return [whole];
  }
}

function searchValue(value: CellValue): SearchValue {
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

function operandsOf(where: Where, { type, array }: SelectedFile["reader"]): ScalarBatch {
  if (!OPS.includes(where.op)) {
    throw invalidArgument(`${String(where.op)} is no operation; there are ${OPS.join(", ")}`, {
      field: "where",
    });
  }
  const cells = cellsOf(where);
  if (array && cells.length > 0) {
    throw invalidArgument("of arrays only isNull and isNotNull can be asked", { field: "where" });
  }
  if (where.op === "prefix" && DATA_TYPES[type].physical !== "BINARY") {
    throw invalidArgument(`values of ${type} have no prefix`, { field: "where" });
  }
  const operands = batchFromValues({ type, nullable: false }, [...cells]);
  if (operands.kind === "array") {
    throw invalidArgument("an array is no value to compare with", { field: "where" });
  }
  return operands;
}

function cellsOf(where: Where): readonly CellValue[] {
  switch (where.op) {
    case "in":
      return where.values;
    case "isNull":
    case "isNotNull":
      return [];
    default:
      return [where.value];
  }
}

/** By the counts of nulls in the block's header, before any value is decoded. */
function mayMatch({ nulls, rows }: DataBlock, op: Where["op"]): boolean {
  return op === "isNull" ? nulls > 0 : nulls < rows;
}

function matches(test: ConditionTest, batch: ColumnBatch, marks: Uint8Array): number {
  if (batch.kind === "dictionary" && test.rulesOut(batch.dictionary)) {
    marks.fill(0);
    return 0;
  }
  return test.apply(batch, marks);
}

/** The first `count` marked rows, and whether they are where those of `batch` are. */
function chosen(
  batch: ColumnBatch,
  marks: Uint8Array,
  count: number,
): { readonly selected: SelectedRows; readonly isView: boolean } {
  const positions = new Uint32Array(count);
  const rows = new Uint32Array(count);
  for (let i = 0, to = 0; to < count; i++) {
    if (marks[i] === 1) {
      rows[to] = batch.firstRow + i;
      positions[to++] = i;
    }
  }
  const first = positions[0] ?? 0;
  // Of few rows a copy: they must not keep a whole block in memory.
  const isView = (positions[count - 1] ?? 0) - first === count - 1 && count * FEW >= batch.length;
  const taken = isView ? sliceRows(batch, first, first + count) : takeRows(batch, positions);
  return { selected: { rows, batch: taken }, isView };
}
