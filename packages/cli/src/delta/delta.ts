/** `cfile delta`: the changes in delta files. */

import { changeTypeName } from "@cfile/deltafile";
import type { DeltaBatch } from "@cfile/deltafile/read";
import type { Argv, CommandModule } from "yargs";
import { hybridTimeText, timeRange } from "../options/hybrid-time.js";
import { rowRange } from "../options/option-values.js";
import { given, JSON_FLAG, TIME_RANGE_FLAGS } from "../options/options.js";
import { recordFormat } from "../options/record-format.js";
import { commandGroup } from "../program/command-group.js";
import type { CliContext } from "../program/context.js";
import { type FieldCells, literalCells, textCells } from "../records/field-cells.js";
import { RecordWriter } from "../records/record-writer.js";
import { DeltaChanges } from "./delta-changes.js";
import { givenDeltaSchema } from "./delta-schema.js";

export function deltaCommand(context: CliContext): CommandModule {
  return commandGroup(
    "delta",
    "delta files: what was changed, when, in which rows",
    (group) => group.command(catCommand(context)),
    ["$0 delta cat redo.cfile", "all changes, one a line"],
  );
}

interface CatArguments {
  readonly file: string;
  readonly schema: string | undefined;
  readonly rows: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly json: boolean | undefined;
  readonly ndjson: boolean | undefined;
}

function catCommand(context: CliContext): CommandModule<object, CatArguments> {
  return {
    command: "cat <file>",
    describe: "row, timestamp, type and changed columns of each change, one a line",
    builder: (yargs: Argv) =>
      yargs
        .positional("file", {
          type: "string",
          demandOption: true,
          describe: "a delta file, as path or URL",
        })
        .option("schema", {
          type: "string",
          requiresArg: true,
          describe: "id:name:type of the columns, or a .json file, rowset.json too [default: bytes as hex]",
        })
        .option("rows", {
          type: "string",
          requiresArg: true,
          describe: "rows A to B, B not included, like 100:200",
        })
        .options(TIME_RANGE_FLAGS)
        .option("json", JSON_FLAG)
        .option("ndjson", { type: "boolean", describe: "one JSON object a line" })
        .conflicts("json", "ndjson")
        .example("$0 delta cat redo.cfile --schema 11:price:int64,12:note:string?", "decoded")
        .example("$0 delta cat redo.cfile --rows 0:10 --from 2024-02-29T00:00:00Z", "some of the changes"),
    handler: async (args) => {
      const columns = args.schema === undefined ? [] : await givenDeltaSchema(context, args.schema);
      const options = {
        rows: given(args.rows, (text) => rowRange("--rows", text)),
        timestamps: timeRange(args),
        signal: context.io.signal,
      };
      const changes = new DeltaChanges(columns);
      const writer = new RecordWriter(FIELDS, recordFormat(args), context.stdout);
      await context.withDeltaFile(args.file, async (file) => {
        for await (const batch of file.entries(options)) {
          await writer.write(batch.length, entryCells(batch, changes));
        }
        await writer.finish();
      });
    },
  };
}

const FIELDS = [
  { title: "row", align: "right" },
  { title: "timestamp", align: "right" },
  { title: "utc" },
  { title: "type" },
  { title: "changes" },
] as const;

function entryCells(batch: DeltaBatch, changes: DeltaChanges): FieldCells[] {
  const timestamps = Array.from(batch.timestamps);
  return [
    literalCells(Array.from(batch.rows, String)),
    textCells(timestamps.map(String)),
    textCells(timestamps.map(hybridTimeText)),
    textCells(Array.from(batch.types, (type) => changeTypeName(type) ?? String(type))),
    changes.of(batch),
  ];
}
