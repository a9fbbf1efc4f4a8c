/**
 * Rows of a table's tablets to the output, batch by batch.
 *
 * | format | form |
 * | --- | --- |
 * | JSON | `{"columns":[…],"tablets":{"ID":[[…],…]}}`, cells in their stored form; a change ends in `{"deleted":…}` |
 * | NDJSON | an object from column to value a line; a change is `{"deleted":…,"row":{…}}` |
 * | CSV | a line of names, a line a row; a change begins with `deleted` |
 * | text | the same in columns, as wide as the first rows need |
 */

import { clipped, csvField, isDecimal, jsonCells, plainCells, printable } from "@cfile/cell-text";
import type { TableBatch } from "@cfile/encodings/batches";
import type { KuduTablet } from "@cfile/kudu-dir";
import type { KuduColumn } from "@cfile/kudu-dir/catalog";
import type { TextOutput } from "../program/text-output.js";

export type RowFormatName = "json" | "ndjson" | "csv" | "text";

export interface RowWriterOptions {
  readonly format: RowFormatName;
  /** Readable text instead of the stored form. */
  readonly decode: boolean;
  /** Whether rows are changes. */
  readonly changes: boolean;
  readonly columns: readonly KuduColumn[];
}

type WrittenBatch = TableBatch & { readonly deleted?: Uint8Array };

const MOST_WIDTH = 48;

export class RowWriter {
  private readonly options: RowWriterOptions;
  private readonly output: TextOutput;
  private tablets = 0;
  private rows = 0;
  private widths: number[] | undefined;

  constructor(options: RowWriterOptions, output: TextOutput) {
    this.options = options;
    this.output = output;
  }

  async begin(): Promise<void> {
    const { format, columns, changes } = this.options;
    if (format === "json") {
      await this.output.write(`{"columns":${JSON.stringify(columns.map(columnJson))},\n"tablets":{`);
    } else if (format === "csv") {
      const names = columns.map(({ name }) => name);
      await this.output.line([...(changes ? ["deleted"] : []), ...names].map(csvField).join(","));
    }
  }

  async beginTablet({ id }: KuduTablet): Promise<void> {
    if (this.options.format === "json") {
      await this.output.write(`${this.tablets++ === 0 ? "" : ","}\n${JSON.stringify(id)}:[`);
      this.rows = 0;
    }
  }

  async batch(batch: WrittenBatch): Promise<void> {
    const { format } = this.options;
    if (format === "json") {
      const rows = this.jsonRows(batch, (cells, deleted) =>
        deleted === undefined
          ? `[${cells.join(",")}]`
          : `[${[...cells, `{"deleted":${deleted}}`].join(",")}]`,
      );
      await this.output.write(`${this.rows === 0 ? "" : ","}\n${rows.join(",\n")}`);
      this.rows += rows.length;
    } else if (format === "ndjson") {
      const names = batch.names.map((name) => JSON.stringify(name));
      const rows = this.jsonRows(batch, (cells, deleted) => {
        const row = `{${cells.map((cell, i) => `${names[i]}:${cell}`).join(",")}}`;
        return deleted === undefined ? row : `{"deleted":${deleted},"row":${row}}`;
      });
      await this.output.line(rows.join("\n"));
    } else if (format === "csv") {
      const rows = this.plainRows(batch);
      await this.output.line(rows.map((cells) => cells.map(csvField).join(",")).join("\n"));
    } else {
      await this.output.line(this.tableRows(batch).join("\n"));
    }
  }

  async endTablet(): Promise<void> {
    if (this.options.format === "json") {
      await this.output.write("]");
    }
  }

  async end(): Promise<void> {
    if (this.options.format === "json") {
      await this.output.line("}}");
    }
  }

  private jsonRows(
    batch: WrittenBatch,
    make: (cells: readonly string[], deleted: boolean | undefined) => string,
  ): string[] {
    const columns = batch.columns.map((column, i) => jsonCells(column, this.cellOptions(i)));
    return Array.from({ length: batch.length }, (_, row) =>
      make(
        columns.map((cells) => cells[row] ?? "null"),
        batch.deleted && batch.deleted[row] === 1,
      ),
    );
  }

  private plainRows(batch: WrittenBatch): (string | undefined)[][] {
    const columns = batch.columns.map((column, i) => plainCells(column, this.cellOptions(i)));
    return Array.from({ length: batch.length }, (_, row) => [
      ...(batch.deleted === undefined ? [] : [String(batch.deleted[row] === 1)]),
      ...columns.map((cells) => cells[row]),
    ]);
  }

  private tableRows(batch: WrittenBatch): string[] {
    const { columns, changes } = this.options;
    const rows = this.plainRows(batch).map((cells) =>
      cells.map((cell) => clipped(printable(cell ?? "null"), MOST_WIDTH)),
    );
    const lines: string[][] = [];
    if (this.widths === undefined) {
      const head = [...(changes ? ["deleted"] : []), ...columns.map(({ name }) => printable(name))];
      this.widths = head.map((title, i) =>
        rows.reduce((width, cells) => Math.max(width, cells[i]?.length ?? 0), title.length),
      );
      lines.push(head);
    }
    const { widths } = this;
    return [...lines, ...rows].map((cells) =>
      cells
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  }

  private cellOptions(column: number): { decode: boolean; scale: number | undefined } {
    const { decode, columns } = this.options;
    const { type, scale } = columns[column] ?? {};
    return { decode, scale: type !== undefined && isDecimal(type) ? scale : undefined };
  }
}

/** A column in the form in which Kudu's Java client tells it. */
function columnJson(column: KuduColumn): Readonly<Record<string, unknown>> {
  const { id, name, type, isKey, nullable, array, precision, scale, length } = column;
  const kind = isDecimal(type) ? "decimal" : type.toLowerCase();
  return {
    name,
    id,
    type: `Type: ${kind}${array ? " array" : ""}`,
    key: isKey,
    nullable,
    ...(isDecimal(type) && { precision, scale }),
    ...(length !== undefined && { length }),
    encoding: column.encoding ?? "AUTO_ENCODING",
    compression: column.compression ?? "DEFAULT_COMPRESSION",
    block_size: column.blockSize ?? 0,
    comment: column.comment ?? "",
  };
}
