/** Which version of a row counts (docs/spec/hudi-table.md#62-partial-rules-of-merging). */

import type { AvroValue } from "@cfile/avro";
import { CFileError } from "@cfile/bytes";
import { compareValues } from "../log/wrapped-value.js";
import type { TableProperties } from "../table/table-properties.js";

/** How versions of a row are compared. */
export interface MergeRule {
  /** Decides whether a version in a log replaces an earlier version in a log. */
  readonly inLogs: "ordering" | "later";
  /** Decides whether a version in a log replaces the base file's. */
  readonly overBase: "ordering" | "later";
  /**
   * Whether a delete's ordering value is compared with that of the base file's row and of later rows. If not, it replaces the base file's
   * row, and later rows replace it. It is always compared with earlier rows in logs.
   */
  readonly orderedDeletes: boolean;
}

type RowRule = Omit<MergeRule, "orderedDeletes">;

/** Known payload classes, by their names without the package. */
const PAYLOADS: Readonly<Record<string, RowRule>> = {
  // Combines log records by their ordering value, but the result always replaces the base row.
  OverwriteWithLatestAvroPayload: { inLogs: "ordering", overBase: "later" },
  DefaultHoodieRecordPayload: { inLogs: "ordering", overBase: "ordering" },
  EventTimeAvroPayload: { inLogs: "ordering", overBase: "ordering" },
};

/** The rule of a table. @throws {CFileError} `E_UNSUPPORTED` for custom merge modes and payload classes */
export function mergeRule(properties: TableProperties): MergeRule {
  return { ...rowRule(properties), orderedDeletes: properties.version >= 8 };
}

function rowRule({ mergeMode, orderingFields, all }: TableProperties): RowRule {
  const isOrdered = orderingFields.length > 0;
  switch (mergeMode) {
    case "COMMIT_TIME_ORDERING":
      return { inLogs: "later", overBase: "later" };
    case "EVENT_TIME_ORDERING":
      return isOrdered
        ? { inLogs: "ordering", overBase: "ordering" }
        : { inLogs: "later", overBase: "later" };
    default: {
      const payload = all.get("hoodie.compaction.payload.class") ?? "";
      const rule = PAYLOADS[payload.slice(payload.lastIndexOf(".") + 1)];
      const mode = all.get("hoodie.record.merge.mode") ?? "";
      if (mode !== "" || (rule === undefined && payload !== "")) {
        throw new CFileError("E_UNSUPPORTED", `unsupported payload class or merge mode: ${mode || payload}`, {
          field: "hoodie.record.merge.mode",
        });
      }
      return isOrdered && rule !== undefined ? rule : { inLogs: "later", overBase: "later" };
    }
  }
}

/**
 * Whether a newer version replaces an older one.
 * @param newer its ordering value; `undefined` for a delete without one, which always counts
 */
export function isNewer(older: AvroValue | undefined, newer: AvroValue | undefined): boolean {
  if (newer === undefined || newer === null || older === undefined || older === null) {
    return true;
  }
  return compareValues(newer, older) >= 0;
}
