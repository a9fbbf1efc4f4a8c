/** `cfile run-split`: a worker for splits. */
import { mkdir } from "node:fs/promises";
import type { Argv, CommandModule } from "yargs";
import { KUDU_FLAGS } from "../kudu/kudu-directory.js";
import type { CliContext } from "../program/context.js";
import { combineExitCodes, EXIT } from "../program/exit-code.js";
import { AllowedRoots } from "./allowed-roots.js";
import { inputLines } from "./input-lines.js";

interface RunSplitArguments {
  readonly output: string;
  readonly allowRoot?: readonly string[] | string | undefined;
  readonly recover?: boolean | undefined;
  readonly exitZero?: boolean | undefined;
  readonly serverKey?: string | undefined;
}

export function runSplitCommand(context: CliContext): CommandModule<object, RunSplitArguments> {
  return {
    command: "run-split",
    describe:
      "reads splits from standard input, writes each to a Parquet file, and tells of each in a line of JSON",
    builder: (yargs: Argv) =>
      yargs
        .option("output", {
          alias: "o",
          type: "string",
          requiresArg: true,
          demandOption: true,
          describe: "folder for the files part-ID.parquet; made when it is not there",
        })
        .option("allow-root", {
          type: "string",
          array: true,
          requiresArg: true,
          describe: "read only below this folder or URL; may be given again [default: everything]",
        })
        .option("recover", {
          type: "boolean",
          describe: "of what is damaged, write what is left, with an account",
        })
        .option("exit-zero", {
          type: "boolean",
          describe: "exit code 0 also when splits fail: the lines tell",
        })
        .option("server-key", KUDU_FLAGS["server-key"])
        .example("$0 run-split -o parts < splits.ndjson", "all splits, one after the other"),
    handler: async (args) => {
      const { output, recover = false, serverKey } = args;
      const given = [args.allowRoot ?? []].flat();
      const roots = given.length > 0 ? await AllowedRoots.of(given) : undefined;
      await mkdir(output, { recursive: true });
      const { SplitWorker } = await import("./split-worker.js");
      const worker = new SplitWorker(context, { output, roots, recover, serverKey });
      const codes: number[] = [];
      try {
        for await (const line of inputLines(context.io.stdin)) {
          context.io.signal?.throwIfAborted();
          const { json, exitCode } = await worker.run(line);
          codes.push(exitCode);
          await context.stdout.line(JSON.stringify(json));
          await context.stdout.flush();
        }
      } finally {
        await worker.close();
      }
      context.exitCode = args.exitZero === true ? EXIT.ok : combineExitCodes(codes);
    },
  };
}
