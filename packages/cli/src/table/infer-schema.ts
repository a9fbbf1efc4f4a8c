/** Infers the columns of a table from all of its rows. */
import { invalidArgument } from "@cfile/bytes";
import { LosslessNumber } from "lossless-json";
import type { RawCell, RawScalar } from "../records/raw-cell.js";
import { TypeInference } from "./infer-type.js";
import type { ColumnSpec } from "./schema.js";
import type { Table } from "./table-rows.js";

/**
 * Reads the table to its end. A column is nullable when a row has no value in it.
 *
 * @param path for messages
 * @throws {CFileError} `E_INVALID_ARGUMENT` for a column of arrays and single values, and for a table without columns
 */
export async function inferSchema(
  table: Table,
  kind: "csv" | "ndjson",
  path: string,
  signal: AbortSignal | undefined,
): Promise<ColumnSpec[]> {
  const columns: ColumnInference[] = [];
  let row = 0;
  for await (const rows of table.rows) {
    signal?.throwIfAborted();
    for (const cells of rows) {
      // Later rows of NDJSON may have more columns, which are null in earlier rows.
      for (let i = columns.length; i < cells.length; i++) {
        columns.push(new ColumnInference(table.names[i] ?? "", kind === "csv", row > 0));
      }
      for (let i = 0; i < columns.length; i++) {
        columns[i]?.add(cells[i], row, path);
      }
      row++;
    }
  }
  const specs =
    row === 0
      ? table.names.map((name) => new ColumnInference(name, true, false).spec)
      : columns.map(({ spec }) => spec);
  if (specs.length === 0) {
    throw invalidArgument("the table has no columns", { path });
  }
  return specs;
}

class ColumnInference {
  private readonly name: string;
  /** Whether all values are text, which may represent another type. */
  private readonly fromText: boolean;
  private readonly types = new TypeInference();
  private nullable: boolean;
  private arrays = false;
  private scalars = false;

  constructor(name: string, fromText: boolean, nullable: boolean) {
    this.name = name;
    this.fromText = fromText;
    this.nullable = nullable;
  }

  add(cell: RawCell | undefined, row: number, path: string): void {
    if (cell === null || cell === undefined) {
      this.nullable = true;
      return;
    }
    if (typeof cell === "object" && !(cell instanceof LosslessNumber)) {
      this.arrays = true;
      for (const element of cell) {
        if (element !== null) {
          this.addScalar(element);
        }
      }
    } else {
      this.scalars = true;
      this.addScalar(cell);
    }
    if (this.arrays && this.scalars) {
      const reason = `column "${this.name}": row ${row}: arrays and single values in one column`;
      throw invalidArgument(reason, { path });
    }
  }

  get spec(): ColumnSpec {
    return { name: this.name, type: this.types.type, nullable: this.nullable, array: this.arrays };
  }

  private addScalar(value: RawScalar): void {
    if (this.fromText && typeof value === "string") {
      this.types.addText(value);
    } else {
      this.types.addJson(value);
    }
  }
}
