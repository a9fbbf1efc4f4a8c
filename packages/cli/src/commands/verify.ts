/** `cfile verify`: everything that can be wrong with a file or a row set. */
import { printable } from "@cfile/cell-text";
import type { DeltaKind } from "@cfile/deltafile";
import type { Argv, CommandModule } from "yargs";
import { type Findings, verifyPath } from "../files/verify-path.js";
import { COLOR_FLAG, JSON_FLAG, PATHS } from "../options/options.js";
import type { CliContext } from "../program/context.js";
import { EXIT } from "../program/exit-code.js";
import { problemText } from "../program/problem-text.js";
import { startProgress } from "../program/progress.js";
import { makeStyle, type Style } from "../program/styles.js";
import { counted } from "../records/quantity.js";

interface VerifyArguments {
  readonly files: string[];
  readonly kind: DeltaKind | undefined;
  readonly json: boolean | undefined;
  readonly color: boolean | undefined;
}

export function verifyCommand(context: CliContext): CommandModule<object, VerifyArguments> {
  return {
    command: "verify <files..>",
    describe: "check structure, checksums, counts, order and codes; exit code 3 for damage",
    builder: (yargs: Argv) =>
      yargs
        .positional("files", PATHS)
        .option("kind", {
          choices: ["redo", "undo"] as const,
          requiresArg: true,
          describe: "of delta files: the order of their timestamps and changes is checked too",
        })
        .option("json", JSON_FLAG)
        .option("color", COLOR_FLAG)
        .example("$0 verify *.cfile", "one line for each sound file; what is wrong and where for the others")
        .example("$0 verify --kind redo d.cfile", "a delta file")
        .example("$0 verify table/", "a row set: each file, and all of them together"),
    handler: ({ files, kind, json, color }) =>
      verifyPaths(context, files, { kind, json: json ?? false, style: makeStyle(context.io, color) }),
  };
}

export interface VerifyOutput {
  readonly kind?: DeltaKind | undefined;
  readonly json: boolean;
  readonly style: Style;
  /** Whether the paths are those of row sets. */
  readonly isRowSet?: boolean | undefined;
}

/** Checks one path after the other and tells what is wrong. */
export function verifyPaths(
  context: CliContext,
  paths: readonly string[],
  { kind, json, style, isRowSet = false }: VerifyOutput,
): Promise<void> {
  const { io, stdout } = context;
  return context.forEachPath(paths, async (path) => {
    const progress = startProgress(io, path, 1);
    let findings: Findings;
    try {
      findings = await verifyPath(context, path, {
        kind,
        isRowSet,
        signal: io.signal,
        onProgress: (part) => progress.update(part),
      });
    } finally {
      progress.stop();
    }
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
  return [
    `${printable(path)}: ${verdict}, ${ok ? summary : counted(problemCount, "problem")}`,
    ...problems.map((problem) => `  ${printable(problemText(problem))}`),
    ...(problemCount > problems.length
      ? [`  ${counted(problemCount - problems.length, "more problem")}`]
      : []),
    ...warnings.map((warning) => `  ${style("yellow", "warning")}: ${printable(problemText(warning))}`),
  ];
}
