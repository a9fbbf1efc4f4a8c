/** All versions of a row that base data and changes tell. */
import { LATEST_TIMESTAMP } from "@cfile/deltafile";
import type { CellOptions, CellValue } from "@cfile/encodings";
import type { BlockReadOptions } from "@cfile/format";
import { baseCell } from "../read/row-look-up.js";
import type { RowSetParts } from "../read/row-set-parts.js";
import { columnsNamed } from "../schema/named-columns.js";
import { RowTimeline } from "./row-timeline.js";

/** Which columns a row's versions have, and what JavaScript values their cells become. */
export interface HistoryOptions extends BlockReadOptions, CellOptions {
  /** Names of the columns wanted, in this order. Default: all of the schema. */
  readonly columns?: readonly string[] | undefined;
}

/** The state of a row from one change on. */
export interface RowVersion {
  /** When it came to be; `undefined` for what was there before the oldest change that is known. */
  readonly timestamp: bigint | undefined;
  readonly deleted: boolean;
  readonly names: readonly string[];
  /** The row's cells; of a deleted row none. */
  readonly cells: readonly CellValue[];
}

/**
 * Oldest first, one for each time at which something of the row changed, be it in a column that is not wanted. States in which it is
 * not there are told only after one in which it is.
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
  const versions: RowVersion[] = [];
  let wasAlive = false;
  const addVersion = (timestamp: bigint | undefined, asOf: bigint): void => {
    const alive = timeline.isAlive(asOf);
    if (alive) {
      const cells = columns.map((column, i) => {
        const cell = timeline.cell(column, asOf, options);
        return cell === undefined ? (base[i] ?? null) : cell;
      });
      versions.push({ timestamp, deleted: false, names, cells });
    } else if (wasAlive) {
      versions.push({ timestamp, deleted: true, names, cells: [] });
    }
    wasAlive = alive;
  };
  addVersion(undefined, timeline.timestamps[0] ?? 0n);
  for (const timestamp of timeline.timestamps) {
    // What was written at the largest timestamp is in no snapshot.
    if (timestamp < LATEST_TIMESTAMP) {
      addVersion(timestamp, timestamp + 1n);
    }
  }
  return versions;
}

/** The version that there is at a time, unless the row is deleted, and all later ones. */
export function versionsSince(versions: readonly RowVersion[], start: bigint): RowVersion[] {
  const at = versions.findLastIndex(({ timestamp }) => (timestamp ?? -1n) < start);
  return versions.slice(versions[at]?.deleted === false ? at : at + 1);
}
