/**
 * Compares the rows that Kudu's client read before and after a flush. They must be equal, except for cells of
 * deleted rows that came back later.
 */
import type { CheckResult } from "../../report.js";
import type { TableModel } from "../table-model.js";
import type { ClientTable, TabletRows } from "./client-rows.js";
import { firstDifference } from "./compare-rows.js";

const OTHERWISE = "deleted rows with other cells after it";

export function compareAnswers(
  before: readonly ClientTable[],
  after: readonly ClientTable[],
  models: readonly TableModel[],
): CheckResult {
  const failures: string[] = [];
  let cases = 0;
  let rows = 0;
  let otherwise = 0;
  const compare = (
    what: string,
    earlier: TabletRows,
    later: TabletRows | undefined,
    sure: (row: string) => string,
  ): void => {
    for (const [id, wanted] of earlier) {
      cases++;
      rows += wanted.length;
      const found = later?.get(id) ?? [];
      const difference = firstDifference(wanted.map(sure), found.map(sure));
      if (difference !== undefined) {
        failures.push(`${what}, tablet ${id}: ${difference}`);
      } else {
        otherwise += wanted.filter((row, i) => row !== found[i]).length;
      }
    }
  };
  for (const [i, { name, snapshots, diffs }] of before.entries()) {
    for (const [n, { timestamp, rows: earlier }] of snapshots.entries()) {
      compare(`table ${name}, asOf ${timestamp}`, earlier, after[i]?.snapshots[n]?.rows, (row) => row);
    }
    const sure = keyOfDeleted(models[i]?.keyCount ?? 0);
    for (const [n, { from, to, rows: earlier }] of diffs.entries()) {
      compare(`table ${name}, diff ${from} ${to}`, earlier, after[i]?.diffs[n]?.rows, sure);
    }
  }
  return {
    what: "Kudu returns the same before and after a flush",
    cases,
    rows,
    failures,
    counts: { [OTHERWISE]: otherwise },
  };
}

/** The cells of a row in a diff that do not depend on the time of the request: for a deleted row, its key. */
export function keyOfDeleted(keyCount: number): (row: string) => string {
  return (row) => (row.endsWith("\t1") ? row.split("\t", keyCount).join("\t") : row);
}
