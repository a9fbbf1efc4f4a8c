/** Features used by the rounds, by version of Kudu. */
import { KUDU_VERSIONS, type KuduVersion } from "../artifacts.js";
import type { ColumnType } from "../kudu/table-plan.js";

export interface KuduRelease {
  readonly version: KuduVersion;
  /** Whether it requires a mock clock on machines without NTP: timestamps then count operations. */
  readonly hasMockClock: boolean;
  /** Unsupported column types. */
  readonly lacks: readonly ColumnType[];
  readonly hasDiffs: boolean;
  /** INSERT_IGNORE, UPDATE_IGNORE, DELETE_IGNORE. */
  readonly hasIgnore: boolean;
  /** UPSERT_IGNORE, soft-deleted tables, ranges with their own hash partitions, immutable columns, keys that are not unique. */
  readonly hasSoftDelete: boolean;
  /** Owners and comments of tables. */
  readonly hasOwner: boolean;
}

export function releaseOf(version: KuduVersion): KuduRelease {
  const since = (first: KuduVersion): boolean =>
    KUDU_VERSIONS.indexOf(version) >= KUDU_VERSIONS.indexOf(first);
  return {
    version,
    hasMockClock: !since("1.12.0"),
    lacks: since("1.12.0") ? [] : ["DATE", "VARCHAR"],
    hasDiffs: since("1.12.0"),
    hasIgnore: since("1.15.0"),
    hasSoftDelete: since("1.17.0"),
    hasOwner: since("1.17.0"),
  };
}
