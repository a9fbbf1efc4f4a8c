/** Writes the rows of a table to the output. */
import { MemoryArena } from "@cfile/bytes";
import type { TabletReader } from "@cfile/rowset";
import { type KeyRangeValues, keyPrefixConditions, keyRange } from "../options/key-range.js";
import { COLUMNS, LIMIT, RECORD_FORMATS, WHERE } from "../options/options.js";
import { parseWhere } from "../options/where-expression.js";
import type { CliContext } from "../program/context.js";
import type { Values } from "../program/option.js";
import { RecordWriter } from "../records/record-writer.js";
import { batchCells, columnField, selectedColumns } from "../records/row-cells.js";

/** Options of the commands that print rows by condition. */
export const SCAN = { columns: COLUMNS, where: WHERE, limit: LIMIT, ...RECORD_FORMATS };

export type ScanValues = Values<typeof SCAN>;

export async function scanTable(
  { io, stdout }: CliContext,
  table: Pick<TabletReader, "schema" | "scan">,
  values: ScanValues & KeyRangeValues & { readonly asOf: bigint | undefined },
): Promise<void> {
  const { schema } = table;
  const columns = selectedColumns(schema.columns, values.columns);
  const options = {
    columns: columns.map(({ name }) => name),
    keys: keyRange(schema, values),
    where: [
      ...keyPrefixConditions(schema, values),
      ...values.where.map((text) => parseWhere(text, schema.columns)),
    ],
    asOf: values.asOf,
    limit: values.limit,
    signal: io.signal,
    arena: new MemoryArena(),
  };
  const writer = new RecordWriter(stdout, columns.map(columnField), values);
  for await (const batch of table.scan(options)) {
    await writer.write(batch.length, batchCells(columns, batch));
  }
  await writer.finish();
}
