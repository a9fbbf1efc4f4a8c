/** Rows of one part of a dataset: all of them, a range of values, or those that fulfil a condition. */
import { invalidArgument, MemoryArena } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { sliceRows, takeRows } from "@cfile/encodings/batches";
import type { CFileReader, Range, ReadAhead, SearchValue, SelectedRows, Where } from "@cfile/format";
import { columnPosition } from "./dataset-parts.js";
import { scanColumns } from "./scan-columns.js";

/** Rows of a dataset; no batch spans files. */
export interface DatasetBatch {
  /** Number of the first row in the dataset. A column's own `firstRow` counts in its file. */
  readonly firstRow: number;
  readonly length: number;
  /** Number of each row in the dataset, where a condition chose them; else they follow `firstRow`. */
  readonly rows?: Float64Array;
  readonly names: readonly string[];
  /** In the order of `names`. */
  readonly columns: readonly ColumnBatch[];
}

/** Which column a condition is about; it may be left out where there is only one. */
interface OfColumn {
  readonly column?: string | undefined;
}

export interface PartScanOptions {
  /** Which columns, in which order. Default: all. */
  readonly columns?: readonly string[] | undefined;
  /** Only rows of which one column fulfils this; see `CFileReader.select`. */
  readonly where?: (Where & OfColumn) | undefined;
  /** Only rows of this range of values of one column, whose files need value indexes. */
  readonly values?: (Range<SearchValue> & OfColumn) | undefined;
  /** Rows after which the scan ends. Default: all. */
  readonly limit?: number | undefined;
  readonly batchRows?: number | undefined;
  readonly expandDictionaries?: boolean | undefined;
  readonly readAhead?: ReadAhead | undefined;
  /**
   * Memory for one batch at a time: a batch, its arrays and everything cut from them, is then valid only until the next one is
   * asked for. Scans one after the other, of other parts and datasets too, can share an arena. Default: each batch has memory of
   * its own, which callers may keep.
   */
  readonly arena?: MemoryArena | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Open files of the same rows. */
export interface OpenPart {
  readonly readers: readonly CFileReader[];
  /** Their names. */
  readonly columns: readonly string[];
  /** Number of the files' row 0 in the dataset. */
  readonly firstRow: number;
}

/** What is asked for, checked. */
interface Plan {
  readonly names: readonly string[];
  /** Places of `names` among the files. */
  readonly positions: readonly number[];
  /** The file of the condition. */
  readonly where: number | undefined;
  readonly values: number | undefined;
}

/** @throws CFileError `E_INVALID_ARGUMENT` for columns that are not there, and for a `limit` that is no number of rows */
export function planScan(columns: readonly string[], options: PartScanOptions): Plan {
  const { columns: names = columns, where, values, limit = 0 } = options;
  if (!(limit >= 0)) {
    throw invalidArgument(`limit is ${limit}, a number of rows is expected`, { field: "limit" });
  }
  const placeOf = (condition: OfColumn | undefined): number | undefined => {
    if (condition === undefined) {
      return undefined;
    }
    if (condition.column === undefined && columns.length > 1) {
      throw invalidArgument(`which column? ${columns.join(", ")}`, { field: "column" });
    }
    return columnPosition(columns, condition.column ?? columns[0] ?? "");
  };
  const positions = names.map((name) => columnPosition(columns, name));
  return { names, positions, where: placeOf(where), values: placeOf(values) };
}

/**
 * The rows `range` of a part that `options` ask for.
 *
 * @throws CFileError as `planScan`, `CFileReader.scan` and `CFileReader.select` do
 */
export async function* scanPart(
  part: OpenPart,
  range: { readonly from: number; readonly to: number },
  options: PartScanOptions,
): AsyncGenerator<DatasetBatch, void, void> {
  const plan = planScan(part.columns, options);
  const { where, values, limit = Number.POSITIVE_INFINITY, batchRows, expandDictionaries } = options;
  const { arena, readAhead, signal } = options;
  const searched = part.readers[plan.values ?? -1];
  const rows = searched === undefined ? range : await searched.rowRange({ rows: range, values, signal });
  const scanOptions: RangeOptions = { batchRows, expandDictionaries, readAhead, signal, rows };
  const tested = part.readers[plan.where ?? -1];
  const batches =
    tested === undefined || where === undefined
      ? consecutive(part, plan, scanOptions, arena)
      : chosen(part, plan, { tested, where }, scanOptions, arena);
  let left = limit;
  for await (const batch of batches) {
    if (left <= batch.length) {
      if (left > 0) {
        yield firstOf(batch, left);
      }
      return;
    }
    left -= batch.length;
    yield batch;
  }
}

type RangeOptions = Pick<PartScanOptions, "batchRows" | "expandDictionaries" | "readAhead" | "signal"> & {
  readonly rows: { readonly from: number; readonly to: number };
};

async function* consecutive(
  { readers, firstRow }: OpenPart,
  { names, positions }: Plan,
  options: RangeOptions,
  arena: MemoryArena | undefined,
): AsyncGenerator<DatasetBatch, void, void> {
  let row = firstRow + options.rows.from;
  const own = arenasOf(arena, positions);
  for await (const columns of scanColumns(at(readers, positions), options, own)) {
    const length = columns[0]?.length ?? 0;
    yield { firstRow: row, length, names, columns };
    row += length;
  }
}

async function* chosen(
  { readers, firstRow }: OpenPart,
  plan: Plan,
  { tested, where }: { readonly tested: CFileReader; readonly where: Where },
  options: RangeOptions,
  arena: MemoryArena | undefined,
): AsyncGenerator<DatasetBatch, void, void> {
  const others = plan.positions.filter((position) => position !== plan.where);
  const files = at(readers, others);
  const ofOtherFiles = arenasOf(arena, others);
  const own = arena?.part(plan.where ?? -1);
  for await (const selected of tested.select({ ...options, arena: own, where })) {
    for await (const { rows, own, columns } of besides(selected, files, options, ofOtherFiles)) {
      const ofOthers = columns.values();
      const all = plan.positions.map((position) =>
        position === plan.where ? own : (ofOthers.next().value ?? own),
      );
      yield {
        firstRow: firstRow + (rows[0] ?? 0),
        length: rows.length,
        rows: numbersFrom(firstRow, rows),
        names: plan.names,
        columns: all,
      };
    }
  }
}

/** The same rows of other columns: cut where one of these has its next block. */
async function* besides(
  { rows, batch }: SelectedRows,
  readers: readonly CFileReader[],
  options: RangeOptions,
  arenas: readonly MemoryArena[] | undefined,
): AsyncGenerator<{ rows: Uint32Array; own: ColumnBatch; columns: ColumnBatch[] }, void, void> {
  if (readers.length === 0) {
    yield { rows, own: batch, columns: [] };
    return;
  }
  const from = rows[0] ?? 0;
  const to = (rows.at(-1) ?? -1) + 1;
  let start = from;
  let done = 0;
  for await (const columns of scanColumns(readers, { ...options, rows: { from, to } }, arenas)) {
    const end = start + (columns[0]?.length ?? 0);
    const first = done;
    while (done < rows.length && (rows[done] ?? end) < end) {
      done++;
    }
    if (done > first) {
      const part = rows.subarray(first, done);
      const positions = positionsFrom(start, part);
      yield {
        rows: part,
        own: sliceRows(batch, first, done),
        columns: columns.map((column) => takeRows(column, positions)),
      };
    }
    start = end;
  }
}

/** An arena for each of the columns at `positions`; a column that is there twice is read by two scans at a time. */
function arenasOf(
  arena: MemoryArena | undefined,
  positions: readonly number[],
): readonly MemoryArena[] | undefined {
  return (
    arena &&
    positions.map((position, i) =>
      positions.indexOf(position) === i ? arena.part(position) : new MemoryArena(),
    )
  );
}

// Loops, not `map`: functions made for each batch are compiled for many of them.
function numbersFrom(firstRow: number, rows: Uint32Array): Float64Array {
  const numbers = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    numbers[i] = firstRow + (rows[i] as number);
  }
  return numbers;
}

function positionsFrom(start: number, rows: Uint32Array): Uint32Array {
  const positions = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    positions[i] = (rows[i] as number) - start;
  }
  return positions;
}

function firstOf(batch: DatasetBatch, length: number): DatasetBatch {
  return {
    ...batch,
    length,
    ...(batch.rows && { rows: batch.rows.subarray(0, length) }),
    columns: batch.columns.map((column) => sliceRows(column, 0, length)),
  };
}

function at(readers: readonly CFileReader[], positions: readonly number[]): CFileReader[] {
  return positions.flatMap((position) => readers[position] ?? []);
}
