/**
 * Writes records to the output, batch by batch.
 *
 * | format | |
 * | --- | --- |
 * | `table` | aligned columns; the titles are repeated every thousand records |
 * | `json` | one array of objects, one per line |
 * | `ndjson` | one object per line |
 * | `csv` | a header, then one line per record; null is an empty field, empty text a quoted one |
 */
import { csvField, printable } from "@cfile/cell-text";
import { type FormatValues, formatOf, type RecordFormat } from "../options/options.js";
import type { FieldCells } from "./field-cells.js";
import { LineWriter, type TextTarget } from "./line-writer.js";
import { type Column, tableLines } from "./table.js";

/** Records per table; each table has its own column widths. */
const TABLE_RECORDS = 1000;

export class RecordWriter {
  private readonly fields: readonly Column[];
  readonly format: RecordFormat;
  private readonly lines: LineWriter;
  private readonly names: readonly string[];
  private rows: string[][] = [];
  private hasTitles = false;

  /** @param fields of every record, in order */
  constructor(output: TextTarget, fields: readonly Column[], values: FormatValues<RecordFormat>) {
    this.fields = fields;
    this.format = formatOf<RecordFormat>(values, "table");
    this.lines = new LineWriter(output, this.format === "json");
    this.names = fields.map(({ title }) => JSON.stringify(title));
  }

  /** @param cells of each field, for `length` records */
  async write(length: number, cells: readonly FieldCells[]): Promise<void> {
    switch (this.format) {
      case "table":
        return this.addRows(length, cells);
      case "csv":
        await this.writeHeader();
        return this.lines.write(csvLines(length, cells));
      default:
        return this.lines.write(this.objects(length, cells));
    }
  }

  /** Writes the buffered records and the end of the output. */
  async finish(): Promise<void> {
    if (this.format === "csv") {
      await this.writeHeader();
    } else if (this.format === "table" && (this.rows.length > 0 || !this.hasTitles)) {
      await this.writeTable();
    }
    await this.lines.end();
  }

  private objects(length: number, cells: readonly FieldCells[]): string[] {
    const texts = cells.map((field) => field.json());
    return Array.from({ length }, (_, i) => {
      const members = this.names.flatMap((name, field) => {
        const text = texts[field]?.[i];
        return text === undefined ? [] : [`${name}:${text}`];
      });
      return `{${members.join(",")}}`;
    });
  }

  private async writeHeader(): Promise<void> {
    if (!this.hasTitles) {
      this.hasTitles = true;
      await this.lines.write([this.fields.map(({ title }) => csvField(title)).join(",")]);
    }
  }

  private async addRows(length: number, cells: readonly FieldCells[]): Promise<void> {
    const texts = cells.map((field) => field.plain());
    for (let i = 0; i < length; i++) {
      this.rows.push(
        texts.map((field) => {
          const text = field[i];
          return text === undefined ? "" : text === null ? "null" : printable(text);
        }),
      );
      if (this.rows.length >= TABLE_RECORDS) {
        await this.writeTable();
      }
    }
  }

  private async writeTable(): Promise<void> {
    this.hasTitles = true;
    const titles = this.fields.map((field) => ({ ...field, title: printable(field.title) }));
    await this.lines.write(tableLines(titles, this.rows, ""));
    this.rows = [];
  }
}

function csvLines(length: number, cells: readonly FieldCells[]): string[] {
  const texts = cells.map((field) => field.plain());
  return Array.from({ length }, (_, i) => texts.map((field) => csvField(field[i] ?? undefined)).join(","));
}
