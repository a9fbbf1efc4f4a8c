/** `cfile hudi scan`, `diff` and `get`: rows of a table. */
import { printable } from "@cfile/cell-text";
import type { HudiBatch, HudiColumn, HudiTable, JsonValue, WritesInRange } from "@cfile/hudi";
import { COLUMNS, formatOf, LIMIT, type RecordFormat, WHERE } from "../options/options.js";
import { command } from "../program/command.js";
import type { CliContext } from "../program/context.js";
import { AbsentRowError, UsageError } from "../program/exit-code.js";
import { choice, exclusive, flag, required, text, type Values } from "../program/option.js";
import type { FieldCells } from "../records/field-cells.js";
import { counted } from "../records/quantity.js";
import { RecordWriter } from "../records/record-writer.js";
import { selectedColumns } from "../records/row-cells.js";
import { left } from "../records/table.js";
import { conditionsOf } from "./hudi-conditions.js";
import { HUDI_AS_OF, HUDI_TABLE, INSTANT, instantJson, withHudiTable } from "./hudi-table.js";

const FORMATS = {
  format: choice("output format", ["table", "json", "ndjson", "csv"], "table"),
  json: flag(
    'same as --format json: {"columns": […], "rows": […]}, rows sorted by their text; errors are JSON, too',
  ),
  ndjson: flag("same as --format ndjson: one JSON value per line"),
  csv: flag("same as --format csv"),
};
const FROM = INSTANT("start, exclusive: a completion time; in tables of version 6 a requested time");
const TO = INSTANT("end, inclusive", "latest");
const SELECTION = { columns: COLUMNS, where: WHERE, limit: LIMIT, ...FORMATS };

const ROWS_ABOUT =
  "Timestamps are microseconds since 1970, 64-bit integers beyond 2^53 and decimals are text, bytes are hexadecimal, structs are arrays.";

export const scan = command({
  about: ROWS_ABOUT,
  args: { table: HUDI_TABLE },
  options: {
    ...SELECTION,
    asOf: HUDI_AS_OF,
    from: FROM,
    to: TO,
    readOptimized: flag("read base files only, without the writes since the last compaction"),
  },
  examples: [
    ["Print rows", "cfile hudi scan trips --where 'fare > 10' --columns id,fare"],
    ["Read the table as of an instant", "cfile hudi scan trips --as-of 20260228120000000 --json"],
    ["Read changed rows", "cfile hudi scan trips --from 20260228120000000 --json"],
  ],
  run: (context, { table: path, from, to, asOf, readOptimized, ...values }) => {
    exclusive({ "--as-of": asOf, "--from": from });
    exclusive({ "--read-optimized": readOptimized, "--from": from });
    if (from === undefined && to !== undefined) {
      throw new UsageError("--to requires --from");
    }
    return withHudiTable(path, async (table) => {
      if (from !== undefined) {
        return writeChanges(context, table, { from, to }, values);
      }
      const { scanRows, scanColumns } = await import("@cfile/hudi");
      const all = await scanColumns(table, { asOf, baseOnly: readOptimized });
      const { columns, where } = selection(all, values);
      const { limit } = values;
      const options = { columns: columns.map(({ name }) => name), where, limit, asOf, readOptimized };
      await writeRows(context, columns, scanRows(table, { ...options, signal: context.io.signal }), values);
    });
  },
});

export const diff = command({
  about: `Prints the rows of the writes in a range, in their versions at its end; with --commits, the writes. ${ROWS_ABOUT}`,
  args: { table: HUDI_TABLE },
  options: {
    from: required(FROM),
    to: TO,
    commits: flag("list the writes instead of their rows"),
    ...SELECTION,
  },
  examples: [
    ["Print changed rows", "cfile hudi diff trips --from 20260228120000000"],
    ["List the writes", "cfile hudi diff trips --from 20260228120000000 --commits"],
  ],
  run: (context, { table: path, from, to, commits, ...values }) =>
    withHudiTable(path, async (table) => {
      if (!commits) {
        return writeChanges(context, table, { from, to }, values);
      }
      const { writesInRange } = await import("@cfile/hudi");
      const found = await writesInRange(table, { from, to });
      const rows = found.writes.map(instantJson);
      const asText = (): string => rows.map((row) => row.map((cell) => cell ?? "").join(" ")).join("\n");
      await context.stdout.line(
        formatOf<RecordFormat>(values, "table") === "json" ? JSON.stringify(rows) : asText(),
      );
      await reportLeftOut(context, found);
    }),
});

export const get = command({
  about: `Looks a record up through the record index, or through Bloom filters in tables without one. ${ROWS_ABOUT}`,
  args: { table: HUDI_TABLE },
  options: {
    key: required(text("KEY", "record key, as in the column _hoodie_record_key")),
    columns: COLUMNS,
    json: flag(
      'print {"columns": …, "row": …, "location": [key, partition, file id, instant]}; errors are JSON, too',
    ),
  },
  examples: [["Print a record", "cfile hudi get trips --key t1"]],
  run: (context, { table: path, key, json, ...values }) =>
    withHudiTable(path, async (table) => {
      const { getRecord, scanColumns } = await import("@cfile/hudi");
      const columns = selectedColumns(await scanColumns(table, { baseOnly: false }), values.columns);
      const { signal } = context.io;
      const { row, location } = await getRecord(table, key, {
        columns: columns.map(({ name }) => name),
        signal,
      });
      const [cells] = row === undefined ? [] : rowsOf(await jsonColumns(columns, row), row.length);
      if (json) {
        const found = location && [key, location.partition, location.fileId, location.instant];
        const form = { columns: columnsJson(columns), row: cells ?? null, location: found ?? null };
        return context.stdout.line(JSON.stringify(form));
      }
      if (cells === undefined) {
        throw new AbsentRowError(`no record has key ${JSON.stringify(key)}`, { field: "key" });
      }
      const lines = columns.map(
        ({ name }, i) => `${printable(name)}: ${printable(plainText(cells[i] ?? null) ?? "null")}`,
      );
      await context.stdout.line(lines.join("\n"));
      if (location !== undefined) {
        await context.stdout.line(`location: ${printable(location.partition)} ${location.fileId}`);
      }
    }),
});

type SelectionValues = Values<typeof SELECTION>;

async function writeChanges(
  context: CliContext,
  table: HudiTable,
  range: { readonly from: string; readonly to: string | undefined },
  values: SelectionValues,
): Promise<void> {
  const { changedRows, tableColumns, writesInRange } = await import("@cfile/hudi");
  const { columns, where } = selection(await tableColumns(table), values);
  const options = {
    columns: columns.map(({ name }) => name),
    where,
    limit: values.limit,
    signal: context.io.signal,
  };
  await writeRows(context, columns, changedRows(table, range, options), values);
  await reportLeftOut(context, await writesInRange(table, range));
}

/** Reports which writes of a range are missing. */
async function reportLeftOut({ stderr }: CliContext, { blockedBy, leftOut }: WritesInRange): Promise<void> {
  if (leftOut.length > 0) {
    await stderr.line(
      `cfile: ${counted(leftOut.length, "archived write")} in the range left out, as in Hudi 0.15`,
    );
  }
  if (blockedBy !== undefined) {
    const { time, action } = blockedBy;
    await stderr.line(`cfile: the ${action} requested at ${time} is pending: later writes are left out`);
  }
}

function selection(all: readonly HudiColumn[], values: SelectionValues) {
  return { columns: selectedColumns(all, values.columns), where: conditionsOf(values.where, all) };
}

async function writeRows(
  context: CliContext,
  columns: readonly HudiColumn[],
  batches: AsyncIterable<HudiBatch>,
  values: SelectionValues,
): Promise<void> {
  const format = formatOf<RecordFormat>(values, "table");
  if (format === "json") {
    return writeSorted(context, columns, batches);
  }
  const writer = new RecordWriter(
    context.stdout,
    columns.map(({ name }) => left(name)),
    { format },
  );
  for await (const batch of batches) {
    await writer.write(batch.length, (await jsonColumns(columns, batch)).map(fieldCells));
  }
  await writer.finish();
}

/** All rows as one JSON value, sorted by their text, so that the order of files does not matter. */
async function writeSorted(
  { stdout }: CliContext,
  columns: readonly HudiColumn[],
  batches: AsyncIterable<HudiBatch>,
): Promise<void> {
  const rows: string[] = [];
  for await (const batch of batches) {
    for (const row of rowsOf(await jsonColumns(columns, batch), batch.length)) {
      rows.push(JSON.stringify(row));
    }
  }
  rows.sort();
  await stdout.write(`{"columns":${JSON.stringify(columnsJson(columns))},\n"rows":[`);
  for (let i = 0; i < rows.length; i += 1000) {
    await stdout.write(`${i === 0 ? "" : ","}\n${rows.slice(i, i + 1000).join(",\n")}`);
  }
  await stdout.line("]}");
}

async function jsonColumns(columns: readonly HudiColumn[], batch: HudiBatch): Promise<JsonValue[][]> {
  const { jsonValues } = await import("@cfile/hudi");
  return columns.map(({ avro }, i) => {
    const vector = batch.columns[i];
    return vector === undefined ? [] : jsonValues(avro, vector);
  });
}

function rowsOf(columns: readonly (readonly JsonValue[])[], length: number): JsonValue[][] {
  return Array.from({ length }, (_, i) => columns.map((column) => column[i] ?? null));
}

function columnsJson(columns: readonly HudiColumn[]): string[][] {
  return columns.map(({ name, type }) => [name, type]);
}

function fieldCells(values: readonly JsonValue[]): FieldCells {
  return { json: () => values.map((value) => JSON.stringify(value)), plain: () => values.map(plainText) };
}

function plainText(value: JsonValue): string | null {
  return value === null || typeof value === "string" ? value : JSON.stringify(value);
}
