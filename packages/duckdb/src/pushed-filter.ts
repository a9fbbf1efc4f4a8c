/**
 * Conditions that DuckDB's optimizer pushed into the scan of a table, as its plan prints them: `id>=5 AND id<10`, `word='it''s'`.
 * Unambiguous conditions become conditions of the scan; DuckDB tests all of them again.
 */
import type { NamedCondition } from "@cfile/encodings/conditions";
import type { TableColumn } from "@cfile/format";

const OPS = [">=", "<=", "=", "<", ">"] as const;
const INTEGERS: readonly string[] = ["INT8", "INT16", "INT32", "INT64"];
const DAY = 86_400_000;

/** @param filter one line of a scan's filters */
export function pushedConditions(filter: string, columns: readonly TableColumn[]): NamedCondition[] {
  return conjuncts(filter).flatMap((part) => condition(part, columns) ?? []);
}

/** The parts of a conjunction; empty if the filter has an OR. */
function conjuncts(filter: string): string[] {
  const parts: string[] = [];
  let part = "";
  let depth = 0;
  for (const token of filter.match(/'(?:[^']|'')*'| AND | OR |[()]|[^' ()]+| |'/g) ?? []) {
    depth += token === "(" ? 1 : token === ")" ? -1 : 0;
    if (token === " OR " && depth === 0) {
      return [];
    }
    if (token === " AND " && depth === 0) {
      parts.push(part);
      part = "";
    } else {
      part += token;
    }
  }
  return [...parts, part];
}

function condition(part: string, columns: readonly TableColumn[]): NamedCondition | undefined {
  for (const column of columns) {
    const rest = part.startsWith(column.name) ? part.slice(column.name.length) : "";
    const op = OPS.find((candidate) => rest.startsWith(candidate));
    const value = op === undefined ? undefined : operandOf(rest.slice(op.length), column);
    if (op !== undefined && value !== undefined) {
      return { column: column.name, op, value };
    }
  }
  return undefined;
}

function operandOf(text: string, { type, array }: TableColumn): number | bigint | string | undefined {
  if (array) {
    return undefined;
  }
  if (INTEGERS.includes(type) && /^-?\d{1,18}$/.test(text)) {
    return type === "INT64" ? BigInt(text) : Number(text);
  }
  const [, quoted, cast] = /^'((?:[^']|'')*)'(::DATE)?$/.exec(text) ?? [];
  if (quoted === undefined) {
    return undefined;
  }
  if ((type === "STRING" || type === "VARCHAR") && cast === undefined) {
    return quoted.replaceAll("''", "'");
  }
  const day = /^\d{4}-\d\d-\d\d$/.test(quoted) ? Date.parse(quoted) / DAY : Number.NaN;
  return type === "DATE" && cast !== undefined && Number.isInteger(day) ? day : undefined;
}
