/** `cfile table diff`: the rows that changed between two times. */
import type { DiffBatch } from "@cfile/rowset";
import type { Argv, CommandModule } from "yargs";
import { nameList } from "../../options/csv-list.js";
import { hybridTimeText, timeRange } from "../../options/hybrid-time.js";
import { given, TIME_RANGE_FLAGS } from "../../options/options.js";
import {
  RECORD_CONFLICTS,
  RECORD_FLAGS,
  type RecordFlags,
  recordFormat,
} from "../../options/record-format.js";
import type { CliContext, ReadTable } from "../../program/context.js";
import { type FieldCells, literalCells, textCells } from "../../records/field-cells.js";
import { RecordWriter } from "../../records/record-writer.js";
import { batchCells, columnField, wantedColumns } from "../../records/row-cells.js";
import { READ_ROW_SET } from "../row-set-argument.js";
import { COLUMNS } from "../row-set-scan.js";

interface DiffArguments extends RecordFlags {
  readonly dir: string;
  readonly from: string;
  readonly to?: string | undefined;
  readonly columns?: string | undefined;
}

export function diffCommand(context: CliContext): CommandModule<object, DiffArguments> {
  return {
    command: ["diff <dir>", "changes <dir>"],
    describe: "the rows that changed between two times, as they are at the later one",
    builder: (yargs: Argv) =>
      yargs
        .positional("dir", READ_ROW_SET)
        .option("from", { ...TIME_RANGE_FLAGS.from, demandOption: true })
        .option("to", { ...TIME_RANGE_FLAGS.to, describe: `${TIME_RANGE_FLAGS.to.describe} [default: none]` })
        .option("columns", COLUMNS)
        .options(RECORD_FLAGS)
        .conflicts(RECORD_CONFLICTS)
        .example("$0 table diff table --from 2024-02-01T00:00Z --to 2024-03-01T00:00Z", "of a month"),
    handler: (args) => context.withTable(args.dir, (rowSet) => writeDiff(context, rowSet, args)),
  };
}

async function writeDiff({ io, stdout }: CliContext, rowSet: ReadTable, args: DiffArguments): Promise<void> {
  const { from = 0n, to } = timeRange(args);
  const columns = wantedColumns(
    rowSet.schema,
    given(args.columns, (text) => nameList("--columns", text)),
  );
  const writer = new RecordWriter(
    [...CHANGE_FIELDS, ...columns.map(columnField)],
    recordFormat(args),
    stdout,
  );
  const options = { columns: columns.map(({ name }) => name), signal: io.signal };
  for await (const batch of rowSet.diff(from, to, options)) {
    await writer.write(batch.length, [...changeCells(batch), ...batchCells(columns, batch)]);
  }
  await writer.finish();
}

const CHANGE_FIELDS = [
  { title: "changed_at", align: "right" },
  { title: "utc" },
  { title: "deleted" },
] as const;

function changeCells({ changedAt, deleted }: DiffBatch): FieldCells[] {
  const timestamps = Array.from(changedAt);
  return [
    textCells(timestamps.map(String)),
    textCells(timestamps.map(hybridTimeText)),
    literalCells(Array.from(deleted, (mark) => String(mark === 1))),
  ];
}
