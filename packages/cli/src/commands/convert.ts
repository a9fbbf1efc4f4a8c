/** `cfile convert`: a table in another format. */
import { printable } from "@cfile/cell-text";
import { observed } from "../convert/observed.js";
import { openTable } from "../convert/open-table.js";
import { PARQUET_COMPRESSION, parquetCodec } from "../convert/parquet-codec.js";
import { formOfTarget, TABLE_FORMS } from "../convert/table-form.js";
import { writeTable } from "../convert/write-table.js";
import { nameList } from "../options/csv-list.js";
import { JSON_OPTION, SCHEMA } from "../options/options.js";
import { command } from "../program/command.js";
import { choice, list, required, text, value } from "../program/option.js";
import { startProgress } from "../program/output/progress.js";
import { counted, ratioText, sizeText } from "../records/quantity.js";
import { findColumn } from "../table/schema.js";
import { TABLE_TEXT } from "../table/table-input.js";

const TARGET_FORMS = [...TABLE_FORMS, "iceberg"] as const;

export const convert = command({
  about:
    "The file extension determines the format: .csv, .ndjson, .jsonl, .cfile, .arrow, .feather, .arrows, .parquet. A directory is a table store, or has a CFile per column. Several CFiles are the columns of one table. Arrow requires: npm install apache-arrow",
  args: {
    sources: required(list("FILE", "source: path or URL; several CFiles are columns of one table")),
    target: required(text("FILE", "new file; a name that ends in / is a directory of CFiles")),
  },
  options: {
    from: choice("format of the source", TABLE_FORMS, "by its name"),
    to: choice("format of the target", TARGET_FORMS, "by its name"),
    schema: { ...SCHEMA, summary: `of CSV and NDJSON: ${SCHEMA.summary}` },
    key: value(
      "NAMES",
      "columns of the primary key of a table store or Iceberg table; of Parquet: those with Bloom filters",
      nameList,
      "those of the source; for Bloom filters, all but the first",
    ),
    delimiter: TABLE_TEXT.delimiter,
    null: TABLE_TEXT.null,
    compression: PARQUET_COMPRESSION,
    json: JSON_OPTION,
  },
  examples: [
    ["Write CFiles as columns of a Parquet file", "cfile convert id.cfile name.cfile table.parquet"],
    ["Write a CFile per column of a Parquet file", "cfile convert table.parquet columns/"],
    ["Write a table store as an Arrow file", "cfile convert table/ table.arrow"],
    ["Create a table store, sorted by its key", "cfile convert data.csv table --to rowset --key id"],
    ["Write a table store as an Iceberg table", "cfile convert table warehouse/db/t --to iceberg"],
  ],
  run: async (context, { sources, target, from, to, schema, delimiter, null: nullText, ...values }) => {
    const form = to ?? formOfTarget(target);
    const codec = parquetCodec(form, values.compression);
    const begun = performance.now();
    const table = await openTable(context, sources, { from, schema, text: { delimiter, nullText } });
    try {
      let count = 0;
      const progress = startProgress(context.io, "converting", 1);
      const countedRows = observed(table.rows, ({ length }) => {
        context.io.signal?.throwIfAborted();
        count += length;
        progress.update(table.done());
      });
      const sortedBy = table.keyNames;
      for (const name of values.key ?? []) {
        findColumn("--key", name, table.columns);
      }
      const keyNames = values.key ?? sortedBy;
      const rows = { columns: table.columns, rows: countedRows };
      const written =
        form === "iceberg"
          ? import("../convert/to-iceberg.js").then(({ writeIcebergTable }) =>
              writeIcebergTable(target, rows, { keyNames, sortedBy, codec, sources }),
            )
          : writeTable(target, rows, {
              form,
              keyNames,
              sortedBy,
              bloomFilters: values.key ?? sortedBy?.slice(1),
              codec,
            });
      const { bytes } = await written.finally(progress.stop);
      const seconds = (performance.now() - begun) / 1000;
      const { columns, bytes: bytesRead } = table;
      const ratio = bytes === 0 ? undefined : bytesRead / bytes;
      const done = {
        path: target,
        rows: count,
        columns: columns.length,
        bytes_read: bytesRead,
        bytes,
        ratio,
        seconds,
      };
      const line = [
        `${printable(target)}: ${counted(count, "row")}`,
        counted(columns.length, "column"),
        `${sizeText(bytesRead)} to ${sizeText(bytes)}`,
        `ratio ${ratioText(bytesRead, bytes)}`,
        `${seconds.toFixed(seconds < 10 ? 2 : 0)} s`,
      ];
      await context.stdout.line(values.json ? JSON.stringify(done) : line.join(", "));
    } finally {
      await table.close();
    }
  },
});
