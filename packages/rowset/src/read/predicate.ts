/** Conditions on rows, as callers give them, checked and with their values in the form of the column. */
import { invalidArgument } from "@cfile/bytes";
import type { CellValue, ScalarBatch } from "@cfile/encodings";
import { DATA_TYPES } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { RowSetColumn, RowSetSchema } from "../schema/schema.js";

/**
 * A condition on one column; a null fulfils none but `isNull`. Numbers compare as numbers, with NaN equal to nothing; strings
 * as bytes.
 */
export type Predicate =
  | {
      readonly column: string;
      readonly op: "=" | "<" | "<=" | ">" | ">=";
      readonly value: CellValue;
    }
  | { readonly column: string; readonly op: "in"; readonly values: readonly CellValue[] }
  /** Strings that begin with these bytes. */
  | { readonly column: string; readonly op: "prefix"; readonly value: string | Uint8Array }
  | { readonly column: string; readonly op: "isNull" | "isNotNull" };

export type PredicateOp = Predicate["op"];

/** A predicate, checked. */
export interface ColumnPredicate {
  readonly column: RowSetColumn;
  readonly op: PredicateOp;
  /** What the caller gave, for keys. */
  readonly cells: readonly CellValue[];
  /** The same as a batch of the column's type; of no rows for `isNull` and `isNotNull`. */
  readonly operands: ScalarBatch;
}

const OPS: readonly PredicateOp[] = ["=", "<", "<=", ">", ">=", "in", "prefix", "isNull", "isNotNull"];

/** @throws CFileError `E_INVALID_ARGUMENT` for unknown columns and operations, and values that do not fit the column */
export function checkPredicates(schema: RowSetSchema, where: readonly Predicate[]): ColumnPredicate[] {
  return where.map((predicate, i) => checkPredicate(schema, predicate, `where[${i}]`));
}

function checkPredicate(schema: RowSetSchema, predicate: Predicate, field: string): ColumnPredicate {
  const { op } = predicate;
  const column = columnNamed(schema, predicate.column, field);
  if (!OPS.includes(op)) {
    throw invalidArgument(`${String(op)} is no operation; there are ${OPS.join(", ")}`, { field });
  }
  const cells = cellsOf(predicate);
  if (column.array && op !== "isNull" && op !== "isNotNull") {
    throw invalidArgument(
      `column ${JSON.stringify(column.name)} has arrays: only isNull and isNotNull are for it`,
      {
        field,
      },
    );
  }
  if (op === "prefix" && DATA_TYPES[column.type].physical !== "BINARY") {
    throw invalidArgument(`values of ${column.type} have no prefix`, { field });
  }
  const operands = batchFromValues({ type: column.type, nullable: false }, [...cells]);
  if (operands.kind === "array") {
    throw invalidArgument("an array is no value to compare with", { field });
  }
  return { column, op, cells, operands };
}

function cellsOf(predicate: Predicate): readonly CellValue[] {
  switch (predicate.op) {
    case "in":
      return predicate.values;
    case "isNull":
    case "isNotNull":
      return [];
    default:
      return [predicate.value];
  }
}

/** @throws CFileError `E_INVALID_ARGUMENT` when there is no such column */
export function columnNamed(schema: RowSetSchema, name: string, field: string): RowSetColumn {
  const column = schema.columns.find((candidate) => candidate.name === name);
  if (column === undefined) {
    const known = schema.columns.map((candidate) => candidate.name).join(", ");
    throw invalidArgument(`there is no column ${JSON.stringify(name)}; there are ${known}`, { field });
  }
  return column;
}

/** The columns of these names; all columns without names. */
export function columnsNamed(
  schema: RowSetSchema,
  names: readonly string[] | undefined,
): readonly RowSetColumn[] {
  return names?.map((name, i) => columnNamed(schema, name, `columns[${i}]`)) ?? schema.columns;
}
