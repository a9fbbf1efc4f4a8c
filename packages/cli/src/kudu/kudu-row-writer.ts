/**
 * Writes rows of a table's tablets to the output, batch by batch.
 *
 * | format | form |
 * | --- | --- |
 * | JSON | `{"columns":[…],"tablets":{"ID":[[…],…]}}`, cells as stored; a changed row ends in `{"deleted":…}` |
 * | NDJSON | an object from column to value per line; a changed row is `{"deleted":…,"row":{…}}` |
 * | CSV, table | as in `record-writer.ts`; a changed row starts with `deleted` |
 */
import { isDecimal } from "@cfile/cell-text";
import type { TableBatch } from "@cfile/encodings/batches";
import type { KuduTablet } from "@cfile/kudu-dir";
import type { KuduColumn } from "@cfile/kudu-dir/catalog";
import type { RecordFormat } from "../options/options.js";
import type { TextOutput } from "../program/output/text-output.js";
import { columnCells, type FieldCells, literalCells } from "../records/field-cells.js";
import { RecordWriter } from "../records/record-writer.js";
import { columnField } from "../records/row-cells.js";
import { left } from "../records/table.js";

export interface RowWriterOptions {
  readonly format: RecordFormat;
  /** Readable text instead of values as stored. */
  readonly decode: boolean;
  /** Whether the rows are those of a diff. */
  readonly isDiff: boolean;
  readonly columns: readonly KuduColumn[];
}

type WrittenBatch = TableBatch & { readonly deleted?: Uint8Array };

export class RowWriter {
  private readonly options: RowWriterOptions;
  private readonly output: TextOutput;
  private readonly records: RecordWriter;
  private tablets = 0;
  private rows = 0;

  constructor(options: RowWriterOptions, output: TextOutput) {
    const { columns, format, isDiff } = options;
    this.options = options;
    this.output = output;
    const fields = isDiff && format === "ndjson" ? [left("row")] : columns.map(columnField);
    this.records = new RecordWriter(output, [...(isDiff ? [left("deleted")] : []), ...fields], { format });
  }

  async begin(): Promise<void> {
    const { format, columns } = this.options;
    if (format === "json") {
      await this.output.write(`{"columns":${JSON.stringify(columns.map(columnJson))},\n"tablets":{`);
    }
  }

  async beginTablet({ id }: KuduTablet): Promise<void> {
    if (this.options.format === "json") {
      await this.output.write(`${this.tablets++ === 0 ? "" : ","}\n${JSON.stringify(id)}:[`);
      this.rows = 0;
    }
  }

  async batch(batch: WrittenBatch): Promise<void> {
    const { format, isDiff, columns } = this.options;
    const cells = batch.columns.map((column, i) => columnCells(column, this.cellOptions(i)));
    const deleted = literalCells(
      batch.deleted === undefined ? [] : Array.from(batch.deleted, (mark) => String(mark === 1)),
    );
    if (format === "json") {
      const marks = deleted.json().map((mark) => `{"deleted":${mark}}`);
      const texts = [...cells.map((one) => one.json()), ...(isDiff ? [marks] : [])];
      const rows = Array.from(
        { length: batch.length },
        (_, i) => `[${texts.map((one) => one[i]).join(",")}]`,
      );
      await this.output.write(`${this.rows === 0 ? "" : ","}\n${rows.join(",\n")}`);
      this.rows += rows.length;
      return;
    }
    const fields = isDiff && format === "ndjson" ? [objectCells(columns, cells, batch.length)] : cells;
    await this.records.write(batch.length, isDiff ? [deleted, ...fields] : fields);
  }

  async endTablet(): Promise<void> {
    if (this.options.format === "json") {
      await this.output.write("]");
    }
  }

  async end(): Promise<void> {
    await (this.options.format === "json" ? this.output.line("}}") : this.records.finish());
  }

  private cellOptions(column: number): { decode: boolean; scale: number | undefined } {
    const { decode, columns } = this.options;
    const { type, scale } = columns[column] ?? {};
    return { decode, scale: type !== undefined && isDecimal(type) ? scale : undefined };
  }
}

/** Each row as one object. */
function objectCells(
  columns: readonly KuduColumn[],
  cells: readonly FieldCells[],
  length: number,
): FieldCells {
  const names = columns.map(({ name }) => JSON.stringify(name));
  const texts = cells.map((field) => field.json());
  return literalCells(
    Array.from({ length }, (_, row) => `{${texts.map((text, i) => `${names[i]}:${text[row]}`).join(",")}}`),
  );
}

/** A column in the form of Kudu's Java client. */
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
