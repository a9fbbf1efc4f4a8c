/** Checks callers' conditions and converts their values to the column's type. */
import { type CFileError, invalidArgument } from "@cfile/bytes";
import { scalarBatch } from "../batch/batch-from-values.js";
import type { ScalarBatch } from "../batch/column-batch.js";
import type { CellValue } from "../types/cell-value.js";
import { DATA_TYPES, type DataType } from "../types/data-type.js";

/**
 * A condition on the cells of a column. A null meets only `isNull`. Numbers compare as numbers, with NaN equal to nothing;
 * strings as bytes.
 */
export type Condition = {
  /** The column's name; optional if there is only one column. */
  readonly column?: string | undefined;
} & (
  | { readonly op: "=" | "<" | "<=" | ">" | ">="; readonly value: CellValue }
  | { readonly op: "in"; readonly values: readonly CellValue[] }
  /** Strings with this prefix. */
  | { readonly op: "prefix"; readonly value: string | Uint8Array }
  | { readonly op: "isNull" | "isNotNull" }
);

/** Comparison operator of a condition. */
export type ConditionOp = Condition["op"];

/** A condition that names its column. */
export type NamedCondition = Condition & { readonly column: string };

/** One condition, or several that must all be met. */
export type Conditions = Condition | readonly Condition[];

/** The part of a column that conditions require. */
export interface ConditionColumn {
  readonly name?: string | undefined;
  readonly type: DataType;
  readonly array: boolean;
}

/** A condition, checked. */
export interface ColumnCondition<C extends ConditionColumn = ConditionColumn> {
  readonly column: C;
  readonly op: ConditionOp;
  /** The caller's values: one, any number for `in`, none for `isNull` and `isNotNull`. */
  readonly cells: readonly CellValue[];
  /** The same values in the column's type. */
  readonly operands: ScalarBatch;
}

const OPS: readonly ConditionOp[] = ["=", "<", "<=", ">", ">=", "in", "prefix", "isNull", "isNotNull"];

/** The conditions as a list, which is empty for `undefined`. */
export function conditionList(where: Conditions | undefined): readonly Condition[] {
  return where === undefined ? [] : "op" in where ? [where] : where;
}

/**
 * The conditions with their columns.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for unknown columns and operators, and values that do not fit the column
 */
export function checkConditions<C extends ConditionColumn>(
  where: Conditions | undefined,
  columns: readonly C[],
): ColumnCondition<C>[] {
  const isList = where !== undefined && !("op" in where);
  return conditionList(where).map((condition, i) => {
    const field = isList ? `where[${i}]` : "where";
    return checkCondition(condition, columnOf(condition.column, columns, field), field);
  });
}

function columnOf<C extends ConditionColumn>(
  name: string | undefined,
  columns: readonly C[],
  field: string,
): C {
  const [only, ...others] = columns;
  if (only !== undefined && others.length === 0 && (name === undefined || only.name === undefined)) {
    return only;
  }
  const column = columns.find((candidate) => candidate.name === name);
  if (name === undefined || column === undefined) {
    throw unknownColumn(name, columns, field);
  }
  return column;
}

/** The error for a column that a table does not have: `E_INVALID_ARGUMENT`, naming the table's columns. */
export function unknownColumn(
  name: string | undefined,
  columns: readonly { readonly name?: string | undefined }[],
  field: string,
): CFileError {
  const known = columns.map((column) => column.name).join(", ");
  const reason = name === undefined ? "column name is missing" : `no column ${JSON.stringify(name)}`;
  return invalidArgument(`${reason} (columns: ${known})`, { field });
}

function checkCondition<C extends ConditionColumn>(
  condition: Condition,
  column: C,
  field: string,
): ColumnCondition<C> {
  const { op } = condition;
  const { array, type } = column;
  if (!OPS.includes(op)) {
    throw invalidArgument(`invalid op: ${String(op)} (must be one of ${OPS.join(", ")})`, { field });
  }
  if (array && op !== "isNull" && op !== "isNotNull") {
    throw invalidArgument(`invalid op: ${op} (array columns support isNull and isNotNull)`, { field });
  }
  if (op === "prefix" && DATA_TYPES[type].physical !== "BINARY") {
    throw invalidArgument(`invalid op: prefix (${type} values have no prefix)`, { field });
  }
  const cells = cellsOf(condition);
  const operands = scalarBatch({ type }, cells, 0, (i) => `row ${i}`);
  return { column, op, cells, operands };
}

function cellsOf(condition: Condition): readonly CellValue[] {
  switch (condition.op) {
    case "in":
      return condition.values;
    case "isNull":
    case "isNotNull":
      return [];
    default:
      return [condition.value];
  }
}
