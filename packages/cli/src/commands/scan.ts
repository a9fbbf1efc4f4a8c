/** `cfile scan`: rows of a table store or a column that match conditions. */
import { fileKind } from "../files/file-kind.js";
import { scanFile } from "../files/file-scan.js";
import { KEY_RANGE } from "../options/key-range.js";
import { AS_OF, formatOf, type RecordFormat, SCALE } from "../options/options.js";
import { command } from "../program/command.js";
import { UsageError } from "../program/exit-code.js";
import { optionName, required, text } from "../program/option.js";
import { directoryAt } from "../table-store/table-path.js";
import { SCAN, scanTable } from "../table-store/table-scan.js";

const TABLE_OPTIONS = { ...KEY_RANGE, asOf: AS_OF };

export const scan = command({
  about: 'A CFile is scanned as a table with the columns "row" and "value".',
  args: {
    path: required(text("PATH", "directory of a table store, a CFile or a Parquet file: path or URL")),
  },
  options: { ...SCAN, ...TABLE_OPTIONS, scale: SCALE },
  examples: [
    ["Scan a table store", "cfile scan table/ --where \"state = 'TX'\" --columns name,city"],
    ["Scan a Parquet file", "cfile scan table.parquet --where 'id >= 7' --columns id,tags"],
    ["Scan a column", "cfile scan price.cfile --where 'value > 9.99' --scale 2 --limit 5"],
  ],
  run: async (context, { path, ...values }) => {
    if ((await directoryAt(path)) !== undefined) {
      if (values.scale !== undefined) {
        throw new UsageError("--scale applies to CFiles only: a table store stores the scale of its columns");
      }
      return context.withTableStore(path, (table) => scanTable(context, table, values));
    }
    const wrong = (Object.keys(TABLE_OPTIONS) as (keyof typeof TABLE_OPTIONS)[]).find(
      (key) => values[key] !== undefined,
    );
    if (wrong !== undefined) {
      throw new UsageError(
        `${optionName(wrong)} applies to table stores only: files have no key and no history`,
      );
    }
    if ((await fileKind(context.sources, path, context.io.signal)) === "parquet") {
      if (values.scale !== undefined) {
        throw new UsageError(
          "--scale does not apply to Parquet files: they store the scale of their columns",
        );
      }
      const { writeParquetRows } = await import("../parquet/parquet-rows.js");
      const { columns, where, limit } = values;
      const format = formatOf<RecordFormat>(values, "table");
      return writeParquetRows(context, path, { columns, where, limit, format, decode: true });
    }
    return context.withFile(path, (file) => scanFile(context, file, values));
  },
});
