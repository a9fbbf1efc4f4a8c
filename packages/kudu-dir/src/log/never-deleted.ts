/**
 * Rows that a tablet must have if its log inserts them: those that the log never deletes. From a table with only key columns, Kudu 1.18
 * loses rows that are deleted and inserted again before a flush (seen with `pnpm interop --only kudu --seed 1`).
 */
import { toHex } from "@cfile/bytes";
import { keyOf } from "./apply-operations.js";
import type { UnflushedOperation } from "./log-replay.js";

/** The operations on keys that none of them deletes. */
export function ofKeysNeverDeleted(operations: readonly UnflushedOperation[]): readonly UnflushedOperation[] {
  const deletes = operations.filter(({ operation }) => operation.kind.startsWith("delete"));
  const deleted = new Set(deletes.map((one) => toHex(keyOf(one))));
  return deleted.size === 0 ? operations : operations.filter((one) => !deleted.has(toHex(keyOf(one))));
}
