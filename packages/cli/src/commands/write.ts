/** `cfile write`: a CFile for each column of a CSV or NDJSON table. */
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { resolveEncoding } from "@cfile/encodings";
import type { Argv, CommandModule } from "yargs";
import { type ColumnFlags, tableColumns } from "../column-options.js";
import type { CliContext } from "../context.js";
import { UsageError } from "../exit-code.js";
import { inferSchema } from "../infer-schema.js";
import { COMPRESSION_NAMES, ENCODING_NAMES, shortName } from "../names.js";
import { JSON_FLAG, WRITER_FLAGS } from "../options.js";
import { printable } from "../printable.js";
import { startProgress } from "../progress.js";
import { countText, sizeText } from "../quantity.js";
import { type ColumnSpec, parseInlineSchema, parseSchemaFile, typeText } from "../schema.js";
import { tableLines } from "../table.js";
import { readTable, type Table, type TableFormat } from "../table-rows.js";
import { type WrittenColumn, writeTable } from "../table-writer.js";

interface WriteArguments extends ColumnFlags {
  readonly input: string;
  readonly output: string;
  readonly format?: string | undefined;
  readonly schema?: string | undefined;
  readonly delimiter: string;
  readonly null: string;
  readonly json?: boolean | undefined;
}

export function writeCommand(context: CliContext): CommandModule<object, WriteArguments> {
  return {
    command: "write <input>",
    describe: "write a CFile for each column of a CSV or NDJSON table",
    builder: (yargs: Argv) =>
      yargs
        .positional("input", {
          type: "string",
          demandOption: true,
          describe: "a .csv file with a header, an .ndjson or .jsonl file, or - for standard input",
        })
        .option("output", {
          alias: "o",
          type: "string",
          requiresArg: true,
          demandOption: true,
          describe: "directory of the new files, one NAME.cfile a column",
        })
        .option("schema", {
          type: "string",
          requiresArg: true,
          describe: "columns and types, as text or a .json file [default: from the values]",
        })
        .option("format", {
          choices: ["csv", "ndjson"],
          requiresArg: true,
          describe: "[default: by the file's name]",
        })
        .option("delimiter", {
          type: "string",
          requiresArg: true,
          default: ",",
          describe: "between fields of CSV",
        })
        .option("null", { type: "string", default: "", describe: "the unquoted field of CSV that is a null" })
        .option("encoding", {
          type: "string",
          array: true,
          requiresArg: true,
          describe: `${ENCODING_NAMES}, or COLUMN=NAME; can be repeated`,
        })
        .option("compression", {
          type: "string",
          array: true,
          requiresArg: true,
          describe: `${COMPRESSION_NAMES}, or COLUMN=NAME; can be repeated`,
        })
        .option("key", {
          type: "string",
          array: true,
          requiresArg: true,
          describe: "a sorted column without nulls that gets a value index; can be repeated",
        })
        .options(WRITER_FLAGS)
        .option("json", JSON_FLAG)
        .example("$0 write table.csv -o table", "types from the values")
        .example("$0 write t.csv -o t --schema 'id:int64,tags:string[]?'", "types given")
        .example("$0 write t.ndjson -o t --compression lz4 --encoding name=prefix", ""),
    handler: (args) => write(context, args),
  };
}

const STDIN = "-";

async function write(context: CliContext, args: WriteArguments): Promise<void> {
  // yargs makes an empty text of a lone "-".
  const input = args.input === "" ? STDIN : args.input;
  const format = tableFormat(args);
  const { signal } = context.io;
  if (input === STDIN && args.schema === undefined) {
    throw new UsageError("standard input is read once only and needs a --schema");
  }
  const specs =
    args.schema === undefined
      ? await reading(context, input, format, "inferring", (table) =>
          inferSchema(table, format.kind, input, signal),
        )
      : await givenSchema(args.schema);
  const columns = tableColumns(specs, args);
  const target = {
    directory: args.output,
    path: input,
    hasHeader: format.kind === "csv",
    emptyFields: format.kind === "csv" && format.nullText === "",
    signal,
  };
  const written = await reading(context, input, format, "writing", (table) =>
    writeTable(table, columns, target),
  );
  await context.stdout.line((args.json ? writtenJson(written) : writtenLines(written)).join("\n"));
}

function tableFormat({ input, format, delimiter, null: nullText }: WriteArguments): TableFormat {
  const kind =
    format ?? (/\.(?:ndjson|jsonl)$/i.test(input) ? "ndjson" : /\.csv$/i.test(input) ? "csv" : undefined);
  if (kind !== "csv" && kind !== "ndjson") {
    throw new UsageError(`"${input}" ends in none of .csv, .ndjson and .jsonl: --format is needed`);
  }
  const character = delimiter === "\\t" ? "\t" : delimiter;
  if (character.length !== 1 || /["\r\n]/.test(character)) {
    throw new UsageError(`--delimiter takes one character, or \\t; "${printable(delimiter)}" is none`);
  }
  return { kind, delimiter: character, nullText };
}

async function givenSchema(schema: string): Promise<ColumnSpec[]> {
  return schema.endsWith(".json")
    ? parseSchemaFile(await readFile(schema, "utf8"), schema)
    : parseInlineSchema(schema);
}

/** Reads the table from its start, with a progress bar. */
async function reading<T>(
  { io }: CliContext,
  input: string,
  format: TableFormat,
  label: string,
  work: (table: Table) => Promise<T>,
): Promise<T> {
  const isStdin = input === STDIN;
  const progress = startProgress(io, label, isStdin ? 0 : (await stat(input)).size);
  const stream = isStdin ? io.stdin : createReadStream(input, { signal: io.signal, highWaterMark: 1 << 18 });
  async function* bytes(): AsyncGenerator<Uint8Array, void, void> {
    let done = 0;
    for await (const chunk of stream as AsyncIterable<Uint8Array | string>) {
      const piece = typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
      done += piece.length;
      progress.update(done);
      yield piece;
    }
  }
  try {
    return await work(readTable(bytes(), format, input));
  } finally {
    progress.stop();
    if (!isStdin) {
      stream.destroy();
    }
  }
}

function writtenLines(written: readonly WrittenColumn[]): string[] {
  return tableLines(
    [
      { title: "column" },
      { title: "type" },
      { title: "encoding" },
      { title: "rows", align: "right" },
      { title: "size", align: "right" },
      { title: "file" },
    ],
    written.map(({ column: { spec }, column, rows, bytes, path }) => [
      printable(spec.name),
      typeText(spec),
      shortName(encodingOf(column)),
      countText(rows),
      sizeText(bytes),
      printable(path),
    ]),
    "",
  );
}

function writtenJson(written: readonly WrittenColumn[]): string[] {
  const columns = written.map(({ column, rows, bytes, path }) => {
    const { name, type, nullable, array, scale } = column.spec;
    return { column: name, path, type, nullable, array, scale, encoding: encodingOf(column), rows, bytes };
  });
  return [JSON.stringify(columns)];
}

function encodingOf({ spec, options }: WrittenColumn["column"]) {
  const requested = options.encoding ?? "AUTO_ENCODING";
  return resolveEncoding(spec.type, requested) ?? requested;
}
