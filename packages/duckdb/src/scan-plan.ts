/** The columns and conditions that a query requires of a table, from DuckDB's plan. */
import { CFileError } from "@cfile/bytes";
import type { NamedCondition } from "@cfile/encodings/conditions";
import type { TableColumn } from "@cfile/format";
import { quotedName } from "./duckdb-type.js";
import { pushedConditions } from "./pushed-filter.js";

export interface ScanPlan {
  /** At least one column, including those of conditions. */
  readonly columns: readonly string[];
  /** Conditions that all required rows match. */
  readonly where: readonly NamedCondition[];
}

interface TableScan {
  readonly table: string;
  readonly projections: readonly string[];
  readonly filters: readonly string[];
}

/** The scans in the output of `EXPLAIN (FORMAT JSON)`. */
export function scansOfPlan(json: string): TableScan[] {
  const scans: TableScan[] = [];
  const visit = (node: unknown): void => {
    const { extra_info: info, children } = fieldsOf(node);
    const { Table: table, Projections: projections, Filters: filters } = fieldsOf(info);
    if (typeof table === "string") {
      scans.push({ table, projections: texts(projections), filters: texts(filters) });
    }
    for (const child of Array.isArray(children) ? children : []) {
      visit(child);
    }
  };
  let plan: unknown;
  try {
    plan = JSON.parse(json);
  } catch (cause) {
    throw new CFileError("E_UNSUPPORTED", "DuckDB's plan is not JSON", { field: "plan", cause });
  }
  for (const node of Array.isArray(plan) ? plan : []) {
    visit(node);
  }
  return scans;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** DuckDB writes a list of one as a string, and an empty list as "". */
function texts(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((text): text is string => typeof text === "string" && text !== "");
}

/** The requirements of all scans of one table. Conditions are used only if there is a single scan. */
export function scanPlan(
  scans: readonly TableScan[],
  name: string,
  columns: readonly TableColumn[],
): ScanPlan {
  const own = scans.filter(({ table }) =>
    [name, quotedName(name)].some((known) => table === known || table.endsWith(`.${known}`)),
  );
  const used = own.flatMap(({ projections, filters }) => [
    (column: string) => projections.includes(column),
    (column: string) => filters.some((filter) => filter.includes(column)),
  ]);
  const wanted = columns.filter((column) => used.some((uses) => uses(column.name)));
  const filters = own.length === 1 ? own.flatMap((scan) => scan.filters) : [];
  const where = filters.flatMap((filter) => pushedConditions(filter, columns));
  // `count(*)` also requires a column.
  const names = (wanted.length > 0 ? wanted : columns.slice(0, 1)).map((column) => column.name);
  return { columns: names, where };
}
