/** Conditions on columns as text: `id >= 7`, `name prefix row/`, `day in 1,2`, `n is null`. */
import type { KuduSchema } from "@cfile/kudu-dir";
import type { Predicate } from "@cfile/rowset";
import { cellParser } from "./cell-parser.js";
import { csvList } from "./csv-list.js";
import { UsageError } from "./exit-code.js";

const CONDITION =
  /^\s*(?:"((?:[^"]|"")+)"|([^\s=<>"]+))\s*(<=|>=|=|<|>|is\s+not\s+null$|is\s+null$|prefix\s|in\s)\s*(.*)$/is;

/** @throws UsageError for text that is no condition on a column of the schema */
export function parseCondition(text: string, schema: KuduSchema): Predicate {
  const [, quoted, plain, operation = "", value = ""] = CONDITION.exec(text) ?? [];
  const name = quoted?.replaceAll('""', '"') ?? plain;
  const column = schema.columns.find((candidate) => candidate.name === name);
  if (name === undefined || column === undefined) {
    throw new UsageError(
      name === undefined
        ? `--where takes a condition like "id >= 7", "s prefix a", "n in 1,2" or "n is null"; "${text}" is none`
        : `--where: there is no column "${name}"`,
    );
  }
  const parse = cellParser(column);
  const word = operation.trim().toLowerCase().replace(/\s+/g, " ");
  switch (word) {
    case "is null":
      return { column: name, op: "isNull" };
    case "is not null":
      return { column: name, op: "isNotNull" };
    case "in":
      return { column: name, op: "in", values: csvList("--where", value).map((item) => parse(item.trim())) };
    case "prefix": {
      const prefix = parse(unquoted(value));
      if (typeof prefix !== "string" && !(prefix instanceof Uint8Array)) {
        throw new UsageError(`--where: column "${name}" has no prefixes`);
      }
      return { column: name, op: "prefix", value: prefix };
    }
    default:
      return { column: name, op: word as "=" | "<" | "<=" | ">" | ">=", value: parse(unquoted(value)) };
  }
}

/** Quotes keep white space, and show what an empty text is. */
function unquoted(text: string): string {
  const trimmed = text.trim();
  return /^'.*'$/s.test(trimmed) || /^".*"$/s.test(trimmed) ? trimmed.slice(1, -1) : trimmed;
}
