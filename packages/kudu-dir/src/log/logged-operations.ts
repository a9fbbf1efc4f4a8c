/**
 * The operations of a tablet's write-ahead log, with their results (docs/spec/kudu-wal.md#3-entry): up to the first problem, or all
 * that can be read.
 */
import { CFileError, corrupt, isCFileError } from "@cfile/bytes";
import { requireCFileError } from "../blocks/problems.js";
import type { KuduSchema } from "../catalog/schema-message.js";
import type { Superblock } from "../catalog/superblock.js";
import { type FlushedStores, isActive } from "./active-stores.js";
import {
  type Commit,
  type LogEntryOutline,
  type OperationId,
  parseLogEntries,
  parseLogOutline,
  type Replicate,
  type ReplicateOutline,
} from "./log-messages.js";
import type { LogSegment } from "./log-segment.js";

/** The tablet that a log must belong to, and a schema of it. */
export type LoggedTablet = Pick<Superblock, "tabletId" | "schema" | "schemaVersion">;

/** With what is flushed, commits whose operations are missing are problems if they name a store that is not. */
export type ReplayedTablet = LoggedTablet & Partial<FlushedStores>;

/** An operation of a log, and its commit if the log has it. */
export interface LoggedOperation<R = Replicate, C = Commit> {
  readonly replicate: R;
  /** Where its entry begins. */
  readonly path: string;
  readonly offset: number;
  commit: C | undefined;
  /** Without a commit: whether another operation may have replaced it where the log is damaged. Default `false`. */
  mayBeReplaced?: boolean;
  /** Without a commit: whether it may have been flushed nevertheless, because the log is damaged. Default `false`. */
  readonly mayBeFlushed?: boolean;
  /** Row operations that failed, by index, according to the commit of another replica. */
  readonly failed?: ReadonlySet<number>;
}

/** What decides whether another segment may follow. */
type SegmentEnd = Pick<LogSegment<unknown>, "path" | "sequence" | "closed" | "torn" | "damage">;

interface Identified {
  readonly id: OperationId;
}

/** Parses a batch of entries. */
type Parse<T, R, C> = (
  data: T,
) => readonly { readonly replicate: R | undefined; readonly commit: C | undefined }[];

/** Operations by index, with their commits; a new leader's replace those from their index on. */
class OperationList<R extends Identified, C extends Identified> {
  readonly operations: LoggedOperation<R, C>[] = [];
  /**
   * Of the first commit behind all operations whose own operation is missing, although its changes are not flushed. Only operations in
   * front of those that are left are deleted.
   */
  lost: CFileError | undefined;
  private readonly isUnflushed: (commit: C) => boolean;

  constructor(isUnflushed: (commit: C) => boolean = () => false) {
    this.isUnflushed = isUnflushed;
  }

  get last(): bigint | undefined {
    return this.operations.at(-1)?.replicate.id.index;
  }

  /** Takes the operations whose commits are known, up to the first without one: no new leader can replace them. */
  takeCommitted(): readonly LoggedOperation<R, C>[] {
    const { operations } = this;
    const open = operations.findIndex(({ commit }) => commit === undefined);
    return operations.splice(0, open < 0 ? operations.length : open);
  }

  addOperation(replicate: R, path: string, offset: number): void {
    const { operations } = this;
    const { index } = replicate.id;
    for (let { last } = this; last !== undefined && last >= index; last = this.last) {
      operations.pop();
    }
    operations.push({ replicate, path, offset, commit: undefined });
  }

  /**
   * Prepares for an operation of a term behind entries that cannot be read. Terms ascend in a log, so that operations of later terms were
   * replaced there; those of earlier terms may have been.
   */
  resumeAt(term: bigint): void {
    const { operations } = this;
    for (let i = operations.length - 1; i >= 0; i--) {
      const one = operations[i] as LoggedOperation<R, C>;
      if (one.commit !== undefined || one.replicate.id.term === term) {
        return;
      }
      if (one.replicate.id.term > term) {
        operations.pop();
      } else if (one.mayBeReplaced) {
        return;
      } else {
        one.mayBeReplaced = true;
      }
    }
  }

  /** @param last operation before it */
  addCommit(commit: C, path: string, offset: number, last = this.last): void {
    const { term, index } = commit.id;
    if (last !== undefined && index > last && this.isUnflushed(commit)) {
      const reason = `the commit of operation ${index} follows operation ${last}`;
      this.lost ??= corrupt(reason, { path, offset, field: "index" });
    }
    const known = this.find(index);
    if (known !== undefined && known.replicate.id.term === term) {
      known.commit = commit;
      known.mayBeReplaced = false;
    }
  }

  /** Most indexes follow each other, so that the distance from the last one is the position. */
  private find(index: bigint): LoggedOperation<R, C> | undefined {
    const { operations, last } = this;
    if (last === undefined || index > last) {
      return undefined;
    }
    const guess = operations.at(-1 - Number(last - index));
    if (guess?.replicate.id.index === index) {
      return guess;
    }
    let from = 0;
    let to = operations.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((operations[middle] as LoggedOperation<R, C>).replicate.id.index < index) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    // The last index is not less, so that there is one.
    const found = operations[from] as LoggedOperation<R, C>;
    return found.replicate.id.index === index ? found : undefined;
  }
}

/** How batches of entries are read into a list. */
interface ListReading<T, R extends Identified, C extends Identified> {
  readonly log: OperationList<R, C>;
  readonly parse: Parse<T, R, C>;
}

/** Operations by index, up to the first problem, with their commits. */
export function loggedOperations(
  segments: readonly LogSegment[],
  superblock: ReplayedTablet,
  problems: CFileError[],
): readonly LoggedOperation[] {
  const log = new OperationList<Replicate, Commit>(unflushedIn(superblock));
  return operationsIn({ log, parse: parseLogEntries }, segments, superblock, problems, false);
}

function unflushedIn({ lastDurableMrsId, rowSets }: ReplayedTablet): (commit: Commit) => boolean {
  const flushed =
    lastDurableMrsId !== undefined && rowSets !== undefined ? { lastDurableMrsId, rowSets } : undefined;
  return ({ results }) =>
    flushed !== undefined &&
    results.some(({ skipped, stores }) => !skipped && stores.some((store) => isActive(store, flushed)));
}

/** Operations in the order of their indexes, up to the first problem. Keeps only those that no commit has confirmed yet. */
export async function* operationsInTurn(
  segments: AsyncIterable<LogSegment | CFileError>,
  superblock: ReplayedTablet,
  problems: CFileError[],
): AsyncGenerator<LoggedOperation, void, void> {
  const log = new OperationList<Replicate, Commit>(unflushedIn(superblock));
  /** The last operation that was taken. */
  let taken: bigint | undefined;
  let before: SegmentEnd | undefined;
  for await (const segment of segments) {
    if (isCFileError(segment)) {
      problems.push(segment);
      continue;
    }
    const { path, sequence, closed, torn, damage, entries } = segment;
    problems.push(...(before === undefined ? [] : segmentProblems(before, segment)));
    const mismatch = headerProblem(segment, superblock);
    problems.push(...(mismatch === undefined ? [] : [mismatch]));
    for (const { offset, data } of problems.length === 0 ? entries : []) {
      try {
        for (const { replicate, commit } of parseLogEntries(data)) {
          if (replicate !== undefined) {
            requireNext(replicate.id.index, log.last, taken);
            log.addOperation(replicate, path, offset);
          }
          if (commit !== undefined) {
            log.addCommit(commit, path, offset, log.last ?? taken);
          }
        }
      } catch (error) {
        problems.push(requireCFileError(error).within({ path, offset }));
        break;
      }
      const committed = log.takeCommitted();
      taken = committed.at(-1)?.replicate.id.index ?? taken;
      yield* committed;
    }
    problems.push(...(damage === undefined ? [] : [damage]));
    before = { path, sequence, closed, torn, damage: undefined };
  }
  yield* log.operations;
  requireCommitted(log, problems);
}

/** @throws {CFileError} `E_CORRUPT` if operations are missing before it, or if it replaces one that is committed */
function requireNext(index: bigint, last: bigint | undefined, taken: bigint | undefined): void {
  const gap = gapBefore(index, last ?? taken);
  if (gap !== undefined) {
    throw gap;
  }
  if (taken !== undefined && index <= taken) {
    throw corrupt(`operation ${index} replaces one that is committed`, { field: "index" });
  }
}

/** @param isTolerant whether to continue after a problem; only the first problem of the entries is reported */
function operationsIn<T, R extends Identified, C extends Identified>(
  { log, parse }: ListReading<T, R, C>,
  segments: readonly LogSegment<T>[],
  superblock: LoggedTablet,
  problems: CFileError[],
  isTolerant: boolean,
): readonly LoggedOperation<R, C>[] {
  /** Whether entries before the next operation may be missing. */
  let isBehindDamage = false;
  for (const [i, segment] of segments.entries()) {
    const { path, entries, behindDamage } = segment;
    const mismatch = headerProblem(segment, superblock);
    problems.push(...(mismatch === undefined ? [] : [mismatch]));
    let isBroken = problems.length > 0;
    const between = segmentProblems(segment, segments[i + 1]);
    problems.push(...between);
    const readable = isTolerant ? [...entries, ...behindDamage] : entries;
    for (const [position, { offset, data }] of readable.entries()) {
      if (isBroken && !isTolerant) {
        break;
      }
      // After the first damage, there may be more.
      isBehindDamage ||= position >= entries.length;
      try {
        for (const { replicate, commit } of parse(data)) {
          if (replicate !== undefined) {
            const gap = isBroken ? undefined : gapBefore(replicate.id.index, log.last);
            if (gap !== undefined && !isTolerant) {
              throw gap;
            }
            problems.push(...(gap === undefined ? [] : [gap.within({ path, offset })]));
            isBroken ||= gap !== undefined;
            if (isBehindDamage || gap !== undefined) {
              log.resumeAt(replicate.id.term);
              isBehindDamage = false;
            }
            log.addOperation(replicate, path, offset);
          }
          if (commit !== undefined) {
            log.addCommit(commit, path, offset);
          }
        }
      } catch (error) {
        const problem = requireCFileError(error).within({ path, offset });
        problems.push(...(isBroken ? [] : [problem]));
        isBroken = true;
        isBehindDamage = true;
      }
    }
    isBehindDamage ||= between.length > 0;
  }
  requireCommitted(log, problems);
  return log.operations;
}

/** Adds a problem if the log lacks the operation of a commit, and neither a gap nor other damage shows that. */
function requireCommitted({ lost }: { readonly lost: CFileError | undefined }, problems: CFileError[]): void {
  if (problems.length === 0 && lost !== undefined) {
    problems.push(lost);
  }
}

function gapBefore(index: bigint, last = index - 1n): CFileError | undefined {
  return index > last + 1n
    ? corrupt(`operation ${index} follows operation ${last}`, { field: "index" })
    : undefined;
}

/** The operations of a log that can be read. */
export interface ReadableLog<R = Replicate, C = Commit> {
  /** By index; where the log is damaged, some are missing. */
  readonly operations: readonly LoggedOperation<R, C>[];
  readonly problems: readonly CFileError[];
  /** Whether nothing is missing: no damage, and no last entry that is incomplete. */
  readonly isWhole: boolean;
  /** Whether its first operation can be read. */
  readonly isBegun: boolean;
  /** The schema before the first operation; `undefined` if it cannot be trusted. */
  readonly schema: KuduSchema | undefined;
}

/** The operations of a log, without their contents. */
export type LogOutline = ReadableLog<ReplicateOutline, Pick<Commit, "id">>;

/** All operations that can be read, those behind damage included. */
export function readableLog(
  segments: readonly (LogSegment | CFileError)[],
  superblock: LoggedTablet,
): ReadableLog {
  return readableWith(parseLogEntries, segments, superblock);
}

/** A batch of entries without the contents of operations, or why it cannot be parsed. */
export type BatchOutline = readonly LogEntryOutline[] | CFileError;

/** Parses a batch of entries without the contents of operations. */
export function batchOutline(data: Uint8Array): BatchOutline {
  try {
    return parseLogOutline(data);
  } catch (error) {
    return requireCFileError(error);
  }
}

/** As {@link readableLog}, without the contents of operations. Does not find damage in them that no checksum shows. */
export function logOutline(
  segments: readonly (LogSegment<BatchOutline> | CFileError)[],
  superblock: LoggedTablet,
): LogOutline {
  return readableWith(parsedOutline, segments, superblock);
}

function parsedOutline(batch: BatchOutline): readonly LogEntryOutline[] {
  if (isCFileError(batch)) {
    throw batch;
  }
  return batch;
}

function readableWith<T, R extends Identified, C extends Identified>(
  parse: Parse<T, R, C>,
  segments: readonly (LogSegment<T> | CFileError)[],
  superblock: LoggedTablet,
): ReadableLog<R, C> {
  const problems = segments.filter((segment): segment is CFileError => isCFileError(segment));
  const found = segments.filter((segment): segment is LogSegment<T> => !isCFileError(segment));
  const inSegments: CFileError[] = [];
  const reading = { log: new OperationList<R, C>(), parse };
  const operations = operationsIn(reading, found, superblock, inSegments, true);
  problems.push(...inSegments);
  const [first] = segments;
  const start = first === undefined || isCFileError(first) ? undefined : first;
  return {
    operations,
    problems,
    isWhole: problems.length === 0 && found.length > 0 && found.at(-1)?.torn === undefined,
    isBegun: start !== undefined && start.entries.length > 0,
    schema: start === undefined || headerProblem(start, superblock) !== undefined ? undefined : start.schema,
  };
}

/**
 * A header that contradicts the superblock. Types, keys and nullability of columns never change; names and defaults change with the
 * version of the schema.
 */
function headerProblem(
  segment: LogSegment<unknown>,
  { tabletId, schema, schemaVersion }: LoggedTablet,
): CFileError | undefined {
  const { path } = segment;
  if (segment.tabletId !== tabletId) {
    const details = { path, field: "tablet_id", expected: tabletId, actual: segment.tabletId };
    return corrupt("the log belongs to another tablet, or its header is damaged", details);
  }
  const isSameVersion = segment.schemaVersion === schemaVersion;
  const { columns } = segment.schema;
  const isEqual = isSameVersion
    ? isDeepEqual(columns, schema.columns)
    : columns.every(({ id, type, array, nullable, isKey }) => {
        const now = schema.columns.find((column) => column.id === id);
        const isKept =
          now?.type === type && now.array === array && now.nullable === nullable && now.isKey === isKey;
        return now === undefined ? !isKey : isKept;
      });
  return isEqual
    ? undefined
    : corrupt("the schema in the log's header contradicts the superblock", { path, field: "schema" });
}

/** Of plain data; every NaN equals itself, and zeros differ by their sign. */
function isDeepEqual(left: unknown, right: unknown): boolean {
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    return Object.is(left, right);
  }
  const [own, others] = [Object.entries(left), new Map(Object.entries(right))];
  return (
    own.length === others.size &&
    own.every(([key, value]) => others.has(key) && isDeepEqual(value, others.get(key)))
  );
}

/** Only the last segment may end early: the server writes a footer before it begins the next. */
function segmentProblems(
  { path, sequence, damage, closed, torn }: SegmentEnd,
  next: LogSegment<unknown> | undefined,
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
