/** `cfile hfile write`: sorted cells to an HFile. */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { CFileError } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import type { HFileCellInput } from "@cfile/hfile";
import { HFileWriter } from "@cfile/hfile/write";
import { fileSink } from "@cfile/io/file";
import { byteSize, wholeNumber } from "../options/option-values.js";
import { JSON_OPTION, output, SYNC } from "../options/options.js";
import { command } from "../program/command.js";
import type { CliContext } from "../program/context.js";
import { isSystemError } from "../program/exit-code.js";
import { choice, flag, required, text, value, withDefault } from "../program/option.js";
import { counted, sizeText } from "../records/quantity.js";
import { parseCellJson } from "./hfile-cell.js";

/** Cells per call of the writer. */
const CELLS = 1024;

const CODECS = /* @__PURE__ */ Object.freeze({
  none: "NONE",
  gz: "GZ",
  snappy: "SNAPPY",
  lz4: "LZ4",
} as const);

export const hfileWriteCommand = command({
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
      compression: CODECS[compression],
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
  let line = 0;
  let cells: HFileCellInput[] = [];
  try {
    // readline does not report a failure of its input.
    for await (const json of linesOf(input)) {
      line++;
      if (json.trim() !== "") {
        cells.push(parseCellJson(json, line, text));
      }
      if (cells.length === CELLS) {
        yield cells;
        cells = [];
      }
    }
  } catch (error) {
    throw isSystemError(error) ? new CFileError("E_IO", error.message, { path, cause: error }) : error;
  }
  if (cells.length > 0) {
    yield cells;
  }
}

async function* linesOf(input: NodeJS.ReadableStream): AsyncGenerator<string, void, undefined> {
  let failure: unknown;
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  input.once("error", (error) => {
    failure = error;
    lines.close();
  });
  yield* lines;
  if (failure !== undefined) {
    throw failure;
  }
}
