/**
 * Records to the output, batch by batch.
 *
 * | format | |
 * | --- | --- |
 * | `table` | columns for people, with the titles again every thousand records |
 * | `json` | one array of objects, one a line |
 * | `ndjson` | one object a line |
 * | `csv` | a header, then a line a record; null is an empty field, empty text a quoted one |
 */
import { csvField, printable } from "@cfile/cell-text";
import type { TextOutput } from "../program/text-output.js";
import type { FieldCells } from "./field-cells.js";
import { type Column, tableLines } from "./table.js";

export const RECORD_FORMATS = ["table", "json", "ndjson", "csv"] as const;
export type RecordFormat = (typeof RECORD_FORMATS)[number];

/** Records that a table is laid out for at a time. */
const TABLE_PORTION = 1000;

export class RecordWriter {
  private readonly fields: readonly Column[];
  private readonly format: RecordFormat;
  private readonly output: TextOutput;
  private readonly names: readonly string[];
  private rows: string[][] = [];
  private isBegun = false;

  /** @param fields of every record, in order */
  constructor(fields: readonly Column[], format: RecordFormat, output: TextOutput) {
    this.fields = fields;
    this.format = format;
    this.output = output;
    this.names = fields.map(({ title }) => JSON.stringify(title));
  }

  /** @param cells of each field, for `length` records */
  async write(length: number, cells: readonly FieldCells[]): Promise<void> {
    if (length === 0) {
      return;
    }
    switch (this.format) {
      case "table":
        return this.writeRows(length, cells);
      case "csv": {
        await this.writeHeader();
        return this.output.line(csvLines(length, cells).join("\n"));
      }
      case "ndjson":
        return this.output.line(this.objects(length, cells).join("\n"));
      case "json": {
        const separator = this.isBegun ? ",\n" : "[";
        this.isBegun = true;
        return this.output.write(separator + this.objects(length, cells).join(",\n"));
      }
    }
  }

  /** Writes what is left. */
  async finish(): Promise<void> {
    switch (this.format) {
      case "table":
        return this.writePortion();
      case "csv":
        return this.writeHeader();
      case "json":
        return this.output.line(this.isBegun ? "]" : "[]");
      case "ndjson":
        return;
    }
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
    if (!this.isBegun) {
      this.isBegun = true;
      await this.output.line(this.fields.map(({ title }) => csvField(title)).join(","));
    }
  }

  private async writeRows(length: number, cells: readonly FieldCells[]): Promise<void> {
    const texts = cells.map((field) => field.plain());
    for (let i = 0; i < length; i++) {
      this.rows.push(
        texts.map((field) => {
          const text = field[i];
          return text === undefined ? "" : text === null ? "null" : printable(text);
        }),
      );
      if (this.rows.length >= TABLE_PORTION) {
        await this.writePortion();
      }
    }
  }

  private async writePortion(): Promise<void> {
    if (this.rows.length > 0 || !this.isBegun) {
      const titles = this.fields.map((field) => ({ ...field, title: printable(field.title) }));
      await this.output.line(tableLines(titles, this.rows, "").join("\n"));
    }
    this.isBegun = true;
    this.rows = [];
  }
}

function csvLines(length: number, cells: readonly FieldCells[]): string[] {
  const texts = cells.map((field) => field.plain());
  return Array.from({ length }, (_, i) => texts.map((field) => csvField(field[i] ?? undefined)).join(","));
}
