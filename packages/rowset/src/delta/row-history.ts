/** All known versions of a row. */
import { LATEST_TIMESTAMP } from "@cfile/deltafile";
import type { CellOptions, CellValue } from "@cfile/encodings";
import type { BlockReadOptions } from "@cfile/format";
import { baseCell } from "../read/row-lookup.js";
import type { RowSetParts } from "../read/row-set-parts.js";
import { columnsNamed } from "../schema/schema.js";
import { RowTimeline } from "./row-timeline.js";

/** Which columns the versions of a row have, and which JavaScript values their cells become. */
export interface HistoryOptions extends BlockReadOptions, CellOptions {
  /** Names of columns, in this order. Default: all columns of the schema. */
  readonly columns?: readonly string[] | undefined;
}

/** The state of a row from one change to the next. */
export interface RowVersion {
  /** When this version was written; `undefined` for the version before the oldest known change. */
  readonly timestamp: bigint | undefined;
  readonly deleted: boolean;
  readonly names: readonly string[];
  /** One cell per name; none for a deleted row. */
  readonly cells: readonly CellValue[];
}

/**
 * Oldest first, one version per timestamp at which any column of the row changed, including columns that are not requested. Deletions
 * are listed only after a live version.
 */
export async function rowHistory(
  parts: RowSetParts,
  row: number,
  options: HistoryOptions,
): Promise<RowVersion[]> {
  const columns = columnsNamed(parts.schema, options.columns);
  const names = columns.map(({ name }) => name);
  const timeline = await RowTimeline.read(parts, row, columns, options);
  const base = await Promise.all(columns.map((column) => baseCell(parts, column, row, options)));
  const { timestamps } = timeline;
  const versions: RowVersion[] = [];
  const addVersion = (timestamp: bigint | undefined, asOf: bigint): void => {
    if (timeline.isLive(asOf)) {
      const cells = columns.map((column, i) => {
        const cell = timeline.cell(column, asOf, options);
        return cell === undefined ? (base[i] ?? null) : cell;
      });
      versions.push({ timestamp, deleted: false, names, cells });
    } else if (versions.at(-1)?.deleted === false) {
      versions.push({ timestamp, deleted: true, names, cells: [] });
    }
  };
  addVersion(undefined, timestamps[0] ?? 0n);
  for (const timestamp of timestamps) {
    // No snapshot contains writes at the largest timestamp.
    if (timestamp < LATEST_TIMESTAMP) {
      addVersion(timestamp, timestamp + 1n);
    }
  }
  return versions;
}

/** The version in effect at `start`, unless it is a deletion, and all later ones. */
export function versionsSince(versions: readonly RowVersion[], start: bigint): RowVersion[] {
  const at = versions.findLastIndex(({ timestamp }) => (timestamp ?? -1n) < start);
  return versions.slice(versions[at]?.deleted === false ? at : at + 1);
}
