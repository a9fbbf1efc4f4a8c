/** Options that all plans share. */
import { invalidArgument } from "@cfile/bytes";
import type { NamedCondition } from "@cfile/encodings/conditions";
import type { RowSetColumn, RowSetSchema } from "@cfile/rowset";

/** The size of splits, and their columns and rows. */
export interface PlanOptions {
  /**
   * Target for the stored bytes of a split. Splits have 0.5 to 2 times as many, unless a data block is larger or all data are less. A
   * data block is never divided. Default 256 MiB.
   */
  readonly targetBytes?: number | undefined;
  /** Names of the requested columns, in this order. Default: all. */
  readonly columns?: readonly string[] | undefined;
  /** Conditions on the given columns; rows must match all of them. */
  readonly where?: ((columns: readonly RowSetColumn[]) => readonly NamedCondition[]) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options for splits of a Kudu table. */
export interface KuduPlanOptions extends PlanOptions {
  /** The server's roots, as readers of the splits open them. */
  readonly dirs: readonly string[];
  /** The snapshot to read. Default: the latest. */
  readonly asOf?: bigint | undefined;
  /** Whether to allow snapshots older than the retained history (results may be incomplete). */
  readonly partialHistory?: boolean | undefined;
}

/** The parts of a schema that a plan needs. */
export interface NeededColumns {
  /** Columns of the key, requested columns, and columns with conditions. */
  readonly schema: readonly RowSetColumn[];
  /** IDs of columns whose cells are read. */
  readonly ids: ReadonlySet<number>;
  readonly columns: readonly string[];
  readonly where: readonly NamedCondition[];
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` for unknown columns and for an empty list */
export function neededColumns({ columns: all }: RowSetSchema, options: PlanOptions): NeededColumns {
  const columns = options.columns ?? all.map(({ name }) => name);
  const where = options.where?.(all) ?? [];
  const names = new Set([...columns, ...where.map(({ column }) => column)]);
  const unknown = [...names].find((name) => !all.some((column) => column.name === name));
  if (unknown !== undefined || columns.length === 0) {
    const what = unknown === undefined ? "no columns requested" : `no column ${JSON.stringify(unknown)}`;
    const known = all.map(({ name }) => name).join(", ");
    throw invalidArgument(`${what} (columns: ${known})`, { field: "columns" });
  }
  return {
    schema: all.filter(({ isKey, name }) => isKey || names.has(name)),
    ids: new Set(all.filter(({ name }) => names.has(name)).map(({ id }) => id)),
    columns,
    where,
  };
}
