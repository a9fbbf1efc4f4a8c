/** `cfile verify`: everything that can be wrong with a file. */
import { isCFileError } from "@cfile/bytes";
import type { VerifyReport } from "cfile";
import type { Argv, CommandModule } from "yargs";
import type { CliContext } from "../context.js";
import { EXIT, exitCodeOf } from "../exit-code.js";
import { COLOR_FLAG, FILES, JSON_FLAG } from "../options.js";
import { printable } from "../printable.js";
import { problemText } from "../problem-text.js";
import { startProgress } from "../progress.js";
import { counted } from "../quantity.js";
import { makeStyle } from "../styles.js";

interface VerifyArguments {
  readonly files: string[];
  readonly json: boolean | undefined;
  readonly color: boolean | undefined;
}

type Findings = Pick<VerifyReport, "ok" | "problems"> & Partial<VerifyReport>;

export function verifyCommand(context: CliContext): CommandModule<object, VerifyArguments> {
  return {
    command: "verify <files..>",
    describe: "check structure, checksums, counts, order and codes; exit code 3 for a damaged file",
    builder: (yargs: Argv) =>
      yargs
        .positional("files", FILES)
        .option("json", JSON_FLAG)
        .option("color", COLOR_FLAG)
        .example("$0 verify *.cfile", "one line for each sound file; what is wrong and where for the others"),
    handler: async ({ files, json, color }) => {
      const style = makeStyle(context.io, color);
      await context.forEachPath(files, async (path) => {
        const findings = await verifyPath(context, path);
        if (json) {
          await context.stdout.line(JSON.stringify({ path, ...findings }));
        } else {
          const verdict = findings.ok ? style("green", "ok") : style("red", "damaged");
          await context.stdout.line(`${printable(path)}: ${verdict}, ${summary(findings)}`);
          for (const problem of findings.problems) {
            await context.stdout.line(`  ${printable(problemText(problem))}`);
          }
        }
        return findings.ok ? EXIT.ok : EXIT.corrupt;
      });
    },
  };
}

/** A file that cannot even be opened because of what is in it has one problem; other failures go on up. */
async function verifyPath(context: CliContext, path: string): Promise<Findings> {
  try {
    return await context.withFile(path, async (file) => {
      const progress = startProgress(context.io, path, 1);
      try {
        return await file.verify({
          signal: context.io.signal,
          onProgress: ({ blocks, blocksTotal }) => progress.update(blocks / blocksTotal),
        });
      } finally {
        progress.stop();
      }
    });
  } catch (error) {
    if (!isCFileError(error) || exitCodeOf(error) !== EXIT.corrupt) {
      throw error;
    }
    const { code, reason, offset, block, field, expected, actual } = error;
    return { ok: false, problems: [{ code, reason, offset, block, field, expected, actual }] };
  }
}

function summary({ ok, kind, problems, rows, dataBlocks, indexBlocks, checksums }: Findings): string {
  if (!ok) {
    return counted(problems.length, "problem");
  }
  const blocks = `${counted(dataBlocks ?? 0, "data block")}, ${counted(indexBlocks ?? 0, "index block")}`;
  const what =
    kind === "bloom" ? "Bloom file" : `${kind === "delta" ? "delta file, " : ""}${counted(rows ?? 0, "row")}`;
  return `${what}, ${blocks}${checksums ? "" : ", no checksums"}`;
}
