/** Tables with a key and one other column. Kudu creates them, cfile loads the rows, and both scan them. */
import { FixedBatch } from "@cfile/encodings";
import { fileDirectory } from "@cfile/io/file";
import { loadRows, openKuduDir, type RowsToLoad } from "@cfile/kudu-dir";
import { type BenchColumn, writerBatches } from "../data/bench-columns.js";
import { kuduServer, runKudu } from "./kudu-peer.js";
import type { ScannedTablet } from "./tablet-scans.js";

const tableName = ({ name }: BenchColumn): string => name.replaceAll(/\W+/g, "_");

/** The request of `kudu table create`. */
function request(column: BenchColumn): string {
  const { type, encoding = "AUTO_ENCODING", nullable = false } = column.options;
  const field = (column_name: string, column_type: string, isNullable: boolean, codec: string) => ({
    column_name,
    column_type,
    is_nullable: isNullable,
    encoding: codec,
    compression: "NO_COMPRESSION",
  });
  return JSON.stringify({
    table_name: tableName(column),
    schema: {
      columns: [field("key", "INT64", false, "BIT_SHUFFLE"), field("value", type, nullable, encoding)],
      key_column_names: ["key"],
    },
    partition: { range_partition: { columns: ["key"], range_bounds: [] } },
    num_replicas: 1,
  });
}

/** The rows of the column, with ascending keys, in batches. */
function rowsOf(column: BenchColumn, count: number): RowsToLoad {
  const { type, nullable = false } = column.options;
  const schema: RowsToLoad["schema"] = {
    columns: [
      { id: 1, name: "key", type: "INT64", isKey: true, nullable: false, array: false },
      { id: 2, name: "value", type, isKey: false, nullable, array: false },
    ],
  };
  return {
    schema,
    scan: async function* () {
      for (const value of writerBatches(column.make(count))) {
        const { length, firstRow } = value;
        const keys = BigInt64Array.from({ length }, (_, i) => BigInt(firstRow + i));
        const rows = { type: "INT64", length, firstRow, validity: undefined, nullCount: 0 } as const;
        yield {
          length,
          firstRow,
          names: ["key", "value"],
          columns: [new FixedBatch(rows, "INT64", keys), value],
        };
      }
    },
  };
}

/** @param folder new; gets the directories of a master and a tablet server, which is stopped */
export async function columnTablets(
  home: string,
  folder: string,
  columns: readonly BenchColumn[],
  scale: number,
): Promise<Map<string, ScannedTablet>> {
  const server = kuduServer(home, folder);
  await server.start();
  try {
    for (const column of columns) {
      await runKudu(home, ["table", "create", server.masterAddress, request(column)]);
    }
  } finally {
    await server.stop();
  }
  const tablets = new Map<string, ScannedTablet>();
  for (const column of columns) {
    await using dir = await openKuduDir(server.dataFolder);
    const rows = Math.ceil(column.rows * scale);
    const openFolder = (path: string) => fileDirectory(path, { create: true });
    const loaded = await loadRows(dir, tableName(column), rowsOf(column, rows), { openFolder });
    tablets.set(column.name, { server, id: loaded.tablets[0]?.id ?? "", rows });
  }
  return tablets;
}
