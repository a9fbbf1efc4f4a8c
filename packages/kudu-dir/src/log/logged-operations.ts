/** The operations of a tablet's write-ahead log, with their results (docs/spec/kudu-wal.md#3-entry), up to the first problem. */
import { type CFileError, corrupt, isCFileError } from "@cfile/bytes";
import { requireCFileError } from "../blocks/problems.js";
import { type FlushedStores, isActive } from "./active-stores.js";
import { type Commit, parseLogEntries, type Replicate } from "./log-messages.js";
import type { LogSegment } from "./log-segment.js";
import { type Identified, type LoggedOperation, OperationList } from "./operation-list.js";
import { headerProblem, type LoggedTablet, type SegmentEnd, segmentProblems } from "./segment-order.js";

/** A tablet. If it says what is flushed, a commit without its operation is a problem if it names an unflushed store. */
export type ReplayedTablet = LoggedTablet & Partial<FlushedStores>;

/** Parses a batch of entries. */
export type Parse<T, R, C> = (
  data: T,
) => readonly { readonly replicate: R | undefined; readonly commit: C | undefined }[];

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

/** Operations in the order of their indexes, up to the first problem. Only operations that are not committed yet are kept in memory. */
export async function* operationsInTurn(
  segments: AsyncIterable<LogSegment | CFileError>,
  superblock: ReplayedTablet,
  problems: CFileError[],
): AsyncGenerator<LoggedOperation, void, void> {
  const log = new OperationList<Replicate, Commit>(unflushedIn(superblock));
  /** Index of the last operation that was taken. */
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

/** @throws {CFileError} `E_CORRUPT` if operations before it are missing, or if it replaces a committed one */
function requireNext(index: bigint, last: bigint | undefined, taken: bigint | undefined): void {
  const gap = gapBefore(index, last ?? taken);
  if (gap !== undefined) {
    throw gap;
  }
  if (taken !== undefined && index <= taken) {
    throw corrupt(`operation ${index} replaces one that is committed`, { field: "index" });
  }
}

/**
 * The operations of segments, in a list.
 *
 * @param isTolerant whether to continue after a problem; only the first problem of the entries is reported
 */
export function operationsIn<T, R extends Identified, C extends Identified>(
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
