/** `cfile hudi verify`: checks all files of a table. */
import type { CFileError } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import { JSON_OPTION } from "../options/options.js";
import { command } from "../program/command.js";
import { EXIT } from "../program/exit-code.js";
import { flag } from "../program/option.js";
import { problemText } from "../program/output/error-text.js";
import { startProgress } from "../program/output/progress.js";
import { counted, sizeText } from "../records/quantity.js";
import { HUDI_TABLE, withHudiTable } from "./hudi-table.js";

const MAX_LISTED = 1000;

export const verify = command({
  about:
    "Checks every page and block, that storage has all files that timeline and metadata table name, and that the metadata table lists what storage has. Exit code 3 for damage.",
  args: { table: HUDI_TABLE },
  options: {
    deep: flag("also compare all rows with the record index and the column statistics"),
    json: JSON_OPTION,
  },
  examples: [["Check a table and its indexes", "cfile hudi verify trips --deep"]],
  run: (context, { table: path, deep, json }) =>
    withHudiTable(path, async (table) => {
      const { verifyTable } = await import("@cfile/hudi");
      const { io, stdout } = context;
      const problems: CFileError[] = [];
      const progress = startProgress(io, path, 1);
      const report = await verifyTable(table, {
        deep,
        signal: io.signal,
        onProgress: ({ done, total }) => progress.update(done / total),
        onProblem: (problem) => problems.length < MAX_LISTED && problems.push(problem),
      }).finally(progress.stop);
      const { ok, problemCount, files, bytes, rows, unnamed, unread } = report;
      context.exitCode = ok ? EXIT.ok : EXIT.corrupt;
      if (json) {
        const listed = problems.map((problem) => ({
          ...problem.toJSON(),
          name: undefined,
          reason: problem.reason,
        }));
        return stdout.line(
          JSON.stringify({
            path,
            ok,
            problem_count: problemCount,
            files,
            bytes,
            rows,
            unnamed,
            unread,
            problems: listed,
          }),
        );
      }
      const checked = [
        counted(files, "file"),
        sizeText(bytes),
        ...(deep ? [counted(rows, "row")] : []),
        ...(unread > 0 ? [`${counted(unread, "file")} of incomplete writes not read`] : []),
      ].join(", ");
      await stdout.line(
        `${printable(path)}: ${ok ? "ok" : `damaged, ${counted(problemCount, "problem")}`}, ${checked}`,
      );
      for (const problem of problems) {
        await stdout.line(
          `  ${printable(problem.path ?? "")} ${printable(problemText({ ...problem, path: undefined }))}`,
        );
      }
      for (const name of unnamed) {
        await stdout.line(`  not named by any completed write: ${printable(name)}`);
      }
    }),
});
