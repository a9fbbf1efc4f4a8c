/** `cfile hudi export`: the rows of a table as files of another format. */
import { printable } from "@cfile/cell-text";
import { PARQUET_COMPRESSION, parquetCodec } from "../convert/parquet-codec.js";
import { TABLE_FORMS } from "../convert/table-form.js";
import { COLUMNS, JOBS, JSON_OPTION, output, WHERE } from "../options/options.js";
import { command } from "../program/command.js";
import { choice, flag } from "../program/option.js";
import { counted, sizeText, sum } from "../records/quantity.js";
import { selectedColumns } from "../records/row-cells.js";
import { located } from "../splits/located.js";
import { conditionsOf } from "./hudi-conditions.js";
import { HUDI_AS_OF, HUDI_TABLE, reportNested, withHudiTable } from "./hudi-table.js";

/** Stored bytes of a part. */
const PART_BYTES = 64 * 1024 * 1024;
const FORMS = TABLE_FORMS.filter((form) => form !== "rowset");

export const exportToFile = command({
  about:
    "Structs, maps and nested arrays are left out, and named on stderr; cfile hudi scan --ndjson prints them. Threads write parts into FILE.parts; run the command again to resume after an interruption.",
  args: { table: HUDI_TABLE },
  options: {
    columns: COLUMNS,
    where: WHERE,
    asOf: HUDI_AS_OF,
    readOptimized: flag("read base files only, without the writes since the last compaction"),
    output: output(
      "FILE",
      "new .parquet, .arrow, .feather, .arrows, .csv or .ndjson file, or a directory for a CFile per column",
    ),
    to: choice("format of the output", FORMS, "by its name"),
    compression: PARQUET_COMPRESSION,
    jobs: JOBS,
    json: JSON_OPTION,
  },
  examples: [["Export a table as Parquet", "cfile hudi export trips -o trips.parquet"]],
  run: (context, { table: path, output: target, to, json, asOf, readOptimized, jobs, ...values }) =>
    withHudiTable(path, async (hudi) => {
      const { flatColumns, scanColumns } = await import("@cfile/hudi");
      const { planHudi } = await import("@cfile/splits/plan");
      const { exportForm, exportSplits } = await import("../export/export-splits.js");
      const form = exportForm(target, to);
      const all = await scanColumns(hudi, { asOf, baseOnly: readOptimized });
      const wanted = selectedColumns(all, values.columns);
      const columns = flatColumns(wanted).map((column, id) => ({ ...column, id, isKey: false }));
      const where = conditionsOf(values.where, all);
      const splits = await planHudi(hudi, {
        table: located(path),
        columns: columns.map(({ name }) => name),
        where: () => where,
        targetBytes: PART_BYTES,
        ...{ asOf, readOptimized, signal: context.io.signal },
      });
      const { parts, bytes, resumed } = await exportSplits(context, {
        source: { hudi },
        origin: { kind: "hudi", path },
        onDamage: "fail",
        codec: parquetCodec(form, values.compression),
        isSorted: false,
        ...{ splits, columns, target, form, jobs },
      });
      const rows = sum(parts.map(({ report }) => report.rows));
      const skipped = await reportNested(context.stderr, wanted);
      const counts = { path: target, rows, columns: columns.length, bytes, skipped, parts_resumed: resumed };
      const size = bytes === undefined ? "" : `, ${sizeText(bytes)}`;
      await context.stdout.line(
        json
          ? JSON.stringify(counts)
          : `${printable(target)}: ${counted(rows, "row")}, ${counted(columns.length, "column")}${size}`,
      );
    }),
});
