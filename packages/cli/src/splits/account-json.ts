/** Accounts of damaged DiskRowSets as JSON. */
import type { FileAccount, RowSetAccount } from "@cfile/kudu-dir/recover";

export interface AccountJson {
  readonly row_set: string;
  readonly rows: number;
  readonly rows_kept: number;
  readonly rows_lost: number;
  /** Row numbers, `to` exclusive. */
  readonly lost: readonly { readonly from: number; readonly to: number }[];
  readonly files: readonly FileJson[];
}

interface FileJson {
  readonly role: string;
  readonly path: string;
  readonly state: FileAccount["state"];
  readonly rows_lost: number;
  readonly problem?: unknown;
  /** As in `cfile recover --json`. */
  readonly ledger?: unknown;
}

export function accountJson({ rowSet, rows, rowsKept, rowsLost, lost, files }: RowSetAccount): AccountJson {
  return {
    row_set: String(rowSet),
    rows,
    rows_kept: rowsKept,
    rows_lost: rowsLost,
    lost,
    files: files.map((file) => ({
      role: file.role,
      path: file.path,
      state: file.state,
      rows_lost: file.rowsLost,
      problem: file.problem && { ...file.problem.toJSON(), reason: file.problem.reason },
      ledger: file.state === "valid" ? undefined : file.ledger,
    })),
  };
}
