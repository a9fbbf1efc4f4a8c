/** Rows of another schema as rows of a table: columns by their names. */
import { CFileError, invalidArgument } from "@cfile/bytes";
import { decodeCell } from "@cfile/deltafile";
import type { ColumnBatch } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { RowSetSchema } from "@cfile/rowset";
import type { KuduColumn, KuduSchema } from "../catalog/schema-message.js";

/** Makes batches of the table's columns, in their order, of batches of the given columns. */
export class MatchedColumns {
  private readonly table: KuduSchema;
  /** Names of the given columns that the table has. */
  readonly names: readonly string[];
  private readonly places: readonly number[];

  /** @throws CFileError `E_INVALID_ARGUMENT` naming the column that does not fit; `E_UNSUPPORTED` for a table that numbers its rows */
  constructor(table: KuduSchema, given: RowSetSchema) {
    this.table = table;
    this.names = given.columns.map(({ name }) => name);
    this.places = table.columns.map((column) => {
      if (column.autoIncrementing) {
        throw new CFileError("E_UNSUPPORTED", "the table numbers its rows itself", { field: column.name });
      }
      const place = this.names.indexOf(column.name);
      const found = given.columns[place];
      if (found === undefined) {
        if (column.isKey || (!column.nullable && column.writeDefault === undefined)) {
          throw misfit(column, "is not there, and has no default");
        }
        return -1;
      }
      const sameScale = !column.type.startsWith("DECIMAL") || (found.scale ?? 0) === (column.scale ?? 0);
      if (found.type !== column.type || found.array !== column.array || !sameScale) {
        throw misfit(column, `is ${describe(found)}, the table's ${describe(column)}`);
      }
      return place;
    });
    const strange = this.names.find((name) => !table.columns.some((column) => column.name === name));
    if (strange !== undefined) {
      throw invalidArgument(`the table has no column ${JSON.stringify(strange)}`, { field: "columns" });
    }
    const keys = (schema: RowSetSchema): string =>
      schema.columns
        .filter(({ isKey }) => isKey)
        .map(({ name }) => name)
        .join(", ");
    if (keys(table) !== keys(given)) {
      throw invalidArgument(`the key is (${keys(given)}), the table's (${keys(table)})`, { field: "key" });
    }
  }

  /** @throws CFileError `E_INVALID_ARGUMENT` for a null where there may be none, and for strings that are too long */
  match(batches: readonly ColumnBatch[]): ColumnBatch[] {
    const length = batches[0]?.length ?? 0;
    return this.table.columns.map((column, i) => {
      const batch = batches[this.places[i] ?? -1] ?? constant(column, length);
      if (!column.nullable && batch.nullCount > 0) {
        throw misfit(column, "has a null, and may have none");
      }
      if (column.type === "VARCHAR" && column.length !== undefined && !column.array) {
        checkLengths(column, batch, column.length);
      }
      return batch;
    });
  }
}

function constant(column: KuduColumn, length: number): ColumnBatch {
  const data = column.writeDefault;
  const cell =
    data === undefined
      ? null
      : decodeCell(column, { isNull: false, data, start: 0, end: data.length }, { strings: "bytes" });
  return batchFromValues(column, new Array(length).fill(cell));
}

function checkLengths(column: KuduColumn, batch: ColumnBatch, most: number): void {
  for (const cell of batch.toArray()) {
    if (typeof cell === "string" && cell.length > most && [...cell].length > most) {
      throw misfit(column, `has ${[...cell].length} characters, at most ${most} are allowed`);
    }
  }
}

function describe({ type, array, scale }: Pick<KuduColumn, "type" | "array" | "scale">): string {
  return `${type}${type.startsWith("DECIMAL") ? `, scale ${scale ?? 0}` : ""}${array ? " array" : ""}`;
}

function misfit({ name }: KuduColumn, reason: string): CFileError {
  return invalidArgument(`column ${JSON.stringify(name)} ${reason}`, { field: name });
}
