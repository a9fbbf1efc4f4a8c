/**
 * Text that the command line parses: cells, keys, conditions, schemas, sizes, ranges, CSV and JSON; and whole
 * command lines.
 */
import { readdirSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  cellParser,
  csvField,
  parseDate,
  parseDecimal,
  parseTimestamp,
  timestampText,
} from "@cfile/cell-text";
import { runCli } from "@cfile/cli";
import {
  blockCount,
  byteSize,
  type ColumnSpec,
  compressionOfName,
  encodingOfName,
  givenCellParser,
  givenKeyParser,
  inferSchema,
  keyBytes,
  nameList,
  parseCellJson,
  parseHybridTime,
  parseInlineSchema,
  parseSchemaFile,
  parseWhere,
  readTable,
  rowRange,
  tableColumns,
  timeRange,
  wholeNumber,
} from "@cfile/cli/arguments";
import { DATA_TYPES, type DataType } from "@cfile/encodings";
import { defineHarness } from "../define-harness.js";
import type { Harness, Mutation, Subject } from "../harness.js";
import { mutateFields } from "../mutate-fields.js";
import type { Random } from "../random.js";

const COLUMNS = parseInlineSchema("a:int32,b:string,t:unixtime_micros,d:decimal64(2)?,x:binary,l:int8[]?");
const TYPES = Object.keys(DATA_TYPES) as DataType[];
/** Tokens that have a meaning for at least one parser. */
const TOKENS = [
  ...[
    "-",
    "+",
    ".",
    ",",
    ":",
    "=",
    "'",
    '"',
    "''",
    '""',
    "\\",
    "\n",
    "\r\n",
    "\t",
    " ",
    "\0",
    "\ud800",
    "é",
    "🜁",
  ],
  ...[
    "0",
    "-0",
    "1e999",
    "9223372036854775808",
    "99999999999999999999999999999999999999999",
    "NaN",
    "-Infinity",
  ],
  ...[
    "null",
    "true",
    "is not null",
    "in (",
    ")",
    "prefix ",
    "<=",
    ">",
    "[]",
    "?",
    "(38)",
    "(39)",
    "{",
    "}",
    "[",
    "]",
  ],
  ...[
    "0000-02-30",
    "+999999-12-31",
    "T24:00",
    "Z",
    "+23:59",
    "__proto__",
    "constructor",
    "toString",
    "4G",
    "0x10",
  ],
];

interface TextSubject extends Subject {
  readonly parse: (text: string, random: Random) => unknown;
}

const encoder = new TextEncoder();
const texts = (
  name: string,
  parse: (text: string, random: Random) => unknown,
  ...samples: readonly string[]
): TextSubject[] => samples.map((text) => ({ name: `${name}: ${text}`, bytes: encoder.encode(text), parse }));

function parsers(): TextSubject[] {
  return [
    ...texts(
      "cell",
      (text, random) =>
        cellParser({ type: random.pick(TYPES), scale: random.pick([undefined, 0, 2, 38]) })(text),
      ...["12", "-7.25", "2024-02-29", "2024-02-29T12:34:56.789Z", "true", "00ff7f", "1e-30"],
    ),
    ...texts("date", (text) => parseDate(text), "2024-02-29", "-000001-12-31"),
    ...texts(
      "timestamp",
      (text) => {
        const micros = parseTimestamp(text);
        if (micros !== undefined && parseTimestamp(timestampText(micros)) !== micros) {
          throw new RangeError(`${text} is ${micros}, which is formatted as ${timestampText(micros)}`);
        }
      },
      ...["2024-02-29 12:34", "1969-12-31T23:59:59.999999-11:30"],
    ),
    ...texts("decimal", (text, random) => parseDecimal(text, random.below(39)), "12.34", "-0.005"),
    ...texts("csv field", (text) => csvField(text), 'a "b", c'),
    ...texts("name list", (text) => nameList("--columns", text), "a,b", 'a,"b, c"'),
    ...texts(
      "given cell",
      (text, random) => givenCellParser("--value", random.pick(COLUMNS))(text),
      "12",
      "abc",
    ),
    ...texts(
      "key",
      (text, random) => givenKeyParser(COLUMNS.slice(0, 1 + random.below(3)))(text),
      '1,"b, c",0',
    ),
    ...texts(
      "where",
      (text) => parseWhere(text, COLUMNS),
      ...[
        "a >= 12",
        "b = 'it''s'",
        "b in ('x', 'y, z')",
        '"d" is not null',
        "b prefix abc",
        "t < 2024-02-29T00:00Z",
      ],
    ),
    ...texts("schema", (text) => parseInlineSchema(text), "id:int64,price:decimal64(2)?,tags:string[]?"),
    ...texts(
      "schema file",
      (text) => parseSchemaFile(text, "schema.json"),
      '{"id":"int64","note":{"type":"string?","encoding":"dict","compression":"lz4","block_size":4096,"key":true}}',
    ),
    ...texts(
      "column options",
      (text) => tableColumns(COLUMNS, { encoding: text.split("|"), compression: [text], key: [text] }),
      ...["a=rle|plain", "dict"],
    ),
    ...texts(
      "hybrid time",
      (text) => parseHybridTime("--as-of", text),
      "6000000000000000000",
      "2024-02-29T12:00Z",
    ),
    ...texts(
      "time range",
      (text) =>
        timeRange({ from: parseHybridTime("--from", text), to: parseHybridTime("--to", text.slice(1)) }),
      "2024-02-29T12:00Z",
    ),
    ...texts("encoding", (text) => encodingOfName(text), "bitshuffle"),
    ...texts("compression", (text) => compressionOfName(text), "lz4"),
    ...texts("size", (text) => byteSize("--block-size", text), "64K", "1MiB"),
    ...texts("rows", (text) => rowRange("--rows", text), "100:200", ":5"),
    ...texts("count", (text) => blockCount("--blocks", text), "all", "20"),
    ...texts("number", (text) => wholeNumber("--scale", text, 0, 38), "12"),
    ...texts("key bytes", (text, random) => keyBytes("KEY", text, random.below(2) === 0), "00ff7f"),
    ...texts(
      "HFile cell",
      (text, random) => parseCellJson(text, 1, random.below(2) === 0),
      '{"row":"61","family":"62","qualifier":"63","timestamp":"12","type":"put","mvcc":5,"tags":"","value":"64"}',
    ),
  ];
}

/** Mutates text as fields, or inserts and removes tokens. */
function mutateText({ bytes }: Subject, random: Random): Mutation {
  if (random.below(3) === 0) {
    return mutateFields(bytes, random);
  }
  let text = new TextDecoder().decode(bytes);
  const steps: string[] = [];
  for (let left = 1 + random.below(4); left > 0; left--) {
    const at = random.below(text.length + 1);
    const to = random.below(2) === 0 ? at : Math.min(text.length, at + random.below(6));
    const token = random.below(4) === 0 ? "" : random.pick(TOKENS);
    text = text.slice(0, at) + token + text.slice(to);
    steps.push(`${at} to ${to} is ${JSON.stringify(token)}`);
  }
  if (random.below(500) === 0) {
    text = text.repeat(2000);
    steps.push("2,000 times");
  }
  return { bytes: encoder.encode(text), steps };
}

const values = defineHarness({
  name: "command line: parsers of values",
  share: 800,
  load: parsers,
  mutate: mutateText,
  act: (bytes, { parse }, random) => parse(new TextDecoder().decode(bytes), random),
});

interface TableSubject extends Subject {
  readonly kind: "csv" | "ndjson";
}

const TABLES: readonly TableSubject[] = [
  {
    name: "CSV",
    kind: "csv",
    bytes: encoder.encode('a,b,"c d"\r\n1,x,2024-02-29\r\n2,"y, ""z""",\r\n3,,-0.5\r\n'),
  },
  {
    name: "NDJSON",
    kind: "ndjson",
    bytes: encoder.encode('{"a":1,"b":["x",null]}\n{"a":9007199254740993,"c":true}\n'),
  },
];

const tables = defineHarness({
  name: "command line: CSV and NDJSON tables",
  share: 15,
  load: () => TABLES,
  mutate: mutateText,
  act: async (bytes, { kind }, random) => {
    const delimiter = random.pick([",", ",", ";", "é"]);
    const nullText = random.pick(["", "", "null"]);
    const chunks = random.below(2) === 0 ? [bytes] : [bytes.subarray(0, 9), bytes.subarray(9)];
    const table = readTable(Readable.from(chunks), { kind, delimiter, nullText }, "table");
    const specs: readonly ColumnSpec[] = await inferSchema(table, kind, "table", undefined);
    for (const { name, type } of specs) {
      if (typeof name !== "string" || !TYPES.includes(type)) {
        throw new RangeError(`a column ${name} of ${type}`);
      }
    }
  },
});

const golden = (name: string): string =>
  fileURLToPath(new URL(`../../../../fixtures/golden/${name}`, import.meta.url));

/** Valid command lines; one of their words is mutated. */
function commandLines(): (Subject & { readonly words: readonly string[]; readonly at: number })[] {
  const file = golden("idx_posidx_only_int32.cfile");
  const text = golden("enc_string_dict_n1000.cfile");
  const lines = [
    ["scan", file, "--rows", "10:20"],
    ["scan", text, "--rows", "3:5", "--format", "json"],
    ["get", file, "5", "7"],
    ["inspect", file, "--blocks", "3"],
    ["inspect", golden("deltafile/delta_redo_small.cfile"), "--json"],
    ["verify", file, "--json"],
    ["find", golden("large_int32_plain_validx.cfile"), "12"],
    ["digest", text],
    ["cat", file, "--rows", ":3"],
    ["bloom", "check", golden("bloomfile/bloom_small.cfile"), "key"],
    ["delta", golden("deltafile/delta_redo_small.cfile"), "--from", "100"],
    ["hfile", "get", golden("hfile/hudi_1_2_native_1KB_NONE_400.hfile"), "key"],
    ["help"],
  ];
  return lines.flatMap((words) =>
    words.map((word, at) => ({ name: words.join(" "), bytes: encoder.encode(word), words, at })),
  );
}

class Sink extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += this.text.length < 10_000 ? chunk.toString("utf8") : "";
    done();
  }
}

/** Signs of an unexpected error. */
const UNFORESEEN =
  /TypeError|ReferenceError|is not a function|Cannot (?:read|set|convert|destructure)|undefined \(/;

const lines = defineHarness({
  name: "command line: whole commands",
  share: 8,
  load: () => {
    // Mutated paths must not name existing files that could be overwritten.
    if (readdirSync(golden("")).length === 0) {
      throw new RangeError("no golden files");
    }
    return commandLines();
  },
  mutate: mutateText,
  act: async (bytes, { words, at }) => {
    const stdout = new Sink();
    const stderr = new Sink();
    const word = new TextDecoder().decode(bytes);
    const args = words.map((each, i) => (i === at ? word : each));
    const code = await runCli(args, { stdin: Readable.from([]), stdout, stderr, env: {} });
    if (
      ![0, 1, 2, 3, 4, 5].includes(code) ||
      UNFORESEEN.test(stderr.text) ||
      (code !== 0 && stderr.text === "" && code !== 3)
    ) {
      throw new RangeError(`cfile ${args.join(" ")} exited with ${code}: ${stderr.text}`);
    }
  },
});

export const COMMAND_LINE: readonly Harness[] = [values, tables, lines];
