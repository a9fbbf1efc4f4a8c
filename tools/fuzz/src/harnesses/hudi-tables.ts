/**
 * Hudi tables with one damaged file: properties, timeline files, log files, HFiles and Parquet files. A damaged table may be refused; a
 * table that is read must have rows with its columns.
 */
import { gunzipSync } from "node:zlib";
import { getRecord, openHudiTable, scanColumns, scanRows, verifyTable } from "@cfile/hudi";
import { memoryTree } from "@cfile/io";
import { unpackTar } from "@cfile-tools/testkit/tar";
import { defineHarness } from "../define-harness.js";
import { goldenBytes } from "../files/golden-data.js";
import type { Harness, Subject } from "../harness.js";
import { mutateFields } from "../mutate-fields.js";

interface FileOfTable extends Subject {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly path: string;
}

const TABLES = ["mor_v9", "mor_v6_h015"];
const LARGEST = 20_000;
const KEY = "a00144";

/** The files of the tables, except those that are never read. */
function filesOfTables(): FileOfTable[] {
  return TABLES.flatMap((table) => {
    const { files } = unpackTar(gunzipSync(goldenBytes(`hudi-table/${table}.tar.gz`)));
    return [...files]
      .filter(
        ([path, { length }]) => length > 0 && length <= LARGEST && !/\.(aux|temp|heartbeat)\//.test(path),
      )
      .map(([path, bytes]) => ({ name: `${table}/${path}`, bytes, files, path }));
  });
}

const damagedFile = defineHarness({
  name: "Hudi: tables with a damaged file",
  share: 40,
  load: filesOfTables,
  mutate: ({ bytes }, random) => mutateFields(bytes, random),
  act: async (bytes, { files, path }, random) => {
    await using table = await openHudiTable(memoryTree(new Map([...files, [path, bytes]])));
    switch (random.below(4)) {
      case 0:
        await table.archivedInstants();
        await getRecord(table, KEY);
        return;
      case 1:
        await verifyTable(table);
        return;
      default: {
        const columns = await scanColumns(table, { baseOnly: false });
        for await (const batch of scanRows(table, { limit: 200 })) {
          if (
            batch.columns.length !== columns.length ||
            batch.columns.some(({ length }) => length !== batch.length)
          ) {
            throw new TypeError("a batch without the table's columns");
          }
        }
      }
    }
  },
});

/** Tables of Hudi. */
export const HUDI_TABLES: readonly Harness[] = [damagedFile];
