/** `cfile bloom`: what Bloom files say of keys and of themselves. */

import { fromHex, toHex } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import { encodeRowKey } from "@cfile/rowset";
import type { Argv, CommandModule } from "yargs";
import { givenKeyParser, requireKeyColumns } from "../options/given-cell.js";
import { givenSchema } from "../options/given-schema.js";
import { KEYS, keyArguments } from "../options/key-arguments.js";
import { blockCount } from "../options/option-values.js";
import { BLOCKS_OPTION, JSON_FLAG } from "../options/options.js";
import { commandGroup } from "../program/command-group.js";
import type { CliContext } from "../program/context.js";
import { UsageError } from "../program/exit-code.js";
import { bloomFilterLines, bloomJson, bloomSummaryLines, describeBloomFile } from "./bloom-report.js";

const BLOOM_FILE = { type: "string", demandOption: true, describe: "a Bloom file, as path or URL" } as const;

export function bloomCommand(context: CliContext): CommandModule {
  return commandGroup(
    "bloom",
    "Bloom files: ask for keys, see how full the filters are",
    (group) => group.command(checkCommand(context)).command(statsCommand(context)),
    ["$0 bloom check bloom.cfile apple pear", "which of the keys may be there"],
  );
}

interface CheckArguments {
  readonly file: string;
  readonly keys?: readonly string[] | undefined;
  readonly hex: boolean | undefined;
  readonly schema: string | undefined;
  readonly json: boolean | undefined;
}

function checkCommand(context: CliContext): CommandModule<object, CheckArguments> {
  return {
    command: "check <file> [keys..]",
    describe: "for each key, whether it may be there or is absent for certain",
    builder: (yargs: Argv) =>
      yargs
        .positional("file", BLOOM_FILE)
        .positional("keys", KEYS)
        .option("hex", { type: "boolean", describe: "keys are the hex digits of encoded keys" })
        .option("schema", {
          type: "string",
          requiresArg: true,
          describe: "columns of the key and their types, as text or a .json file [default: keys are text]",
        })
        .option("json", JSON_FLAG)
        .conflicts("hex", "schema")
        .example("$0 bloom check bloom.cfile apple pear", "keys of one STRING column")
        .example("$0 bloom check bloom.cfile 80000007 --hex", "an encoded key")
        .example("$0 bloom check bloom.cfile 7,apple --schema id:int32,name:string", "a key of two columns"),
    handler: async (args) => {
      const { file: path, hex, schema, json } = args;
      const keys = keyArguments(args);
      const encode = await keyEncoder(hex ?? false, schema);
      const encoded = keys.map(encode);
      await context.withBloomFile(path, async (file) => {
        const answers: boolean[] = [];
        for (const key of encoded) {
          answers.push(await file.mayContain(key, { signal: context.io.signal }));
        }
        await context.stdout.line(
          json
            ? JSON.stringify(
                keys.map((key, i) => ({
                  key,
                  encoded: toHex(encoded[i] ?? new Uint8Array(0)),
                  answer: verdict(answers[i]),
                })),
              )
            : keys.map((key, i) => `${verdict(answers[i]).padEnd(6)}  ${printable(key)}`).join("\n"),
        );
      });
    },
  };
}

function verdict(mayContain: boolean | undefined): "maybe" | "absent" {
  return mayContain ? "maybe" : "absent";
}

/** Makes an encoded key of an argument. */
async function keyEncoder(hex: boolean, schema: string | undefined): Promise<(key: string) => Uint8Array> {
  if (hex) {
    return hexKey;
  }
  if (schema === undefined) {
    const encoder = new TextEncoder();
    return (key) => encoder.encode(key);
  }
  const specs = await givenSchema(schema);
  requireKeyColumns("--schema", specs);
  const parse = givenKeyParser(specs);
  const columns = specs.map((spec, id) => ({ ...spec, id, isKey: true }));
  return (key) => encodeRowKey({ columns }, parse(key));
}

function hexKey(key: string): Uint8Array {
  if (!/^(?:[0-9a-f]{2})*$/i.test(key)) {
    throw new UsageError(`keys are pairs of hexadecimal digits with --hex; "${printable(key)}" is none`);
  }
  return fromHex(key);
}

interface StatsArguments {
  readonly file: string;
  readonly blocks: string;
  readonly json: boolean | undefined;
}

function statsCommand(context: CliContext): CommandModule<object, StatsArguments> {
  return {
    command: "stats <file>",
    describe: "how full the filters are, for how many keys, and how often they are wrong",
    builder: (yargs: Argv) =>
      yargs
        .positional("file", BLOOM_FILE)
        .option("blocks", BLOCKS_OPTION)
        .option("json", JSON_FLAG)
        .example("$0 bloom stats bloom.cfile", "for people")
        .example("$0 bloom stats bloom.cfile --json", "one object"),
    handler: async ({ file: path, blocks, json }) => {
      const most = blockCount("--blocks", blocks);
      const description = await context.withBloomFile(path, (file) =>
        describeBloomFile(file, context.io.signal),
      );
      await context.stdout.line(
        json
          ? JSON.stringify(bloomJson(description))
          : [...bloomSummaryLines(description), "", ...bloomFilterLines(description, most)].join("\n"),
      );
    },
  };
}
