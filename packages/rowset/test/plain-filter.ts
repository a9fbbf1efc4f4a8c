/** A second implementation of conditions, in the simplest way, cell by cell. */

import type { CellValue } from "@cfile/encodings";
import type { NamedCondition } from "@cfile/encodings/conditions";

export type PlainRow = Readonly<Record<string, CellValue>>;

export function fulfils(row: PlainRow, where: readonly NamedCondition[]): boolean {
  return where.every((predicate) => holds(row[predicate.column] ?? null, predicate));
}

function holds(cell: CellValue, predicate: NamedCondition): boolean {
  if (predicate.op === "isNull" || predicate.op === "isNotNull") {
    return (cell === null) === (predicate.op === "isNull");
  }
  if (cell === null) {
    return false;
  }
  switch (predicate.op) {
    case "=":
      return order(cell, predicate.value) === 0;
    case "<":
      return order(cell, predicate.value) < 0;
    case "<=":
      return order(cell, predicate.value) <= 0;
    case ">":
      return order(cell, predicate.value) > 0;
    case ">=":
      return order(cell, predicate.value) >= 0;
    case "in":
      return predicate.values.some((value) => order(cell, value) === 0);
    case "prefix": {
      const prefix = Buffer.from(predicate.value as Uint8Array);
      return Buffer.from(cell as Uint8Array)
        .subarray(0, prefix.length)
        .equals(prefix);
    }
  }
}

/** NaN for values that cannot be compared. */
function order(left: CellValue, right: CellValue): number {
  if (left instanceof Uint8Array && right instanceof Uint8Array) {
    return Buffer.compare(left, right);
  }
  const a = left as number;
  const b = right as number;
  return a < b ? -1 : a > b ? 1 : a === b ? 0 : Number.NaN;
}

const OPS = ["=", "<", "<=", ">", ">=", "in", "prefix", "isNull", "isNotNull"] as const;

/** A condition on a column of the rows, mostly with cells of the rows. */
export function randomPredicate(
  rows: readonly PlainRow[],
  columns: readonly { readonly name: string }[],
  random: (below: number) => number,
): NamedCondition {
  const column = columns[random(columns.length)]?.name ?? "";
  const cells = rows.map((row) => row[column] ?? null).filter((cell) => cell !== null);
  const cell = (): CellValue => cells[random(cells.length)] ?? null;
  const op = OPS[random(OPS.length)] ?? "isNull";
  const value = cell();
  if (op === "isNull" || op === "isNotNull" || value === null) {
    return { column, op: op === "isNull" ? "isNull" : "isNotNull" };
  }
  if (op === "in") {
    return { column, op, values: [value, cell(), cell()] };
  }
  if (op === "prefix") {
    return value instanceof Uint8Array
      ? { column, op, value: value.subarray(0, random(4)) }
      : { column, op: "=", value };
  }
  return { column, op, value };
}
