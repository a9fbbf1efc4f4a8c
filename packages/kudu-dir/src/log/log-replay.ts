/**
 * Replays a tablet's write-ahead log (docs/spec/kudu-wal.md#5-what-to-apply): finds the changes that were never flushed, in order,
 * each with its in-memory stores.
 */
import { CFileError, corrupt } from "@cfile/bytes";
import { requireCFileError } from "../blocks/problems.js";
import type { KuduSchema } from "../catalog/schema-message.js";
import type { Superblock } from "../catalog/superblock.js";
import { isActive } from "./active-stores.js";
import type { MutatedStore, OperationId, OperationResult, Replicate, WriteRequest } from "./log-messages.js";
import type { LogSegment } from "./log-segment.js";
import { loggedOperations } from "./logged-operations.js";
import { newestMemRowSet } from "./older-superblock.js";
import type { LoggedOperation } from "./operation-list.js";
import { canInsert, countRowOperations, type RowOperation, rowOperations } from "./row-operations.js";

/** A row operation whose stores were never flushed. */
export interface UnflushedOperation {
  readonly timestamp: bigint;
  readonly operation: RowOperation;
  /** The tablet's schema when it was applied. */
  readonly schema: KuduSchema;
  /** The stores that were never flushed; `undefined` if no commit names them, and the key decides. */
  readonly stores: readonly MutatedStore[] | undefined;
  /** Without stores: whether the change may be flushed nevertheless. Default `false`. */
  readonly mayBeFlushed?: boolean;
  /** The value of the auto-incrementing column. */
  readonly autoIncrement: bigint | undefined;
}

/** The changes that only the log has. */
export interface ReplayedLog {
  readonly operations: readonly UnflushedOperation[];
  /** Row operations that may or may not have been applied. */
  readonly doubtful: number;
  /** Row operations of transactions, which are not applied. */
  readonly transactional: number;
  /** The log has all writes from this timestamp on; `undefined` if unknown. */
  readonly completeFrom: bigint | undefined;
  /** Timestamp of the last write; `undefined` without writes. */
  readonly lastWrite: bigint | undefined;
  /** The newest MemRowSet that a commit names; -1 for none. */
  readonly newestMrsId: bigint;
  /** Problems of the log. Operations end at the first one. */
  readonly problems: readonly CFileError[];
  /**
   * Where the log ends within an entry, as after a crash; `undefined` if it ends with a complete one. The operations of that entry are
   * missing.
   */
  readonly torn: CFileError | undefined;
}

/** What the other replicas of a tablet say about its log. */
export interface Quorum {
  /** Whether an operation without a commit in this log counts as done. */
  counts(id: OperationId): boolean;
  /** Operations that count and follow those of this log. */
  readonly more: readonly Replicate[];
}

/** The state to which the operations of a log are applied. */
export interface ReplayTarget {
  /** What is flushed. Default: nothing. */
  readonly superblock?: Pick<Superblock, "lastDurableMrsId" | "rowSets"> | undefined;
  /** The schema before the first operation. */
  readonly schema: KuduSchema;
  /** Whether an operation without a commit counts as done. */
  readonly counts: (id: OperationId) => boolean;
  /** Whether flushed changes are also listed, with no stores. Default `false`. */
  readonly withFlushed?: boolean;
  /** Whether changes that were flushed before a restart of the server are also listed, with no stores. Default `false`. */
  readonly withSkipped?: boolean;
}

/**
 * @param segments of one tablet, in order
 * @param quorum what other replicas say; default: only commits of this log count
 */
export function replayLog(
  segments: readonly LogSegment[],
  superblock: Superblock,
  quorum?: Quorum,
): ReplayedLog {
  const problems: CFileError[] = [];
  const own = loggedOperations(segments, superblock, problems);
  const more = (problems.length === 0 ? (quorum?.more ?? []) : []).map(operationOfOther);
  const schema = segments[0]?.schema ?? superblock.schema;
  const counts: ReplayTarget["counts"] = (id) => quorum?.counts(id) ?? false;
  const replayed = replayOperations([...own, ...more], { superblock, schema, counts }, problems);
  const [first] = own;
  const isWhole = problems.length === 0 && first !== undefined;
  const start = first !== undefined && first.replicate.id.index > 1n ? first.replicate.timestamp : 0n;
  const { torn } = segments.at(-1) ?? {};
  return { ...replayed, completeFrom: isWhole ? start : undefined, problems, torn };
}

/** An operation that this log does not have. */
export function operationOfOther(replicate: Replicate): LoggedOperation {
  return { replicate, path: "log of another replica", offset: 0, commit: undefined };
}

/** The changes of operations, up to the first problem. */
export function replayOperations(
  logged: readonly LoggedOperation[],
  target: ReplayTarget,
  problems: CFileError[],
): Omit<ReplayedLog, "completeFrom" | "problems" | "torn"> {
  const replay = new Replay(target, problems);
  const operations = logged.flatMap((one) => {
    const { length } = problems;
    const changes = [...replay.changesOf(one)];
    return problems.length > length ? [] : changes;
  });
  const { doubtful, transactional, lastWrite, newestMrsId } = replay;
  return { operations, doubtful, transactional, lastWrite, newestMrsId };
}

/** Replays operations one at a time. */
export class Replay implements Pick<ReplayedLog, "doubtful" | "transactional" | "lastWrite" | "newestMrsId"> {
  doubtful = 0;
  transactional = 0;
  lastWrite: bigint | undefined;
  newestMrsId = -1n;
  private readonly target: ReplayTarget;
  private readonly problems: CFileError[];
  private schema: KuduSchema;
  private hasFailed = false;

  /** @param problems receives the error of the first operation that cannot be parsed; it and later ones have no changes */
  constructor(target: ReplayTarget, problems: CFileError[]) {
    this.target = target;
    this.problems = problems;
    this.schema = target.schema;
  }

  /** The changes of the next operation. If it cannot be parsed, those already returned do not count. */
  *changesOf(one: LoggedOperation): Generator<UnflushedOperation, void, void> {
    const { replicate, commit, path, offset } = one;
    const { counts: isDone } = this.target;
    const { write, timestamp } = replicate;
    const counts = commit !== undefined || isDone(replicate.id);
    if (counts && replicate.schema !== undefined) {
      this.schema = replicate.schema;
    }
    if (write === undefined || this.hasFailed) {
      return;
    }
    this.lastWrite = this.lastWrite === undefined || timestamp > this.lastWrite ? timestamp : this.lastWrite;
    const newest = newestMemRowSet(commit?.results ?? []);
    this.newestMrsId = newest > this.newestMrsId ? newest : this.newestMrsId;
    try {
      if (counts && write.transaction === undefined) {
        yield* changesOf(one, write, this.schema, this.target);
        return;
      }
      const count = countRowOperations(write);
      this.doubtful += counts ? 0 : count;
      this.transactional += counts ? count : 0;
    } catch (error) {
      const { code, reason, field } = requireCFileError(error);
      this.problems.push(
        new CFileError(code, `operation ${replicate.id.index}: ${reason}`, { path, offset, field }),
      );
      this.hasFailed = true;
    }
  }
}

function* changesOf(
  { replicate: { timestamp }, commit, mayBeFlushed = false, failed }: LoggedOperation,
  write: WriteRequest,
  schema: KuduSchema,
  { superblock, withFlushed = false, withSkipped = false }: ReplayTarget,
): Generator<UnflushedOperation, void, void> {
  const { autoIncrement: counter } = write;
  const results = commit?.results ?? [];
  const active = new Map<OperationResult | undefined, readonly MutatedStore[]>();
  const activeStores = (result: OperationResult | undefined): readonly MutatedStore[] => {
    let stores = active.get(result);
    if (stores === undefined) {
      stores = result?.skipped ? [] : (result?.stores ?? []).filter((store) => isActive(store, superblock));
      active.set(result, stores);
    }
    return stores;
  };
  const isFlushed = (result: OperationResult | undefined): boolean =>
    (withFlushed && result?.skipped === false) || (withSkipped && result?.failed === false);
  const isApplied = (index: number): boolean =>
    commit === undefined
      ? !failed?.has(index)
      : activeStores(results[index]).length > 0 || isFlushed(results[index]);
  if (commit !== undefined && !results.some((_, index) => isApplied(index))) {
    requireResults(results, countRowOperations(write));
    return;
  }
  let insertions = 0n;
  let i = 0;
  for (const operation of rowOperations(write, isApplied)) {
    insertions += canInsert(operation) ? 1n : 0n;
    if (isApplied(i)) {
      // Without a commit, the key decides on the stores.
      const stores = commit === undefined ? undefined : activeStores(results[i]);
      const autoIncrement = counter === undefined ? undefined : counter + insertions;
      yield { timestamp, operation, schema, stores, mayBeFlushed, autoIncrement };
    }
    i++;
  }
  if (commit !== undefined) {
    requireResults(results, i);
  }
}

/** @throws {CFileError} `E_CORRUPT` unless each row operation has a result */
function requireResults({ length }: readonly OperationResult[], operations: number): void {
  if (length !== operations) {
    throw corrupt(`${operations} row operations have ${length} results`, { field: "ops" });
  }
}
