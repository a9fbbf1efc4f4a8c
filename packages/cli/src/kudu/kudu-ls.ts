/** `cfile kudu ls`: tables and tablets in a server's directories, and how large they are. */

import { toHex } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import type { KuduTablet } from "@cfile/kudu-dir";
import type { TabletSize } from "@cfile/kudu-dir/catalog";
import type { Argv, CommandModule } from "yargs";
import { JSON_FLAG } from "../options/options.js";
import type { CliContext } from "../program/context.js";
import { EXIT } from "../program/exit-code.js";
import { counted, countText, sizeText } from "../records/quantity.js";
import { tableLines } from "../records/table.js";
import {
  chosenTablets,
  DIRS,
  KUDU_FLAGS,
  TABLET_FLAGS,
  type TabletArguments,
  withKuduDir,
} from "./kudu-directory.js";
import { partitionText } from "./partition-text.js";

interface LsArguments extends TabletArguments {
  readonly json: boolean | undefined;
  readonly long?: boolean | undefined;
}

export function lsCommand(context: CliContext): CommandModule<object, LsArguments> {
  return {
    command: "ls <dirs..>",
    describe: "list tables and tablets: rows, bytes, row sets, state",
    builder: (yargs: Argv) =>
      yargs
        .positional("dirs", DIRS)
        .options(TABLET_FLAGS)
        .option("long", { alias: "l", type: "boolean", describe: "bytes of each column, too" })
        .option("json", JSON_FLAG)
        .options(KUDU_FLAGS)
        .example("$0 kudu ls /data/1 /data/2 /data/wal", "what a server has"),
    handler: async (args) => {
      await withKuduDir(args, async (dir) => {
        const entries: Entry[] = [];
        for (const tablet of await chosenTablets(dir, args)) {
          entries.push({ tablet, size: await tablet.size() });
        }
        const problems = await dir.problems();
        if (args.json) {
          const tablets = entries.map(tabletJson);
          const value = {
            server: dir.uuid,
            encrypted: dir.encrypted,
            roots: dir.roots.names,
            tablets,
            problems,
          };
          await context.stdout.line(JSON.stringify(value, undefined, 2));
        } else {
          const lines = tabletLines(entries);
          const long = args.long ? entries.flatMap(columnLines) : [];
          await context.stdout.line([...lines, ...long].join("\n"));
          for (const problem of problems) {
            await context.reportError(problem);
          }
        }
        context.exitCode = problems.length > 0 ? EXIT.corrupt : EXIT.ok;
      });
    },
  };
}

interface Entry {
  readonly tablet: KuduTablet;
  readonly size: TabletSize;
}

function tabletJson({ tablet, size }: Entry): Readonly<Record<string, unknown>> {
  const { id, tableName, tableId, state, superblock, schema, liveRowCount } = tablet;
  const { partition, schemaVersion, lastDurableMrsId, rowSets } = superblock;
  return {
    tablet: id,
    table: tableName,
    table_id: tableId,
    state,
    schema_version: schemaVersion,
    last_durable_mrs_id: String(lastDurableMrsId),
    live_rows: liveRowCount,
    row_sets: rowSets.length,
    partition: {
      text: partitionText(superblock),
      hash_buckets: partition.hashBuckets,
      key_start: toHex(partition.keyStart),
      key_end: toHex(partition.keyEnd),
    },
    bytes: {
      total: size.total,
      bloom: size.bloom,
      adhoc_index: size.adhocIndex,
      undo: size.undo,
      redo: size.redo,
    },
    columns: schema.columns.map(({ id: column, name, type, nullable, isKey }) => ({
      id: column,
      name,
      type,
      nullable,
      key: isKey,
      bytes: size.columns.get(column) ?? 0,
    })),
    missing_blocks: size.missing.map(String),
  };
}

function tabletLines(entries: readonly Entry[]): string[] {
  const rows = entries.map(({ tablet, size }) => [
    printable(tablet.tableName),
    tablet.id,
    tablet.state,
    partitionText(tablet.superblock) || "all",
    tablet.liveRowCount === undefined ? "?" : countText(tablet.liveRowCount),
    countText(tablet.rowSets.length),
    sizeText(size.total),
    size.missing.length === 0 ? "" : `${counted(size.missing.length, "block")} missing`,
  ]);
  return tableLines(
    [
      { title: "table" },
      { title: "tablet" },
      { title: "state" },
      { title: "partition" },
      { title: "rows in files", align: "right" },
      { title: "row sets", align: "right" },
      { title: "size", align: "right" },
      { title: "" },
    ],
    rows,
    "",
  );
}

function columnLines({ tablet, size }: Entry): string[] {
  const rows = tablet.schema.columns.map(({ id, name, type, isKey, nullable, array }) => [
    String(id),
    printable(name),
    `${type}${array ? " array" : ""}${nullable ? " null" : ""}`,
    isKey ? "key" : "",
    sizeText(size.columns.get(id) ?? 0),
  ]);
  const others = [
    ["", "Bloom files", "", "", sizeText(size.bloom)],
    ["", "ad-hoc index", "", "", sizeText(size.adhocIndex)],
    ["", "UNDO files", "", "", sizeText(size.undo)],
    ["", "REDO files", "", "", sizeText(size.redo)],
  ];
  return [
    "",
    `${printable(tablet.tableName)}, tablet ${tablet.id}`,
    ...tableLines(
      [
        { title: "id", align: "right" },
        { title: "column" },
        { title: "type" },
        { title: "" },
        { title: "size", align: "right" },
      ],
      [...rows, ...others],
    ),
  ];
}
