/** Rows of Parquet files on the output. Lists, maps and structs are JSON; a map is a list of its entries. */
import { jsonCells, printable } from "@cfile/cell-text";
import type { NestedBatch, NestedVector, ParquetField } from "@cfile/parquet/nested";
import type { RecordFormat } from "../options/options.js";
import { parseWhere } from "../options/where-expression.js";
import type { CliContext } from "../program/context.js";
import { UsageError } from "../program/exit-code.js";
import { columnCells, type FieldCells, literalCells } from "../records/field-cells.js";
import { RecordWriter } from "../records/record-writer.js";
import { columnField } from "../records/row-cells.js";
import { left } from "../records/table.js";
import { openParquetFile } from "./open-parquet-file.js";

/** Which rows, and how they are printed. */
export interface ParquetRows {
  /** Default: all that can be read. */
  readonly columns?: readonly string[] | undefined;
  /** Conditions as text. */
  readonly where?: readonly string[] | undefined;
  /** Number of rows to skip. */
  readonly from?: number | undefined;
  /** Maximum number of rows, including those that are skipped. */
  readonly limit?: number | undefined;
  readonly format: RecordFormat;
  /** Whether dates, timestamps, floats and UTF-8 are readable text. */
  readonly decode: boolean;
}

export async function writeParquetRows(
  context: CliContext,
  path: string,
  options: ParquetRows,
): Promise<void> {
  const { io, sources, stdout, stderr } = context;
  const { signal } = io;
  const { fieldsOf, refusalOf, scanNested, sliceNested } = await import("@cfile/parquet/nested");
  await using file = await openParquetFile(context, await sources.open(path));
  const all = fieldsOf(file);
  for (const field of options.columns === undefined ? all : []) {
    const refusal = refusalOf(field);
    if (refusal !== undefined) {
      await stderr.line(`cfile: ${printable(path)}: column left out: ${printable(refusal)}`);
    }
  }
  const fields =
    options.columns?.map((name) => fieldNamed(all, name)) ??
    all.filter((field) => refusalOf(field) === undefined);
  const flat = new Map(file.columns.filter(({ array }) => !array).map((column) => [column.name, column]));
  const where = (options.where ?? []).map((text) => parseWhere(text, [...flat.values()]));
  const titles = fields.map(({ name }) => {
    const column = flat.get(name);
    return column === undefined ? left(name) : columnField(column);
  });
  const writer = new RecordWriter(stdout, titles, {
    format: options.format,
    json: false,
    ndjson: false,
    csv: false,
  });
  const { limit, from = 0, decode } = options;
  let skipped = 0;
  for await (const batch of scanNested(file, {
    columns: fields.map(({ name }) => name),
    where,
    limit,
    signal,
  })) {
    const start = Math.min(from - skipped, batch.length);
    skipped += start;
    const length = batch.length - start;
    if (length > 0) {
      const columns = batch.columns.map((column) =>
        start === 0 ? column : sliceNested(column, start, batch.length),
      );
      await writer.write(
        length,
        fields.map((field, i) => cellsOf(field, columns[i], decode)),
      );
    }
  }
  await writer.finish();
}

function fieldNamed(fields: readonly ParquetField[], name: string): ParquetField {
  const field = fields.find((candidate) => candidate.name === name);
  if (field === undefined) {
    throw new UsageError(
      `--columns: no column "${name}"; columns: ${fields.map((one) => one.name).join(", ")}`,
    );
  }
  return field;
}

function cellsOf(
  field: ParquetField,
  vector: NestedBatch["columns"][number] | undefined,
  decode: boolean,
): FieldCells {
  if (vector === undefined) {
    return literalCells([]);
  }
  if (vector.kind === "struct" || vector.kind === "list" || vector.kind === "map") {
    const json = nestedJson(field, vector, decode);
    return { json: () => json, plain: () => json.map((text) => (text === "null" ? null : text)) };
  }
  return columnCells(vector, { decode, scale: scaleOf(field) });
}

/** JSON texts of the slots of a vector. */
function nestedJson(field: ParquetField, vector: NestedVector, decode: boolean): string[] {
  const slots = (text: (slot: number) => string): string[] =>
    Array.from({ length: vector.length }, (_, slot) => (vector.isNull(slot) ? "null" : text(slot)));
  if (vector.kind === "struct" && field.kind === "struct") {
    const children = field.fields.map((child, i) => {
      const own = vector.children[i];
      return own === undefined ? [] : nestedJson(child, own, decode);
    });
    const names = vector.names.map((name) => JSON.stringify(name));
    return slots(
      (slot) => `{${names.map((name, i) => `${name}:${children[i]?.[slot] ?? "null"}`).join(",")}}`,
    );
  }
  if (vector.kind === "list" && field.kind === "list") {
    const elements = nestedJson(field.element, vector.child, decode);
    return slots((slot) => `[${elements.slice(vector.offsets[slot], vector.offsets[slot + 1]).join(",")}]`);
  }
  if (vector.kind === "map" && field.kind === "map") {
    const keys = nestedJson(field.key, vector.keys, decode);
    const values = nestedJson(field.value, vector.values, decode);
    const entries = keys.map((key, i) => `{"key":${key},"value":${values[i] ?? "null"}}`);
    return slots((slot) => `[${entries.slice(vector.offsets[slot], vector.offsets[slot + 1]).join(",")}]`);
  }
  if (vector.kind === "struct" || vector.kind === "list" || vector.kind === "map") {
    return slots(() => "null");
  }
  return jsonCells(vector, { decode, scale: scaleOf(field) }).map((text) => text ?? "null");
}

function scaleOf(field: ParquetField): number | undefined {
  return field.kind === "leaf" && !("refused" in field.values) ? field.values.scale : undefined;
}
