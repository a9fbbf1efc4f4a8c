/** `cfile kudu rebuild`: finds row sets in data directories without metadata, and writes new metadata. */
import { join } from "node:path";
import { fileDirectory } from "@cfile/io/file";
import {
  type ChosenOwner,
  type KnownTable,
  openKuduCluster,
  type RebuildChoices,
  type RebuiltDir,
  rebuildKuduDir,
  tableOfColumns,
  tablesOfCluster,
  type WrittenMetadata,
  writeRebuiltMetadata,
} from "@cfile/kudu-dir";
import { nameList } from "../../options/csv-list.js";
import { JSON_OPTION, SCHEMA, SERVER, SYNC } from "../../options/options.js";
import { command } from "../../program/command.js";
import type { CliContext } from "../../program/context.js";
import { EXIT } from "../../program/exit-code.js";
import { exclusive, flag, invalidValue, list, text, value, withShort } from "../../program/option.js";
import { startProgress } from "../../program/output/progress.js";
import { findColumn, givenSchema } from "../../table/schema.js";
import { inFinalFolder } from "../final-folder.js";
import { DIRS, withKuduDir } from "../kudu-directory.js";
import { type RebuildResult, rebuiltJson } from "./rebuilt-json.js";
import { rebuiltLines } from "./rebuilt-text.js";

export const rebuildCommand = command({
  about:
    "Groups the blocks of a server whose superblocks are lost into DiskRowSets: by row counts, types, block IDs and times, verified by keys, Bloom files and ad-hoc indexes. Write-ahead logs, if they are left, decide which changes belong where. With --output, writes superblocks of all tablets that are certain: read that directory together with the data directories. Unflushed writes are left out. Exit code 3 if something is ambiguous or left over.",
  args: { dirs: DIRS },
  options: {
    output: withShort("o", text("DIR", "new directory for superblocks", "only list")),
    catalog: list(
      "DIR",
      "directories of a master or of other servers of the cluster, which know the tables; may be repeated",
    ),
    schema: { ...SCHEMA, summary: `of one table: ${SCHEMA.summary}`, preset: "guessed" },
    key: value("NAMES", "with --schema: columns of the primary key, separated by commas", nameList),
    table: text("NAME", "with --schema: name of the table", "rebuilt"),
    assign: list(
      "ID=ID",
      "decision: BLOCK=ROW_SET for a delta file or columns of a compaction (BLOCK=ROW_SET/COLUMN_ID if several fit, BLOCK=ROW_SET/undo for an UNDO file), BLOCK=none, or ROW_SET=TABLET; may be repeated",
    ),
    leaveOut: flag(
      "write tablets without the delta files that may belong to them; only snapshots up to the listed time are right",
    ),
    sync: SYNC,
    json: JSON_OPTION,
    ...SERVER,
  },
  examples: [
    ["List what the data directories hold", "cfile kudu rebuild /data/1 /data/2 --catalog /backup/master"],
    [
      "Write superblocks, then read a table",
      "cfile kudu rebuild /data/1 /data/2 --catalog /backup/master -o meta && cfile kudu scan meta /data/1 /data/2 --table t",
    ],
  ],
  run: (context, { output, json, sync, leaveOut, ...values }) =>
    withKuduDir(values, async (dir) => {
      const tables = await knownTables(values);
      let bar: ReturnType<typeof startProgress> | undefined;
      let rebuilt: RebuiltDir;
      try {
        rebuilt = await rebuildKuduDir(dir, {
          tables,
          choices: choicesOf(values.assign),
          signal: context.io.signal,
          onProgress: ({ done, total }) => {
            bar ??= startProgress(context.io, "reading footers", total);
            bar.update(done);
          },
        });
      } finally {
        bar?.stop();
      }
      let written: WrittenMetadata | undefined;
      if (output !== undefined) {
        written = await inFinalFolder(output, (path) =>
          writeRebuiltMetadata(dir, rebuilt, {
            openFolder: (folder) => fileDirectory(join(path, folder), { create: true, sync }),
            withoutPossibleDeltas: leaveOut,
          }),
        );
      }
      await print(context, { rebuilt, written, output }, json);
    }),
});

async function print(context: CliContext, result: RebuildResult, json: boolean): Promise<void> {
  const { tablets, ambiguous, leftover } = result.rebuilt;
  const isCertain =
    ambiguous.length === 0 && leftover.length === 0 && tablets.every(({ doubts }) => doubts.length === 0);
  const lines = json ? [JSON.stringify(rebuiltJson(result), undefined, 2)] : rebuiltLines(result);
  await context.stdout.line(lines.join("\n"));
  context.exitCode = isCertain ? EXIT.ok : EXIT.corrupt;
}

interface TableValues {
  readonly catalog: readonly string[];
  readonly schema?: string | undefined;
  readonly key?: readonly string[] | undefined;
  readonly table?: string | undefined;
  readonly serverKey?: string | undefined;
}

/** @throws UsageError for options that exclude each other, and for a key that the schema does not have */
async function knownTables({
  catalog,
  schema,
  key,
  table,
  serverKey,
}: TableValues): Promise<readonly KnownTable[]> {
  exclusive({ "--catalog": catalog.length > 0, "--schema": schema !== undefined });
  if (catalog.length > 0) {
    await using cluster = await openKuduCluster(catalog, { serverKey });
    return await tablesOfCluster(cluster);
  }
  if (schema === undefined) {
    return [];
  }
  const columns = await givenSchema(schema);
  const keys = key ?? columns.slice(0, 1).map(({ name }) => name);
  const ordered = [
    ...keys.map((name) => findColumn("--key", name, columns)),
    ...columns.filter(({ name }) => !keys.includes(name)),
  ];
  const given = ordered.map((column, i) => ({ ...column, isKey: i < keys.length }));
  return [await tableOfColumns(table ?? "rebuilt", given)];
}

const TABLET_ID = /^[0-9a-f]{32}$/;
const OWNER = /^(?<rowSet>\d+)(?:\/(?:(?<column>\d+)|(?<kind>undo|redo)))?$/;

/** @throws UsageError for text that is not a decision */
function choicesOf(assign: readonly string[]): RebuildChoices {
  const blocks = new Map<bigint, ChosenOwner | undefined>();
  const tablets = new Map<bigint, string>();
  for (const one of assign) {
    const [, id = "", chosen = ""] = /^(\d+)=([\w/]+)$/.exec(one) ?? [];
    const { rowSet, column, kind } = OWNER.exec(chosen)?.groups ?? {};
    if (TABLET_ID.test(chosen)) {
      tablets.set(BigInt(id), chosen);
    } else if (id !== "" && rowSet !== undefined) {
      blocks.set(BigInt(id), {
        rowSet: BigInt(rowSet),
        column: column === undefined ? undefined : Number(column),
        kind: kind === "undo" ? "undo" : "redo",
      });
    } else if (id !== "" && chosen === "none") {
      blocks.set(BigInt(id), undefined);
    } else {
      throw invalidValue(
        "--assign",
        one,
        "must be BLOCK=ROW_SET, BLOCK=ROW_SET/COLUMN, BLOCK=ROW_SET/undo, BLOCK=none or ROW_SET=TABLET",
      );
    }
  }
  return { blocks, tablets };
}
