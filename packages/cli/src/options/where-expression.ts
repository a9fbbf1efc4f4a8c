/**
 * Conditions of `--where`:
 *
 * | condition | |
 * | --- | --- |
 * | `name = value`, `<`, `<=`, `>`, `>=` | values as in `cell-parser.ts`; in single quotes if needed; double a quote within them |
 * | `name in (a, b)` | items with commas or parentheses in quotes |
 * | `name is null`, `name is not null` | |
 * | `name prefix abc` | strings with this prefix; BINARY in hexadecimal digits |
 *
 * Names may contain spaces; an ambiguous name is written in double quotes.
 */
import { type CellValue, DATA_TYPES } from "@cfile/encodings";
import type { NamedCondition } from "@cfile/encodings/conditions";
import type { UsageError } from "../program/exit-code.js";
import { invalidValue } from "../program/option.js";
import type { ColumnSpec } from "../table/schema.js";
import { givenCellParser } from "./given-cell.js";

export type WhereColumn = Pick<ColumnSpec, "name" | "type" | "array" | "scale">;

/** @throws UsageError for text that is not a condition, naming the columns or the operators */
export function parseWhere(text: string, columns: readonly WhereColumn[]): NamedCondition {
  const { column, rest } = leadingColumn(text, columns);
  const nullness = /^is\s+(not\s+)?null$/i.exec(rest);
  if (nullness) {
    return { column: column.name, op: nullness[1] === undefined ? "isNull" : "isNotNull" };
  }
  if (column.array) {
    throw invalidCondition(text, `arrays like "${column.name}" support only is null and is not null`);
  }
  const cell = givenCellParser("--where", column);
  const [, op, operand] = /^(<=|>=|<|>|=|prefix(?=[\s'])|in(?=[\s(]))\s*(.*)$/is.exec(rest) ?? [];
  const { name } = column;
  const operator = op?.toLowerCase();
  switch (operator) {
    case "prefix":
      return { column: name, op: "prefix", value: prefixOf(column, cell(single(text, operand)), text) };
    case "in":
      return { column: name, op: "in", values: listed(text, operand).map(cell) };
    case "=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return { column: name, op: operator, value: cell(single(text, operand)) };
    default:
      throw invalidCondition(
        text,
        "unknown operator; operators: =, <, <=, >, >=, in (…), is [not] null, prefix",
      );
  }
}

function invalidCondition(text: string, reason: string): UsageError {
  return invalidValue("--where", text, reason);
}

function prefixOf({ name, type }: WhereColumn, cell: CellValue, text: string): string | Uint8Array {
  if (DATA_TYPES[type].physical === "BINARY" && (typeof cell === "string" || cell instanceof Uint8Array)) {
    return cell;
  }
  throw invalidCondition(text, `column "${name}" is ${type}; prefix requires text or BINARY`);
}

/** The column at the start: the longest name that matches, followed by an operator. */
function leadingColumn(text: string, columns: readonly WhereColumn[]): { column: WhereColumn; rest: string } {
  const trimmed = text.trim();
  const fits = columns
    .flatMap((column) =>
      [column.name, `"${column.name}"`].map((name) => ({ column, name, rest: trimmed.slice(name.length) })),
    )
    .filter(({ name, rest }) => trimmed.startsWith(name) && /^\s*(?:[<>=]|$)|^\s+/.test(rest))
    .sort((left, right) => right.name.length - left.name.length);
  const [best] = fits;
  if (best === undefined) {
    const known = columns.map(({ name }) => name).join(", ");
    const [, name = ""] = /^("[^"]*"|[^\s<>=]*)/.exec(trimmed) ?? [];
    throw invalidCondition(text, `no column "${name.replaceAll('"', "")}"; columns: ${known}`);
  }
  return { column: best.column, rest: best.rest.trim() };
}

function single(text: string, operand: string | undefined): string {
  const items = valueItems(operand ?? "", /^[^']*$/s);
  if (items?.length !== 1 || items[0] === undefined) {
    throw invalidCondition(text, "expected one value, like 5 or 'some text'");
  }
  return items[0];
}

function listed(text: string, operand: string | undefined): string[] {
  const [, inside] = /^\((.*)\)$/s.exec(operand?.trim() ?? "") ?? [];
  const items =
    inside === undefined ? undefined : inside.trim() === "" ? [] : valueItems(inside, /^[^'(),]*/);
  if (items === undefined) {
    throw invalidCondition(text, "expected a list, like in (1, 2) or in ('a', 'b')");
  }
  return items;
}

const QUOTED = /^'((?:[^']|'')*)'/;

/** Values separated by commas; `undefined` for anything else. */
function valueItems(text: string, bare: RegExp): string[] | undefined {
  const items: string[] = [];
  for (let rest = text.trim(); ; ) {
    const [whole, quoted] = QUOTED.exec(rest) ?? bare.exec(rest) ?? [];
    if (whole === undefined || (quoted === undefined && whole.trim() === "")) {
      return undefined;
    }
    items.push(quoted?.replaceAll("''", "'") ?? whole.trim());
    rest = rest.slice(whole.length).trim();
    if (rest === "") {
      return items;
    }
    if (!rest.startsWith(",")) {
      return undefined;
    }
    rest = rest.slice(1).trim();
  }
}
