import { openRowSet, TabletReader } from "@cfile/rowset";
import { describe, expect, it } from "vitest";
import type { RowSetBlocks } from "../src/catalog/superblock.js";
import { openKuduDir } from "../src/index.js";
import { overlayOf } from "../src/log/log-overlay.js";
import { replayLog } from "../src/log/log-replay.js";
import { parseLogSegment } from "../src/log/log-segment.js";
import { flushed, inMemory } from "../src/log/memory-row.js";
import { collectRows } from "./json-rows.js";
import { clientTables, type ServerName, serverFiles, treeOf } from "./servers.js";

const SERVERS: readonly ServerName[] = ["log", "file"];

/** Row sets without flushed changes. */
const NOTHING_FLUSHED: readonly RowSetBlocks[] = Array.from({ length: 100 }, (_, id) => ({
  id: BigInt(id),
  lastDurableDmsId: -1n,
  columns: new Map(),
  redo: [],
  undo: [],
  bloom: undefined,
  adhocIndex: undefined,
  liveRowCount: undefined,
}));

describe.each(SERVERS)("the whole log of a tablet of server %s", (server) => {
  const files = serverFiles(server);

  it.each(clientTables(server).map((client) => [client.table, client] as const))(
    "played from an empty table is the table %s at every timestamp",
    async (_, client) => {
      await using dir = await openKuduDir(treeOf(files));
      const ids = new Set(client.snapshots.flatMap(({ tablets }) => Object.keys(tablets)));
      for (const id of ids) {
        const { superblock, schema } = await dir.tablet(id);
        const segments = [...files]
          .filter(([path]) => path.includes(`/wals/${id}/wal-`))
          .sort(([left], [right]) => (left < right ? -1 : 1))
          .map(([path, bytes]) => parseLogSegment(bytes, path));
        const log = replayLog(segments, { ...superblock, lastDurableMrsId: -1n, rowSets: NOTHING_FLUSHED });
        expect(log).toMatchObject({ problems: [], doubtful: 0, completeFrom: 0n });
        const store = { mrsId: 0n, rowSetId: -1n, dmsId: -1n, transaction: -1n };
        const operations = log.operations.map((operation) => ({ ...operation, stores: [store] }));
        const columns = client.columns.map(
          (wanted) => schema.columns.find((column) => column.id === wanted.id)?.name ?? "?",
        );
        for (const form of [inMemory, flushed]) {
          const { rowSets } = await overlayOf(operations, schema, [], form);
          const readers = await Promise.all(rowSets.map((rowSet) => openRowSet(rowSet, schema)));
          const table = new TabletReader(schema, readers);
          for (const { timestamp, tablets } of client.snapshots) {
            const rows = await collectRows(table.scan({ columns, asOf: BigInt(timestamp) }));
            expect(rows).toEqual(tablets[id] ?? []);
          }
        }
      }
    },
  );
});
