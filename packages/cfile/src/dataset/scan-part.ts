/** Rows of one part of a dataset: all of them, or those that fulfil conditions. */
import { invalidArgument, type MemoryArena } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { alignBatches, sliceRows, sliceTable, type TableBatch, takeRows } from "@cfile/encodings/batches";
import {
  type Condition,
  type Conditions,
  conditionList,
  TableFilter,
  unknownColumn,
} from "@cfile/encodings/conditions";
import type { CFileReader, ReadAhead, ScanOptions } from "@cfile/format";

/** Which rows and columns of a part are scanned. */
export interface PartScanOptions {
  /** Which columns, in which order. Default: all. */
  readonly columns?: readonly string[] | undefined;
  /**
   * Only rows that fulfil this, or all of these. Rows are chosen by the conditions on the column of the first one, for which value
   * indexes are used where there are some, and then tested for the others.
   */
  readonly where?: Conditions | undefined;
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
  /** The column whose conditions choose the rows. */
  readonly tested: string | undefined;
  /** Its conditions. */
  readonly where: readonly Condition[];
  /** Conditions on other columns. */
  readonly otherConditions: readonly Condition[];
  /** The columns to read besides, each once. */
  readonly others: readonly string[];
}

/** @throws CFileError `E_INVALID_ARGUMENT` for columns that are not there, and for a `limit` that is no number of rows */
export function planScan(columns: readonly string[], options: PartScanOptions): Plan {
  const { columns: names = columns, limit = 0 } = options;
  if (!(limit >= 0)) {
    throw invalidArgument(`limit is ${limit}, a number of rows is expected`, { field: "limit" });
  }
  const [only, ...more] = columns;
  const conditions = conditionList(options.where).map((condition) => ({
    ...condition,
    column: condition.column ?? (more.length === 0 ? only : undefined),
  }));
  const asked = [...names, ...conditions.map(({ column }) => column)];
  for (const [i, name] of asked.entries()) {
    if (name === undefined || !columns.includes(name)) {
      const known = columns.map((column) => ({ name: column }));
      throw unknownColumn(name, known, i < names.length ? "columns" : "where");
    }
  }
  const tested = conditions[0]?.column;
  return {
    names,
    tested,
    where: conditions.filter(({ column }) => column === tested),
    otherConditions: conditions.filter(({ column }) => column !== tested),
    others: columns.filter((name) => name !== tested && asked.includes(name)),
  };
}

/**
 * The rows `range` of a part that `options` ask for.
 *
 * @throws CFileError as `planScan` and `CFileReader.scan` do
 */
export async function* scanPart(
  part: OpenPart,
  range: { readonly from: number; readonly to: number },
  options: PartScanOptions,
): AsyncGenerator<TableBatch, void, void> {
  const plan = planScan(part.columns, options);
  const {
    limit = Number.POSITIVE_INFINITY,
    batchRows,
    expandDictionaries,
    readAhead,
    arena,
    signal,
  } = options;
  const files = new PartFiles(part, { batchRows, expandDictionaries, readAhead, arena, signal });
  let left = limit;
  for await (const batch of plan.tested === undefined
    ? files.scan(plan.others, range)
    : chosen(files, plan, range)) {
    if (left <= batch.length) {
      if (left > 0) {
        yield projected(sliceTable(batch, 0, left), plan.names, part.firstRow);
      }
      return;
    }
    left -= batch.length;
    yield projected(batch, plan.names, part.firstRow);
  }
}

type RowRange = NonNullable<ScanOptions["rows"]>;

/** Scans of files of a part: each column has its part of the arena. */
class PartFiles {
  private readonly part: OpenPart;
  private readonly options: Omit<ScanOptions, "rows" | "where" | "limit">;

  constructor(part: OpenPart, options: Omit<ScanOptions, "rows" | "where" | "limit">) {
    this.part = part;
    this.options = options;
  }

  /** Rows of several columns side by side. */
  scan(names: readonly string[], rows: RowRange): AsyncGenerator<TableBatch, void, void> {
    return alignBatches(Object.fromEntries(names.map((name) => [name, this.column(name, { rows })])));
  }

  column(name: string, range: Pick<ScanOptions, "rows" | "where">): AsyncGenerator<ColumnBatch, void, void> {
    const arena = this.options.arena?.part(this.part.columns.indexOf(name));
    return this.reader(name).scan({ ...this.options, ...range, arena });
  }

  filter(where: readonly Condition[], names: readonly string[]): TableFilter {
    const columns = names.map((name) => {
      const { type, array } = this.reader(name);
      return { name, type, array };
    });
    return new TableFilter(where, columns, names);
  }

  private reader(name: string): CFileReader {
    return this.part.readers[this.part.columns.indexOf(name)] as CFileReader;
  }
}

async function* chosen(
  files: PartFiles,
  { tested = "", where, otherConditions, others }: Plan,
  rows: RowRange,
): AsyncGenerator<TableBatch, void, void> {
  const filter = files.filter(otherConditions, [tested, ...others]);
  for await (const own of files.column(tested, { rows, where })) {
    for await (const batch of besides(own, tested, others, files)) {
      const matching = filter.matching(batch);
      if (matching !== undefined) {
        yield matching;
      }
    }
  }
}

/** The same rows of other columns: cut where one of these has its next block. */
async function* besides(
  own: ColumnBatch,
  name: string,
  others: readonly string[],
  files: PartFiles,
): AsyncGenerator<TableBatch, void, void> {
  const names = [name, ...others];
  if (others.length === 0) {
    const { length, firstRow, rows } = own;
    yield { length, firstRow, rows, names, columns: [own] };
    return;
  }
  const from = own.firstRow;
  const to = (own.rows?.at(-1) ?? from + own.length - 1) + 1;
  let done = 0;
  for await (const { length, firstRow, columns } of files.scan(others, { from, to })) {
    const first = done;
    const end = firstRow + length;
    if (own.rows === undefined) {
      done += length;
      yield { length, firstRow, names, columns: [sliceRows(own, first, done), ...columns] };
      continue;
    }
    while (done < own.length && (own.rows[done] ?? end) < end) {
      done++;
    }
    if (done > first) {
      const rows = own.rows.subarray(first, done);
      const positions = positionsFrom(firstRow, rows);
      const taken = columns.map((column) => takeRows(column, positions));
      yield {
        length: rows.length,
        firstRow: rows[0] ?? firstRow,
        rows,
        names,
        columns: [sliceRows(own, first, done), ...taken],
      };
    }
  }
}

/** The columns that were asked for, and row numbers of the dataset. */
function projected(batch: TableBatch, names: readonly string[], offset: number): TableBatch {
  const columns: ColumnBatch[] = [];
  for (const name of names) {
    columns.push(batch.columns[batch.names.indexOf(name)] as ColumnBatch);
  }
  const { length, firstRow } = batch;
  const rows = batch.rows && numbersFrom(offset, batch.rows);
  return { length, firstRow: offset + firstRow, rows, names, columns };
}

// Loops, not `map`: functions made for each batch are compiled for many of them.
function numbersFrom(firstRow: number, rows: ArrayLike<number>): Float64Array {
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
