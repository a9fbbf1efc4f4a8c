/** CSV and NDJSON as tables: their rows in batches of columns. */
import type { CliContext } from "../program/context.js";
import { inferSchema } from "../table/infer-schema.js";
import { type ColumnSpec, givenSchema } from "../table/schema.js";
import { readTable, type Table, type TableFormat } from "../table/table-rows.js";
import { textBatches } from "../table/text-batches.js";
import { bytesOf, countedSource, type OpenTable } from "./counted-source.js";

/** Without a schema the text is read twice: once for the types of its values. */
export async function openText(
  context: CliContext,
  name: string,
  format: TableFormat,
  schema: string | readonly ColumnSpec[] | undefined,
): Promise<OpenTable> {
  const { signal } = context.io;
  const { source, size } = await countedSource(context, name);
  const read = (): Table => readTable(bytesOf(source, size, signal), format, name);
  try {
    const specs =
      schema === undefined
        ? await inferSchema(read(), format.kind, name, signal)
        : typeof schema === "string"
          ? await givenSchema(schema)
          : schema;
    const before = source.metrics.bytes;
    return {
      columns: specs,
      rows: textBatches(read(), specs, { path: name, format }, signal),
      bytes: size,
      done: () => (source.metrics.bytes - before) / Math.max(1, size),
      close: async () => source.close?.(),
    };
  } catch (error) {
    await source.close?.();
    throw error;
  }
}
