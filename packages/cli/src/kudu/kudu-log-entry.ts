/** Entries of a write-ahead log as text and JSON. Requests are decoded to schema and rows only: credentials are never read. */
import { jsonCells, printable } from "@cfile/cell-text";
import type { KuduColumn } from "@cfile/kudu-dir/catalog";
import type { Commit, MutatedStore, OperationId, Replicate, RowOperation } from "@cfile/kudu-dir/log";
import { batchOfCells, parseRowOperations } from "@cfile/kudu-dir/log";
import { hybridTimeLabel } from "../options/hybrid-time.js";
import { counted } from "../records/quantity.js";

export interface EntryPlace {
  readonly tablet: string;
  readonly segment: number;
  /** Offset of the entry in the file of the segment. */
  readonly offset: number;
}

export type LoggedEntry = ReturnType<typeof loggedReplicate> | ReturnType<typeof loggedCommit>;

/** @throws {CFileError} for rows that cannot be decoded */
export function loggedReplicate(place: EntryPlace, replicate: Replicate, decode: boolean) {
  const { id, timestamp, operation, write, schema } = replicate;
  const rows = write && parseRowOperations(write).map((row) => loggedRow(row, write.schema.columns, decode));
  return {
    ...place,
    type: "REPLICATE" as const,
    op: operation,
    ...idText(id),
    timestamp: String(timestamp),
    transaction: write?.transaction === undefined ? undefined : String(write.transaction),
    rows,
    columns: schema?.columns.map(({ name }) => name),
  };
}

export function loggedCommit(place: EntryPlace, { id, operation, results }: Commit) {
  return {
    ...place,
    type: "COMMIT" as const,
    op: operation,
    ...idText(id),
    results: results.map(({ skipped, stores }) => ({ skipped, stores: stores.map(storeJson) })),
  };
}

function idText({ term, index }: OperationId): { term: string; index: string } {
  return { term: String(term), index: String(index) };
}

/** The cells in the request, by column, as `jsonCells` prints them. */
function loggedRow({ kind, cells }: RowOperation, columns: readonly KuduColumn[], decode: boolean) {
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

/** The human-readable lines of an entry. */
export function logLines(entry: LoggedEntry): string[] {
  const head = `  ${entry.term}.${entry.index}  ${entry.type}  ${entry.op}`;
  if (entry.type === "COMMIT") {
    return [
      head,
      ...entry.results.map(({ skipped, stores }) => {
        const texts = stores.map((store) => Object.entries(store).map(([name, id]) => `${name} ${id}`));
        return `      ${skipped ? "no change" : texts.map((parts) => parts.join(" ")).join("; ")}`;
      }),
    ];
  }
  const { timestamp, rows, columns, transaction } = entry;
  const remarks = [
    ...(rows === undefined ? [] : [`, ${counted(rows.length, "row")}`]),
    ...(transaction === undefined ? [] : [`, transaction ${transaction}`]),
  ];
  return [
    `${head}  ${hybridTimeLabel(BigInt(timestamp))}${remarks.join("")}`,
    ...(columns === undefined ? [] : [`      columns ${columns.map(printable).join(", ")}`]),
    ...(rows ?? []).map(({ op, row }) => {
      const cells = Object.entries(row).map(([name, cell]) => `${name}=${JSON.stringify(cell)}`);
      return `      ${op}  ${printable(cells.join(" "))}`;
    }),
  ];
}
