/**
 * A tablet of a cluster, read from the best replica without damage to the requested rows, or recovered from all of them
 * (docs/spec/kudu-cluster.md#5-rows-from-several-damaged-replicas).
 */
import { CFileError, isCFileError, isDamage } from "@cfile/bytes";
import { LATEST_TIMESTAMP } from "@cfile/deltafile";
import { sliceTable, type TableBatch } from "@cfile/encodings/batches";
import type { DiffBatch, RowCells, RowKey, RowVersion } from "@cfile/rowset";
import { requireCFileError } from "../blocks/problems.js";
import { KuduTablet } from "../read/kudu-tablet.js";
import type {
  SkippedReplica,
  TabletChangeOptions,
  TabletHistoryOptions,
  TabletLookUpOptions,
  TabletScanOptions,
  Tolerance,
} from "../read/tablet-options.js";
import type { RowSetAccount } from "../recover/recover-row-set.js";
import type { TabletLedger } from "../recover/tablet-ledger.js";
import { isOfReplica, type Replica } from "./replica.js";
import { completeUntil, type TabletWrites, type WriteScope } from "./replica-choice.js";

/** How to skip rows of batches. */
interface Sliceable<B> {
  readonly slice: (batch: B, from: number) => B;
  readonly isOrdered: boolean;
}

/**
 * A tablet of a cluster. Reads include the write-ahead logs unless `withLog` is `false`; without them, only the preferred replica is read.
 * With `order: "any"`, damage after the first batch is thrown, since only rows in key order are the same in another replica.
 */
export class ReplicatedTablet extends KuduTablet {
  /** The state of the tablet's writes across its replicas. */
  readonly writes: TabletWrites;
  private readonly scope: WriteScope;

  constructor(
    writes: TabletWrites & { readonly readable: readonly [Replica, ...Replica[]] },
    scope: WriteScope,
  ) {
    const [best] = writes.readable;
    const newest = writes.readable.reduce((left, right) =>
      right.tablet.superblock.schemaVersion > left.tablet.superblock.schemaVersion ? right : left,
    );
    const { superblock, surroundings } = viewOf(best, newest);
    const { schemaVersion, tableName } = newest.tablet.superblock;
    super({ ...superblock, schemaVersion, tableName }, surroundings);
    this.writes = writes;
    this.scope = scope;
  }

  override async *scan(options: TabletScanOptions = {}): AsyncGenerator<TableBatch, void, void> {
    const slicing = {
      slice: (batch: TableBatch, from: number) => sliceTable(batch, from, batch.length),
      isOrdered: options.order !== "any",
    };
    yield* this.fromFirstWhole(options, options.asOf, slicing, (tablet, tolerance) =>
      tablet.scan({ ...options, ...tolerance }),
    );
  }

  override async *diff(
    from: bigint,
    to: bigint,
    options: TabletChangeOptions = {},
  ): AsyncGenerator<DiffBatch, void, void> {
    const slicing = {
      slice: (batch: DiffBatch, start: number): DiffBatch => ({
        ...sliceTable(batch, start, batch.length),
        deleted: batch.deleted.subarray(start),
        changedAt: batch.changedAt.subarray(start),
      }),
      isOrdered: true,
    };
    yield* this.fromFirstWhole(options, to, slicing, (tablet, tolerance) =>
      tablet.diff(from, to, { ...options, ...tolerance }),
    );
  }

  override get(key: RowKey, options: TabletLookUpOptions = {}): Promise<RowCells | undefined> {
    return this.answerOfFirstWhole(options, options.asOf, (tablet, tolerance) =>
      tablet.get(key, { ...options, ...tolerance }),
    );
  }

  override history(key: RowKey, options: TabletHistoryOptions = {}): Promise<readonly RowVersion[]> {
    return this.answerOfFirstWhole(options, undefined, (tablet, tolerance) =>
      tablet.history(key, { ...options, ...tolerance }),
    );
  }

  /** @throws {CFileError} `E_HISTORY_GONE` if no replica retains the snapshot */
  override async requireHistory(
    field: "asOf" | "from",
    asOf: bigint = LATEST_TIMESTAMP,
    tolerance: Tolerance = {},
  ): Promise<void> {
    const errors: CFileError[] = [];
    for (const replica of this.writes.readable) {
      try {
        await replica.tablet.requireHistory(field, asOf, tolerance);
        return;
      } catch (error) {
        errors.push(requireCFileError(error));
      }
    }
    // There is at least one replica.
    throw errors[0] as CFileError;
  }

  /**
   * The rows that all replicas together have, in key order. A row that one replica has lost comes from another. Rows whose
   * cells differ between undamaged replicas are left out. The ledger lists all of this.
   *
   * @param onLedger called after the last row
   * @throws {CFileError} as {@link scan}, except for damage
   */
  override async *recover(
    options: TabletScanOptions,
    _onAccount: (account: RowSetAccount) => void,
    onLedger: (ledger: TabletLedger) => void = () => undefined,
  ): AsyncGenerator<TableBatch, void, void> {
    const { recoverReplicas } = await import("./recover-replicas.js");
    const { id: tablet, schema, surroundings, writes, scope } = this;
    const view = (replica: Replica): KuduTablet => this.view(replica);
    yield* recoverReplicas({ tablet, schema, surroundings, writes, scope, view }, options, onLedger);
  }

  private view(replica: Replica): KuduTablet {
    const { tablet } = replica;
    return tablet.superblock.schemaVersion === this.superblock.schemaVersion
      ? tablet
      : tablet.withSchema(this.superblock);
  }

  private async *fromFirstWhole<B extends { readonly length: number }>(
    tolerance: Tolerance,
    until: bigint | undefined,
    { slice, isOrdered }: Sliceable<B>,
    read: (tablet: KuduTablet, tolerance: Tolerance) => AsyncGenerator<B, void, void>,
  ): AsyncGenerator<B, void, void> {
    const { withLog = true } = tolerance;
    const skipped: SkippedReplica[] = [];
    let given = 0;
    for (const replica of this.writes.readable) {
      const { server } = replica;
      try {
        // Without logs, replicas differ.
        requireWrites(replica, this.writes, withLog ? until : 0n);
        // Replicas have the same rows in the same order.
        let before = given;
        for await (const batch of read(this.view(replica), { withLog, onUnreadable: undefined })) {
          const from = Math.min(before, batch.length);
          before -= from;
          if (from < batch.length) {
            given += batch.length - from;
            yield from === 0 ? batch : slice(batch, from);
          }
        }
        if (skipped.length > 0) {
          tolerance.onOtherReplica?.({ tablet: this.id, server, skipped });
        }
        return;
      } catch (error) {
        if (!isOfReplica(error)) {
          throw error;
        }
        if (given > 0 && !isOrdered) {
          throw error;
        }
        skipped.push({ server, error });
        if (!withLog) {
          break;
        }
      }
    }
    const error = this.noneWhole(skipped);
    if (tolerance.onUnreadable === undefined) {
      throw error;
    }
    tolerance.onUnreadable({ tablet: this.id, rowSet: undefined, error });
  }

  private async answerOfFirstWhole<A>(
    tolerance: Tolerance,
    until: bigint | undefined,
    read: (tablet: KuduTablet, tolerance: Tolerance) => Promise<A>,
  ): Promise<A> {
    const { withLog = true } = tolerance;
    const skipped: SkippedReplica[] = [];
    for (const replica of this.writes.readable) {
      const { server } = replica;
      try {
        requireWrites(replica, this.writes, withLog ? until : 0n);
        const answer = await read(this.view(replica), { withLog, onUnreadable: undefined });
        if (skipped.length > 0) {
          tolerance.onOtherReplica?.({ tablet: this.id, server, skipped });
        }
        return answer;
      } catch (error) {
        if (!isOfReplica(error)) {
          throw error;
        }
        skipped.push({ server, error });
        if (!withLog) {
          break;
        }
      }
    }
    throw this.noneWhole(skipped);
  }

  /** @param skipped why each replica was not read; at least one */
  private noneWhole(skipped: readonly SkippedReplica[]): CFileError {
    const errors = skipped.map(({ error }) => error);
    const first = errors[0] as CFileError;
    if (errors.every((error) => isCFileError(error, "E_HISTORY_GONE"))) {
      return first;
    }
    const worst = errors.find(isDamage) ?? first;
    const { path, offset, block, field, expected, actual } = worst;
    const reasons = skipped.map(({ server, error }) => `server ${server}: ${error.message}`).join("; ");
    const reason = `no replica of tablet ${this.id} of table ${JSON.stringify(this.tableName)} is undamaged (${reasons}); use --recover to ${errors.length === 1 ? "read what remains" : "combine what remains in the replicas"}`;
    return new CFileError(isDamage(worst) ? worst.code : "E_BLOCK_MISSING", reason, {
      path,
      offset,
      block,
      field,
      expected,
      actual,
      cause: worst,
    });
  }
}

/** The replica that is read, with the columns of the newest schema. */
function viewOf(best: Replica, newest: Replica): KuduTablet {
  const { tablet } = best;
  const isNewest = tablet.superblock.schemaVersion === newest.tablet.superblock.schemaVersion;
  return isNewest ? tablet : tablet.withSchema(newest.tablet.superblock);
}

/**
 * Checks that the logs have all operations that a replica lacks.
 *
 * @param until the snapshot; default: the latest
 * @throws {CFileError} the first problem of its log, or `E_NOT_FOUND`
 */
export function requireWrites(
  { log, problems, tablet }: Replica,
  { lineage }: TabletWrites,
  until = LATEST_TIMESTAMP,
): void {
  const [first] = log;
  const isMissing = first === undefined && tablet.state === "ready";
  const [problem] = problems.filter(({ field }) => field === "wals");
  if (until > 0n && isMissing && problem !== undefined) {
    throw problem;
  }
  const end = first === undefined ? undefined : completeUntil(first.index, lineage);
  if (end !== undefined && end < until) {
    const reason = `operations from timestamp ${end} on are in no log: the replica is behind`;
    throw new CFileError("E_NOT_FOUND", reason, {
      field: "log",
      expected: String(until),
      actual: String(end),
    });
  }
}
