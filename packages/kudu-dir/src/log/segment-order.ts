/** Checks that segments belong to one tablet's log and follow each other (docs/spec/kudu-wal.md). */
import { CFileError, corrupt } from "@cfile/bytes";
import type { Superblock } from "../catalog/superblock.js";
import type { LogSegment } from "./log-segment.js";

/** The tablet that a log must belong to, and one of its schemas. */
export type LoggedTablet = Pick<Superblock, "tabletId" | "schema" | "schemaVersion">;

/** The fields of a segment that decide whether another one may follow. */
export type SegmentEnd = Pick<LogSegment<unknown>, "path" | "sequence" | "closed" | "torn" | "damage">;

/**
 * The error for a header that contradicts the superblock. Types, keys and nullability of columns never change; names and defaults
 * change with the version of the schema.
 */
export function headerProblem(
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

/** Compares plain data. NaN equals NaN, and 0 does not equal -0. */
function isDeepEqual(left: unknown, right: unknown): boolean {
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    return Object.is(left, right);
  }
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every(
      (key) =>
        Object.hasOwn(right, key) &&
        isDeepEqual(left[key as keyof typeof left], right[key as keyof typeof right]),
    )
  );
}

/** Only the last segment may end early: the server writes a footer before it begins the next. */
export function segmentProblems(
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
