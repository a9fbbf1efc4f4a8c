import { type ByteSource, readExactly, sizeOf } from "@cfile/io";
import { openRowSet, TabletReader } from "@cfile/rowset";
import { pathToGolden } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { type KuduTablet, openKuduDir } from "../src/index.js";
import { KeyedOperations } from "../src/log/keyed-operations.js";
import type { UnflushedOperation } from "../src/log/log-replay.js";
import { clusterPath } from "./cluster.js";
import { collectRows } from "./json-rows.js";

const SERVERS = [
  ...["log", "encrypted"].map((name) => pathToGolden(`servers/${name}/ts`)),
  ...["ts0", "ts1", "ts2"].map(clusterPath),
];

/** All rows of a log, flushed with limited memory. */
async function flushed(tablet: KuduTablet, maxBytes?: number) {
  const flush = await tablet.flushLog(maxBytes);
  const readers = [];
  let live = 0;
  for await (const { files, liveRows } of flush?.rowSets(tablet.schema, tablet.rowSets) ?? []) {
    readers.push(await openRowSet(files, tablet.schema));
    live += liveRows;
  }
  const redo: [bigint, string][] = [];
  for (const [id, source] of flush?.redo ?? []) {
    redo.push([id, await hexOf(source)]);
  }
  const tables = new TabletReader(tablet.schema, readers);
  const times = new Set((await tablet.unflushed())?.operations.map(({ timestamp }) => timestamp));
  const snapshots = [];
  for (const time of [...times].slice(0, 5)) {
    snapshots.push(await collectRows(tables.scan({ asOf: time + 1n })));
  }
  const rows = await collectRows(tables.scan());
  expect(live).toBe(rows.length);
  return { operations: flush?.operations, lastWrite: flush?.lastWrite, rows, snapshots, redo: redo.sort() };
}

async function hexOf(source: ByteSource): Promise<string> {
  return Buffer.from(await readExactly(source, 0, await sizeOf(source))).toString("hex");
}

describe("a flushed log", () => {
  it.each(SERVERS)("is the same if only a few operations fit into memory: %s", async (path) => {
    await using dir = await openKuduDir(path);
    let operations = 0;
    for (const tablet of await dir.tablets()) {
      const whole = await flushed(tablet);
      operations += whole.operations ?? 0;
      if ((whole.operations ?? 0) > 0) {
        expect(await flushed(tablet, 2000)).toEqual(whole);
      }
    }
    expect(operations).toBeGreaterThan(0);
  });
});

describe("operations by key", () => {
  const schema = { columns: [] };
  const operation = (n: number): UnflushedOperation => ({
    timestamp: BigInt(n) << 40n,
    operation: {
      kind: n % 2 === 0 ? "insert" : "upsertIgnore",
      cells: new Map([
        ["key", Uint8Array.of(n)],
        ["a", n % 3 === 0 ? null : new Uint8Array(n)],
      ]),
    },
    schema,
    stores: n % 5 === 0 ? undefined : [{ mrsId: BigInt(n), rowSetId: -1n, dmsId: -1n, transaction: -1n }],
    mayBeFlushed: n % 7 === 0,
    autoIncrement: n % 4 === 0 ? -BigInt(n) : undefined,
  });

  it("come back as they were, in key order, those of one key in their own order and together", () => {
    const operations = new KeyedOperations();
    const all = Array.from({ length: 200 }, (_, n) => operation(n));
    for (const [n, one] of all.entries()) {
      operations.add(Uint8Array.of((n * 37) % 50), one);
    }
    const groups = [...operations.groups(10)];
    const keys = groups.map((group) => group.map(({ timestamp }) => (Number(timestamp >> 40n) * 37) % 50));
    expect(keys.flat()).toEqual([...keys.flat()].sort((left, right) => left - right));
    expect(groups.every((group, i) => group.length >= 10 || i === groups.length - 1)).toBe(true);
    expect(keys.every((group, i) => i === 0 || group[0] !== keys[i - 1]?.at(-1))).toBe(true);
    const expected = all
      .map((one, n) => ({ one, key: (n * 37) % 50 }))
      .sort((left, right) => left.key - right.key)
      .map(({ one }) => one);
    expect(groups.flat()).toEqual(expected);
  });
});
