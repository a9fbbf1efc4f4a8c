/** `cfile verify`: checks files and table stores for damage. */
import { printable } from "@cfile/cell-text";
import type { DeltaKind } from "@cfile/deltafile";
import type { Findings } from "../files/findings.js";
import { verifyPath } from "../files/verify-path.js";
import { COLOR, JSON_OPTION, PATHS } from "../options/options.js";
import { command } from "../program/command.js";
import type { CliContext } from "../program/context.js";
import { EXIT } from "../program/exit-code.js";
import { choice } from "../program/option.js";
import { problemText } from "../program/output/error-text.js";
import { startProgress } from "../program/output/progress.js";
import { makeStyle, type Style } from "../program/output/styles.js";
import { counted } from "../records/quantity.js";

export const verify = command({
  about:
    "Checks structure, checksums, counts, order and dictionary codes, and reads every value. Also accepts Parquet files. Exit code 3 when a file is damaged.",
  args: { files: PATHS },
  options: {
    kind: choice("kind of delta files; also checks the order of their timestamps and changes", [
      "redo",
      "undo",
    ]),
    json: JSON_OPTION,
    color: COLOR,
  },
  examples: [
    ["Check several files", "cfile verify *.cfile"],
    ["Check a delta file and the order of its changes", "cfile verify --kind redo delta.cfile"],
    ["Check each file of a table store, and that they agree", "cfile verify table/"],
  ],
  run: (context, { files, kind, json, color }) =>
    verifyPaths(context, files, { kind, json, style: makeStyle(context.io, color) }),
});

export interface VerifyOutput {
  readonly kind?: DeltaKind | undefined;
  readonly json: boolean;
  readonly style: Style;
  /** Whether the paths must be tables. */
  readonly isTable?: boolean | undefined;
}

/** Checks one path after the other and prints the findings. */
export function verifyPaths(
  context: CliContext,
  paths: readonly string[],
  { kind, json, style, isTable = false }: VerifyOutput,
): Promise<void> {
  const { io, stdout } = context;
  return context.forEachPath(paths, async (path) => {
    const progress = startProgress(io, path, 1);
    const { signal } = io;
    const settings = { kind, isTable, signal, onProgress: progress.update };
    const findings = await verifyPath(context, path, settings).finally(progress.stop);
    await stdout.line(json ? findingsJson(path, findings) : findingsLines(path, findings, style).join("\n"));
    return findings.ok ? EXIT.ok : EXIT.corrupt;
  });
}

function findingsJson(path: string, { summary: _, facts, ...findings }: Findings): string {
  // Timestamps exceed what a JSON number holds.
  return JSON.stringify({ path, ...findings, ...facts }, (_key, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
}

function findingsLines(path: string, findings: Findings, style: Style): string[] {
  const { ok, problems, problemCount = problems.length, warnings = [], summary } = findings;
  const verdict = ok ? style("green", "ok") : style("red", "damaged");
  const more = problemCount - problems.length;
  return [
    `${printable(path)}: ${verdict}, ${ok ? summary : counted(problemCount, "problem")}`,
    ...problems.map((problem) => `  ${printable(problemText(problem))}`),
    ...(more > 0 ? [`  ${counted(more, "more problem")}`] : []),
    ...warnings.map((warning) => `  ${style("yellow", "warning")}: ${printable(problemText(warning))}`),
  ];
}
