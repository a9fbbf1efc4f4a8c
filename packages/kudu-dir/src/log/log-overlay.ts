/**
 * Turns the unflushed changes of a log into files in memory: a row set of inserted rows per MemRowSet, and a REDO file per changed row
 * set. They are read like files on disk.
 */
import type { ByteSource } from "@cfile/io";
import type { RowSetFiles } from "@cfile/rowset";
import type { KuduSchema } from "../catalog/schema-message.js";
import { applyOperations, ChangedRowSets } from "./apply-operations.js";
import type { UnflushedOperation } from "./log-replay.js";
import type { StoredForm } from "./memory-row.js";
import { DeltaFile, MemoryRowSet } from "./memory-row-set.js";
import type { OverlaidRowSet } from "./stores-by-key.js";

export interface LogOverlay {
  /** Row sets of inserted rows. */
  readonly rowSets: readonly RowSetFiles[];
  /** REDO files by row set ID. */
  readonly redo: ReadonlyMap<bigint, ByteSource>;
  /** Encoded keys of rows whose changes could not be applied because of damage; their rows are out of date. */
  readonly unknownKeys: readonly Uint8Array[];
}

/**
 * @param isTolerant whether damaged row sets are allowed: the keys of changes that cannot be applied go to `unknownKeys`
 * @throws {CFileError} `E_CORRUPT` if an operation does not fit the schema or the rows; as lookups in the row sets
 */
export async function overlayOf(
  operations: readonly UnflushedOperation[],
  schema: KuduSchema,
  rowSets: readonly OverlaidRowSet[],
  form: StoredForm,
  isTolerant = false,
): Promise<LogOverlay> {
  const applied = await applyOperations(operations, new ChangedRowSets(rowSets, isTolerant));
  const { memory, changes, unknown } = applied;
  const redo = new Map<bigint, ByteSource>();
  for (const [id, rows] of changes) {
    const file = new DeltaFile("redo");
    for (const [row, ofRow] of [...rows].sort(([left], [right]) => left - right)) {
      await file.append(row, ofRow);
    }
    redo.set(id, await file.finish());
  }
  const inserted: RowSetFiles[] = [];
  for (const rows of memory.values()) {
    const rowSet = new MemoryRowSet(schema, form);
    await rowSet.append([...rows.values()]);
    const files = await rowSet.finish();
    inserted.push(...(files === undefined ? [] : [files]));
  }
  return { rowSets: inserted, redo, unknownKeys: [...unknown.values()] };
}
