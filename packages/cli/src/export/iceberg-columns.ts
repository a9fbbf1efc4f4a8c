/** The columns of a table that are exported to Iceberg. */
import type { RowSetColumn } from "@cfile/rowset";

/** Columns by name, in this order. If a key column is left out, the others do not identify a row and lose their `isKey`. */
export function icebergColumns<C extends RowSetColumn>(schema: readonly C[], names: readonly string[]): C[] {
  const columns = names.flatMap((name) => schema.find((column) => column.name === name) ?? []);
  const hasKey = schema.every(({ isKey, name }) => !isKey || names.includes(name));
  return hasKey ? columns : columns.map((column) => ({ ...column, isKey: false }));
}
