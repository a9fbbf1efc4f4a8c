/** `cfile kudu check`: checks everything in the directories of one server or several. */
import { printable } from "@cfile/cell-text";
import { checkKuduDir, type KuduTablet } from "@cfile/kudu-dir";
import type { CheckedDir, DirProblem } from "@cfile/kudu-dir/check";
import { JOBS, JSON_OPTION, TABLETS } from "../options/options.js";
import { command } from "../program/command.js";
import type { CliContext } from "../program/context.js";
import { EXIT } from "../program/exit-code.js";
import { problemText } from "../program/output/error-text.js";
import { counted, sizeText } from "../records/quantity.js";
import { type CheckSettings, withCheckers } from "./check/check-threads.js";
import { CLUSTER_DIRS } from "./cluster/cluster-directories.js";
import { type NamedServer, SERVERS, tabletsOnServers, withKuduServers } from "./kudu-servers.js";

const MAX_LISTED = 1000;

export const check = command({
  about:
    "Checks block containers, tablet metadata, Raft configurations, write-ahead logs, the catalog of a master, and every file. Exit code 3 for damage.",
  args: { dirs: CLUSTER_DIRS },
  options: { ...TABLETS, jobs: JOBS, json: JSON_OPTION, ...SERVERS },
  examples: [
    ["Check a server", "cfile kudu check /data/1 /data/wal"],
    ["Check the servers of a cluster, each by itself", "cfile kudu check /backup/master /backup/ts*"],
    ["Check one table", "cfile kudu check backup --table t"],
  ],
  run: (context, { json, ...values }) =>
    withKuduServers(values, async (servers) => {
      const isAll = values.table === undefined && values.tablet === undefined;
      const selected = isAll ? [] : await tabletsOnServers(servers, values);
      const checked: CheckedServer[] = [];
      for (const server of servers) {
        const tablets = selected.filter(({ dir }) => dir === server.dir).map(({ tablet }) => tablet);
        if (isAll || tablets.length > 0) {
          checked.push(await checkServer(context, server, isAll ? undefined : tablets, values));
        }
      }
      const ok = checked.every(({ result }) => result.ok);
      const [only] = checked;
      const asJson =
        only?.name === undefined ? only && resultJson(only) : { ok, servers: checked.map(resultJson) };
      await context.stdout.line(
        json ? JSON.stringify(asJson, undefined, 2) : checked.flatMap(lines).join("\n"),
      );
      context.exitCode = ok ? EXIT.ok : EXIT.corrupt;
    }),
});

interface CheckedServer {
  /** `undefined` if the directories are those of one server. */
  readonly name: string | undefined;
  readonly result: CheckedDir;
  readonly problems: readonly DirProblem[];
}

/** @param tablets default: all */
async function checkServer(
  { io: { signal } }: CliContext,
  { dir, name }: NamedServer,
  tablets: readonly KuduTablet[] | undefined,
  settings: CheckSettings,
): Promise<CheckedServer> {
  const problems: DirProblem[] = [];
  const onProblem = (problem: DirProblem): void => {
    if (problems.length < MAX_LISTED) {
      problems.push(problem);
    }
  };
  const result = await withCheckers(dir, settings, signal, (checkers) =>
    checkKuduDir(dir, { tablets, signal, checkers, onProblem }),
  );
  return { name, result, problems };
}

function resultJson({ name, result, problems }: CheckedServer): Readonly<Record<string, unknown>> {
  const { ok, problemCount, tablets, rowSets, liveRows, blocks, bytes } = result;
  const { orphaned, orphanProblems, missing, tornLogs } = result;
  return {
    server: name,
    ok,
    tablets,
    row_sets: rowSets,
    live_rows: liveRows,
    blocks,
    bytes,
    orphaned_blocks: orphaned.map(String),
    orphan_problems: orphanProblems.map(problemJson),
    missing_blocks: missing.map(String),
    torn_logs: tornLogs.map(problemJson),
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

function lines({ name, result, problems }: CheckedServer): string[] {
  const { ok, problemCount, tablets, rowSets, blocks, bytes, orphaned, orphanProblems, tornLogs } = result;
  const found = problems.map(problemLine);
  const torn = tornLogs.map(
    (log) => `note: the log ends within an entry, whose writes are missing: ${problemLine(log)}`,
  );
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
  const end = `${ok ? "ok" : counted(problemCount, "problem")}: ${seen}`;
  return name === undefined
    ? [...found, ...more, ...torn, end]
    : [`server ${name}`, ...[...found, ...more, ...torn, end].map((line) => `  ${line}`)];
}

function problemLine(problem: DirProblem): string {
  const { table, tablet, rowSet } = problem;
  const part = rowSet === undefined ? "" : `, DiskRowSet ${rowSet}`;
  const where = tablet === undefined ? "" : `${printable(table ?? "")} ${tablet}${part}: `;
  return where + printable(problemText(problem));
}
