/** CSV and NDJSON as tables: their rows in batches of columns. */
import { batchFromValues, type TableBatch } from "@cfile/encodings/batches";
import type { InputCell } from "cfile";
import type { CliContext } from "../program/context.js";
import { cellMaker } from "../records/raw-cell.js";
import { inferSchema } from "../table/infer-schema.js";
import { type ColumnSpec, givenSchema } from "../table/schema.js";
import { columnPositions } from "../table/table-columns.js";
import { readTable, type Table, type TableFormat } from "../table/table-rows.js";
import { bytesOf, countedSource, type OpenTable } from "./counted-source.js";

const MAX_BATCH_ROWS = 16_384;

/** Without a schema the text is read twice: once for the types of its values. */
export async function openText(
  context: CliContext,
  name: string,
  format: TableFormat,
  schema: string | undefined,
): Promise<OpenTable> {
  const { signal } = context.io;
  const { source, size } = await countedSource(context, name);
  const read = (): Table => readTable(bytesOf(source, size, signal), format, name);
  try {
    const specs =
      schema === undefined ? await inferSchema(read(), format.kind, name, signal) : await givenSchema(schema);
    const before = source.metrics.bytes;
    return {
      columns: specs,
      rows: rowsOf(read(), specs, format, name),
      bytes: size,
      done: () => (source.metrics.bytes - before) / Math.max(1, size),
      close: async () => source.close?.(),
    };
  } catch (error) {
    await source.close?.();
    throw error;
  }
}

async function* rowsOf(
  table: Table,
  specs: readonly ColumnSpec[],
  { kind, nullText }: TableFormat,
  path: string,
): AsyncGenerator<TableBatch, void, void> {
  const hasHeader = kind === "csv";
  const makers = specs.map((spec) => cellMaker(spec, hasHeader && nullText === "", path));
  const names = specs.map(({ name }) => name);
  let row = 0;
  let cells = specs.map((): InputCell[] => []);
  let length = 0;
  const batch = () => {
    const firstRow = row - length;
    const rows = {
      length,
      firstRow,
      names,
      columns: cells.map((column, i) => batchFromValues(specs[i] as ColumnSpec, column, firstRow)),
    };
    cells = specs.map(() => []);
    length = 0;
    return rows;
  };
  for await (const portion of table.rows) {
    // Later rows of NDJSON may have more columns.
    const positions = columnPositions(table, specs, { path, hasHeader });
    for (const raw of portion) {
      for (const [i, make] of makers.entries()) {
        cells[i]?.push(make(raw[positions[i] ?? -1], row));
      }
      row++;
      if (++length >= MAX_BATCH_ROWS) {
        yield batch();
      }
    }
  }
  columnPositions(table, specs, { path, hasHeader });
  if (length > 0) {
    yield batch();
  }
}
