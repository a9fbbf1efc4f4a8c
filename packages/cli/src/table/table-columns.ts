/** Where the columns that are wanted stand in a table. */
import { UsageError } from "../program/exit-code.js";
import type { ColumnSpec } from "./schema.js";
import type { Table } from "./table-rows.js";

export interface TableSource {
  /** Of the input, for messages. */
  readonly path: string;
  /** Whether all columns of the table are known before its first row, as in CSV. */
  readonly hasHeader: boolean;
}

/**
 * The position of each column in the rows; -1 for one that no row had so far.
 *
 * @throws UsageError for a column that the header does not have
 */
export function columnPositions(
  { names }: Table,
  specs: readonly ColumnSpec[],
  { path, hasHeader }: TableSource,
): number[] {
  return specs.map(({ name }) => {
    const position = names.indexOf(name);
    if (position < 0 && hasHeader) {
      throw new UsageError(`--schema: ${path} has no column "${name}"; it has ${names.join(", ")}`);
    }
    return position;
  });
}
