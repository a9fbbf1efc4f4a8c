/** `cfile hfile write`: sorted cells to an HFile. */

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { CFileError } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import type { HFileCellInput } from "@cfile/hfile";
import { HFileWriter } from "@cfile/hfile/write";
import { fileSink } from "@cfile/io/file";
import type { Argv, CommandModule } from "yargs";
import { byteSize, wholeNumber } from "../options/option-values.js";
import { given, JSON_FLAG, SYNC_FLAG } from "../options/options.js";
import { commandGroup } from "../program/command-group.js";
import type { CliContext } from "../program/context.js";
import { isSystemError } from "../program/exit-code.js";
import { counted, sizeText } from "../records/quantity.js";
import { parseCellJson } from "./hfile-cell.js";

/** Cells handed to the writer at a time. */
const CELLS = 1024;

interface WriteArguments {
  readonly input: string;
  readonly output: string;
  readonly profile: "hbase" | "hudi";
  readonly compression: "none" | "gz" | "snappy" | "lz4";
  readonly blockSize?: string | undefined;
  readonly createTime?: string | undefined;
  readonly text: boolean | undefined;
  readonly tags: boolean | undefined;
  readonly sync: boolean;
  readonly json: boolean | undefined;
}

const CODECS = /* @__PURE__ */ Object.freeze({
  none: "NONE",
  gz: "GZ",
  snappy: "SNAPPY",
  lz4: "LZ4",
} as const);

export function hfileCommand(context: CliContext): CommandModule {
  return commandGroup("hfile", "HFiles: write one", (group) => group.command(writeCommand(context)), [
    "$0 hfile write cells.ndjson -o cells.hfile",
    "an HFile of sorted cells",
  ]);
}

function writeCommand(context: CliContext): CommandModule<object, WriteArguments> {
  return {
    command: "write <input>",
    describe: "write an HFile of cells in NDJSON, sorted by their keys",
    builder: (yargs: Argv) =>
      yargs
        .positional("input", {
          type: "string",
          demandOption: true,
          describe:
            "NDJSON as cat --ndjson gives it: row and value, and what else a cell has; - for standard input",
        })
        .option("output", {
          alias: "o",
          type: "string",
          requiresArg: true,
          demandOption: true,
          describe: "path of the new file",
        })
        .option("profile", {
          choices: ["hbase", "hudi"] as const,
          default: "hbase" as const,
          describe: "whose files it is to be like",
        })
        .option("compression", {
          choices: ["none", "gz", "snappy", "lz4"] as const,
          default: "none" as const,
          describe: "codec of the blocks",
        })
        .option("block-size", {
          type: "string",
          requiresArg: true,
          describe: "bytes of a data block, like 65536 or 64K [default: 64K]",
        })
        .option("create-time", {
          type: "string",
          requiresArg: true,
          describe: "milliseconds since 1970, for the file info [default: 0]",
        })
        .option("text", { type: "boolean", describe: "keys and values are text, not hexadecimal" })
        .option("tags", { type: "boolean", describe: "cells may have tags" })
        .option("sync", SYNC_FLAG)
        .option("json", JSON_FLAG)
        .example("$0 hfile write cells.ndjson -o cells.hfile --compression gz", "as HBase writes it")
        .example(
          "$0 hfile write - -o keys.hfile --profile hudi --text",
          "as Hudi writes it, from standard input",
        ),
    handler: async (args) => {
      const { input, output, profile, compression, text, tags, sync, json } = args;
      const blockSize = given(args.blockSize, (size) => byteSize("--block-size", size));
      const createTime = given(args.createTime, (text) => wholeNumber("--create-time", text));
      const { signal } = context.io;
      await using writer = new HFileWriter(await fileSink(output, { sync }), {
        profile,
        compression: CODECS[compression],
        blockSize,
        createTime,
        tags: tags ?? false,
      });
      for await (const cells of cellsOf(context, input, text ?? false)) {
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
  };
}

async function* cellsOf(
  { io }: CliContext,
  path: string,
  text: boolean,
): AsyncGenerator<HFileCellInput[], void, undefined> {
  // yargs makes an empty text of a lone "-".
  const input = path === "" || path === "-" ? io.stdin : createReadStream(path);
  let line = 0;
  let cells: HFileCellInput[] = [];
  try {
    // A failure of the input is none of the lines: only the loop over the stream itself would tell.
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
