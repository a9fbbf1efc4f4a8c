/** `cfile hbase export` and `cfile hbase splits`: cells as columns in files, region by region. */
import { isCFileError } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import type { HBaseTable } from "@cfile/hbase";
import type { RegionSplit } from "@cfile/splits";
import { PARQUET_COMPRESSION, parquetCodec } from "../convert/parquet-codec.js";
import { TABLE_FORMS } from "../convert/table-form.js";
import { JOBS, JSON_OPTION, output } from "../options/options.js";
import { command } from "../program/command.js";
import type { CliContext } from "../program/context.js";
import { UsageError } from "../program/exit-code.js";
import { choice, required, text, type Values } from "../program/option.js";
import { counted, sizeText, sum } from "../records/quantity.js";
import { located } from "../splits/located.js";
import { SPLITS_OUTPUT, writeSplitLines } from "../splits/split-lines.js";
import { reportLosses } from "./hbase-losses.js";
import { CELLS, RECOVER, ROOT, ROW, SOURCE, type SourceValues, withHBaseTable } from "./hbase-options.js";

const FORMS = TABLE_FORMS.filter((form) => form !== "rowset");

const COLUMNS = {
  schema: required(text("COLUMNS", 'columns and types, like "row:string,cf:price:double(bytes)"')),
  startRow: ROW("first row, inclusive"),
  stopRow: ROW("row at which to end, exclusive"),
  timeRange: CELLS.timeRange,
  now: CELLS.now,
};

const SCHEMA_TEXT =
  "One row per row of the table, with the newest version of each column. The schema states the columns and how their values are stored: FAMILY:QUALIFIER:TYPE(ENCODING). Types: bool, int8, int16, int32, int64, float, double, string, binary. Encodings: bytes (as HBase's Bytes; the default), ordered (OrderedBytes), utf8 (text). The row key is the column row, binary unless the schema states it. Write other bytes of a qualifier as \\xNN.";

export const exportToFile = command({
  about: `${SCHEMA_TEXT} Threads write a part per region into FILE.parts; with --now, run the command again to resume after an interruption.`,
  args: { root: ROOT },
  options: {
    ...SOURCE,
    ...COLUMNS,
    output: output(
      "FILE",
      "new .parquet, .arrow, .feather, .arrows, .csv or .ndjson file, or a directory for a CFile per column",
    ),
    to: choice("format of the output", FORMS, "by its name"),
    compression: PARQUET_COMPRESSION,
    recover: RECOVER,
    jobs: JOBS,
    json: JSON_OPTION,
  },
  examples: [
    [
      "Export two columns as Parquet",
      "cfile hbase export /hbase --snapshot s1 --schema 'cf:price:double,cf:name:string' -o prices.parquet",
    ],
  ],
  run: (context, values) =>
    withHBaseTable(context, { ...values, recover: false }, async (table) => {
      const { exportForm, exportSplits } = await import("../export/export-splits.js");
      const { output: target, to, recover, jobs, json, root, snapshot, log } = values;
      const form = exportForm(target, to);
      const splits = await regionSplits(context, table, values);
      const columns = splits[0]?.schema ?? [];
      const { parts, bytes, resumed } = await exportSplits(context, {
        source: { table },
        origin: { kind: "hbase", root, table: values.table, snapshot, log, header: context.sources.header },
        onDamage: recover ? "recover" : "fail",
        codec: parquetCodec(form, values.compression),
        isSorted: true,
        ...{ splits, columns, target, form, jobs },
      });
      const rows = sum(parts.map(({ report }) => report.rows));
      const losses = parts.flatMap(({ report }) => report.losses);
      const counts = { path: target, rows, columns: columns.length, regions: splits.length, bytes };
      const size = bytes === undefined ? "" : `, ${sizeText(bytes)}`;
      await context.stdout.line(
        json
          ? JSON.stringify({ ...counts, parts_resumed: resumed, losses })
          : `${printable(target)}: ${counted(rows, "row")}, ${counted(columns.length, "column")}${size}`,
      );
      await reportLosses(context, losses);
    }),
});

export const splits = command({
  about: `Divides a table into one split per region. A split is a line of JSON that cfile run-split executes on any machine that can read the root directory. ${SCHEMA_TEXT}`,
  args: { root: ROOT },
  options: { ...SOURCE, ...COLUMNS, ...SPLITS_OUTPUT },
  examples: [
    [
      "Run the splits of a snapshot here",
      "cfile hbase splits /hbase --snapshot s1 --schema cf:price:double | cfile run-split -o parts",
    ],
  ],
  run: (context, values) =>
    withHBaseTable(context, values, async (table) =>
      writeSplitLines(context, await regionSplits(context, table, values), values),
    ),
});

async function regionSplits(
  { io }: CliContext,
  table: HBaseTable,
  { root, schema, startRow, stopRow, timeRange, now, log }: SourceValues & Values<typeof COLUMNS>,
): Promise<RegionSplit[]> {
  const { planRegions } = await import("@cfile/splits/plan");
  try {
    const options = {
      root: located(root),
      cells: schema,
      startRow,
      stopRow,
      timeRange,
      now,
      signal: io.signal,
    };
    const planned = await planRegions(table, { ...options, withLog: log ?? true });
    if (planned.length === 0) {
      throw new UsageError("--start-row must be before --stop-row");
    }
    return planned;
  } catch (error) {
    // An invalid schema is an error in the command line.
    throw isCFileError(error, "E_INVALID_ARGUMENT") && error.field === "schema"
      ? new UsageError(`--schema: ${error.reason}`)
      : error;
  }
}
