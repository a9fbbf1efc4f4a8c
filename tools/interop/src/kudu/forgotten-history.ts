/** History of which a server forgot some: what we read is what was there, or it is refused where it may be forgotten. */

import { isCFileError } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { KuduDir, KuduTablet } from "@cfile/kudu-dir";
import type { CheckResult } from "../report.js";
import type { ClientDiff, ClientSnapshot, TabletRows } from "./client-rows.js";
import { keyOfDeleted } from "./compare-answers.js";
import { firstDifference, problemsOf, rowTexts } from "./compare-rows.js";
import type { TableModel } from "./table-model.js";

/** What was there, as the client read it right after it was written. */
export interface Truth {
  readonly table: TableModel;
  readonly snapshots: ClientSnapshot[];
  /** What a write changed, each. */
  readonly diffs: ClientDiff[];
  /** By their place among these, what the client read last, of the files that are left; those that the server refused are not there. */
  readonly lastDiffs: Map<number, ClientDiff>;
}

interface Question {
  readonly what: string;
  /** The time before which nothing must have been forgotten, and its name in an error. */
  readonly from: bigint;
  readonly field: "asOf" | "from";
  readonly rows: TabletRows;
  /** What the client read last, when it could. */
  readonly last?: TabletRows | undefined;
  /** What of a row is the same whenever it is asked. */
  readonly sure: (row: string) => string;
  ask(
    tablet: KuduTablet,
    options: { readonly withLog: true; readonly partialHistory: boolean },
  ): AsyncIterable<TableBatch & { readonly deleted?: Uint8Array }>;
}

/**
 * @param alive by table, the tablets that are left
 * @param knownFrom by table, from when on history must be there
 */
export async function compareHistory(
  dir: KuduDir,
  truths: readonly Truth[],
  alive: ReadonlyMap<string, TabletRows>,
  knownFrom: (table: string) => bigint,
): Promise<CheckResult> {
  const failures: string[] = [];
  const counts = {
    "refused because it may be forgotten": 0,
    "of these forgotten indeed": 0,
    "compared again with what Kudu told last": 0,
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
          counts["compared again with what Kudu told last"] += last === undefined ? 0 : 1;
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
          counts["refused because it may be forgotten"]++;
          const left = await answerOf(tablet, question, true);
          const isLeft = firstDifference(wanted.map(question.sure), left.map(question.sure)) === undefined;
          counts["of these forgotten indeed"] += isLeft ? 0 : 1;
        }
      }
    }
  }
  failures.push(...(await problemsOf(dir)).map((problem) => `check: ${problem}`));
  return {
    what: "history that Kudu may have forgotten: the same, or refused",
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
