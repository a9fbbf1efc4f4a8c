/** Accounts of damaged DiskRowSets as JSON. */
import type { RowSetAccount } from "@cfile/kudu-dir/recover";

export type AccountJson = ReturnType<typeof accountJson>;

/** `lost` are row numbers, `to` exclusive; `ledger` is that of `cfile recover --json`. */
export function accountJson({ rowSet, rows, rowsKept, rowsLost, lost, files }: RowSetAccount) {
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
