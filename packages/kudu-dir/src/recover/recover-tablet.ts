/** Recovers a damaged tablet: all rows of valid row sets, and the valid rows of damaged ones. */
import { type CFileError, compareBytes, MemoryArena } from "@cfile/bytes";
import { LATEST_TIMESTAMP } from "@cfile/deltafile";
import type { TableBatch } from "@cfile/encodings/batches";
import { checkConditions } from "@cfile/encodings/conditions";
import type { RowScanOptions, RowSetFiles, RowSetOptions } from "@cfile/rowset";
import { checkBatchRows, checkLimit, openRowSet, type RowSetReader, TabletReader } from "@cfile/rowset";
import { unlessDamaged } from "../blocks/problems.js";
import type { KuduSchema } from "../catalog/schema-message.js";
import type { LogOverlay } from "../log/log-overlay.js";
import type { TabletRowSet } from "../read/tablet-row-set.js";
import { hiddenKeys, type KeyBounds, keyedProjection, recoveredRows, validRows } from "./keyed-rows.js";
import { type MergeSettings, mergeReplicas, type ReplicaPart } from "./merge-replicas.js";
import { RecoveredRowSet, type RowSetAccount } from "./recover-row-set.js";
import { LedgerRanges, ledgerOf, type TabletLedger } from "./tablet-ledger.js";

export interface RecoveredParts {
  readonly schema: KuduSchema;
  readonly rowSets: readonly TabletRowSet[];
  readonly rowSetOptions: RowSetOptions;
  /** The unflushed changes of the log. */
  readonly overlay: LogOverlay | undefined;
  /** Problems of the log, which may hide more changes. */
  readonly logProblems: readonly CFileError[];
  /** Whether a row set has lost so much history that the snapshot cannot be trusted. */
  readonly lacksHistory: (rowSet: TabletRowSet, rows: number, asOf: bigint) => Promise<boolean>;
}

interface RecoverableReplica {
  readonly parts: readonly ReplicaPart[];
  /** Whether it may have lost rows. */
  readonly isDamaged: boolean;
}

/** A row set that cannot be read without recovery. */
interface DamagedRowSet {
  readonly rowSet: TabletRowSet;
  readonly files: RowSetFiles;
  readonly bounds: KeyBounds | undefined;
}

/**
 * The parts of a replica: its valid row sets, merged, and each damaged one.
 *
 * @param onAccount called for each damaged row set, after its last row
 * @throws {CFileError} `E_IO`, `E_SOURCE_CHANGED` if a source fails; `E_INVALID_ARGUMENT` for unknown columns
 */
export async function replicaParts(
  parts: RecoveredParts,
  options: RowScanOptions,
  onAccount: (account: RowSetAccount) => void,
): Promise<RecoverableReplica> {
  const { schema, overlay } = parts;
  const projection = keyedProjection(schema, options.columns);
  const settings = {
    ...options,
    columns: projection.columns,
    keys: undefined,
    limit: undefined,
    arena: undefined,
  };
  const { valid, damaged } = await sorted(parts, settings);
  const tested = checkConditions(options.where, schema.columns).map(({ column }) => column.name);
  const names = [...projection.columns, ...tested];
  const unknown = [...(overlay?.unknownKeys ?? [])].sort(compareBytes);
  const all = [
    {
      minKey: new Uint8Array(0),
      open: () => validRows(new TabletReader(schema, valid).scan(settings), projection),
    },
    { minKey: unknown[0] ?? new Uint8Array(0), open: () => hiddenKeys(unknown) },
    ...damaged.map((one) => ({
      minKey: one.bounds?.minKey ?? new Uint8Array(0),
      open: async function* () {
        const { rowSet, files, bounds } = one;
        const recovered = await RecoveredRowSet.open(rowSet.id, files, schema, names, parts.rowSetOptions);
        const { asOf = LATEST_TIMESTAMP } = options;
        if (asOf !== LATEST_TIMESTAMP && (await parts.lacksHistory(rowSet, recovered.account.rows, asOf))) {
          recovered.loseAll();
        }
        const lost = yield* recoveredRows(recovered, projection, settings, bounds);
        onAccount(recovered.account);
        return lost;
      },
    })),
  ];
  return { parts: all, isDamaged: damaged.length > 0 || unknown.length > 0 };
}

/** The parts of row sets in memory. */
export async function memoryParts(
  files: readonly RowSetFiles[],
  { schema, rowSetOptions }: Pick<RecoveredParts, "schema" | "rowSetOptions">,
  options: RowScanOptions,
): Promise<readonly ReplicaPart[]> {
  const projection = keyedProjection(schema, options.columns);
  const readers = await Promise.all(files.map((one) => openRowSet(one, schema, rowSetOptions)));
  const settings = { ...options, columns: projection.columns, limit: undefined, arena: undefined };
  const open = () => validRows(new TabletReader(schema, readers).scan(settings), projection);
  return [{ minKey: new Uint8Array(0), open }];
}

/** Callbacks for the results of a recovery. */
export interface RecoveryCallbacks {
  /** Called for each damaged row set, after its last row. */
  readonly onAccount: (account: RowSetAccount) => void;
  /** Called after the last row. */
  readonly onLedger: (ledger: TabletLedger) => void;
}

/**
 * The rows of one replica in key order.
 *
 * @throws {CFileError} as {@link replicaParts}
 */
export async function* recoverTablet(
  tablet: string,
  recovered: RecoveredParts,
  options: RowScanOptions,
  { onAccount, onLedger }: RecoveryCallbacks,
): AsyncGenerator<TableBatch, void, void> {
  const rowSets: RowSetAccount[] = [];
  const { parts } = await replicaParts(recovered, options, (account) => {
    rowSets.push(account);
    onAccount(account);
  });
  const ranges = new LedgerRanges();
  yield* mergeReplicas([{ server: "", parts }], mergeSettings(recovered.schema, options), ranges);
  const { asOf } = options;
  const { logProblems: problems } = recovered;
  const replicas = [{ server: "", use: "read", problems, rowSets } as const];
  const snapshot = problems.length === 0 ? "requested" : "earlier";
  onLedger(ledgerOf({ tablet, asOf, snapshot, replicas, unseen: [] }, ranges));
}

export function mergeSettings(
  schema: KuduSchema,
  { columns, batchRows, limit }: RowScanOptions,
): MergeSettings {
  const { requested } = keyedProjection(schema, columns);
  return { requested, batchRows: checkBatchRows(batchRows), limit: checkLimit(limit) };
}

async function sorted(
  { schema, rowSets, rowSetOptions, overlay }: RecoveredParts,
  options: RowScanOptions,
): Promise<{ readonly valid: readonly RowSetReader[]; readonly damaged: readonly DamagedRowSet[] }> {
  const valid: RowSetReader[] = [];
  const damaged: DamagedRowSet[] = [];
  for (const rowSet of rowSets) {
    const found = await rowSet.files();
    const fromLog = overlay?.redo.get(rowSet.id);
    const isLatest = (options.asOf ?? LATEST_TIMESTAMP) === LATEST_TIMESTAMP;
    const redo = fromLog === undefined ? found.redo : [...found.redo, fromLog];
    const files = { ...found, bloom: undefined, redo, undo: isLatest ? [] : found.undo };
    const reader = await validReader(rowSet, files, options);
    if (reader !== undefined) {
      valid.push(reader);
    } else {
      damaged.push({ rowSet, files, bounds: await boundsOf(rowSet, files) });
    }
  }
  for (const files of overlay?.rowSets ?? []) {
    valid.push(await openRowSet(files, schema, rowSetOptions));
  }
  return { valid, damaged };
}

/** The reader of a row set; `undefined` if a full scan finds damage. */
async function validReader(
  rowSet: TabletRowSet,
  files: RowSetFiles,
  options: RowScanOptions,
): Promise<RowSetReader | undefined> {
  return unlessDamaged(async () => {
    const reader = await rowSet.openWith(files);
    for await (const _ of reader.scan({ ...options, arena: new MemoryArena() })) {
      // Reading is the test.
    }
    return reader;
  });
}

async function boundsOf(rowSet: TabletRowSet, files: RowSetFiles): Promise<KeyBounds | undefined> {
  return unlessDamaged(async () => {
    const { rowCount, minKey, maxKey } = await rowSet.openWith(files);
    return rowCount === 0 ? undefined : { minKey, maxKey };
  });
}
