/**
 * Recovers a tablet from all its replicas (docs/spec/kudu-cluster.md#5-rows-from-several-damaged-replicas). Replicas that lack writes
 * of the snapshot are left out. If all others are damaged, the operations of the logs, applied to an empty table, are another source.
 */
import type { CFileError } from "@cfile/bytes";
import { LATEST_TIMESTAMP } from "@cfile/deltafile";
import type { TableBatch } from "@cfile/encodings/batches";
import type { RowSetFiles } from "@cfile/rowset";
import { unlessDamaged } from "../blocks/problems.js";
import type { KuduSchema } from "../catalog/schema-message.js";
import type { KuduTablet, TabletSurroundings } from "../read/kudu-tablet.js";
import type { TabletScanOptions } from "../read/tablet-options.js";
import { mergeReplicas, type ReplicaRows } from "../recover/merge-replicas.js";
import type { RowSetAccount } from "../recover/recover-row-set.js";
import { memoryParts, mergeSettings, replicaParts } from "../recover/recover-tablet.js";
import { LedgerRanges, ledgerOf, type ReplicaAccount, type TabletLedger } from "../recover/tablet-ledger.js";
import { logOf, type ReplicaLog, readLogs, wholeLog } from "./recovered-log.js";
import { isOfReplica, type Replica } from "./replica.js";
import type { TabletWrites, WriteScope } from "./replica-choice.js";

/** A tablet, and how it is read. */
export interface RecoverableTablet {
  readonly tablet: string;
  /** The newest schema. */
  readonly schema: KuduSchema;
  readonly surroundings: TabletSurroundings;
  readonly writes: TabletWrites;
  readonly scope: WriteScope;
  /** Returns the tablet of a replica with the columns of `schema`. */
  readonly view: (replica: Replica) => KuduTablet;
}

interface ReplicaWithLog {
  readonly replica: Replica;
  readonly log: ReplicaLog;
}

/** The snapshot that is read. */
interface Snapshot {
  readonly asOf: bigint;
  readonly state: TabletLedger["snapshot"];
}

interface Sources {
  readonly replicas: readonly ReplicaRows[];
  readonly accounts: readonly ReplicaAccount[];
  /** Whether all of the replicas may have lost rows. */
  readonly isDamaged: boolean;
  /** Why a replica is unusable. */
  readonly failure: CFileError | undefined;
}

/** In ledgers, the source of rows that come from the operations of all logs. */
const ALL_LOGS = "write-ahead logs";

/** @throws {CFileError} as `KuduTablet.recover` */
export async function* recoverReplicas(
  recovered: RecoverableTablet,
  options: TabletScanOptions,
  onLedger: (ledger: TabletLedger) => void,
): AsyncGenerator<TableBatch, void, void> {
  const { tablet, schema, surroundings, writes, scope } = recovered;
  const { readable, unseen } = writes;
  const logs = await readLogs(readable, writes);
  const all = readable.map((replica) => ({ replica, log: logOf(replica, logs, scope) }));
  const snapshot = snapshotOf(all, writes, options.asOf);
  const { asOf, state } = snapshot;
  const settings = state === "unknown" ? { ...options, withLog: false } : { ...options, asOf, withLog: true };
  const sources = await sourcesOf(all, recovered, snapshot, settings);
  const replicas = [...sources.replicas];
  const accounts = [...sources.accounts];
  const whole = sources.isDamaged && state !== "unknown" ? wholeLog(readable, logs, scope) : undefined;
  const files = whole && whole.completeUntil >= asOf ? await replayed(whole, surroundings) : undefined;
  if (files !== undefined) {
    const { rowSetOptions } = surroundings;
    const parts = await memoryParts(files, { schema, rowSetOptions }, settings);
    replicas.push({ server: ALL_LOGS, parts });
    accounts.push({ server: ALL_LOGS, use: "read", problems: [], rowSets: [] });
  }
  if (replicas.length === 0 && sources.failure !== undefined) {
    throw sources.failure;
  }
  const ranges = new LedgerRanges();
  yield* mergeReplicas(replicas, mergeSettings(schema, options), ranges);
  const read = settings.asOf === LATEST_TIMESTAMP ? undefined : settings.asOf;
  onLedger(ledgerOf({ tablet, snapshot: state, asOf: read, replicas: accounts, unseen }, ranges));
}

/** The latest snapshot, at most the requested one, whose operations a replica and the logs have. */
function snapshotOf(
  all: readonly ReplicaWithLog[],
  { readable, unseen, lineage }: TabletWrites,
  requested = LATEST_TIMESTAMP,
): Snapshot {
  // A write that is hidden by damage at the end of a log may be partly flushed.
  const isEndHidden = readable.some(({ server }) => unseen.includes(server));
  const end = isEndHidden ? (lineage.at(-1)?.timestamp ?? 0n) + 1n : LATEST_TIMESTAMP;
  const limit = smaller(end, requested);
  const asOf = all.reduce((most, { log }) => larger(most, smaller(log.completeUntil, limit)), 0n);
  const isUnknown = asOf === 0n && requested > 0n;
  return { asOf, state: isUnknown ? "unknown" : asOf < requested ? "earlier" : "requested" };
}

/** The replicas that have the snapshot; if it is unknown, only the first one, since replicas differ in what they have flushed. */
async function sourcesOf(
  all: readonly ReplicaWithLog[],
  { view }: RecoverableTablet,
  { asOf, state }: Snapshot,
  settings: TabletScanOptions,
): Promise<Sources> {
  const replicas: ReplicaRows[] = [];
  const accounts: ReplicaAccount[] = [];
  let isDamaged = true;
  let failure: CFileError | undefined;
  for (const { replica, log } of all) {
    const { server, problems } = replica;
    const rowSets: RowSetAccount[] = [];
    if (state === "unknown" ? replicas.length > 0 : log.completeUntil < asOf) {
      accounts.push({ server, use: "behind", problems, rowSets });
      continue;
    }
    try {
      const recoverable = await view(replica).recoverable(settings, log);
      const found = await replicaParts(recoverable, settings, (account) => rowSets.push(account));
      replicas.push({ server, parts: found.parts, isUncertain: !replica.hasWholeLog });
      isDamaged &&= found.isDamaged;
      accounts.push({ server, use: "read", problems, rowSets });
    } catch (error) {
      if (!isOfReplica(error)) {
        throw error;
      }
      failure ??= error;
      accounts.push({ server, use: "unusable", problems: [...problems, error], rowSets });
    }
  }
  return { replicas, accounts, isDamaged, failure };
}

/** The rows of all operations; `undefined` if they cannot be applied. */
function replayed(
  log: ReplicaLog,
  { log: own }: TabletSurroundings,
): Promise<readonly RowSetFiles[] | undefined> {
  return unlessDamaged(() => own.replayedAlone(log));
}

function larger(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}

function smaller(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}
