/** The key ranges of row sets, and the keys that divide a tablet: both read from the key files alone. */
import { compareBytes } from "@cfile/bytes";
import { encodeRowKeys, keyAt } from "@cfile/rowset";
import { afterAll, describe, expect, it } from "vitest";
import { keyExtents, splitKeys } from "../src/catalog.js";
import { type KuduTablet, openKuduDir } from "../src/index.js";
import { serverFiles, serverPath, treeOf } from "./servers.js";

const dir = await openKuduDir(serverPath("log"));
afterAll(() => dir.close());
const tablets = await dir.tablets();

/** The encoded keys of the rows that are read, in order. */
async function keysOf(tablet: KuduTablet): Promise<Uint8Array[]> {
  const columns = tablet.schema.columns.filter(({ isKey }) => isKey).map(({ name }) => name);
  const keys: Uint8Array[] = [];
  for await (const batch of tablet.scan({ columns })) {
    const encoded = encodeRowKeys(batch.columns);
    keys.push(...Array.from({ length: batch.length }, (_, row) => keyAt(encoded, row).slice()));
  }
  return keys;
}

describe("the key ranges of row sets", () => {
  it("contain all keys, are in the order of their first keys, and name those that overlap", async () => {
    let overlapping = 0;
    for (const tablet of tablets) {
      const { rowSets, depth } = await keyExtents(tablet);
      expect(rowSets.map(({ id }) => id).sort()).toEqual(tablet.rowSets.map(({ id }) => id).sort());
      const ranges = rowSets.flatMap(({ minKey, maxKey, ...rest }) =>
        minKey === undefined || maxKey === undefined ? [] : [{ ...rest, minKey, maxKey }],
      );
      for (const [i, { minKey, maxKey, overlaps, id }] of ranges.entries()) {
        expect(compareBytes(ranges[i - 1]?.minKey ?? minKey, minKey)).toBeLessThanOrEqual(0);
        const others = ranges.filter(
          (other) =>
            other.id !== id &&
            compareBytes(other.minKey, maxKey) <= 0 &&
            compareBytes(minKey, other.maxKey) <= 0,
        );
        expect(overlaps).toEqual(others.map((other) => other.id));
        overlapping += overlaps.length;
      }
      const isIn = (key: Uint8Array): number =>
        ranges.filter(
          ({ minKey, maxKey }) => compareBytes(minKey, key) <= 0 && compareBytes(key, maxKey) <= 0,
        ).length;
      const counts = (await keysOf(tablet)).map(isIn);
      expect(Math.min(1, ...counts)).toBe(1);
      expect(depth).toBeGreaterThanOrEqual(Math.max(0, ...counts));
      expect(depth).toBeLessThanOrEqual(ranges.length);
    }
    expect(overlapping).toBeGreaterThan(0);
  });

  it("are unknown for a row set whose key cannot be read, which has its error and comes last", async () => {
    const tablet = tablets.find(({ rowSets }) => rowSets.length > 1);
    const damaged = tablet?.rowSets[0];
    const key = tablet?.schema.columns.find(({ isKey }) => isKey)?.id ?? -1;
    const column = damaged?.blocks.columns.get(key) ?? damaged?.blocks.adhocIndex ?? 0n;
    const { path, offset } = await dir.block(damaged?.blocks.adhocIndex ?? column);
    const files = serverFiles("log");
    const name = path.slice(serverPath("log").length + 1);
    const bytes = files.get(name)?.slice() ?? new Uint8Array(0);
    files.set(name, bytes.fill(0, offset, offset + 16));
    await using other = await openKuduDir(treeOf(files));
    const { rowSets } = await keyExtents(await other.tablet(tablet?.id ?? ""));
    expect(rowSets.at(-1)).toMatchObject({
      ...{ id: damaged?.id, rows: undefined, minKey: undefined, maxKey: undefined, overlaps: [] },
      problem: { code: "E_CORRUPT" },
    });
    expect(rowSets.slice(0, -1).every(({ problem }) => problem === undefined)).toBe(true);
  });
});

describe("keys that divide a tablet", () => {
  it.each([2, 3, 7])("into %d parts ascend, and leave each part about the same rows", async (parts) => {
    let divided = 0;
    for (const tablet of tablets) {
      const keys = await splitKeys(tablet, parts);
      const sorted = [...keys].sort(compareBytes);
      expect(keys).toEqual(sorted);
      expect(new Set(keys.map(String)).size).toBe(keys.length);
      expect(keys.length).toBeLessThan(parts);
      const rows = await keysOf(tablet);
      const [only, ...others] = tablet.rowSets;
      const isWhole = others.length === 0 && (await only?.open())?.rowCount === rows.length;
      if (isWhole && rows.length >= 8 * parts) {
        const counts = [...keys, undefined].map(
          (to, i) =>
            rows.filter((key) => {
              const from = keys[i - 1];
              const isFrom = from === undefined || compareBytes(from, key) <= 0;
              return isFrom && (to === undefined || compareBytes(key, to) < 0);
            }).length,
        );
        expect(counts).toHaveLength(parts);
        expect(Math.max(...counts)).toBeLessThan((2 * rows.length) / parts);
        divided++;
      }
    }
    expect(divided).toBeGreaterThan(0);
  });

  it("do not exist for one part", async () => {
    for (const tablet of tablets) {
      expect(await splitKeys(tablet, 1)).toEqual([]);
    }
  });
});
