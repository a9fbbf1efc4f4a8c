/** `cfile hfile write`: sorted cells to an HFile. */
import { createReadStream } from "node:fs";
import { printable } from "@cfile/cell-text";
import type { HFileCellInput } from "@cfile/hfile";
import { HFileWriter } from "@cfile/hfile/write";
import { fileSink } from "@cfile/io/file";
import { byteSize, wholeNumber } from "../options/option-values.js";
import { JSON_OPTION, output, SYNC } from "../options/options.js";
import { command } from "../program/command.js";
import type { CliContext } from "../program/context.js";
import { choice, flag, required, text, value, withDefault } from "../program/option.js";
import { counted, sizeText } from "../records/quantity.js";
import { textLines } from "../table/table-rows.js";
import { parseCellJson } from "./hfile-cell.js";

export const write = command({
  about:
    "The cells must be sorted by key, in the form that cfile cat --ndjson prints: row and value, for HBase also family, qualifier, timestamp, type, mvcc and tags.",
  args: { input: required(text("FILE", "NDJSON file, or - for stdin")) },
  options: {
    output: output("FILE", "new HFile"),
    profile: withDefault(choice("system whose files to imitate", ["hbase", "hudi"]), "hbase"),
    compression: withDefault(choice("compression of the blocks", ["none", "gz", "snappy", "lz4"]), "none"),
    blockSize: value("SIZE", "bytes per data block, like 65536 or 64K", byteSize, "64K"),
    createTime: value("MS", "creation time for the file info, milliseconds since 1970", wholeNumber, "0"),
    text: flag("keys and values are text instead of hexadecimal"),
    tags: flag("cells may have tags"),
    sync: SYNC,
    json: JSON_OPTION,
  },
  examples: [
    ["Write a file like HBase", "cfile hfile write cells.ndjson -o cells.hfile --compression gz"],
    ["Write a file like Hudi, from stdin", "cfile hfile write - -o keys.hfile --profile hudi --text"],
  ],
  run: async (context, values) => {
    const { input, output, profile, compression, blockSize, createTime, text, tags, sync, json } = values;
    const { signal } = context.io;
    await using writer = new HFileWriter(await fileSink(output, { sync }), {
      profile,
      compression: compression.toUpperCase() as Uppercase<typeof compression>,
      blockSize,
      createTime,
      tags,
    });
    for await (const cells of cellsOf(context, input, text)) {
      signal?.throwIfAborted();
      await writer.append(cells);
    }
    const { entries, bytes, dataBlocks } = await writer.finish();
    await context.stdout.line(
      json
        ? JSON.stringify({ path: output, entries, bytes, data_blocks: dataBlocks })
        : `${printable(output)}: ${counted(entries, "cell")}, ${counted(dataBlocks, "data block")}, ${sizeText(bytes)}`,
    );
  },
});

async function* cellsOf(
  { io }: CliContext,
  path: string,
  text: boolean,
): AsyncGenerator<HFileCellInput[], void, undefined> {
  const input = path === "-" ? io.stdin : createReadStream(path);
  let number = 0;
  for await (const lines of textLines(input, path)) {
    const cells: HFileCellInput[] = [];
    for (const line of lines) {
      number++;
      if (line.trim() !== "") {
        cells.push(parseCellJson(line, number, text));
      }
    }
    yield cells;
  }
}
