/** Recovers a damaged tablet: all rows of valid row sets, and the valid rows of damaged ones. */
import { isDamage, MemoryArena } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import { checkConditions } from "@cfile/encodings/conditions";
import type { RowScanOptions, RowSetOptions } from "@cfile/rowset";
import { openRowSet, type RowSetReader, TabletReader } from "@cfile/rowset";
import type { KuduSchema } from "../catalog/schema-message.js";
import type { LogOverlay } from "../log/log-overlay.js";
import type { TabletRowSet } from "../read/tablet-row-set.js";
import { RecoveredRowSet, type RowSetAccount } from "./recover-row-set.js";

export interface RecoveredParts {
  readonly schema: KuduSchema;
  readonly rowSets: readonly TabletRowSet[];
  readonly rowSetOptions: RowSetOptions;
  /** The unflushed changes of the log. */
  readonly overlay: LogOverlay | undefined;
  /** Whether the latest snapshot is read, which requires no UNDO file. */
  readonly latest: boolean;
}

/**
 * Rows of valid row sets in key order, then those of damaged ones.
 *
 * @param onAccount called for each damaged row set, after its last row
 * @throws {CFileError} `E_IO`, `E_SOURCE_CHANGED` if a source fails; `E_INVALID_ARGUMENT` for unknown columns
 */
export async function* recoverRows(
  { schema, rowSets, rowSetOptions, overlay, latest }: RecoveredParts,
  options: RowScanOptions,
  onAccount: (account: RowSetAccount) => void,
): AsyncGenerator<TableBatch, void, void> {
  const columns = options.columns ?? schema.columns.map(({ name }) => name);
  const needed = [
    ...columns,
    ...checkConditions(options.where, schema.columns).map(({ column }) => column.name),
  ];
  const settings = { ...options, columns, keys: undefined };
  const valid: RowSetReader[] = [];
  const damaged: RecoveredRowSet[] = [];
  for (const rowSet of rowSets) {
    const files = await rowSet.files();
    const fromLog = overlay?.redo.get(rowSet.id);
    const redo = fromLog === undefined ? files.redo : [...files.redo, fromLog];
    const whole = { ...files, redo, undo: latest ? [] : files.undo };
    const reader = await validReader(rowSet, whole, settings);
    if (reader !== undefined) {
      valid.push(reader);
    } else {
      damaged.push(await RecoveredRowSet.open(rowSet.id, whole, schema, needed, rowSetOptions));
    }
  }
  for (const files of overlay?.rowSets ?? []) {
    valid.push(await openRowSet(files, schema, rowSetOptions));
  }
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  for await (const batch of new TabletReader(schema, valid).scan({ ...settings, limit: left })) {
    left -= batch.length;
    yield batch;
  }
  for (const rowSet of damaged) {
    yield* rowSet.scan(settings);
    onAccount(rowSet.account);
  }
}

/** The reader of a row set; `undefined` if a full scan finds damage. */
async function validReader(
  rowSet: TabletRowSet,
  files: Parameters<TabletRowSet["openWith"]>[0],
  options: RowScanOptions,
): Promise<RowSetReader | undefined> {
  try {
    const reader = await rowSet.openWith(files);
    for await (const _ of reader.scan({ ...options, limit: undefined, arena: new MemoryArena() })) {
      // Reading is the test.
    }
    return reader;
  } catch (error) {
    if (!isDamage(error)) {
      throw error;
    }
    return undefined;
  }
}
