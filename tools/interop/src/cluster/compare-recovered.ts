/** Compares the rows that cfile recovers from damaged replicas, and what their ledgers say, with what Kudu's client was answered. */
import { isCFileError } from "@cfile/bytes";
import { openKuduCluster } from "@cfile/kudu-dir";
import type { TabletLedger } from "@cfile/kudu-dir/recover";
import { rowTexts } from "../kudu/compare-rows.js";
import type { CheckResult } from "../report.js";
import type { ClusterTruth, TableTruth } from "./cluster-truth.js";

const MOST_FAILURES = 12;

/** @param detail what is damaged, for failures */
export async function compareRecovered(
  truth: ClusterTruth,
  roots: readonly string[],
  detail: string,
): Promise<CheckResult> {
  const failures: string[] = [];
  const counts = { "complete tablets": 0, "tablets with losses": 0 };
  let rows = 0;
  await using cluster = await openKuduCluster(roots);
  for (const table of truth.tables) {
    const opened = await cluster.table(table.name).catch((error: unknown) => {
      if (isCFileError(error)) {
        return undefined;
      }
      throw error;
    });
    const found = new Map<string, string>();
    let isWhole = opened !== undefined && opened.missing.length === 0;
    for (const tablet of opened?.tablets ?? []) {
      const ledgers: TabletLedger[] = [];
      const options = { columns: table.columns, withLog: true };
      const texts: string[] = [];
      for await (const batch of tablet.recover(
        options,
        () => undefined,
        (ledger) => ledgers.push(ledger),
      )) {
        texts.push(...rowTexts(batch, undefined));
      }
      const [ledger] = ledgers;
      const isComplete = ledger?.complete ?? false;
      isWhole &&= isComplete;
      counts[isComplete ? "complete tablets" : "tablets with losses"]++;
      // Rows of an earlier snapshot, or of an unknown one, may be out of date.
      for (const row of ledger?.snapshot === "requested" ? texts : []) {
        found.set(row.split("\t", table.keyCount).join("\t"), row);
      }
    }
    rows += found.size;
    failures.push(...differences(table, found, isWhole));
  }
  return {
    what: "flipped bytes, recovered",
    cases: counts["complete tablets"] + counts["tablets with losses"],
    rows,
    failures: failures.slice(0, MOST_FAILURES).map((text) => `${text}${detail}`),
    counts,
  };
}

function differences(
  table: TableTruth,
  found: ReadonlyMap<string, string>,
  isWhole: boolean,
): readonly string[] {
  return [...new Set([...Object.keys(table.allowed), ...found.keys()])].flatMap((key) => {
    const allowed = table.allowed[key] ?? [null];
    const row = found.get(key) ?? null;
    const isWrong = !allowed.includes(row) && (isWhole || row !== null);
    return isWrong
      ? [`table ${table.name}, recovered: expected ${JSON.stringify(allowed)}, found ${JSON.stringify(row)}`]
      : [];
  });
}
