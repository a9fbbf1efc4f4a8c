/** `cfile digest`: SHA-256 of a column's content, whatever its encoding. */

import { createHash } from "node:crypto";
import { printable } from "@cfile/cell-text";
import { canonicalBytes } from "cfile/recover";
import type { Argv, CommandModule } from "yargs";
import { FILES, JSON_FLAG } from "../options/options.js";
import type { CliContext } from "../program/context.js";
import { EXIT } from "../program/exit-code.js";

interface DigestArguments {
  readonly files: string[];
  readonly json: boolean | undefined;
}

export function digestCommand(context: CliContext): CommandModule<object, DigestArguments> {
  return {
    command: "digest <files..>",
    describe: "SHA-256 of the column's content, the same for every encoding of it",
    builder: (yargs: Argv) =>
      yargs
        .positional("files", FILES)
        .option("json", JSON_FLAG)
        .example("$0 digest a.cfile b.cfile", "one line a file: SHA-256, two spaces, path"),
    handler: async ({ files, json }) => {
      await context.forEachPath(files, async (path) => {
        const sha256 = await context.withFile(path, async (file) => {
          const hash = createHash("sha256");
          for await (const bytes of canonicalBytes(file, { signal: context.io.signal })) {
            hash.update(bytes);
          }
          return hash.digest("hex");
        });
        await context.stdout.line(json ? JSON.stringify({ path, sha256 }) : `${sha256}  ${printable(path)}`);
        return EXIT.ok;
      });
    },
  };
}
