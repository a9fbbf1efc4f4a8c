/** `cfile rewrite`: the same column with another encoding, codec, block size or index. */
import { printable } from "@cfile/cell-text";
import type { CFileReader, WrittenFile } from "cfile";
import type { RewriteOptions } from "cfile/recover";
import { rewriteCFile } from "cfile/recover";
import type { Argv, CommandModule } from "yargs";
import { compressionOfName, encodingOfName } from "../options/names.js";
import {
  CODING_FLAGS,
  FILE,
  given,
  JSON_FLAG,
  NEW_FILE,
  SYNC_FLAG,
  WRITER_FLAGS,
  type WriterFlags,
  writerOptionsOfFlags,
} from "../options/options.js";
import type { CliContext } from "../program/context.js";
import { startProgress } from "../program/progress.js";
import { counted, sizeText } from "../records/quantity.js";

interface RewriteArguments extends WriterFlags {
  readonly source: string;
  readonly target: string;
  readonly encoding?: string | undefined;
  readonly compression?: string | undefined;
  readonly validx?: boolean | undefined;
  readonly sync: boolean;
  readonly json?: boolean | undefined;
}

export function rewriteCommand(context: CliContext): CommandModule<object, RewriteArguments> {
  return {
    command: "rewrite <source> <target>",
    describe: "write a file's column again; what is not given stays as it is in the source",
    builder: (yargs: Argv) =>
      yargs
        .positional("source", FILE)
        .positional("target", NEW_FILE)
        .options(CODING_FLAGS)
        .options(WRITER_FLAGS)
        .option("validx", {
          type: "boolean",
          describe: "value index (sorted columns without nulls), or --no-validx",
        })
        .option("sync", SYNC_FLAG)
        .option("json", JSON_FLAG)
        .example("$0 rewrite a.cfile b.cfile --encoding dict --compression lz4", "")
        .example("$0 rewrite a.cfile b.cfile --block-size 64K --validx", ""),
    handler: async (args) => {
      const changes: RewriteOptions = {
        ...writerOptionsOfFlags(args),
        encoding: given(args.encoding, encodingOfName),
        compression: given(args.compression, compressionOfName),
        validx: args.validx,
        sync: args.sync,
      };
      await context.withFile(args.source, async (file) => {
        const written = await rewrite(context, file, args.target, changes);
        await context.stdout.line(
          args.json ? writtenJson(args.target, written) : summary(file, args.target, written),
        );
      });
    },
  };
}

async function rewrite(
  { io }: CliContext,
  file: CFileReader,
  target: string,
  changes: RewriteOptions,
): Promise<WrittenFile> {
  const progress = startProgress(io, "rewriting", file.rowCount);
  try {
    return await rewriteCFile(file, target, {
      ...changes,
      signal: io.signal,
      onProgress: ({ done }) => progress.update(done),
    });
  } finally {
    progress.stop();
  }
}

function summary({ structure }: CFileReader, target: string, { rows, bytes }: WrittenFile): string {
  return `${printable(target)}: ${counted(rows, "row")}, ${sizeText(bytes)} (was ${sizeText(structure.fileSize)})`;
}

function writtenJson(path: string, { rows, bytes, dataBlocks, dataBytes }: WrittenFile): string {
  return JSON.stringify({ path, rows, bytes, data_blocks: dataBlocks, data_bytes: dataBytes });
}
