/** Converts rows of another schema to rows of a table; columns are matched by name. */
import { CFileError, invalidArgument } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { RowSetSchema } from "@cfile/rowset";
import type { KuduColumn, KuduSchema } from "../catalog/schema-message.js";
import { cellValue } from "../log/stored-cells.js";

/** Converts batches of the given columns to batches of the table's columns, in their order. */
export class MatchedColumns {
  private readonly table: KuduSchema;
  /** Names of the given columns that the table has. */
  readonly names: readonly string[];
  private readonly places: readonly number[];

  /** @throws {CFileError} `E_INVALID_ARGUMENT` for a column that does not fit; `E_UNSUPPORTED` for an auto-incrementing column */
  constructor(table: KuduSchema, given: RowSetSchema) {
    this.table = table;
    this.names = given.columns.map(({ name }) => name);
    this.places = table.columns.map((column) => {
      if (column.autoIncrementing) {
        const reason = `cannot load rows into a table with auto-incrementing column ${JSON.stringify(column.name)}`;
        throw new CFileError("E_UNSUPPORTED", reason, { field: column.name });
      }
      const place = this.names.indexOf(column.name);
      const found = given.columns[place];
      if (found === undefined) {
        if (column.isKey || (!column.nullable && column.writeDefault === undefined)) {
          throw misfit(column, "is missing and has no default");
        }
        return -1;
      }
      if (describe(found) !== describe(column)) {
        throw misfit(column, `has another type (expected ${describe(column)}, found ${describe(found)})`);
      }
      return place;
    });
    const unknown = this.names.find((name) => !table.columns.some((column) => column.name === name));
    if (unknown !== undefined) {
      throw invalidArgument(`the table has no column ${JSON.stringify(unknown)}`, { field: "columns" });
    }
    const [expected, actual] = [keyNames(table), keyNames(given)];
    if (expected !== actual) {
      throw invalidArgument("key columns mismatch", { field: "key", expected, actual });
    }
  }

  /** @throws {CFileError} `E_INVALID_ARGUMENT` for a null in a column that is not nullable, and for a string that is too long */
  match(batches: readonly ColumnBatch[]): ColumnBatch[] {
    const length = batches[0]?.length ?? 0;
    return this.table.columns.map((column, i) => {
      const batch = batches[this.places[i] ?? -1] ?? constant(column, length);
      if (!column.nullable && batch.nullCount > 0) {
        throw misfit(column, "has a null but is not nullable");
      }
      if (column.type === "VARCHAR" && column.length !== undefined && !column.array) {
        checkLengths(column, batch, column.length);
      }
      return batch;
    });
  }
}

function keyNames({ columns }: RowSetSchema): string {
  const keys = columns.filter(({ isKey }) => isKey);
  return `(${keys.map(({ name }) => name).join(", ")})`;
}

function constant(column: KuduColumn, length: number): ColumnBatch {
  const { writeDefault } = column;
  const cell = writeDefault === undefined ? null : cellValue(column, writeDefault);
  return batchFromValues(column, new Array(length).fill(cell));
}

function checkLengths(column: KuduColumn, batch: ColumnBatch, max: number): void {
  for (const cell of batch.toArray()) {
    if (typeof cell === "string" && cell.length > max && [...cell].length > max) {
      throw misfit(column, `has a string of ${[...cell].length} characters (maximum ${max})`);
    }
  }
}

function describe({ type, array, scale }: Pick<KuduColumn, "type" | "array" | "scale">): string {
  return `${type}${type.startsWith("DECIMAL") ? `, scale ${scale ?? 0}` : ""}${array ? " array" : ""}`;
}

function misfit({ name }: KuduColumn, reason: string): CFileError {
  return invalidArgument(`column ${JSON.stringify(name)} ${reason}`, { field: name });
}
