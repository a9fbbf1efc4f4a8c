/** `cfile inspect`: what a file or a row set is made of. */
import type { Argv, CommandModule } from "yargs";
import { pathJson, pathReport } from "../files/inspect-path.js";
import { blockCount } from "../options/option-values.js";
import { BLOCKS_OPTION, COLOR_FLAG, JSON_FLAG, PATHS } from "../options/options.js";
import type { CliContext } from "../program/context.js";
import { EXIT } from "../program/exit-code.js";
import { widthOf } from "../program/io.js";
import { makeStyle } from "../program/styles.js";

interface InspectArguments {
  readonly files: string[];
  readonly json: boolean | undefined;
  readonly color: boolean | undefined;
  readonly blocks: string;
}

export function inspectCommand(context: CliContext): CommandModule<object, InspectArguments> {
  return {
    command: "inspect <files..>",
    describe: "header, footer, metadata, blocks, indexes, sizes and a picture of the layout",
    builder: (yargs: Argv) =>
      yargs
        .positional("files", PATHS)
        .option("json", JSON_FLAG)
        .option("color", COLOR_FLAG)
        .option("blocks", BLOCKS_OPTION)
        .example("$0 inspect c.cfile", "for people")
        .example("$0 inspect table/", "a row set: columns, files, keys, times")
        .example(
          "$0 inspect c.cfile --json",
          "one object; an array of objects with a path for several files",
        ),
    handler: async ({ files, json, color, blocks }) => {
      if (json) {
        await inspectJson(context, files);
        return;
      }
      const mostBlocks = blockCount("--blocks", blocks);
      const style = makeStyle(context.io, color);
      let isFirst = true;
      await context.forEachPath(files, async (path) => {
        const lines = await pathReport(context, path, {
          style,
          width: widthOf(context.io),
          mostBlocks,
          signal: context.io.signal,
        });
        await context.stdout.write(`${isFirst ? "" : "\n"}${lines.join("\n")}\n`);
        isFirst = false;
        return EXIT.ok;
      });
    },
  };
}

/** Files that cannot be read are left out of the array. */
async function inspectJson(context: CliContext, paths: readonly string[]): Promise<void> {
  const several = paths.length > 1;
  let separator = several ? "[" : "";
  await context.forEachPath(paths, async (path) => {
    const json = await pathJson(context, path);
    await context.stdout.write(separator + JSON.stringify(several ? { path, ...json } : json));
    separator = ",\n";
    return EXIT.ok;
  });
  if (several) {
    await context.stdout.line(separator === "[" ? "[]" : "]");
  } else if (separator !== "") {
    await context.stdout.line();
  }
}
