/**
 * The records of a CSV text as in RFC 4180: lines end in LF or CRLF, fields with delimiters, quotes or line breaks are
 * quoted, a quote in them is doubled.
 *
 * csv-parse reports only to its `cast` hook which fields were quoted, and with that hook it is twelve times slower. Nulls are
 * therefore found in the raw text of a line. Only lines with a quoted delimiter and a possibly quoted null text are parsed again
 * with the hook.
 */
import { pipeline, Readable } from "node:stream";
import { invalidArgument } from "@cfile/bytes";
import { type CastingFunction, CsvError, parse } from "csv-parse";
import { parse as parseWhole } from "csv-parse/sync";

/** The fields of one line; `null` is an unquoted field with the null text. */
export type CsvRecord = (string | null)[];

export interface CsvFormat {
  /** One character. */
  readonly delimiter: string;
  readonly nullText: string;
}

/** A record of csv-parse with its option `raw`. */
interface Line {
  readonly record: CsvRecord;
  /** The text of the line, with its line break or a part of it. */
  readonly raw: string;
}

/** Approximate number of characters per portion. */
const PORTION = 1 << 18;

/**
 * @param path for messages
 * @throws CFileError `E_INVALID_ARGUMENT` for a quote that is not at the start or end of its field
 */
export async function* csvRecords(
  text: AsyncIterable<string>,
  format: CsvFormat,
  path: string,
): AsyncGenerator<CsvRecord[], void, void> {
  // For delimiters of more than one byte, csv-parse leaves bytes out of `raw`.
  const castAll = format.delimiter > "\x7f";
  const finished = castAll ? (lines: Line[]) => lines.map(({ record }) => record) : nullFinder(format);
  const parser = parse({ ...parserOptions(format), raw: true, ...(castAll && { cast: nullCast(format) }) });
  // Failures of the text reach the loop below through the parser.
  pipeline(Readable.from(text), parser, () => undefined);
  try {
    const parsed: AsyncIterable<Line> = parser;
    let lines: Line[] = [];
    let size = 0;
    for await (const line of parsed) {
      lines.push(line);
      size += line.raw.length;
      if (size >= PORTION) {
        yield finished(lines);
        lines = [];
        size = 0;
      }
    }
    yield finished(lines);
  } catch (error) {
    throw error instanceof CsvError ? invalidArgument(error.message, { path, cause: error }) : error;
  }
}

function parserOptions({ delimiter }: CsvFormat) {
  return { delimiter, record_delimiter: ["\r\n", "\n"], relax_column_count: true };
}

function nullCast({ nullText }: CsvFormat): CastingFunction {
  return (field, { quoting }) => (field === nullText && !quoting ? null : field);
}

/** Replaces unquoted null texts by null. */
function nullFinder(format: CsvFormat): (lines: readonly Line[]) => CsvRecord[] {
  const { delimiter, nullText } = format;
  const quoted = `"${nullText.replaceAll('"', '""')}"`;
  const options = { ...parserOptions(format), cast: nullCast(format) };
  return (lines) => {
    const unclear: Line[] = [];
    for (const line of lines) {
      const { record, raw } = line;
      if (!record.includes(nullText)) {
        continue;
      }
      if (!raw.includes(quoted)) {
        setNulls(record, nullText, () => true);
        continue;
      }
      const parts = withoutLineEnd(raw).split(delimiter);
      // As many parts as fields: no delimiter is quoted, and each part is the text of its field.
      if (parts.length === record.length) {
        setNulls(record, nullText, (field) => parts[field] === nullText);
      } else {
        unclear.push(line);
      }
    }
    if (unclear.length > 0) {
      const again: CsvRecord[] = parseWhole(
        unclear.map(({ raw }) => withoutLineEnd(raw)).join("\n"),
        options,
      );
      for (const [i, { record }] of unclear.entries()) {
        setNulls(record, nullText, (field) => again[i]?.[field] === null);
      }
    }
    return lines.map(({ record }) => record);
  };
}

function withoutLineEnd(raw: string): string {
  return raw.replace(/\r?\n?$/, "");
}

function setNulls(record: CsvRecord, nullText: string, isNull: (field: number) => boolean): void {
  for (let i = 0; i < record.length; i++) {
    if (record[i] === nullText && isNull(i)) {
      record[i] = null;
    }
  }
}
