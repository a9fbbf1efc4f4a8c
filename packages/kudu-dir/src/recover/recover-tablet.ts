/** What is left of a tablet of which something is damaged: sound row sets whole, of the others the rows that can be trusted. */
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
  /** What is only in the log. */
  readonly overlay: LogOverlay | undefined;
  /** Whether only the latest state is wanted, for which no UNDO file is needed. */
  readonly latest: boolean;
}

/**
 * Rows of sound row sets in key order, then those of the damaged ones.
 *
 * @param onAccount called for each damaged row set, after its last row
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
  const sound: RowSetReader[] = [];
  const damaged: RecoveredRowSet[] = [];
  for (const rowSet of rowSets) {
    const files = await rowSet.files();
    const fromLog = overlay?.redo.get(rowSet.id);
    const redo = fromLog === undefined ? files.redo : [...files.redo, fromLog];
    const whole = { ...files, redo, undo: latest ? [] : files.undo };
    const reader = await soundReader(rowSet, whole, settings);
    if (reader !== undefined) {
      sound.push(reader);
    } else {
      damaged.push(await RecoveredRowSet.open(rowSet.id, whole, schema, needed, rowSetOptions));
    }
  }
  for (const files of overlay?.rowSets ?? []) {
    sound.push(await openRowSet(files, schema, rowSetOptions));
  }
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  for await (const batch of new TabletReader(schema, sound).scan({ ...settings, limit: left })) {
    left -= batch.length;
    yield batch;
  }
  for (const rowSet of damaged) {
    yield* rowSet.scan(settings);
    onAccount(rowSet.account);
  }
}

/** The reader of a row set that can be read to its end; `undefined` when there is damage. */
async function soundReader(
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
