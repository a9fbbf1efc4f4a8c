/**
 * Replays a tablet's write-ahead log (docs/spec/kudu-wal.md#5-what-to-apply): finds the changes that were never flushed, in order,
 * each with its in-memory stores.
 */
import { CFileError, corrupt } from "@cfile/bytes";
import { requireCFileError } from "../blocks/problems.js";
import type { KuduSchema } from "../catalog/schema-message.js";
import type { Superblock } from "../catalog/superblock.js";
import {
  type Commit,
  type MutatedStore,
  type OperationId,
  parseLogEntries,
  type Replicate,
} from "./log-messages.js";
import type { LogSegment } from "./log-segment.js";
import { canInsert, parseRowOperations, type RowOperation } from "./row-operations.js";

/** A row operation whose stores were never flushed. */
export interface UnflushedOperation {
  readonly timestamp: bigint;
  readonly operation: RowOperation;
  /** The tablet's schema when it was applied. */
  readonly schema: KuduSchema;
  /** The stores that were never flushed; `undefined` if no commit names them, so that the key decides. */
  readonly stores: readonly MutatedStore[] | undefined;
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
  /** Problems of the log. Operations end at the first one. */
  readonly problems: readonly CFileError[];
}

/** What the other replicas of a tablet say about its log. */
export interface Quorum {
  /** Whether an operation without a commit in this log counts as done. */
  counts(id: OperationId): boolean;
  /** Operations that count and follow those of this log. */
  readonly more: readonly Replicate[];
}

/** An operation of a log, and its commit if the log has it. */
export interface LoggedOperation {
  readonly replicate: Replicate;
  /** Where its entry begins. */
  readonly path: string;
  readonly offset: number;
  commit: Commit | undefined;
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
  const own = loggedOperations(segments, problems);
  const more = (problems.length === 0 ? (quorum?.more ?? []) : []).map(
    (replicate): LoggedOperation => ({
      replicate,
      path: "log of another replica",
      offset: 0,
      commit: undefined,
    }),
  );
  const operations: UnflushedOperation[] = [];
  let schema = segments[0]?.schema ?? superblock.schema;
  let doubtful = 0;
  let transactional = 0;
  let lastWrite: bigint | undefined;
  for (const logged of [...own, ...more]) {
    const { replicate, commit, path, offset } = logged;
    const { write, timestamp } = replicate;
    const counts = commit !== undefined || (quorum?.counts(replicate.id) ?? false);
    if (counts && replicate.schema !== undefined) {
      schema = replicate.schema;
    }
    if (write === undefined) {
      continue;
    }
    lastWrite = lastWrite === undefined || timestamp > lastWrite ? timestamp : lastWrite;
    try {
      const rows = parseRowOperations(write);
      if (!counts) {
        doubtful += rows.length;
      } else if (write.transaction !== undefined) {
        transactional += rows.length;
      } else {
        operations.push(...unflushed(logged, rows, schema, superblock));
      }
    } catch (error) {
      const { code, reason, field } = requireCFileError(error);
      problems.push(
        new CFileError(code, `operation ${replicate.id.index}: ${reason}`, { path, offset, field }),
      );
      break;
    }
  }
  const [first] = own;
  const isWhole = problems.length === 0 && first !== undefined;
  const start = first !== undefined && first.replicate.id.index > 1n ? first.replicate.timestamp : 0n;
  const completeFrom = isWhole ? start : undefined;
  return { operations, doubtful, transactional, completeFrom, lastWrite, problems };
}

/** Replicates by index, up to the first problem, with their commits; a new leader's replace those from their index on. */
export function loggedOperations(
  segments: readonly LogSegment[],
  problems: CFileError[],
): readonly LoggedOperation[] {
  const log: LoggedOperation[] = [];
  const byIndex = new Map<bigint, LoggedOperation>();
  const addReplicate = (replicate: Replicate, path: string, offset: number): void => {
    const { index } = replicate.id;
    const before = log.at(-1)?.replicate.id.index ?? index - 1n;
    if (index > before + 1n) {
      throw corrupt(`operation ${index} follows operation ${before}`, { field: "index" });
    }
    for (let last = log.at(-1); last && last.replicate.id.index >= index; last = log.at(-1)) {
      byIndex.delete(last.replicate.id.index);
      log.pop();
    }
    const pending: LoggedOperation = { replicate, path, offset, commit: undefined };
    log.push(pending);
    byIndex.set(index, pending);
  };
  for (const [i, segment] of segments.entries()) {
    const { path } = segment;
    const entries = problems.length === 0 ? segment.entries : [];
    problems.push(...segmentProblems(segment, segments[i + 1]));
    for (const { offset, data } of entries) {
      try {
        for (const { replicate, commit } of parseLogEntries(data)) {
          if (replicate !== undefined) {
            addReplicate(replicate, path, offset);
          }
          const known = commit && byIndex.get(commit.id.index);
          if (known !== undefined && known.replicate.id.term === commit?.id.term) {
            known.commit = commit;
          }
        }
      } catch (error) {
        problems.push(requireCFileError(error).within({ path, offset }));
        break;
      }
    }
  }
  return log;
}

/** Only the last segment may end early: the server writes a footer before it begins the next. */
function segmentProblems(
  { path, sequence, damage, closed, torn }: LogSegment,
  next: LogSegment | undefined,
): CFileError[] {
  const problems = damage === undefined ? [] : [damage];
  if (next !== undefined && next.sequence !== sequence + 1) {
    const reason = `segment ${sequence + 1} of the log is missing`;
    problems.push(corrupt(reason, { path: next.path, field: "sequence_number" }));
  }
  if (next !== undefined && !closed && damage === undefined) {
    const reason = `segment ${sequence} has no footer, but segment ${next.sequence} follows`;
    problems.push(torn ?? new CFileError("E_TRUNCATED", reason, { path, field: "footer" }));
  }
  return problems;
}

function unflushed(
  { replicate: { timestamp, write }, commit }: LoggedOperation,
  rows: readonly RowOperation[],
  schema: KuduSchema,
  superblock: Superblock,
): UnflushedOperation[] {
  const results = commit?.results ?? [];
  if (commit !== undefined && results.length !== rows.length) {
    throw corrupt(`${rows.length} row operations have ${results.length} results`, { field: "ops" });
  }
  const found: UnflushedOperation[] = [];
  let insertions = 0n;
  rows.forEach((operation, i) => {
    insertions += canInsert(operation) ? 1n : 0n;
    const result = results[i];
    const active = result?.skipped ? [] : result?.stores.filter((store) => isActive(store, superblock));
    // Without a commit, the key decides about the stores.
    const stores = commit === undefined ? undefined : (active ?? []);
    if (stores === undefined || stores.length > 0) {
      const autoIncrement = write?.autoIncrement === undefined ? undefined : write.autoIncrement + insertions;
      found.push({ timestamp, operation, schema, stores, autoIncrement });
    }
  });
  return found;
}

/** Whether the store was only in memory. */
function isActive(
  { mrsId, rowSetId, dmsId }: MutatedStore,
  { lastDurableMrsId, rowSets }: Superblock,
): boolean {
  if (mrsId >= 0n) {
    return mrsId > lastDurableMrsId;
  }
  const rowSet = rowSets.find(({ id }) => id === rowSetId);
  return rowSet !== undefined && dmsId > rowSet.lastDurableDmsId;
}
