/** `cfile kudu check`: everything in a server's directories. */
import { printable } from "@cfile/cell-text";
import { checkKuduDir } from "@cfile/kudu-dir";
import type { CheckedDir, DirProblem } from "@cfile/kudu-dir/check";
import type { Argv, CommandModule } from "yargs";
import { JOBS_FLAG } from "../options/jobs.js";
import { JSON_FLAG } from "../options/options.js";
import type { CliContext } from "../program/context.js";
import { EXIT } from "../program/exit-code.js";
import { problemText } from "../program/problem-text.js";
import { counted, sizeText } from "../records/quantity.js";
import { withCheckers } from "./check/check-threads.js";
import {
  chosenTablets,
  DIRS,
  KUDU_FLAGS,
  TABLET_FLAGS,
  type TabletArguments,
  withKuduDir,
} from "./kudu-directory.js";

interface CheckArguments extends TabletArguments {
  readonly json: boolean | undefined;
  readonly jobs: string | undefined;
}

const MOST_LISTED = 1000;

export function checkCommand(context: CliContext): CommandModule<object, CheckArguments> {
  return {
    command: "check <dirs..>",
    describe: "check containers, superblocks and every file of every row set",
    builder: (yargs: Argv) =>
      yargs
        .positional("dirs", DIRS)
        .options(TABLET_FLAGS)
        .option("jobs", JOBS_FLAG)
        .option("json", JSON_FLAG)
        .options(KUDU_FLAGS)
        .example("$0 kudu check /data/1 /data/wal", "is everything sound"),
    handler: async (args) => {
      await withKuduDir(args, async (dir) => {
        const problems: DirProblem[] = [];
        const chosen = args.table !== undefined || args.tablet !== undefined;
        const { signal } = context.io;
        const tablets = chosen ? await chosenTablets(dir, args) : undefined;
        const result = await withCheckers(dir, args, signal, (checkers) =>
          checkKuduDir(dir, {
            tablets,
            signal,
            checkers,
            onProblem: (problem) => {
              if (problems.length < MOST_LISTED) {
                problems.push(problem);
              }
            },
          }),
        );
        await context.stdout.line(
          args.json ? JSON.stringify(resultJson(result, problems), undefined, 2) : lines(result, problems),
        );
        context.exitCode = result.ok ? EXIT.ok : EXIT.corrupt;
      });
    },
  };
}

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
    const part = rowSet === undefined ? "" : `, row set ${rowSet}`;
    const place = tablet === undefined ? "" : `${printable(table ?? "")} ${tablet}${part}: `;
    return place + printable(problemText(problem));
  });
  const more =
    problemCount > problems.length ? [`… ${counted(problemCount - problems.length, "problem")} more`] : [];
  const damagedBlocks = new Set(orphanProblems.map(({ path }) => path)).size;
  const damaged = damagedBlocks === 0 ? "" : ` (${damagedBlocks} damaged or not finished)`;
  const seen = [
    counted(tablets, "tablet"),
    counted(rowSets, "row set"),
    `${counted(blocks, "block")} of ${sizeText(bytes)}`,
    ...(orphaned.length === 0 ? [] : [`${counted(orphaned.length, "block")} that no tablet names${damaged}`]),
  ].join(", ");
  return [...found, ...more, `${ok ? "ok" : counted(problemCount, "problem")}: ${seen}`].join("\n");
}
