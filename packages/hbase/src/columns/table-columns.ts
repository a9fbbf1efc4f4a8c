/** The cells of a table as columns with types: one row per row of the table, with the newest version of each column. */
import { CFileError, findingOf, invalidArgument, toHex } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { TableCells } from "../cells/table-cells.js";
import type { ColumnName, TableScanOptions } from "../scan/scan-options.js";
import type { HBaseTable } from "../table/hbase-table.js";
import { ColumnBuilder } from "./column-builder.js";
import { ROW_COLUMN, type TypedColumn } from "./column-schema.js";

/** A column of the result, as for files of whole tables. */
export interface ResultColumn {
  readonly name: string;
  readonly type: TypedColumn["type"];
  readonly nullable: boolean;
  readonly array: false;
}

/** Columns and rows. */
export interface TableColumns {
  readonly columns: readonly ResultColumn[];
  readonly rows: AsyncGenerator<TableBatch, void, void>;
}

/** Selects rows; `raw` and `versions` have no meaning for columns. */
export type TableColumnsOptions = Omit<
  TableScanOptions,
  "families" | "columns" | "raw" | "versions" | "batchCells"
>;

const BATCH_ROWS = 4096;
/** A batch ends earlier if a column reaches this many bytes of strings. */
const BATCH_BYTES = 16 * 1024 * 1024;

/**
 * Reads columns with types. The row key comes first: binary, unless `columns` state it.
 * @throws {CFileError} `E_INVALID_ARGUMENT` when no column is stated
 */
export function tableColumns(
  table: HBaseTable,
  columns: readonly TypedColumn[],
  options: TableColumnsOptions = {},
): TableColumns {
  return { columns: resultColumns(columns), rows: batches(table, withRow(columns), options) };
}

/** The columns of the result. @throws {CFileError} `E_INVALID_ARGUMENT` when no column is stated */
export function resultColumns(columns: readonly TypedColumn[]): readonly ResultColumn[] {
  return withRow(columns).map(({ name, type }, i) => ({ name, type, nullable: i > 0, array: false }));
}

/** The columns, with the row key first. */
function withRow(columns: readonly TypedColumn[]): readonly TypedColumn[] {
  const row = columns.find(({ name }) => name === ROW_COLUMN);
  const others = columns.filter(({ name }) => name !== ROW_COLUMN);
  if (others.length === 0) {
    throw invalidArgument("no column is stated except the row", { field: "schema" });
  }
  const rowColumn: TypedColumn = row ?? {
    name: ROW_COLUMN,
    family: undefined,
    qualifier: new Uint8Array(0),
    type: "BINARY",
    encoding: "bytes",
  };
  return [rowColumn, ...others];
}

async function* batches(
  table: HBaseTable,
  columns: readonly TypedColumn[],
  options: TableColumnsOptions,
): AsyncGenerator<TableBatch, void, void> {
  const positions = new ColumnPositions(columns);
  const rows = new RowBatches(columns);
  for await (const cells of table.scan({ ...options, columns: positions.names })) {
    let nextStart = 0;
    for (let i = 0; i < cells.length; i++) {
      if (cells.rowStarts[nextStart] === i) {
        nextStart++;
        rows.endRow();
        if (rows.isFull) {
          yield rows.take();
        }
        rows.beginRow(cells.row(i));
      }
      rows.set(positions.of(cells, i), cells.value(i));
    }
  }
  rows.endRow();
  if (rows.length > 0) {
    yield rows.take();
  }
}

/** Finds the position of a cell's column. Cells come in the order of columns, grouped by family. */
class ColumnPositions {
  readonly names: readonly ColumnName[];
  private readonly families = new Map<string, Map<string, number>>();

  constructor(columns: readonly TypedColumn[]) {
    const names: ColumnName[] = [];
    for (const [i, { family, qualifier }] of columns.entries()) {
      if (family !== undefined) {
        names.push({ family, qualifier });
        const known = this.families.get(family) ?? new Map<string, number>();
        this.families.set(family, known.set(latin1(qualifier), i));
      }
    }
    this.names = names;
  }

  /** The index of the cell's column. The scan returns cells of these columns only. */
  of(cells: TableCells, cell: number): number {
    return this.families.get(cells.family(cell))?.get(latin1(cells.qualifier(cell))) as number;
  }
}

/** Each byte as a character: distinct for distinct bytes. */
function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/** Collects rows. */
class RowBatches {
  length = 0;
  private readonly columns: readonly TypedColumn[];
  private readonly names: readonly string[];
  private builders: ColumnBuilder[];
  private values: (Uint8Array | undefined)[];
  private firstRow = 0;
  private hasRow = false;

  constructor(columns: readonly TypedColumn[]) {
    this.columns = columns;
    this.names = columns.map(({ name }) => name);
    this.builders = this.newBuilders();
    this.values = columns.map(() => undefined);
  }

  get isFull(): boolean {
    return this.length >= BATCH_ROWS || this.builders.some(({ bytes }) => bytes >= BATCH_BYTES);
  }

  beginRow(row: Uint8Array): void {
    this.hasRow = true;
    this.values[0] = row;
  }

  set(column: number, value: Uint8Array): void {
    this.values[column] = value;
  }

  endRow(): void {
    if (!this.hasRow) {
      return;
    }
    for (let i = 0; i < this.builders.length; i++) {
      const value = this.values[i];
      const builder = this.builders[i] as ColumnBuilder;
      if (value === undefined) {
        builder.addNull();
      } else {
        this.add(builder, value);
      }
      // The row stays for errors of the other columns.
      if (i > 0) {
        this.values[i] = undefined;
      }
    }
    this.length++;
    this.hasRow = false;
  }

  take(): TableBatch {
    const { length, firstRow, names } = this;
    const columns = this.builders.map((builder) => builder.finish(firstRow));
    this.builders = this.newBuilders();
    this.firstRow += length;
    this.length = 0;
    return { length, firstRow, names, columns };
  }

  private add(builder: ColumnBuilder, value: Uint8Array): void {
    try {
      builder.add(value);
    } catch (error) {
      const { code, reason, field } = findingOf(error);
      const row = toHex(this.values[0] as Uint8Array);
      throw new CFileError(code, `row 0x${row}, ${reason}`, { field, cause: error });
    }
  }

  private newBuilders(): ColumnBuilder[] {
    return this.columns.map((column, i) => new ColumnBuilder(column, BATCH_ROWS, i > 0));
  }
}
