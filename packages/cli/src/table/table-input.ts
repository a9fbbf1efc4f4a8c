/** The table that a command reads: a CSV or NDJSON file, or standard input. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { formOfName } from "../convert/table-form.js";
import type { CliContext } from "../program/context.js";
import { UsageError } from "../program/exit-code.js";
import { choice, invalidValue, required, text, type Values, value, withDefault } from "../program/option.js";
import { startProgress } from "../program/output/progress.js";
import { inferSchema } from "./infer-schema.js";
import { type ColumnSpec, givenSchema } from "./schema.js";
import { readTable, type Table, type TableFormat } from "./table-rows.js";

export const INPUT = required(
  text("FILE", ".csv file with a header, .ndjson or .jsonl file, or - for stdin"),
);

/** Options for the text of a table. */
export const TABLE_TEXT = {
  format: choice("format of the input", ["csv", "ndjson"], "by its name"),
  delimiter: withDefault(value("CHAR", "separator of CSV fields", delimiterOf), ","),
  null: withDefault(text("TEXT", "unquoted CSV field that is a null"), ""),
};

type TableTextValues = Values<typeof TABLE_TEXT> & { readonly input: string };

const STDIN = "-";

export class TableInput {
  /** For messages; `-` is standard input. */
  readonly path: string;
  readonly format: TableFormat;
  private readonly context: CliContext;

  /** @throws UsageError when neither the name nor the options give the format */
  constructor(context: CliContext, { input, format, delimiter, null: nullText }: TableTextValues) {
    this.context = context;
    this.path = input;
    const kind = format ?? formOfName(input);
    if (kind !== "csv" && kind !== "ndjson") {
      throw new UsageError(`unknown format of "${input}" (expected .csv, .ndjson or .jsonl, or --format)`);
    }
    this.format = { kind, delimiter, nullText };
  }

  /**
   * The columns of the schema; without one, types from the values, for which the table is read to its end.
   *
   * @throws UsageError for an invalid schema, and for standard input without one
   */
  columns(schema: string | undefined): Promise<ColumnSpec[]> {
    if (schema !== undefined) {
      return givenSchema(schema);
    }
    if (this.path === STDIN) {
      throw new UsageError("missing option: --schema (stdin can be read only once)");
    }
    const { kind } = this.format;
    return this.read("inferring", (table) => inferSchema(table, kind, this.path, this.context.io.signal));
  }

  /** Reads the table from its start, with a progress bar. */
  async read<T>(label: string, work: (table: Table) => Promise<T>): Promise<T> {
    const { io } = this.context;
    const isStdin = this.path === STDIN;
    const progress = startProgress(io, label, isStdin ? 0 : (await stat(this.path)).size);
    const stream = isStdin
      ? io.stdin
      : createReadStream(this.path, { signal: io.signal, highWaterMark: 1 << 18 });
    async function* bytes(): AsyncGenerator<Uint8Array, void, void> {
      let done = 0;
      const chunks: AsyncIterable<Uint8Array | string> = stream;
      for await (const chunk of chunks) {
        const piece = typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
        done += piece.length;
        progress.update(done);
        yield piece;
      }
    }
    try {
      return await work(readTable(bytes(), this.format, this.path));
    } finally {
      progress.stop();
      if (!isStdin) {
        stream.destroy();
      }
    }
  }
}

function delimiterOf(option: string, given: string): string {
  const character = given === "\\t" ? "\t" : given;
  if (character.length !== 1 || /["\r\n]/.test(character)) {
    throw invalidValue(option, given, "must be one character, or \\t");
  }
  return character;
}
