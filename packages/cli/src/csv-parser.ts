/**
 * CSV as in RFC 4180, in pieces of text of any size: lines end in LF or CRLF, fields with delimiters, quotes or line
 * breaks are quoted, a quote in them is doubled.
 */
import { invalidArgument } from "@cfile/bytes";

/** The fields of one line; `null` is an unquoted field with the null text. */
export type CsvRecord = (string | null)[];

export interface CsvFormat {
  /** One character. */
  readonly delimiter: string;
  readonly nullText: string;
}

type State = "field start" | "plain" | "quoted" | "after quote";

const LINE_FEED = 10;
const QUOTE = 34;

export class CsvParser {
  private readonly delimiter: number;
  private readonly nullText: string;
  private state: State = "field start";
  private field = "";
  private record: CsvRecord = [];
  private records: CsvRecord[] = [];
  private line = 0;

  constructor({ delimiter, nullText }: CsvFormat) {
    this.delimiter = delimiter.charCodeAt(0);
    this.nullText = nullText;
  }

  /**
   * The records that end in this piece.
   *
   * @throws CFileError `E_INVALID_ARGUMENT` for a quote that is not at the start or end of its field
   */
  push(text: string): CsvRecord[] {
    for (let at = 0; at < text.length; ) {
      switch (this.state) {
        case "field start":
          if (text.charCodeAt(at) === QUOTE) {
            this.state = "quoted";
            at++;
          } else {
            this.state = "plain";
          }
          break;
        case "plain":
          at = this.readPlain(text, at);
          break;
        case "quoted":
          at = this.readQuoted(text, at);
          break;
        case "after quote":
          this.readAfterQuote(text.charAt(at));
          at++;
          break;
      }
    }
    return this.taken();
  }

  /**
   * The last record, if its line has no end.
   *
   * @throws CFileError `E_INVALID_ARGUMENT` for a quoted field without its end
   */
  finish(): CsvRecord[] {
    if (this.state === "quoted") {
      throw this.malformed("a quoted field does not end");
    }
    if (this.state !== "field start" || this.record.length > 0) {
      this.endField(this.state !== "after quote", true);
    }
    return this.taken();
  }

  private readPlain(text: string, start: number): number {
    for (let at = start; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === this.delimiter || unit === LINE_FEED) {
        this.field += text.slice(start, at);
        this.endField(true, unit === LINE_FEED);
        return at + 1;
      }
      if (unit === QUOTE) {
        throw this.malformed("a quote inside a field that is not quoted");
      }
    }
    this.field += text.slice(start);
    return text.length;
  }

  private readQuoted(text: string, start: number): number {
    const end = text.indexOf('"', start);
    this.field += end < 0 ? text.slice(start) : text.slice(start, end);
    if (end < 0) {
      return text.length;
    }
    this.state = "after quote";
    return end + 1;
  }

  private readAfterQuote(character: string): void {
    const unit = character.charCodeAt(0);
    if (unit === QUOTE) {
      this.field += character;
      this.state = "quoted";
    } else if (unit === this.delimiter || unit === LINE_FEED) {
      this.endField(false, unit === LINE_FEED);
    } else if (character !== "\r") {
      throw this.malformed("text after the end of a quoted field");
    }
  }

  private endField(isPlain: boolean, endsLine: boolean): void {
    const field = isPlain && endsLine && this.field.endsWith("\r") ? this.field.slice(0, -1) : this.field;
    this.record.push(isPlain && field === this.nullText ? null : field);
    this.field = "";
    this.state = "field start";
    if (endsLine) {
      this.records.push(this.record);
      this.record = [];
      this.line++;
    }
  }

  private taken(): CsvRecord[] {
    const { records } = this;
    this.records = [];
    return records;
  }

  /** The first record is the header, and so the second is row 0. */
  private malformed(reason: string) {
    return invalidArgument(this.line === 0 ? `the header: ${reason}` : `row ${this.line - 1}: ${reason}`);
  }
}
