/**
 * Checks snapshots of a server that discarded some history: cfile must return the original rows, or reject
 * snapshots whose history may be gone.
 */

import { isCFileError } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { KuduDir, KuduTablet } from "@cfile/kudu-dir";
import type { CheckResult } from "../../report.js";
import type { ClientDiff, ClientSnapshot, TabletRows } from "../compare/client-rows.js";
import { keyOfDeleted } from "../compare/compare-answers.js";
import { firstDifference, problemsOf, rowTexts } from "../compare/compare-rows.js";
import type { TableModel } from "../table-model.js";

/** The rows that the client read right after they were written. */
export interface Truth {
  readonly table: TableModel;
  readonly snapshots: ClientSnapshot[];
  /** The changes of each write. */
  readonly diffs: ClientDiff[];
  /**
   * By index in these lists, the last answer of the client for the remaining files. Requests that the server
   * rejected are missing.
   */
  readonly lastDiffs: Map<number, ClientDiff>;
}

interface Question {
  readonly what: string;
  /** The time after which no history may be missing, and its name in an error. */
  readonly from: bigint;
  readonly field: "asOf" | "from";
  readonly rows: TabletRows;
  /** The last answer of the client, if there is one. */
  readonly last?: TabletRows | undefined;
  /** The cells of a row that do not depend on the time of the request. */
  readonly sure: (row: string) => string;
  ask(
    tablet: KuduTablet,
    options: { readonly withLog: true; readonly partialHistory: boolean },
  ): AsyncIterable<TableBatch & { readonly deleted?: Uint8Array }>;
}

/**
 * @param alive by table, the remaining tablets
 * @param knownFrom by table, the time from which history must exist
 */
export async function compareHistory(
  dir: KuduDir,
  truths: readonly Truth[],
  alive: ReadonlyMap<string, TabletRows>,
  knownFrom: (table: string) => bigint,
): Promise<CheckResult> {
  const failures: string[] = [];
  const counts = {
    "rejected because history may be gone": 0,
    "of these, history actually gone": 0,
    "compared again with Kudu's last answer": 0,
  };
  let cases = 0;
  let rows = 0;
  for (const truth of truths) {
    const { name } = truth.table;
    for (const question of questionsOf(truth)) {
      for (const [id, wanted] of question.rows) {
        if (!alive.get(name)?.has(id)) {
          continue;
        }
        cases++;
        rows += wanted.length;
        const place = `table ${name}, tablet ${id}, ${question.what}`;
        const tablet = await dir.tablet(id);
        try {
          const answer = await answerOf(tablet, question, false);
          const last = question.last?.get(id);
          counts["compared again with Kudu's last answer"] += last === undefined ? 0 : 1;
          const difference =
            firstDifference(wanted.map(question.sure), answer.map(question.sure)) ??
            (last && firstDifference(last, answer));
          if (difference !== undefined) {
            failures.push(`${place}: ${difference}`);
          }
        } catch (error) {
          const isRefusal =
            isCFileError(error) && error.code === "E_HISTORY_GONE" && error.field === question.field;
          if (!isRefusal || question.from >= knownFrom(name)) {
            failures.push(`${place}: ${String(error)}`);
            continue;
          }
          counts["rejected because history may be gone"]++;
          const left = await answerOf(tablet, question, true);
          const isLeft = firstDifference(wanted.map(question.sure), left.map(question.sure)) === undefined;
          counts["of these, history actually gone"] += isLeft ? 0 : 1;
        }
      }
    }
  }
  failures.push(...(await problemsOf(dir)).map((problem) => `check: ${problem}`));
  return {
    what: "history that Kudu may have discarded: the same, or rejected",
    cases,
    rows,
    failures,
    counts,
  };
}

function questionsOf({ table, snapshots, diffs, lastDiffs }: Truth): Question[] {
  const sureOfChanges = keyOfDeleted(table.keyCount);
  return [
    ...snapshots.map(
      ({ timestamp, rows }): Question => ({
        what: `asOf ${timestamp}`,
        from: timestamp,
        field: "asOf",
        rows,
        sure: (row) => row,
        ask: (tablet, options) => tablet.scan({ ...options, asOf: timestamp }),
      }),
    ),
    ...diffs.map(
      ({ from, to, rows }, i): Question => ({
        what: `diff ${from} ${to}`,
        from,
        field: "from",
        rows,
        last: lastDiffs.get(i)?.rows,
        sure: sureOfChanges,
        ask: (tablet, options) => tablet.diff(from, to, options),
      }),
    ),
  ];
}

async function answerOf(tablet: KuduTablet, question: Question, partialHistory: boolean): Promise<string[]> {
  const rows: string[] = [];
  for await (const batch of question.ask(tablet, { withLog: true, partialHistory })) {
    rows.push(...rowTexts(batch, batch.deleted));
  }
  return rows;
}
