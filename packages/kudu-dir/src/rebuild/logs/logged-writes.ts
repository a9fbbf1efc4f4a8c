/**
 * Compares delta files with a surviving write-ahead log (docs/spec/kudu-wal.md#5-what-to-apply). An entry has the timestamp of its
 * write, which names the key of the row. The commit names the row set.
 */
import { type CFileError, equalBytes, isCFileError, toHex } from "@cfile/bytes";
import { type ChangeType, DELETE, type DeltaKind, MutationCursor, UPDATE } from "@cfile/deltafile";
import { type KuduSchema, schemaOf } from "../../catalog/schema-message.js";
import type { SchemaPB } from "../../generated/decode.js";
import { keyOf } from "../../log/apply-operations.js";
import { Replay, type UnflushedOperation } from "../../log/log-replay.js";
import type { LogSegment } from "../../log/log-segment.js";
import { loggedTablets, logSegments } from "../../log/log-segments.js";
import { operationsInTurn } from "../../log/logged-operations.js";
import { canInsert, type RowOperation } from "../../log/row-operations.js";
import type { KuduDir } from "../../read/kudu-dir.js";

/** What a log says about an entry of a delta file. */
export type Verdict = "confirmed" | "contradicted" | "unknown";

/** The newest schema that a log has. */
interface NewestSchema {
  readonly message: SchemaPB;
  readonly version: number;
  /** The table's last name; `undefined` if the log does not rename it. */
  readonly tableName: string | undefined;
}

/** Row operations of one timestamp, by the key in hexadecimal. */
type OperationsByKey = ReadonlyMap<string, readonly UnflushedOperation[]>;

/** An entry of a delta file, with the key of its row. */
export interface KeyedEntry {
  readonly key: string;
  readonly timestamp: bigint;
  readonly type: ChangeType;
  readonly mutations: Uint8Array;
}

/** The log of a tablet. */
export class LoggedWrites {
  readonly tablet: string;
  readonly newest: NewestSchema;
  readonly schema: KuduSchema;
  private readonly writes: ReadonlyMap<bigint, OperationsByKey | undefined>;
  private readonly from: bigint;
  private readonly until: bigint;

  /**
   * @param writes writes at the requested timestamps; `undefined` for a write without a commit
   * @param times the earliest possible time of its first write, and the time of its last write
   */
  constructor(
    tablet: string,
    newest: NewestSchema,
    writes: ReadonlyMap<bigint, OperationsByKey | undefined>,
    [from, until]: readonly [bigint, bigint],
  ) {
    this.tablet = tablet;
    this.newest = newest;
    this.schema = schemaOf(newest.message);
    this.writes = writes;
    this.from = from;
    this.until = until;
  }

  /**
   * Whether the log has the write that made an entry.
   *
   * @param kind kind of the delta file; default: either
   */
  verdictOn(entry: KeyedEntry, kind: DeltaKind | undefined): Verdict {
    const { from, until, writes } = this;
    const { timestamp, key } = entry;
    if (!writes.has(timestamp)) {
      return from <= timestamp && timestamp <= until ? "contradicted" : "unknown";
    }
    const keys = writes.get(timestamp);
    if (keys === undefined) {
      return "unknown";
    }
    const isMade = (keys.get(key) ?? []).some(
      (operation) =>
        (kind !== "undo" && makesRedo(operation, entry)) || (kind !== "redo" && makesUndo(operation, entry)),
    );
    return isMade ? "confirmed" : "contradicted";
  }

  /**
   * The keys of the rows that the operations at a time changed, in hexadecimal; `undefined` if the log lacks them or their commit.
   */
  keysAt(timestamp: bigint): readonly string[] | undefined {
    const keys = this.writes.get(timestamp);
    return keys && [...keys.keys()];
  }

  /** Whether the log has operations of a time. */
  has(timestamp: bigint): boolean {
    return this.writes.has(timestamp);
  }

  /** The IDs of the row sets that a write at this time changed in the row with this key. */
  rowSetsOf(timestamp: bigint, key: string): readonly bigint[] {
    const operations = this.writes.get(timestamp)?.get(key) ?? [];
    return operations.flatMap(({ stores = [] }) =>
      stores.flatMap(({ rowSetId }) => (rowSetId >= 0n ? [rowSetId] : [])),
    );
  }
}

/** Whether the operation leads to a REDO entry: it sets the same cells. */
function makesRedo({ operation, schema }: UnflushedOperation, { type, mutations }: KeyedEntry): boolean {
  const { kind, cells } = operation;
  if (type !== UPDATE) {
    return type === DELETE ? isDelete(operation) : canInsert(operation);
  }
  if (isDelete(operation) || kind === "insert" || kind === "insertIgnore") {
    return false;
  }
  const cursor = new MutationCursor().resetTo(mutations, 0, mutations.length);
  while (cursor.next()) {
    const { columnId, isNull, data, start, end } = cursor;
    const column = schema.columns.find(({ id }) => id === columnId);
    const cell = column && cells.get(column.name);
    const isEqual = isNull
      ? cell === null
      : cell !== undefined && cell !== null && equalBytes(cell, data.subarray(start, end));
    // A column that was dropped later is not in all schemas.
    if (column !== undefined && !isEqual) {
      return false;
    }
  }
  return true;
}

/** Whether the operation leads to an UNDO entry, which has the cells before it. */
function makesUndo({ operation }: UnflushedOperation, { type }: KeyedEntry): boolean {
  const isUpdate = !isDelete(operation) && operation.kind !== "insert" && operation.kind !== "insertIgnore";
  return type === DELETE ? canInsert(operation) : type === UPDATE ? isUpdate : isDelete(operation);
}

function isDelete({ kind }: RowOperation): boolean {
  return kind === "delete" || kind === "deleteIgnore";
}

/** The logs of a server by tablet, with the writes at these times. A log that cannot be read at all is left out. */
export async function readLoggedWrites(
  dir: KuduDir,
  wanted: ReadonlySet<bigint>,
): Promise<ReadonlyMap<string, LoggedWrites>> {
  const found = new Map<string, LoggedWrites>();
  for (const tablet of await loggedTablets(dir.roots.logFolders)) {
    const writes = await readLog(dir, tablet, wanted);
    if (writes !== undefined) {
      found.set(tablet, writes);
    }
  }
  return found;
}

/** Reads a log up to its first problem. */
async function readLog(
  dir: KuduDir,
  tabletId: string,
  wanted: ReadonlySet<bigint>,
): Promise<LoggedWrites | undefined> {
  const first = await firstSegment(dir, tabletId);
  if (first === undefined) {
    return undefined;
  }
  const { schema, schemaVersion = 0 } = first;
  let newest: NewestSchema = { message: first.schemaMessage, version: schemaVersion, tableName: undefined };
  const renew = (message: SchemaPB | undefined, version = 0, tableName?: string): void => {
    if (message !== undefined && version >= newest.version) {
      newest = { message, version, tableName: tableName ?? newest.tableName };
    }
  };
  async function* segments(): AsyncGenerator<LogSegment | CFileError, void, void> {
    for await (const segment of logSegments(dir.roots.logFolders, dir.pool, tabletId, { packed: true })) {
      yield segment;
      if (!isCFileError(segment)) {
        renew(segment.schemaMessage, segment.schemaVersion);
      }
    }
  }
  const problems: CFileError[] = [];
  const failures: CFileError[] = [];
  const replay = new Replay({ schema, counts: () => false, withSkipped: true }, failures);
  const writes = new Map<bigint, OperationsByKey | undefined>();
  let from: bigint | undefined;
  let until = -1n;
  for await (const one of operationsInTurn(segments(), { tabletId, schema, schemaVersion }, problems)) {
    const { timestamp, id, write, alter } = one.replicate;
    const operations = replay.changesOf(one);
    const keys = new Map(writes.get(timestamp));
    const isWanted = write !== undefined && wanted.has(timestamp);
    if (isWanted) {
      for (const operation of operations) {
        const key = toHex(keyOf(operation));
        keys.set(key, [...(keys.get(key) ?? []), operation]);
      }
    } else {
      // The replay keeps track of the schema.
      operations.next();
    }
    if (failures.length > 0) {
      // From here on, the replay has no changes.
      break;
    }
    from ??= id.index === 1n ? 0n : timestamp;
    until = timestamp;
    renew(one.commit && alter?.schema, alter?.schemaVersion, alter?.newTableName);
    if (isWanted) {
      writes.set(timestamp, one.commit === undefined ? undefined : keys);
    }
  }
  return new LoggedWrites(tabletId, newest, writes, [from ?? 0n, until]);
}

/** The first readable segment that belongs to this tablet. */
async function firstSegment(dir: KuduDir, tabletId: string): Promise<LogSegment | undefined> {
  for await (const segment of logSegments(dir.roots.logFolders, dir.pool, tabletId, { packed: true })) {
    if (!isCFileError(segment) && segment.tabletId === tabletId) {
      return segment;
    }
  }
  return undefined;
}
