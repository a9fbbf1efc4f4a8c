/** `cfile digest`: SHA-256 of a column's content, whatever its encoding. */
import { createHash } from "node:crypto";
import { printable } from "@cfile/cell-text";
import { canonicalBytes } from "cfile/recover";
import { JSON_OPTION } from "../options/options.js";
import { command } from "../program/command.js";
import { EXIT } from "../program/exit-code.js";
import { list, required } from "../program/option.js";

export const digest = command({
  about:
    "Files with the same values and nulls have the same digest, whatever their encoding, compression and block size.",
  args: { files: required(list("FILE", "CFiles: paths or URLs")) },
  options: { json: JSON_OPTION },
  examples: [["Compare two columns", "cfile digest a.cfile b.cfile"]],
  run: (context, { files, json }) =>
    context.forEachPath(files, async (path) => {
      const sha256 = await context.withFile(path, async (file) => {
        const hash = createHash("sha256");
        for await (const bytes of canonicalBytes(file, { signal: context.io.signal })) {
          hash.update(bytes);
        }
        return hash.digest("hex");
      });
      await context.stdout.write(
        json ? `${JSON.stringify({ path, sha256 })}\n` : `${sha256}  ${printable(path)}\n`,
      );
      return EXIT.ok;
    }),
});
