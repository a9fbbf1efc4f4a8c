/** The columns of a table that are exported to Iceberg. */
import type { RowSetColumn } from "@cfile/rowset";

/** Columns by name, in this order. Without some key columns, none is one: the others do not identify a row. */
export function icebergColumns<C extends RowSetColumn>(schema: readonly C[], names: readonly string[]): C[] {
  const columns = names.flatMap((name) => schema.find((column) => column.name === name) ?? []);
  const hasKey = schema.every(({ isKey, name }) => !isKey || names.includes(name));
  return hasKey ? columns : columns.map((column) => ({ ...column, isKey: false }));
}
