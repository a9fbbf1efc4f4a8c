/** What a query needs of a table, from the plan that DuckDB makes of it. */
import { CFileError } from "@cfile/bytes";
import type { NamedCondition } from "@cfile/encodings/conditions";
import type { TableColumn } from "@cfile/format";
import { quotedName } from "./duckdb-type.js";
import { pushedConditions } from "./pushed-filter.js";

export interface ScanPlan {
  /** Names of the columns, those of conditions too; at least one. */
  readonly columns: readonly string[];
  /** What every row that counts fulfils. */
  readonly where: readonly NamedCondition[];
}

interface TableScan {
  readonly table: string;
  readonly projections: readonly string[];
  readonly filters: readonly string[];
}

/** The scans of a plan, as `EXPLAIN (FORMAT JSON)` gives it. */
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
    throw new CFileError("E_UNSUPPORTED", "a plan of DuckDB that is no JSON", { field: "plan", cause });
  }
  for (const node of Array.isArray(plan) ? plan : []) {
    visit(node);
  }
  return scans;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** DuckDB writes a list of one as the text itself, and none as an empty one. */
function texts(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((text): text is string => typeof text === "string" && text !== "");
}

/** What the scans of one table need together. Several scans have no condition in common. */
export function scanPlan(
  scans: readonly TableScan[],
  name: string,
  columns: readonly TableColumn[],
): ScanPlan {
  const own = scans.filter(
    ({ table }) => table === name || table.endsWith(`.${name}`) || table.endsWith(`.${quotedName(name)}`),
  );
  const wanted = columns.filter(({ name: column }) =>
    own.some(
      ({ projections, filters }) =>
        projections.includes(column) || filters.some((filter) => filter.includes(column)),
    ),
  );
  const [only, ...others] = own;
  const where =
    only === undefined || others.length > 0
      ? []
      : only.filters.flatMap((filter) => pushedConditions(filter, columns));
  // Rows are counted by a column.
  const names = (wanted.length > 0 ? wanted : columns.slice(0, 1)).map((column) => column.name);
  return { columns: names, where };
}
