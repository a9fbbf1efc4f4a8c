/** Positions of the selected columns in a table. */
import { UsageError } from "../program/exit-code.js";
import type { ColumnSpec } from "./schema.js";
import type { Table } from "./table-rows.js";

export interface TableSource {
  /** Path of the input, for messages. */
  readonly path: string;
  /** Whether all columns of the table are known before its first row, as in CSV. */
  readonly hasHeader: boolean;
}

/**
 * The position of each column in the rows; -1 for one that no row has had yet.
 *
 * @throws UsageError for a column that is not in the header
 */
export function columnPositions(
  { names }: Table,
  specs: readonly ColumnSpec[],
  { path, hasHeader }: TableSource,
): number[] {
  return specs.map(({ name }) => {
    const position = names.indexOf(name);
    if (position < 0 && hasHeader) {
      throw new UsageError(`--schema: no column "${name}" in ${path}; columns: ${names.join(", ")}`);
    }
    return position;
  });
}
