/**
 * Row sets of a Kudu server under the manifest of a table store: compaction and dropped history change no readable snapshot.
 * The tests of reading compare these snapshots with what Kudu's client read.
 */
import { openDeltaFile } from "@cfile/deltafile/read";
import { type ByteSource, MemoryDirectory, readExactly, sizeOf } from "@cfile/io";
import { describe, expect, it } from "vitest";
import type { RowSetFiles, RowSetSchema } from "../src/index.js";
import { encodeManifest, type ManifestFile, type ManifestRowSet } from "../src/store/manifest.js";
import { openTableStore, type TableStore } from "../src/store.js";
import { jsonCells, openTablet, type ServerTablet, serverTablets } from "./server-tablets.js";

/** The tablet as a table store. Dropped columns are omitted; tablets with columns added later are not covered. */
async function imported({ schema, rowSets }: ServerTablet): Promise<MemoryDirectory> {
  const files = new Map<string, Uint8Array>();
  const add = async (source: ByteSource): Promise<ManifestFile> => {
    const bytes = await readExactly(source, 0, await sizeOf(source));
    const file = `server-${files.size}.cfile`;
    files.set(file, bytes);
    return { file, bytes: bytes.length };
  };
  const readers = await openTablet({ schema, rowSets } as ServerTablet);
  const stored: ManifestRowSet[] = [];
  let lastTimestamp = 0n;
  for (const [i, rowSet] of rowSets.entries()) {
    const reader = readers.rowSets[i];
    const columns = new Map<number, ManifestFile>();
    for (const { id } of schema.columns) {
      const source = rowSet.columns.get(id);
      if (source !== undefined) {
        columns.set(id, await add(source));
      }
    }
    for (const source of [...rowSet.undo, ...rowSet.redo]) {
      const { maxTimestamp } = (await openDeltaFile(source)).statistics;
      lastTimestamp = maxTimestamp > lastTimestamp ? maxTimestamp : lastTimestamp;
    }
    stored.push({
      rows: reader?.rowCount ?? 0,
      minKey: reader?.minKey ?? new Uint8Array(0),
      maxKey: reader?.maxKey ?? new Uint8Array(0),
      columns,
      bloom: await add(rowSet.bloom as ByteSource),
      adhocIndex: rowSet.adhocIndex && (await add(rowSet.adhocIndex)),
      redo: await Promise.all(rowSet.redo.map(add)),
      undo: await Promise.all(rowSet.undo.map(add)),
    });
  }
  files.set(
    "rowset.json",
    encodeManifest({ schema, nextFile: 0, lastTimestamp, historyStart: 0n, rowSets: stored }),
  );
  return new MemoryDirectory("imported", { files });
}

async function timestampsOf(rowSets: readonly RowSetFiles[]): Promise<bigint[]> {
  const timestamps = new Set<bigint>();
  for (const source of rowSets.flatMap(({ undo, redo }) => [...undo, ...redo])) {
    for await (const batch of (await openDeltaFile(source)).entries()) {
      for (const timestamp of batch.timestamps) {
        timestamps.add(timestamp);
        timestamps.add(timestamp + 1n);
      }
    }
  }
  const all = [...timestamps].sort((left, right) => (left < right ? -1 : 1));
  const every = Math.ceil(all.length / 40);
  return all.filter((_, i) => i % every === 0 || i === all.length - 1);
}

async function stateOf(handle: TableStore, asOf: bigint): Promise<string> {
  const rows: unknown[] = [];
  for await (const batch of handle.scan({ asOf })) {
    const columns = batch.columns.map(jsonCells);
    for (let i = 0; i < batch.length; i++) {
      rows.push(columns.map((cells) => cells[i]));
    }
  }
  return JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? String(value) : value));
}

async function changesOf(handle: TableStore, from: bigint, to: bigint): Promise<string> {
  const rows: unknown[] = [];
  for await (const batch of handle.diff(from, to)) {
    const columns = batch.columns.map(jsonCells);
    for (let i = 0; i < batch.length; i++) {
      const cells = columns.map((column) => column[i]);
      // Of a deleted row, only the key is certain to be equal.
      const keys = handle.schema.columns.filter((column) => column.isKey).length;
      rows.push(batch.deleted[i] === 1 ? ["deleted", ...cells.slice(0, keys)] : cells);
    }
  }
  return JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? String(value) : value));
}

function hasAllColumns({
  schema,
  rowSets,
}: {
  schema: RowSetSchema;
  rowSets: readonly RowSetFiles[];
}): boolean {
  return rowSets.every(({ columns }) => schema.columns.every(({ id }) => columns.has(id)));
}

const tablets = ["cluster-file", "cluster-log"]
  .flatMap(serverTablets)
  .filter((tablet) => tablet.rowSets.length > 0 && hasAllColumns(tablet))
  .map((tablet) => ({ ...tablet, name: `${tablet.table}, tablet ${tablet.id.slice(0, 6)}` }));

describe.each(tablets)("$name, compacted", (tablet) => {
  it("keeps every snapshot and every diff, in one valid row set", async () => {
    const directory = await imported(tablet);
    const timestamps = await timestampsOf(tablet.rowSets);
    await using handle = await openTableStore(directory);
    const before = await Promise.all(timestamps.map((asOf) => stateOf(handle, asOf)));
    const pairs = timestamps.map((from, i): [bigint, bigint] => [
      from,
      timestamps[(i * 7 + 3) % timestamps.length] ?? from,
    ]);
    const forward = pairs.filter(([from, to]) => from < to);
    const changes = await Promise.all(forward.map(([from, to]) => changesOf(handle, from, to)));
    await handle.compact();
    expect(handle.rowSets.length).toBe(1);
    for (const [i, asOf] of timestamps.entries()) {
      expect(await stateOf(handle, asOf)).toBe(before[i]);
    }
    for (const [i, [from, to]] of forward.entries()) {
      expect(await changesOf(handle, from, to)).toBe(changes[i]);
    }
    expect((await handle.verify()).flatMap(({ problems }) => problems)).toEqual([]);
    const middle = timestamps[Math.floor(timestamps.length / 2)] ?? 0n;
    await handle.dropHistoryBefore(middle);
    await handle.compact();
    for (const [i, asOf] of timestamps.entries()) {
      if (asOf >= middle) {
        expect(await stateOf(handle, asOf)).toBe(before[i]);
      }
    }
    expect(() => handle.scan({ asOf: middle - 1n })).toThrow(/history begins/);
  });
});
