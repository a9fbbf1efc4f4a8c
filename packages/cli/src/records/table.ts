/** Text tables without border lines. */
import CliTable3 from "cli-table3";

export interface Column {
  readonly title: string;
  /** Default `"left"`. */
  readonly align?: "left" | "right";
}

export const left = (title: string): Column => ({ title });
export const right = (title: string): Column => ({ title, align: "right" });

/** The border characters of cli-table3. */
const BORDERS =
  "top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid";

/** Names and values in two columns. */
export function factLines(facts: readonly (readonly string[])[]): string[] {
  return tableLines([left(""), left("")], facts);
}

/** Lines of the table, indented by `indent`; without titles when all are empty. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  indent = "  ",
): string[] {
  const aligns = columns.map(({ align }) => align ?? "left");
  const table = new CliTable3({
    chars: { ...Object.fromEntries(BORDERS.split(" ").map((border) => [border, ""])), middle: "  " },
    colAligns: aligns,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  if (columns.some(({ title }) => title !== "")) {
    table.push(columns.map(({ title }, i) => ({ content: title, hAlign: aligns[i] ?? "left" })));
  }
  table.push(...rows.map((row) => [...row]));
  return table.length === 0
    ? []
    : table
        .toString()
        .split("\n")
        .map((line) => `${indent}${line}`.trimEnd());
}
