/**
 * The operations of a tablet's write-ahead log, with their results (docs/spec/kudu-wal.md#3-entry): up to the first problem, or all
 * that can be read.
 */
import { CFileError, corrupt, isCFileError } from "@cfile/bytes";
import { requireCFileError } from "../blocks/problems.js";
import type { KuduSchema } from "../catalog/schema-message.js";
import type { Superblock } from "../catalog/superblock.js";
import { type Commit, type LogEntry, parseLogEntries, type Replicate } from "./log-messages.js";
import type { LogSegment } from "./log-segment.js";

/** An operation of a log, and its commit if the log has it. */
export interface LoggedOperation {
  readonly replicate: Replicate;
  /** Where its entry begins. */
  readonly path: string;
  readonly offset: number;
  commit: Commit | undefined;
  /** Without a commit: whether it may have been flushed nevertheless, because the log is damaged. Default `false`. */
  readonly mayBeFlushed?: boolean;
  /** Row operations that failed, by index, according to the commit of another replica. */
  readonly failed?: ReadonlySet<number>;
}

/** Operations by index, with their commits; a new leader's replace those from their index on. */
class OperationList {
  readonly operations: LoggedOperation[] = [];
  private readonly byIndex = new Map<bigint, LoggedOperation>();

  get last(): bigint | undefined {
    return this.operations.at(-1)?.replicate.id.index;
  }

  /** Adds the operations and commits of an entry. */
  add({ replicate, commit }: LogEntry, path: string, offset: number): void {
    const { operations, byIndex } = this;
    if (replicate !== undefined) {
      const { index } = replicate.id;
      for (let { last } = this; last !== undefined && last >= index; last = this.last) {
        byIndex.delete(last);
        operations.pop();
      }
      const pending: LoggedOperation = { replicate, path, offset, commit: undefined };
      operations.push(pending);
      byIndex.set(index, pending);
    }
    const known = commit && byIndex.get(commit.id.index);
    if (known !== undefined && known.replicate.id.term === commit?.id.term) {
      known.commit = commit;
    }
  }
}

/** Operations by index, up to the first problem, with their commits. */
export function loggedOperations(
  segments: readonly LogSegment[],
  superblock: Superblock,
  problems: CFileError[],
): readonly LoggedOperation[] {
  const log = new OperationList();
  for (const [i, segment] of segments.entries()) {
    const { path } = segment;
    const mismatch = headerProblem(segment, superblock);
    problems.push(...(mismatch === undefined ? [] : [mismatch]));
    const entries = problems.length === 0 ? segment.entries : [];
    problems.push(...segmentProblems(segment, segments[i + 1]));
    for (const { offset, data } of entries) {
      try {
        for (const entry of parseLogEntries(data)) {
          const index = entry.replicate?.id.index ?? 0n;
          const before = log.last ?? index - 1n;
          if (index > before + 1n) {
            throw corrupt(`operation ${index} follows operation ${before}`, { field: "index" });
          }
          log.add(entry, path, offset);
        }
      } catch (error) {
        problems.push(requireCFileError(error).within({ path, offset }));
        break;
      }
    }
  }
  return log.operations;
}

/** The operations of a log that can be read. */
export interface ReadableLog {
  /** By index; where the log is damaged, some are missing. */
  readonly operations: readonly LoggedOperation[];
  readonly problems: readonly CFileError[];
  /** Whether nothing is missing: no damage, and no last entry that is incomplete. */
  readonly isWhole: boolean;
  /** Whether its first operation can be read. */
  readonly isBegun: boolean;
  /** The schema before the first operation; `undefined` if it cannot be trusted. */
  readonly schema: KuduSchema | undefined;
}

/** All operations that can be read, those behind damage included. */
export function readableLog(
  segments: readonly (LogSegment | CFileError)[],
  superblock: Superblock,
): ReadableLog {
  const problems: CFileError[] = [];
  const found = segments.filter((segment): segment is LogSegment => !isCFileError(segment));
  loggedOperations(found, superblock, problems);
  const unreadable = segments.filter((segment): segment is CFileError => isCFileError(segment));
  const log = new OperationList();
  for (const { path, entries, behindDamage } of found) {
    for (const { offset, data } of [...entries, ...behindDamage]) {
      const parsed = unlessCorrupt(() => parseLogEntries(data)) ?? [];
      for (const entry of parsed) {
        log.add(entry, path, offset);
      }
    }
  }
  const all = [...unreadable, ...problems];
  const [first] = segments;
  const start = first === undefined || isCFileError(first) ? undefined : first;
  return {
    operations: log.operations,
    problems: all,
    isWhole: all.length === 0 && found.length > 0 && found.at(-1)?.torn === undefined,
    isBegun: start !== undefined && start.entries.length > 0,
    schema: start === undefined || headerProblem(start, superblock) !== undefined ? undefined : start.schema,
  };
}

function unlessCorrupt<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    requireCFileError(error);
    return undefined;
  }
}

/**
 * A header that contradicts the superblock. Types, keys and nullability of columns never change; names and defaults change with the
 * version of the schema.
 */
function headerProblem(
  segment: LogSegment,
  { tabletId, schema, schemaVersion }: Superblock,
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

function isDeepEqual(left: unknown, right: unknown): boolean {
  const text = (value: unknown): string =>
    JSON.stringify(value, (_, part) =>
      typeof part === "bigint" || Object.is(part, -0) || Number.isNaN(part)
        ? `${typeof part} ${String(part)}`
        : part,
    );
  return text(left) === text(right);
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
