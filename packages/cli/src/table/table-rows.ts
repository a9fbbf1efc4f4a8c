/** Rows of CSV or NDJSON text, in portions. Memory is bounded by the longest row. */
import { invalidArgument } from "@cfile/bytes";
import { parse as parseJson } from "lossless-json";
import { type RawCell, rawCell } from "../records/raw-cell.js";
import { type CsvFormat, type CsvRecord, csvRecords } from "./csv-records.js";

export interface TableFormat extends CsvFormat {
  readonly kind: "csv" | "ndjson";
}

/** The cells of one row, in the order of the table's `names`; trailing cells may be missing. */
type RawRow = readonly (RawCell | undefined)[];

/** A table that is being read; `names` has the columns seen so far. */
export interface Table {
  readonly names: readonly string[];
  /** In portions. */
  readonly rows: AsyncIterable<readonly RawRow[]>;
}

/**
 * @param path for messages
 * @throws {CFileError} `E_INVALID_ARGUMENT`, while the rows are read, for text that is not in the format
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
    throw error instanceof TypeError ? invalidArgument("invalid UTF-8", { path }) : error;
  }
}

async function* csvRows(
  text: AsyncIterable<string>,
  names: string[],
  format: TableFormat,
  path: string,
): AsyncGenerator<RawRow[], void, void> {
  let row = 0;
  for await (const records of csvRecords(text, format, path)) {
    const header = names.length === 0 ? records.shift() : undefined;
    if (header !== undefined) {
      names.push(...headerNames(header, path));
    }
    const rows = names.length === 1 ? records : records.filter((cells) => !isBlank(cells));
    for (const cells of rows) {
      if (cells.length !== names.length) {
        const found = `row ${row} has ${cells.length} fields (the header has ${names.length})`;
        throw invalidArgument(found, { path });
      }
      row++;
    }
    yield rows;
  }
}

/** An empty line. In a table of one column it is a null. */
function isBlank(cells: CsvRecord): boolean {
  return cells.length === 1 && (cells[0] ?? "") === "";
}

function headerNames(cells: readonly (string | null)[], path: string): string[] {
  const names = cells.map((cell) => cell ?? "");
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) {
    throw invalidArgument(`duplicate column "${twice}" in the header`, { path });
  }
  return names;
}

async function* jsonRows(
  text: AsyncIterable<string>,
  names: string[],
  path: string,
): AsyncGenerator<RawRow[], void, void> {
  const positions = new Map<string, number>();
  let row = 0;
  for await (const lines of linesOf(text)) {
    const rows: RawRow[] = [];
    for (const line of lines) {
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
      rows.push(cells);
    }
    yield rows;
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
    throw invalidArgument(`row ${row}: must be a JSON object from column to value`, { path });
  }
  return value;
}

/**
 * The lines of a UTF-8 text, in portions.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for invalid UTF-8
 */
export function textLines(
  bytes: AsyncIterable<Uint8Array>,
  path: string,
): AsyncGenerator<string[], void, void> {
  return linesOf(decoded(bytes, path));
}

/** The complete lines of each piece of text. */
async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string[], void, void> {
  let begun = "";
  for await (const piece of text) {
    const lines = piece.split("\n");
    const last = lines.pop() ?? "";
    if (lines.length > 0) {
      lines[0] = begun + (lines[0] ?? "");
      begun = "";
    }
    begun += last;
    yield lines;
  }
  yield [begun];
}
