/** `cfile inspect`: the structure of a file or a table store. */
import { pathJson, pathReport } from "../files/inspect-path.js";
import { BLOCKS, COLOR, JSON_OPTION, PATHS } from "../options/options.js";
import { command } from "../program/command.js";
import type { CliContext } from "../program/context.js";
import { EXIT } from "../program/exit-code.js";
import { widthOf } from "../program/io.js";
import { makeStyle } from "../program/output/styles.js";
import { LineWriter } from "../records/line-writer.js";

export const inspect = command({
  about:
    "Shows header, footer, metadata, blocks, indexes, sizes and a picture of the layout; of Bloom files also the filters, of delta files the changes, of Parquet files schema, row groups, chunks, pages, statistics and indexes, of table stores columns, files, keys and times.",
  args: { files: PATHS },
  options: { json: JSON_OPTION, color: COLOR, blocks: BLOCKS },
  examples: [
    ["Show the structure of a file", "cfile inspect c.cfile"],
    ["Show columns, files, keys and times of a table store", "cfile inspect table/"],
    ["Print several files as an array of JSON objects", "cfile inspect *.cfile --json"],
  ],
  run: async (context, { files, json, color, blocks }) => {
    if (json) {
      return inspectJson(context, files);
    }
    const style = makeStyle(context.io, color);
    const width = widthOf(context.io);
    let isFirst = true;
    await context.forEachPath(files, async (path) => {
      const { signal } = context.io;
      const lines = await pathReport(context, path, { style, width, maxBlocks: blocks, signal });
      await context.stdout.write(`${isFirst ? "" : "\n"}${lines.join("\n")}\n`);
      isFirst = false;
      return EXIT.ok;
    });
  },
});

/** The array leaves out files that cannot be read. */
async function inspectJson(context: CliContext, paths: readonly string[]): Promise<void> {
  const isArray = paths.length > 1;
  const lines = new LineWriter(context.stdout, isArray);
  await context.forEachPath(paths, async (path) => {
    const json = await pathJson(context, path);
    await lines.write([JSON.stringify(isArray ? { path, ...json } : json)]);
    return EXIT.ok;
  });
  await lines.end();
}
