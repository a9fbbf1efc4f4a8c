/** `cfile table compact`: merges all changes into the base data. */
import { printable } from "@cfile/cell-text";
import type { TableStore } from "@cfile/rowset/store";
import { JSON_OPTION, SYNC, TABLE_STORE, TIMESTAMP } from "../../options/options.js";
import { command } from "../../program/command.js";
import { counted, sizeText, sum } from "../../records/quantity.js";

export const compact = command({
  about: "Every snapshot can still be read, unless --drop-history-before deletes old ones.",
  args: { dir: TABLE_STORE },
  options: {
    dropHistoryBefore: TIMESTAMP("delete the snapshots before TIME", "keep all"),
    sync: SYNC,
    json: JSON_OPTION,
  },
  examples: [
    ["Merge all changes", "cfile table compact table"],
    ["Delete old snapshots, too", "cfile table compact table --drop-history-before 2024-01-01T00:00:00Z"],
  ],
  run: (context, { dir, dropHistoryBefore, sync, json }) =>
    context.withTableStore(
      dir,
      async (table) => {
        const before = sizesOf(table);
        if (dropHistoryBefore !== undefined) {
          await table.dropHistoryBefore(dropHistoryBefore);
        }
        await table.compact();
        const after = sizesOf(table);
        await context.stdout.line(
          json
            ? JSON.stringify({ path: dir, history_start: String(table.historyStart), ...after, before })
            : `${printable(dir)}: ${sizesText(after)} (was ${sizesText(before)})`,
        );
      },
      { sync },
    ),
});

function sizesOf({ rowSets, files }: TableStore) {
  const all = files.flat();
  return {
    row_sets: rowSets.length,
    base_rows: sum(rowSets.map(({ rowCount }) => rowCount)),
    files: all.length,
    bytes: sum(all.map(({ bytes }) => bytes)),
  };
}

function sizesText({ row_sets, files, bytes }: ReturnType<typeof sizesOf>): string {
  return `${counted(row_sets, "DiskRowSet")}, ${counted(files, "file")}, ${sizeText(bytes)}`;
}
