/** `cfile bloom`: looks up keys in Bloom files and shows their statistics. */
import { toHex } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import { encodeRowKey } from "@cfile/rowset";
import { givenKeyParser, requireKeyColumns } from "../options/given-cell.js";
import { keyBytes } from "../options/option-values.js";
import { BLOCKS, HEX, JSON_OPTION, KEYS } from "../options/options.js";
import { command } from "../program/command.js";
import { exclusive, required, text } from "../program/option.js";
import { givenSchema } from "../table/schema.js";
import { bloomFilterLines, bloomJson, bloomSummaryLines, describeBloomFile } from "./bloom-report.js";

const BLOOM_FILE = required(text("FILE", "Bloom file: path or URL"));

export const check = command({
  about:
    'Prints "maybe" or "absent" per key. Without --schema or --hex, keys are the text of a single STRING column.',
  args: { file: BLOOM_FILE, keys: required(KEYS) },
  options: {
    hex: { ...HEX, summary: "keys are the hexadecimal digits of encoded keys" },
    schema: text("COLUMNS", 'columns of the key and their types, like "id:int64,day:date", or a .json file'),
    json: JSON_OPTION,
  },
  examples: [
    ["Look up two keys", "cfile bloom check bloom.cfile apple pear"],
    ["Look up keys of two columns", "cfile bloom check bloom.cfile 7,apple --schema id:int64,name:string"],
  ],
  run: async (context, { file: path, keys, hex, schema, json }) => {
    exclusive({ "--hex": hex, "--schema": schema });
    const encode = await keyEncoder(hex, schema);
    const encoded = keys.map(encode);
    await context.withBloomFile(path, async (file) => {
      const answers: string[] = [];
      for (const key of encoded) {
        answers.push((await file.mayContain(key, { signal: context.io.signal })) ? "maybe" : "absent");
      }
      await context.stdout.line(
        json
          ? JSON.stringify(
              keys.map((key, i) => ({
                key,
                encoded: toHex(encoded[i] ?? new Uint8Array(0)),
                answer: answers[i],
              })),
            )
          : keys.map((key, i) => `${answers[i]?.padEnd(6)}  ${printable(key)}`).join("\n"),
      );
    });
  },
});

async function keyEncoder(hex: boolean, schema: string | undefined): Promise<(key: string) => Uint8Array> {
  if (hex || schema === undefined) {
    return (key) => keyBytes("key", key, hex);
  }
  const specs = await givenSchema(schema);
  requireKeyColumns("--schema", specs);
  const parse = givenKeyParser(specs);
  const columns = specs.map((spec, id) => ({ ...spec, id, isKey: true }));
  return (key) => encodeRowKey({ columns }, parse(key));
}

export const stats = command({
  args: { file: BLOOM_FILE },
  options: { blocks: BLOCKS, json: JSON_OPTION },
  examples: [["Show the statistics of all filters", "cfile bloom stats bloom.cfile --blocks all"]],
  run: async (context, { file: path, blocks, json }) => {
    const description = await context.withBloomFile(path, (file) =>
      describeBloomFile(file, context.io.signal),
    );
    await context.stdout.line(
      json
        ? JSON.stringify(bloomJson(description))
        : [...bloomSummaryLines(description), "", ...bloomFilterLines(description, blocks)].join("\n"),
    );
  },
});
