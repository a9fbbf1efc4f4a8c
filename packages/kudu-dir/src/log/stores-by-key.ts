/**
 * Finds the stores of an operation without a commit (docs/spec/kudu-wal.md#5-what-to-apply). As in the server, its key decides: it goes
 * to the live row with that key; without such a row, an insertion goes to memory. Operations that the server would reject, or whose change
 * is in files, go nowhere.
 */
import { toHex } from "@cfile/bytes";
import { DELETE } from "@cfile/deltafile";
import type { RowSetFiles, RowSetReader } from "@cfile/rowset";
import type { MutatedStore } from "./log-messages.js";
import type { UnflushedOperation } from "./log-replay.js";
import type { Change, MemoryRow } from "./memory-row.js";
import { canInsert } from "./row-operations.js";

/** A row of a MemRowSet while operations are applied. */
export interface KeyedRow extends MemoryRow {
  readonly key: Uint8Array;
  readonly changes: Change[];
  dead: boolean;
}

/** A row set to which operations are applied. */
export interface OverlaidRowSet {
  readonly id: bigint;
  files(): Promise<RowSetFiles>;
  open(): Promise<RowSetReader>;
  openWith(files: RowSetFiles): Promise<RowSetReader>;
}

/** The state while operations are applied. */
export interface Applied {
  readonly memory: Map<bigint, Map<string, KeyedRow>>;
  /** Changes by row set ID, then by row. */
  readonly changes: Map<bigint, Map<number, Change[]>>;
  readonly rowSets: readonly OverlaidRowSet[];
  readonly readerOf: (rowSet: OverlaidRowSet) => Promise<RowSetReader | undefined>;
  /** Timestamps of the last changes that are known to be flushed, by key. */
  readonly lastFlushed: ReadonlyMap<string, bigint>;
  /** The row after the last operation that files already have, by row set and key. */
  readonly flushed: Map<string, { readonly timestamp: bigint; readonly isLive: boolean }>;
}

type Store = Pick<MutatedStore, "mrsId" | "rowSetId">;

/** A row set that has the key. */
interface FoundRow {
  readonly rowSet: OverlaidRowSet;
  readonly isLive: boolean;
  /** Whether its files have changes at the operation's timestamp. */
  readonly hasTime: boolean;
  /** Whether the row is live after these changes. */
  readonly isInserted: boolean;
}

export async function storesByKey(
  key: Uint8Array,
  entry: UnflushedOperation,
  applied: Applied,
): Promise<readonly Store[]> {
  const { operation, timestamp, mayBeFlushed = false } = entry;
  const { memory, lastFlushed, flushed } = applied;
  const { kind } = operation;
  const rejectsLive = kind === "insert" || kind === "insertIgnore" || changesImmutable(entry);
  const name = toHex(key);
  const [live] = liveIn(memory, name) ?? [];
  if (live !== undefined) {
    return rejectsLive ? [] : [{ mrsId: live, rowSetId: -1n }];
  }
  const found = await rowsWith(key, entry, applied);
  // An operation can delete a key in one row set and insert it into another, and only one of the stores may be flushed.
  const changed = found.find(({ isLive }) => isLive);
  const inserted = canInsert(operation) ? found.find(({ isInserted }) => isInserted) : undefined;
  const { rowSet, hasTime } = changed ?? inserted ?? {};
  if (rowSet !== undefined && hasTime === true) {
    const isDeleted = kind === "delete" || kind === "deleteIgnore";
    flushed.set(`${rowSet.id} ${name}`, { timestamp, isLive: !isDeleted });
    return [];
  }
  if (rowSet !== undefined) {
    return rejectsLive ? [] : [{ mrsId: -1n, rowSetId: rowSet.id }];
  }
  // A MemRowSet is flushed as a whole, so no insertion before a flushed change is left.
  const isFlushed = mayBeFlushed && (lastFlushed.get(name) ?? -1n) >= timestamp;
  const mrsId = [...memory.keys()].reduce((left, right) => (right > left ? right : left), 0n);
  return canInsert(operation) && !isFlushed ? [{ mrsId, rowSetId: -1n }] : [];
}

/** Whether the server rejects an operation on a live row because it sets immutable columns. Operations that ignore errors skip these. */
function changesImmutable({ operation: { kind, cells }, schema }: UnflushedOperation): boolean {
  const isChange = kind === "update" || kind === "upsert";
  return isChange && schema.columns.some(({ name, immutable }) => immutable && cells.has(name));
}

async function rowsWith(
  key: Uint8Array,
  { timestamp, mayBeFlushed = false }: UnflushedOperation,
  { changes, rowSets, readerOf, flushed }: Applied,
): Promise<readonly FoundRow[]> {
  // Files may have later changes than one that may be flushed.
  const options = mayBeFlushed ? { asOf: timestamp, columns: [] } : { columns: [] };
  const found: FoundRow[] = [];
  for (const rowSet of rowSets) {
    const reader = await readerOf(rowSet);
    const row = await reader?.findRow(key);
    if (reader === undefined || row === undefined) {
      continue;
    }
    const versions = mayBeFlushed ? await reader.history(key, { columns: [] }) : [];
    const hasTime = versions.some((version) => version.timestamp === timestamp);
    const last = changes.get(rowSet.id)?.get(row)?.at(-1);
    const known = flushed.get(`${rowSet.id} ${toHex(key)}`);
    const isLive =
      last !== undefined
        ? last.type !== DELETE
        : known?.timestamp === timestamp
          ? known.isLive
          : (await reader.get(key, options)) !== undefined;
    const after = { asOf: timestamp + 1n, columns: [] };
    const isInserted = hasTime && (await reader.get(key, after)) !== undefined;
    found.push({ rowSet, isLive, hasTime, isInserted });
  }
  return found;
}

/** The MemRowSet in which a key is live: its ID and rows. */
export function liveIn(
  memory: Applied["memory"],
  name: string,
): readonly [bigint, Map<string, KeyedRow>] | undefined {
  return [...memory].find(([, rows]) => rows.get(name)?.dead === false);
}
