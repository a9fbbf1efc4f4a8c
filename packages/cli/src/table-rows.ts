/** Rows of a CSV or NDJSON text, one after the other: memory is bounded by the longest row. */
import { pipeline, Readable } from "node:stream";
import { invalidArgument } from "@cfile/bytes";
import { CsvError, parse as csvParser } from "csv-parse";
import { parse as parseJson } from "lossless-json";
import { type RawCell, rawCell } from "./raw-cell.js";

export interface TableFormat {
  readonly kind: "csv" | "ndjson";
  /** Between the fields of CSV. */
  readonly delimiter: string;
  /** The unquoted field of CSV that is a null. */
  readonly nullText: string;
}

/** The cells of one row, in the order of the table's `names`; those at the end may be missing. */
export type RawRow = readonly (RawCell | undefined)[];

/** A table that is being read; `names` has the columns met so far. */
export interface Table {
  readonly names: readonly string[];
  readonly rows: AsyncIterable<RawRow>;
}

/**
 * @param path for messages
 * @throws CFileError `E_INVALID_ARGUMENT`, while the rows are read, for text that is not in the format
 */
export function readTable(bytes: AsyncIterable<Uint8Array>, format: TableFormat, path: string): Table {
  const names: string[] = [];
  const text = decoded(bytes, path);
  return {
    names,
    rows: format.kind === "csv" ? csvRows(text, names, format, path) : jsonRows(text, names, path),
  };
}

async function* decoded(bytes: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const chunk of bytes) {
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder.decode();
  } catch (error) {
    throw error instanceof TypeError ? invalidArgument("the text is not valid UTF-8", { path }) : error;
  }
}

async function* csvRows(
  text: AsyncIterable<string>,
  names: string[],
  { delimiter, nullText }: TableFormat,
  path: string,
): AsyncGenerator<RawRow, void, void> {
  const parser = csvParser({
    delimiter,
    relax_column_count: true,
    cast: (field, { quoting }) => (field === nullText && !quoting ? null : field),
  });
  // Failures of the text reach the loop below through the parser.
  pipeline(Readable.from(text), parser, () => undefined);
  let row = 0;
  try {
    for await (const cells of parser as AsyncIterable<(string | null)[]>) {
      if (names.length === 0) {
        names.push(...headerNames(cells, path));
      } else if (cells.length === names.length) {
        row++;
        yield cells;
      } else if (cells.length > 1 || (cells[0] ?? "") !== "") {
        throw invalidArgument(`row ${row} has ${cells.length} fields, the header has ${names.length}`, {
          path,
        });
      }
    }
  } catch (error) {
    throw error instanceof CsvError ? invalidArgument(error.message, { path, cause: error }) : error;
  }
}

function headerNames(cells: readonly (string | null)[], path: string): string[] {
  const names = cells.map((cell) => cell ?? "");
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) {
    throw invalidArgument(`the header has two columns "${twice}"`, { path });
  }
  return names;
}

async function* jsonRows(
  text: AsyncIterable<string>,
  names: string[],
  path: string,
): AsyncGenerator<RawRow, void, void> {
  const positions = new Map<string, number>();
  let row = 0;
  for await (const line of lines(text)) {
    if (line.trim() === "") {
      continue;
    }
    const cells: (RawCell | undefined)[] = [];
    for (const [name, value] of Object.entries(parsedObject(line, row, path))) {
      let position = positions.get(name);
      if (position === undefined) {
        position = names.push(name) - 1;
        positions.set(name, position);
      }
      cells[position] = rawCell(value, `column "${name}": row ${row}`, path);
    }
    row++;
    yield cells;
  }
}

function parsedObject(line: string, row: number, path: string): object {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch (error) {
    throw invalidArgument(`row ${row}: ${error instanceof Error ? error.message : String(error)}`, { path });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalidArgument(`row ${row}: an object from column to value is expected`, { path });
  }
  return value;
}

async function* lines(text: AsyncIterable<string>): AsyncGenerator<string, void, void> {
  let parts: string[] = [];
  for await (const chunk of text) {
    const pieces = chunk.split("\n");
    const last = pieces.pop() ?? "";
    for (const piece of pieces) {
      yield parts.length === 0 ? piece : parts.join("") + piece;
      parts = [];
    }
    parts.push(last);
  }
  yield parts.join("");
}
