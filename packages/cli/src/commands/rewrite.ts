/** `cfile rewrite`: the same column with another encoding, codec, block size or index. */
import { printable } from "@cfile/cell-text";
import { rewriteCFile } from "cfile/recover";
import { CODING, JSON_OPTION, NEW_FILE, SYNC, WRITER } from "../options/options.js";
import { command } from "../program/command.js";
import { required, text, toggle } from "../program/option.js";
import { startProgress } from "../program/output/progress.js";
import { counted, sizeText } from "../records/quantity.js";

const AS_IN_SOURCE = "as in the source";

export const rewrite = command({
  about:
    "Options that are not given keep the setting of the source: encoding, compression, indexes, checksums, nullability and metadata. Sizes are not stored in a file and get their defaults.",
  args: { source: required(text("FILE", "CFile: path or URL")), target: NEW_FILE },
  options: {
    ...CODING,
    ...WRITER,
    posidx: { ...WRITER.posidx, preset: AS_IN_SOURCE },
    checksums: { ...WRITER.checksums, preset: AS_IN_SOURCE },
    validx: toggle("write a value index; requires a sorted column without nulls", AS_IN_SOURCE),
    sync: SYNC,
    json: JSON_OPTION,
  },
  examples: [
    ["Change encoding and compression", "cfile rewrite a.cfile b.cfile --encoding dict --compression lz4"],
    ["Use smaller blocks and add a value index", "cfile rewrite a.cfile b.cfile --block-size 64K --validx"],
  ],
  run: (context, { source, target, json, ...changes }) =>
    context.withFile(source, async (file) => {
      const progress = startProgress(context.io, "rewriting", file.rowCount);
      const { rows, bytes, dataBlocks, dataBytes } = await rewriteCFile(file, target, {
        ...changes,
        signal: context.io.signal,
        onProgress: ({ done }) => progress.update(done),
      }).finally(progress.stop);
      const was = sizeText(file.structure.fileSize);
      await context.stdout.line(
        json
          ? JSON.stringify({ path: target, rows, bytes, data_blocks: dataBlocks, data_bytes: dataBytes })
          : `${printable(target)}: ${counted(rows, "row")}, ${sizeText(bytes)} (was ${was})`,
      );
    }),
});
