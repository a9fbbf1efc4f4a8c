/** The operations of a log that may be damaged: all that can be read. */
import { type CFileError, isCFileError } from "@cfile/bytes";
import { requireCFileError } from "../blocks/problems.js";
import type { KuduSchema } from "../catalog/schema-message.js";
import {
  type Commit,
  type LogEntryOutline,
  parseLogEntries,
  parseLogOutline,
  type Replicate,
  type ReplicateOutline,
} from "./log-messages.js";
import type { LogSegment } from "./log-segment.js";
import { operationsIn, type Parse } from "./logged-operations.js";
import { type Identified, type LoggedOperation, OperationList } from "./operation-list.js";
import { headerProblem, type LoggedTablet } from "./segment-order.js";

/** The operations of a log that can be read. */
export interface ReadableLog<R = Replicate, C = Commit> {
  /** By index; where the log is damaged, some are missing. */
  readonly operations: readonly LoggedOperation<R, C>[];
  readonly problems: readonly CFileError[];
  /** Whether nothing is missing: the log is undamaged and does not end within an entry. */
  readonly isWhole: boolean;
  /** Whether its first operation can be read. */
  readonly isBegun: boolean;
  /** The schema before the first operation; `undefined` if it cannot be trusted. */
  readonly schema: KuduSchema | undefined;
}

/** The operations of a log, without their contents. */
export type LogOutline = ReadableLog<ReplicateOutline, Pick<Commit, "id">>;

/** All operations that can be read, including those after damage. */
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

/** Like {@link readableLog}, without the contents of operations: damage to them is found only by checksums. */
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
  // An outline lacks the stores that commits name: changes whose operation is missing may be unflushed.
  const reading = { log: new OperationList<R, C>(() => true), parse };
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
