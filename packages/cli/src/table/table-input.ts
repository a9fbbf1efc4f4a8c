/** The table that a command reads: a CSV or NDJSON file, or standard input. */

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { printable } from "@cfile/cell-text";
import { givenSchema } from "../options/given-schema.js";
import type { CliContext } from "../program/context.js";
import { UsageError } from "../program/exit-code.js";
import { startProgress } from "../program/progress.js";
import { inferSchema } from "./infer-schema.js";
import type { ColumnSpec } from "./schema.js";
import { readTable, type Table, type TableFormat } from "./table-rows.js";

export const TABLE = /* @__PURE__ */ Object.freeze({
  type: "string",
  demandOption: true,
  describe: "a .csv file with a header, an .ndjson or .jsonl file, or - for standard input",
} as const);

/** Options that say how the text is to be read. */
export const TABLE_FLAGS = {
  format: {
    choices: ["csv", "ndjson"],
    requiresArg: true,
    describe: "[default: by the file's name]",
  },
  delimiter: { type: "string", requiresArg: true, default: ",", describe: "between fields of CSV" },
  null: { type: "string", default: "", describe: "the unquoted field of CSV that is a null" },
} as const;

export interface TableFlags {
  readonly input: string;
  readonly format?: string | undefined;
  readonly delimiter: string;
  readonly null: string;
}

const STDIN = "-";

export class TableInput {
  /** Of the file, for messages; `-` is standard input. */
  readonly path: string;
  readonly format: TableFormat;
  private readonly context: CliContext;

  /** @throws UsageError for a format that neither the name nor the options tell, and for what is no delimiter */
  constructor(context: CliContext, flags: TableFlags) {
    this.context = context;
    // yargs makes an empty text of a lone "-".
    this.path = flags.input === "" ? STDIN : flags.input;
    this.format = tableFormat(this.path, flags);
  }

  /** Whether all columns of the table are known before its first row. */
  get hasHeader(): boolean {
    return this.format.kind === "csv";
  }

  /** Whether nulls are empty fields of CSV. */
  get emptyFields(): boolean {
    return this.format.kind === "csv" && this.format.nullText === "";
  }

  /**
   * The columns: those of the schema, or what the values tell, for which the table is read to its end.
   *
   * @throws UsageError for a schema that is none, and for standard input without one, which can be read only once
   */
  columns(schema: string | undefined): Promise<ColumnSpec[]> {
    if (schema !== undefined) {
      return givenSchema(schema);
    }
    if (this.path === STDIN) {
      throw new UsageError("standard input is read once only and needs a --schema");
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
      for await (const chunk of stream as AsyncIterable<Uint8Array | string>) {
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

function tableFormat(path: string, { format, delimiter, null: nullText }: TableFlags): TableFormat {
  const kind =
    format ?? (/\.(?:ndjson|jsonl)$/i.test(path) ? "ndjson" : /\.csv$/i.test(path) ? "csv" : undefined);
  if (kind !== "csv" && kind !== "ndjson") {
    throw new UsageError(`"${path}" ends in none of .csv, .ndjson and .jsonl: --format is needed`);
  }
  return { kind, delimiter: delimiterOf(delimiter), nullText };
}

/** @throws UsageError for what is no delimiter */
export function delimiterOf(delimiter: string): string {
  const character = delimiter === "\\t" ? "\t" : delimiter;
  if (character.length !== 1 || /["\r\n]/.test(character)) {
    throw new UsageError(`--delimiter takes one character, or \\t; "${printable(delimiter)}" is none`);
  }
  return character;
}
