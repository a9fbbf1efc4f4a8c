/** Scans one part of a dataset: all rows, or those that match conditions. */
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
import { RangeReader } from "./range-reader.js";

/** Selects the rows and columns of a part to scan. */
export interface PartScanOptions {
  /** Names of columns, in this order. Default: all. */
  readonly columns?: readonly string[] | undefined;
  /**
   * Only rows that match this condition, or all of these. Conditions on the first condition's column select rows, through a value
   * index if there is one; the other conditions are tested on these rows.
   */
  readonly where?: Conditions | undefined;
  /** Maximum number of rows. Default: all. */
  readonly limit?: number | undefined;
  readonly batchRows?: number | undefined;
  readonly expandDictionaries?: boolean | undefined;
  readonly readAhead?: ReadAhead | undefined;
  /**
   * Memory for one batch at a time: a batch, its arrays and everything cut from them are then valid only until the next one is
   * requested. Consecutive scans, also of other datasets, can share an arena. Default: new memory, which callers can
   * keep. Batches of a block share its memory: copy arrays before you transfer them.
   */
  readonly arena?: MemoryArena | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Open files with the same rows. */
export interface OpenPart {
  readonly readers: readonly CFileReader[];
  /** Names of the columns. */
  readonly columns: readonly string[];
  /** Number of the files' row 0 in the dataset. */
  readonly firstRow: number;
}

/** A checked scan. */
interface Plan {
  readonly names: readonly string[];
  /** The column whose conditions select rows. */
  readonly tested: string | undefined;
  /** Conditions on that column. */
  readonly where: readonly Condition[];
  /** Conditions on other columns. */
  readonly otherConditions: readonly Condition[];
  /** The other columns to read, each once. */
  readonly others: readonly string[];
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` for unknown columns and an invalid `limit` */
export function planScan(columns: readonly string[], options: PartScanOptions): Plan {
  const { columns: names = columns, limit = 0 } = options;
  if (!(limit >= 0)) {
    throw invalidArgument(`invalid limit: ${limit} (must be a number >= 0)`, { field: "limit" });
  }
  const only = columns.length === 1 ? columns[0] : undefined;
  const where = conditionList(options.where);
  const conditions = where.map((condition) => ({ ...condition, column: condition.column ?? only }));
  const requested = [...names, ...conditions.map(({ column }) => column)];
  for (const [i, name] of requested.entries()) {
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
    others: columns.filter((name) => name !== tested && requested.includes(name)),
  };
}

type RowRange = NonNullable<ScanOptions["rows"]>;

/**
 * Yields the matching rows of a range.
 *
 * @throws {CFileError} as `planScan` and `CFileReader.scan`
 */
export async function* scanPart(
  part: OpenPart,
  range: { readonly from: number; readonly to: number },
  options: PartScanOptions,
): AsyncGenerator<TableBatch, void, void> {
  const plan = planScan(part.columns, options);
  const files = new PartFiles(part, options);
  let { limit: left = Number.POSITIVE_INFINITY } = options;
  for await (const batch of files.selected(plan, range)) {
    const length = Math.min(left, batch.length);
    if (length > 0) {
      yield projected(sliceTable(batch, 0, length), plan.names, part.firstRow);
    }
    left -= length;
    if (left === 0) {
      return;
    }
  }
}

/** Scans the files of a part; each column uses its own part of the arena. */
class PartFiles {
  private readonly part: OpenPart;
  private readonly options: PartScanOptions;

  constructor(part: OpenPart, options: PartScanOptions) {
    this.part = part;
    this.options = options;
  }

  /** The rows of a plan, with the tested column first. */
  async *selected(plan: Plan, rows: RowRange): AsyncGenerator<TableBatch, void, void> {
    const { tested, where, others } = plan;
    if (tested === undefined) {
      yield* this.scan(others, rows);
      return;
    }
    const names = [tested, ...others];
    const shapes = names.map((name) => {
      const { type, array } = this.reader(name);
      return { name, type, array };
    });
    const filter = new TableFilter(plan.otherConditions, shapes, names);
    const reader = new RangeReader((range) => this.scan(others, range), rows.to ?? Number.POSITIVE_INFINITY);
    try {
      for await (const own of this.column(tested, { rows, where })) {
        for await (const batch of withOthers(own, names, reader)) {
          const matching = filter.matching(batch);
          if (matching !== undefined) {
            yield matching;
          }
        }
      }
    } finally {
      await reader.close();
    }
  }

  /** Rows of several columns. */
  private scan(names: readonly string[], rows: RowRange): AsyncGenerator<TableBatch, void, void> {
    return alignBatches(Object.fromEntries(names.map((name) => [name, this.column(name, { rows })])));
  }

  private column(
    name: string,
    range: Pick<ScanOptions, "rows" | "where">,
  ): AsyncGenerator<ColumnBatch, void, void> {
    const { batchRows, expandDictionaries, readAhead, signal } = this.options;
    const arena = this.options.arena?.part(this.part.columns.indexOf(name));
    return this.reader(name).scan({ batchRows, expandDictionaries, readAhead, signal, ...range, arena });
  }

  private reader(name: string): CFileReader {
    return this.part.readers[this.part.columns.indexOf(name)] as CFileReader;
  }
}

/** A batch of the first column with the same rows of the others, cut where one of the others starts a new block. */
async function* withOthers(
  own: ColumnBatch,
  names: readonly string[],
  others: RangeReader,
): AsyncGenerator<TableBatch, void, void> {
  const { rows: numbers, firstRow: from } = own;
  if (names.length === 1) {
    yield { length: own.length, firstRow: from, rows: numbers, names, columns: [own] };
    return;
  }
  const to = (numbers?.at(-1) ?? from + own.length - 1) + 1;
  let done = 0;
  for await (const { length, firstRow, columns } of others.read(from, to)) {
    const first = done;
    if (numbers === undefined) {
      done += length;
      yield { length, firstRow, names, columns: [sliceRows(own, first, done), ...columns] };
      continue;
    }
    const end = firstRow + length;
    while (done < own.length && (numbers[done] ?? end) < end) {
      done++;
    }
    if (done > first) {
      const rows = numbers.subarray(first, done);
      const positions = new Uint32Array(rows.length);
      for (let i = 0; i < rows.length; i++) {
        positions[i] = (rows[i] as number) - firstRow;
      }
      const taken = [sliceRows(own, first, done), ...columns.map((column) => takeRows(column, positions))];
      yield { length: rows.length, firstRow: rows[0] ?? firstRow, rows, names, columns: taken };
    }
  }
}

/** The requested columns, with row numbers of the dataset. */
function projected(batch: TableBatch, names: readonly string[], offset: number): TableBatch {
  const columns: ColumnBatch[] = [];
  for (const name of names) {
    columns.push(batch.columns[batch.names.indexOf(name)] as ColumnBatch);
  }
  const { length, firstRow, rows: numbers } = batch;
  const rows = numbers && new Float64Array(numbers.length);
  // A loop, not `map`: creating a closure per batch defeats the JIT.
  for (let i = 0; rows !== undefined && i < rows.length; i++) {
    rows[i] = offset + (numbers?.[i] as number);
  }
  return { length, firstRow: offset + firstRow, rows, names, columns };
}
