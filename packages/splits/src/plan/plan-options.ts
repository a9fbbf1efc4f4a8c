/** What splits can be asked for, whatever they are of. */

import { invalidArgument } from "@cfile/bytes";
import type { NamedCondition } from "@cfile/encodings/conditions";
import type { RowSetColumn, RowSetSchema } from "@cfile/rowset";

/** How much goes into a split, and which columns and rows. */
export interface PlanOptions {
  /**
   * Stored bytes of a split, about: between half and twice of it, unless a data block is larger or all is less. A data block is
   * never divided. Default 256 MiB.
   */
  readonly targetBytes?: number | undefined;
  /** Names of the columns wanted, in this order. Default: all. */
  readonly columns?: readonly string[] | undefined;
  /** Only rows that fulfil all of these, made of the columns that there are. */
  readonly where?: ((columns: readonly RowSetColumn[]) => readonly NamedCondition[]) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How a table of Kudu is split. */
export interface KuduPlanOptions extends PlanOptions {
  /** The server's roots, as whoever reads the splits is to open them. */
  readonly dirs: readonly string[];
  /** The state at this timestamp. Default: the latest. */
  readonly asOf?: bigint | undefined;
  /** Whether times are read whose history may be gone, for what is left of it. */
  readonly partialHistory?: boolean | undefined;
}

/** What is asked for, of a schema. */
export interface NeededColumns {
  /** Columns of the key, and those that are wanted or have conditions. */
  readonly schema: readonly RowSetColumn[];
  /** Ids of those of which cells are read. */
  readonly ids: ReadonlySet<number>;
  readonly columns: readonly string[];
  readonly where: readonly NamedCondition[];
}

/** @throws CFileError `E_INVALID_ARGUMENT` for columns that are not there */
export function neededColumns({ columns: all }: RowSetSchema, options: PlanOptions): NeededColumns {
  const columns = options.columns ?? all.map(({ name }) => name);
  const where = options.where?.(all) ?? [];
  const names = new Set([...columns, ...where.map(({ column }) => column)]);
  const unknown = [...names].find((name) => !all.some((column) => column.name === name));
  if (unknown !== undefined || columns.length === 0) {
    const known = all.map(({ name }) => name).join(", ");
    throw invalidArgument(`there is no column ${JSON.stringify(unknown ?? "")}; there are ${known}`, {
      field: "columns",
    });
  }
  return {
    schema: all.filter(({ isKey, name }) => isKey || names.has(name)),
    ids: new Set(all.filter(({ name }) => names.has(name)).map(({ id }) => id)),
    columns,
    where,
  };
}
