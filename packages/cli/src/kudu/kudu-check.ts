/** `cfile kudu check`: everything in a server's directories. */
import { printable } from "@cfile/cell-text";
import { checkKuduDir } from "@cfile/kudu-dir";
import type { CheckedDir, DirProblem } from "@cfile/kudu-dir/check";
import { JOBS, JSON_OPTION, SERVER, TABLETS } from "../options/options.js";
import { command } from "../program/command.js";
import { problemText } from "../program/error-text.js";
import { EXIT } from "../program/exit-code.js";
import { counted, sizeText } from "../records/quantity.js";
import { withCheckers } from "./check/check-threads.js";
import { DIRS, selectedTablets, withKuduDir } from "./kudu-directory.js";

const MAX_LISTED = 1000;

export const check = command({
  about: "Checks block containers, tablet metadata, write-ahead logs and every file. Exit code 3 for damage.",
  args: { dirs: DIRS },
  options: { ...TABLETS, jobs: JOBS, json: JSON_OPTION, ...SERVER },
  examples: [
    ["Check a server", "cfile kudu check /data/1 /data/wal"],
    ["Check one table", "cfile kudu check backup --table t"],
  ],
  run: (context, { json, ...values }) =>
    withKuduDir(values, async (dir) => {
      const problems: DirProblem[] = [];
      const { signal } = context.io;
      const isAll = values.table === undefined && values.tablet === undefined;
      const tablets = isAll ? undefined : await selectedTablets(dir, values);
      const onProblem = (problem: DirProblem): void => {
        if (problems.length < MAX_LISTED) {
          problems.push(problem);
        }
      };
      const result = await withCheckers(dir, values, signal, (checkers) =>
        checkKuduDir(dir, { tablets, signal, checkers, onProblem }),
      );
      await context.stdout.line(
        json ? JSON.stringify(resultJson(result, problems), undefined, 2) : lines(result, problems),
      );
      context.exitCode = result.ok ? EXIT.ok : EXIT.corrupt;
    }),
});

function resultJson(result: CheckedDir, problems: readonly DirProblem[]): Readonly<Record<string, unknown>> {
  const { ok, problemCount, tablets, rowSets, liveRows, blocks, bytes, orphaned, orphanProblems, missing } =
    result;
  return {
    ok,
    tablets,
    row_sets: rowSets,
    live_rows: liveRows,
    blocks,
    bytes,
    orphaned_blocks: orphaned.map(String),
    orphan_problems: orphanProblems.map(problemJson),
    missing_blocks: missing.map(String),
    problem_count: problemCount,
    problems: problems.map(problemJson),
  };
}

function problemJson(problem: DirProblem): Readonly<Record<string, unknown>> {
  return {
    ...problem,
    rowSet: undefined,
    row_set: problem.rowSet === undefined ? undefined : String(problem.rowSet),
    timestamp: problem.timestamp === undefined ? undefined : String(problem.timestamp),
  };
}

function lines(result: CheckedDir, problems: readonly DirProblem[]): string {
  const { ok, problemCount, tablets, rowSets, blocks, bytes, orphaned, orphanProblems } = result;
  const found = problems.map((problem) => {
    const { table, tablet, rowSet } = problem;
    const part = rowSet === undefined ? "" : `, DiskRowSet ${rowSet}`;
    const where = tablet === undefined ? "" : `${printable(table ?? "")} ${tablet}${part}: `;
    return where + printable(problemText(problem));
  });
  const more =
    problemCount > problems.length ? [`… ${counted(problemCount - problems.length, "more problem")}`] : [];
  const damagedBlocks = new Set(orphanProblems.map(({ path }) => path)).size;
  const damaged = damagedBlocks === 0 ? "" : ` (${damagedBlocks} damaged or incomplete)`;
  const seen = [
    counted(tablets, "tablet"),
    counted(rowSets, "DiskRowSet"),
    `${counted(blocks, "block")} of ${sizeText(bytes)}`,
    ...(orphaned.length === 0 ? [] : [`${counted(orphaned.length, "orphaned block")}${damaged}`]),
  ].join(", ");
  return [...found, ...more, `${ok ? "ok" : counted(problemCount, "problem")}: ${seen}`].join("\n");
}
