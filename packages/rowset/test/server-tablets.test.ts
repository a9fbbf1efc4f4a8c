import { MemoryArena } from "@cfile/bytes";
import { expectSame } from "@cfile-tools/testkit";
import { describe, it } from "vitest";
import type { RowSetColumn } from "../src/index.js";
import {
  type ClientRows,
  cellOfJson,
  clientRows,
  collectRows,
  jsonCell,
  jsonRows,
  openTablet,
  type ServerTablet,
  serverTablets,
} from "./server-tablets.js";

const SERVERS = ["cluster-file", "cluster-log"] as const;
const cases = SERVERS.flatMap((folder) =>
  serverTablets(folder)
    .filter(({ rowSets }) => rowSets.length > 0)
    .map((tablet) => ({ folder, tablet, name: `${folder} ${tablet.table} ${tablet.id.slice(0, 6)}` })),
);

const keyLength = ({ schema }: ServerTablet): number => schema.columns.filter(({ isKey }) => isKey).length;

describe.each(cases)("$name", ({ folder, tablet }) => {
  const client: ClientRows = clientRows(folder, tablet.table);
  const columns = client.columns.map(({ id }) =>
    tablet.schema.columns.find((column) => column.id === id),
  ) as RowSetColumn[];
  const names = columns.map(({ name }) => name);
  const snapshots = client.snapshots.map(({ timestamp, tablets }) => ({
    asOf: BigInt(timestamp),
    rows: tablets[tablet.id] ?? [],
  }));

  it("has the rows that Kudu's client read at every timestamp", async () => {
    const reader = await openTablet(tablet);
    for (const { asOf, rows } of snapshots) {
      expectSame(await collectRows(reader.scan({ asOf, columns: names })), rows);
      expectSame(
        await collectRows(reader.scan({ asOf, columns: names, batchRows: 7, arena: new MemoryArena() })),
        rows,
      );
    }
  });

  it("has the diffs that Kudu's client read", async () => {
    const reader = await openTablet(tablet);
    for (const { from, to, tablets } of client.diffs) {
      for (const batchRows of [undefined, 5]) {
        const rows: unknown[] = [];
        for await (const batch of reader.diff(BigInt(from), BigInt(to), { columns: names, batchRows })) {
          rows.push(...jsonRows(batch).map((row, i) => [...row, { deleted: batch.deleted[i] === 1 }]));
        }
        expectSame(rows, tablets[tablet.id] ?? []);
      }
    }
  });

  it("finds a row by its key exactly when it exists", async () => {
    const reader = await openTablet(tablet);
    const parts = keyLength(tablet);
    const keyText = (row: readonly unknown[]): string => JSON.stringify(row.slice(0, parts));
    const known = new Map(snapshots.flatMap(({ rows }) => rows.map((row) => [keyText(row), row])));
    for (const { asOf, rows } of snapshots) {
      const present = new Map(rows.map((row) => [keyText(row), row]));
      for (const [text, row] of known) {
        const key = row.slice(0, parts).map((cell, i) => cellOfJson((columns[i] as RowSetColumn).type, cell));
        const found = await reader.get(key, { asOf, columns: names, strings: "bytes" });
        const cells = found?.cells.map((cell, i) => jsonCell((columns[i] as RowSetColumn).type, cell));
        expectSame(withoutNaN(cells), withoutNaN(present.get(text)));
      }
    }
  });

  it("lists versions that match every snapshot", async () => {
    const reader = await openTablet(tablet);
    const parts = keyLength(tablet);
    const last = snapshots.flatMap(({ rows }) => rows.slice(0, 40));
    for (const row of last) {
      const key = row.slice(0, parts).map((cell, i) => cellOfJson((columns[i] as RowSetColumn).type, cell));
      const versions = await reader.history(key, { columns: names, strings: "bytes" });
      for (const { asOf, rows } of snapshots) {
        const version = versions.filter(({ timestamp }) => (timestamp ?? -1n) < asOf).at(-1);
        const cells =
          version?.deleted === false
            ? version.cells.map((cell, i) => jsonCell((columns[i] as RowSetColumn).type, cell))
            : undefined;
        const expected = rows.find(
          (other) => JSON.stringify(other.slice(0, parts)) === JSON.stringify(row.slice(0, parts)),
        );
        expectSame(withoutNaN(cells), withoutNaN(expected));
      }
    }
  });
});

/** A NaN that became a number has lost its payload. */
function withoutNaN(row: readonly unknown[] | undefined): unknown {
  return row?.map((cell) => {
    const bits = (cell as { bits?: string } | null)?.bits;
    return bits !== undefined && /^[7f]f[f89abcde]/.test(bits) ? "NaN or infinity" : cell;
  });
}
