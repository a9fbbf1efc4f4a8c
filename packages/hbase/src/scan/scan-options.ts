/** Options that select the cells of a scan or get, and what they mean for each family. */
import {
  CFileError,
  equalBytes,
  invalidArgument,
  invalidOption,
  utf8Bytes,
  type WorkOptions,
} from "@cfile/bytes";
import { NewVersionRules } from "../cells/new-version-rules.js";
import type { MergedFamily } from "../cells/region-merge.js";
import { type RuleSettings, split64, VersionRules } from "../cells/version-rules.js";
import type { FamilyDescriptor, TableDescriptor } from "../root/descriptor.js";

/** Bytes, or text, which is encoded as UTF-8. */
export type BytesOrText = Uint8Array | string;

/** A column: its family and its qualifier. */
export interface ColumnName {
  readonly family: string;
  readonly qualifier: BytesOrText;
}

/** Selects cells, as in HBase's client. */
export interface CellOptions extends WorkOptions {
  /** Families to read. Default: those of `columns`, or all. */
  readonly families?: readonly string[] | undefined;
  /** Columns to read from their families. Default: all columns. */
  readonly columns?: readonly ColumnName[] | undefined;
  /** Maximum number of versions of a column, at most those that the family keeps. Default 1. */
  readonly versions?: number | "all" | undefined;
  /** Timestamps from `from`, inclusive, to `to`, exclusive. Default: all. */
  readonly timeRange?: { readonly from: number | bigint; readonly to: number | bigint } | undefined;
  /** Whether to return deleted cells and the markers that delete them. Default `false`. */
  readonly raw?: boolean | undefined;
  /** The time by which cells expire, in milliseconds since 1970. Default: the current time. */
  readonly now?: number | undefined;
}

/** Selects rows and cells of a table. */
export interface TableScanOptions extends CellOptions {
  /** First row, inclusive. */
  readonly startRow?: BytesOrText | undefined;
  /** Row at which to end, exclusive. */
  readonly stopRow?: BytesOrText | undefined;
  /** Maximum number of rows. */
  readonly limit?: number | undefined;
  /** Cells per batch, approximately. Default 4096. */
  readonly batchCells?: number | undefined;
}

/** A family that is read, with the settings of its rules. */
export interface PlannedFamily {
  readonly descriptor: FamilyDescriptor;
  readonly nameBytes: Uint8Array;
  readonly qualifiers: readonly Uint8Array[] | undefined;
  readonly settings: RuleSettings;
}

/** The validated options of a scan. */
export interface CellPlan {
  /** In byte order of their names. */
  readonly families: readonly PlannedFamily[];
  readonly from: bigint;
  readonly to: bigint;
}

const MAX_TIMESTAMP = 2n ** 63n - 1n;

/**
 * @throws {CFileError} `E_INVALID_ARGUMENT` for invalid options, `E_NOT_FOUND` for a family that the table does not have
 */
export function planCells({ families }: TableDescriptor, options: CellOptions): CellPlan {
  const { columns = [], raw = false, now = Date.now() } = options;
  if (raw && columns.length > 0) {
    throw invalidArgument("raw scans cannot name columns", { field: "columns" });
  }
  if (!Number.isSafeInteger(now)) {
    throw invalidOption("now", now, "an integer: milliseconds since 1970");
  }
  const { from, to } = timeRangeOf(options);
  const splitFrom = split64(from);
  const splitTo = split64(to);
  const versions = versionsOf(options);
  const named = new Set([...(options.families ?? []), ...columns.map(({ family }) => family)]);
  for (const family of named) {
    if (!families.some(({ name }) => name === family)) {
      const known = families.map(({ name }) => name).join(", ");
      const reason = `the table has no family ${JSON.stringify(family)} (families: ${known})`;
      throw new CFileError("E_NOT_FOUND", reason, { field: "family" });
    }
  }
  const chosen = named.size === 0 ? families : families.filter(({ name }) => named.has(name));
  return {
    from,
    to,
    families: chosen.map((descriptor) => {
      const { name, ttlSeconds, maxVersions, minVersions, keepDeletedCells } = descriptor;
      const qualifiers = columns
        .filter(({ family }) => family === name)
        .map(({ qualifier }) => asBytes(qualifier));
      return {
        descriptor,
        nameBytes: utf8Bytes(name),
        qualifiers: qualifiers.length === 0 ? undefined : qualifiers,
        settings: {
          maxVersions,
          minVersions,
          keepsDeletedCells: keepDeletedCells !== "FALSE",
          oldestTimestamp: ttlSeconds === undefined ? Number.NEGATIVE_INFINITY : now - 1000 * ttlSeconds,
          now,
          versions,
          from: splitFrom,
          to: splitTo,
          raw,
          namesColumns: qualifiers.length > 0,
        },
      };
    }),
  };
}

/** New rules for the cells of a region. */
export function mergedFamilies({ families }: CellPlan): readonly MergedFamily[] {
  return families.map(({ descriptor, qualifiers, settings }) => ({
    qualifiers,
    rules:
      descriptor.newVersionBehavior && !settings.raw
        ? new NewVersionRules(settings)
        : new VersionRules(settings),
  }));
}

export function asBytes(value: BytesOrText): Uint8Array {
  return typeof value === "string" ? utf8Bytes(value) : value;
}

/** The rows of a scan, `undefined` for unbounded. @throws {CFileError} `E_INVALID_ARGUMENT` for an invalid limit */
export function rowsOf({ startRow, stopRow, limit = Number.POSITIVE_INFINITY }: TableScanOptions): {
  readonly from: Uint8Array | undefined;
  readonly to: Uint8Array | undefined;
  readonly limit: number;
} {
  if (!(limit >= 0 && (Number.isSafeInteger(limit) || limit === Number.POSITIVE_INFINITY))) {
    throw invalidOption("limit", limit, "an integer ≥ 0");
  }
  const bound = (row: BytesOrText | undefined): Uint8Array | undefined => {
    const bytes = row === undefined ? undefined : asBytes(row);
    return bytes?.length === 0 ? undefined : bytes;
  };
  return { from: bound(startRow), to: bound(stopRow), limit };
}

/** Whether a row is the only one from `from` to `to`. */
export function isSingleRow(from: Uint8Array | undefined, to: Uint8Array | undefined): boolean {
  return from !== undefined && to !== undefined && equalBytes(nextRow(from), to);
}

/** The next possible row: the same one with a zero byte appended. */
export function nextRow(row: Uint8Array): Uint8Array {
  const next = new Uint8Array(row.length + 1);
  next.set(row);
  return next;
}

function versionsOf({ versions = 1 }: CellOptions): number {
  if (versions === "all") {
    return Number.POSITIVE_INFINITY;
  }
  if (!(Number.isSafeInteger(versions) && versions >= 1)) {
    throw invalidOption("versions", versions, 'an integer ≥ 1, or "all"');
  }
  return versions;
}

function timeRangeOf({ timeRange }: CellOptions): { from: bigint; to: bigint } {
  const bound = (field: string, value: number | bigint): bigint => {
    const isInteger = typeof value === "bigint" || Number.isSafeInteger(value);
    const integer = isInteger ? BigInt(value) : -1n;
    if (integer < 0n || integer > MAX_TIMESTAMP) {
      throw invalidOption(field, value, "an integer from 0 to 2^63 - 1");
    }
    return integer;
  };
  if (timeRange === undefined) {
    return { from: -(2n ** 63n), to: 2n ** 63n };
  }
  const from = bound("timeRange.from", timeRange.from);
  const to = bound("timeRange.to", timeRange.to);
  if (from > to) {
    throw invalidOption("timeRange", `${from}:${to}`, "a range whose end is not before its start");
  }
  return { from, to };
}
