/** Reports what recovery could not read. */
import { printable } from "@cfile/cell-text";
import type { FileLoss } from "@cfile/hbase";
import type { CliContext } from "../program/context.js";
import { EXIT } from "../program/exit-code.js";
import { counted } from "../records/quantity.js";

/** Lists losses on stderr, and sets exit code 3 if there are any. */
export async function reportLosses(context: CliContext, losses: readonly FileLoss[]): Promise<void> {
  for (const loss of losses) {
    await context.stderr.line(lossLines(loss).join("\n"));
  }
  if (losses.length > 0) {
    context.exitCode = EXIT.corrupt;
  }
}

function lossLines({ region, family, path, state, problem, lost }: FileLoss): string[] {
  const what = state === "missing" ? "missing" : `${counted(lost.length, "part")} lost`;
  const why = problem === undefined ? "" : `: ${problem.code} ${problem.reason}`;
  return [
    printable(`cfile: region ${region}, family ${family}, ${path}: ${what}${why}`),
    ...lost.map(({ kind, offset, size, code, reason }) =>
      printable(`  lost: ${kind ?? "bytes"} at ${offset} (${size} bytes): ${code} ${reason}`),
    ),
  ];
}
