/** Entries of a write-ahead log as text and JSON. Requests are decoded to schema and rows only: credentials are never read. */
import { jsonCells, printable } from "@cfile/cell-text";
import type { KuduColumn } from "@cfile/kudu-dir/catalog";
import type { Commit, MutatedStore, OperationId, Replicate, RowOperation } from "@cfile/kudu-dir/log";
import { batchOfCells, parseRowOperations } from "@cfile/kudu-dir/log";
import { hybridTimeText } from "../options/hybrid-time.js";
import { counted } from "../records/quantity.js";

export interface EntryPlace {
  readonly tablet: string;
  readonly segment: number;
  /** Offset of the entry in the file of the segment. */
  readonly offset: number;
}

interface LoggedRow {
  readonly op: string;
  /** The cells in the request, by column, as `jsonCells` prints them. */
  readonly row: Readonly<Record<string, unknown>>;
}

interface LoggedResult {
  readonly skipped: boolean;
  readonly stores: readonly Readonly<Record<string, string>>[];
}

export interface LoggedEntry extends EntryPlace {
  readonly type: "REPLICATE" | "COMMIT";
  readonly op: string;
  readonly term: string;
  readonly index: string;
  readonly timestamp?: string;
  readonly transaction?: string | undefined;
  readonly rows?: readonly LoggedRow[] | undefined;
  /** Columns of a new schema. */
  readonly columns?: readonly string[] | undefined;
  readonly results?: readonly LoggedResult[];
}

/** @throws {CFileError} for rows that cannot be decoded */
export function loggedReplicate(place: EntryPlace, replicate: Replicate, decode: boolean): LoggedEntry {
  const { id, timestamp, operation, write, schema } = replicate;
  const rows = write && parseRowOperations(write).map((row) => loggedRow(row, write.schema.columns, decode));
  return {
    ...place,
    type: "REPLICATE",
    op: operation,
    ...idText(id),
    timestamp: String(timestamp),
    transaction: write?.transaction === undefined ? undefined : String(write.transaction),
    rows,
    columns: schema?.columns.map(({ name }) => name),
  };
}

export function loggedCommit(place: EntryPlace, { id, operation, results }: Commit): LoggedEntry {
  return {
    ...place,
    type: "COMMIT",
    op: operation,
    ...idText(id),
    results: results.map(({ skipped, stores }) => ({ skipped, stores: stores.map(storeJson) })),
  };
}

function idText({ term, index }: OperationId): { term: string; index: string } {
  return { term: String(term), index: String(index) };
}

function loggedRow(
  { kind, cells }: RowOperation,
  columns: readonly KuduColumn[],
  decode: boolean,
): LoggedRow {
  const row: [string, unknown][] = [];
  for (const column of columns) {
    const cell = cells.get(column.name);
    if (cell !== undefined) {
      const batch = batchOfCells({ ...column, nullable: true }, [cell]);
      const [json = "null"] = jsonCells(batch, { decode, scale: column.scale });
      row.push([column.name, JSON.parse(json)]);
    }
  }
  return { op: kind.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(), row: Object.fromEntries(row) };
}

function storeJson({ mrsId, rowSetId, dmsId, transaction }: MutatedStore): Record<string, string> {
  return {
    ...(mrsId >= 0n && { mrs_id: String(mrsId) }),
    ...(rowSetId >= 0n && { row_set: String(rowSetId) }),
    ...(dmsId >= 0n && { dms_id: String(dmsId) }),
    ...(transaction >= 0n && { transaction: String(transaction) }),
  };
}

/** Lines for people. */
export function logLines(entry: LoggedEntry): string[] {
  const { type, op, term, index, timestamp, rows, results, columns } = entry;
  const time = timestamp === undefined ? "" : `  ${timestamp} (${hybridTimeText(BigInt(timestamp))})`;
  const lines = [`  ${term}.${index}  ${type}  ${op}${time}${remarkOf(entry)}`];
  if (columns !== undefined) {
    lines.push(`      columns ${columns.map(printable).join(", ")}`);
  }
  for (const { op: kind, row } of rows ?? []) {
    const cells = Object.entries(row).map(([name, cell]) => `${name}=${JSON.stringify(cell)}`);
    lines.push(`      ${kind}  ${printable(cells.join(" "))}`);
  }
  for (const { skipped, stores } of results ?? []) {
    const targets = stores.map((store) =>
      Object.entries(store)
        .map(([name, id]) => `${name} ${id}`)
        .join(" "),
    );
    lines.push(`      ${skipped ? "no change" : targets.join("; ")}`);
  }
  return lines;
}

function remarkOf({ rows, transaction }: LoggedEntry): string {
  return [
    ...(rows === undefined ? [] : [counted(rows.length, "row")]),
    ...(transaction === undefined ? [] : [`transaction ${transaction}`]),
  ]
    .map((text) => `, ${text}`)
    .join("");
}
