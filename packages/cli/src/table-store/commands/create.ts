/** `cfile table create`: a row set from a CSV or NDJSON table. */

import { mkdir, rm } from "node:fs/promises";
import { printable } from "@cfile/cell-text";
import { fileDirectory } from "@cfile/io/file";
import type { RowSetSchema } from "@cfile/rowset";
import type { TableStoreWriter } from "@cfile/rowset/store";
import { createTableStore } from "@cfile/rowset/store";
import type { InputCell } from "cfile";
import type { Argv, CommandModule } from "yargs";
import { nameList } from "../../options/csv-list.js";
import { requireKeyColumns } from "../../options/given-cell.js";
import { parseHybridTime } from "../../options/hybrid-time.js";
import { byteSize } from "../../options/option-values.js";
import { given, JSON_FLAG, SYNC_FLAG } from "../../options/options.js";
import type { CliContext } from "../../program/context.js";
import { UsageError } from "../../program/exit-code.js";
import { counted, sizeText } from "../../records/quantity.js";
import { cellMaker } from "../../records/raw-cell.js";
import { COLUMN_FLAGS, type ColumnFlags, tableColumns } from "../../table/column-options.js";
import { type ColumnSpec, typeText } from "../../table/schema.js";
import { columnPositions } from "../../table/table-columns.js";
import { TABLE, TABLE_FLAGS, type TableFlags, TableInput } from "../../table/table-input.js";
import type { Table } from "../../table/table-rows.js";

interface CreateArguments extends TableFlags, Pick<ColumnFlags, "encoding" | "compression"> {
  readonly output: string;
  readonly key: string;
  readonly schema?: string | undefined;
  readonly timestamp?: string | undefined;
  readonly memory?: string | undefined;
  readonly sorted?: boolean | undefined;
  readonly sync: boolean;
  readonly json?: boolean | undefined;
}

export function createCommand(context: CliContext): CommandModule<object, CreateArguments> {
  return {
    command: "create <input>",
    describe: "make a row set of a CSV or NDJSON table, in any order",
    builder: (yargs: Argv) =>
      yargs
        .positional("input", TABLE)
        .option("output", {
          alias: "o",
          type: "string",
          requiresArg: true,
          demandOption: true,
          describe: "folder of the row set",
        })
        .option("key", {
          type: "string",
          requiresArg: true,
          demandOption: true,
          describe: "columns of the primary key, with commas between",
        })
        .options(COLUMN_FLAGS)
        .option("timestamp", {
          type: "string",
          requiresArg: true,
          describe: "when the rows were inserted [default: they always were there]",
        })
        .options(TABLE_FLAGS)
        .option("sorted", { type: "boolean", describe: "the rows come sorted by key: nothing is sorted" })
        .option("memory", {
          type: "string",
          requiresArg: true,
          describe: "for sorting, like 64M [default: 256M]",
        })
        .option("sync", SYNC_FLAG)
        .option("json", JSON_FLAG)
        .example("$0 table create table.csv -o table --key id", "types from the values")
        .example(
          "$0 table create t.ndjson -o t --key day,city --schema 'day:date,city:string,mm:double?'",
          "",
        )
        .example("$0 table create t.csv -o t --key id --timestamp 2024-02-29T12:00:00Z", ""),
    handler: async (args) => {
      const input = new TableInput(context, args);
      const timestamp = given(args.timestamp, (text) => parseHybridTime("--timestamp", text));
      const memoryBytes = given(args.memory, (text) => byteSize("--memory", text));
      const keys = nameList("--key", args.key);
      const specs = keyFirst(await input.columns(args.schema), keys);
      const { encoding, compression } = args;
      const schema = schemaOf(specs, keys.length, { encoding, compression });
      const created = await mkdir(args.output, { recursive: true });
      try {
        await using creation = await createTableStore(
          await fileDirectory(args.output, { sync: args.sync }),
          schema,
          {
            timestamp,
            memoryBytes,
            sorted: args.sorted,
          },
        );
        await input.read("writing", (table) => appendRows(context, creation, table, specs, input));
        await creation.finish();
      } catch (error) {
        if (created !== undefined) {
          await rm(created, { recursive: true, force: true });
        }
        throw error;
      }
      await context.stdout.line(await summary(context, args, specs, keys.length));
    },
  };
}

/** The columns of the key first, in the key's order. */
function keyFirst(specs: readonly ColumnSpec[], keys: readonly string[]): ColumnSpec[] {
  const keyColumns = keys.map((name) => {
    const spec = specs.find((candidate) => candidate.name === name);
    if (spec === undefined) {
      const known = specs.map((candidate) => candidate.name).join(", ");
      throw new UsageError(`--key: there is no column "${name}"; there are ${known}`);
    }
    return spec;
  });
  requireKeyColumns("--key", keyColumns);
  return [...keyColumns, ...specs.filter(({ name }) => !keys.includes(name))];
}

function schemaOf(specs: readonly ColumnSpec[], keyCount: number, flags: ColumnFlags): RowSetSchema {
  return {
    columns: tableColumns(specs, flags).map(({ spec, options }, i) => ({
      id: i + 1,
      name: spec.name,
      type: spec.type,
      nullable: spec.nullable,
      array: spec.array,
      isKey: i < keyCount,
      encoding: options.encoding,
      compression: options.compression,
      blockSize: options.blockSize,
      scale: spec.scale,
    })),
  };
}

async function appendRows(
  { io }: CliContext,
  creation: TableStoreWriter,
  table: Table,
  specs: readonly ColumnSpec[],
  { path, hasHeader, emptyFields }: TableInput,
): Promise<void> {
  const makers = specs.map((spec) => cellMaker(spec, emptyFields, path));
  let row = 0;
  for await (const portion of table.rows) {
    io.signal?.throwIfAborted();
    // Columns of NDJSON may come later than its first row.
    const positions = columnPositions(table, specs, { path, hasHeader });
    const rows: InputCell[][] = [];
    for (const cells of portion) {
      rows.push(makers.map((make, i) => make(cells[positions[i] ?? -1], row)));
      row++;
    }
    await creation.appendRows(rows);
  }
  columnPositions(table, specs, { path, hasHeader });
}

async function summary(
  context: CliContext,
  { output, json }: CreateArguments,
  specs: readonly ColumnSpec[],
  keyCount: number,
): Promise<string> {
  return context.withRowSet(output, async ({ rowSets, files }) => {
    const all = files.flat();
    const rows = rowSets.reduce((sum, { rowCount }) => sum + rowCount, 0);
    const bytes = all.reduce((sum, file) => sum + file.bytes, 0);
    if (json) {
      const columns = specs.map(({ name, type, nullable, array, scale }, i) => {
        return { column: name, type, nullable, array, scale, key: i < keyCount };
      });
      return JSON.stringify({ path: output, rows, files: all.length, bytes, columns });
    }
    const columns = specs.map(
      (spec, i) => `${printable(spec.name)} ${typeText(spec)}${i < keyCount ? " key" : ""}`,
    );
    return [
      `${printable(output)}: ${counted(rows, "row")}, ${counted(all.length, "file")}, ${sizeText(bytes)}`,
      ...columns.map((column) => `  ${column}`),
    ].join("\n");
  });
}
