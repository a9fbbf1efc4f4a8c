/** What each version of Kudu supports, of what the rounds use. */
import { KUDU_VERSIONS, type KuduVersion } from "../artifacts.js";
import type { ColumnType } from "../kudu/table-plan.js";

export interface KuduRelease {
  readonly version: KuduVersion;
  /** Its clock has to be a mock on machines without NTP: timestamps count operations. */
  readonly hasMockClock: boolean;
  /** Column types that it lacks. */
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
