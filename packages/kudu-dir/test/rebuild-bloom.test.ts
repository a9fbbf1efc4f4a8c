/** Large Bloom files with several filters: a row set gets the file that has exactly its keys. */
import { openCFile } from "@cfile/format";
import { describe, expect, it } from "vitest";
import { column, keyColumn, WrittenBlocks } from "./written-blocks.js";

const SINGLE = { columns: [keyColumn(0), column(1)] };
const COMPOSITE = { columns: [keyColumn(0), keyColumn(1, "STRING"), column(2)] };
const COUNT = 12_000;

const singleRows = (numbers: readonly number[]) => numbers.map((n) => [n, n * 7]);
const compositeRows = (numbers: readonly number[]) =>
  numbers.map((n) => [n >> 4, `key ${1000 + (n & 15)}`, n]);
const upTo = (count: number) => Array.from({ length: count }, (_, i) => 3 * i);

const SHAPES = [
  { name: "one key column", schema: SINGLE, rowsOf: singleRows },
  { name: "several key columns", schema: COMPOSITE, rowsOf: compositeRows },
] as const;

/** Filters of 4 KiB with 1,710 keys each, and one for all keys. */
const FILTERS = [
  { filters: "several filters", bloom: {}, blocks: 8 },
  { filters: "one filter", bloom: { filterBytes: 1 << 16 }, blocks: 1 },
] as const;

const CASES = SHAPES.flatMap((shape) => FILTERS.map((filters) => ({ ...shape, ...filters })));

/** Keys with the same first and last key, but different keys in between. */
const OTHERS = [
  {
    other: "as many other keys",
    keysOf: (keys: readonly number[]) => keys.map((n, i) => (i % 2 && i < COUNT - 1 ? n + 1 : n)),
  },
  {
    other: "the keys and 2 % more",
    keysOf: (keys: readonly number[]) =>
      keys
        .flatMap((n, i) => (i % 50 ? [n] : [n, n + 1]))
        .slice(0, -1)
        .concat(keys.at(-1) ?? 0),
  },
  {
    other: "all but 2 % of the keys",
    keysOf: (keys: readonly number[]) => keys.filter((_, i) => i % 50 !== 7),
  },
] as const;

describe.each(CASES)("a Bloom file of $filters, $name", ({ schema, rowsOf, bloom, blocks }) => {
  it("belongs to the row set with its keys", async () => {
    const written = new WrittenBlocks();
    const files = await written.rowSet(schema, rowsOf(upTo(COUNT)), { bloom });
    const { rowSets, leftover } = await written.rebuild();
    const found = written.blocks.find(({ id }) => id === files.bloom);
    expect(found && (await (await openCFile(found.source)).listDataBlocks()).length).toBe(blocks);
    expect(leftover).toEqual([]);
    expect(rowSets).toMatchObject([
      { id: files.key, rows: COUNT, doubts: [], blocks: { bloom: files.bloom, columns: files.columns } },
    ]);
  });

  it.each(OTHERS)("with $other does not belong to the row set", async ({ keysOf }) => {
    const written = new WrittenBlocks();
    const files = await written.rowSet(schema, rowsOf(upTo(COUNT)), { bloom, withoutBloom: true });
    const other = await written.rowSet(schema, rowsOf(keysOf(upTo(COUNT))), { bloom });
    for (const block of [...other.columns.values(), other.adhocIndex ?? -1n]) {
      written.blocks.splice(0, written.blocks.length, ...written.blocks.filter(({ id }) => id !== block));
    }
    const { rowSets, leftover } = await written.rebuild();
    expect(rowSets.map(({ id, blocks: found, doubts }) => ({ id, bloom: found.bloom, doubts }))).toEqual([
      {
        id: files.key,
        bloom: undefined,
        doubts: expect.arrayContaining(["no Bloom file with its keys found"]),
      },
    ]);
    expect(leftover.map(({ block, reason }) => ({ id: block.id, reason }))).toEqual([
      { id: other.bloom, reason: "fits no row set" },
    ]);
  });

  it("stays with the row set of a compaction whose old row set lost its own", async () => {
    const written = new WrittenBlocks();
    const keys = upTo(COUNT);
    const old = await written.rowSet(schema, rowsOf(keys), { bloom, withoutBloom: true });
    const more = OTHERS[1].keysOf(keys);
    const compacted = await written.rowSet(schema, rowsOf(more), { bloom });
    const { rowSets } = await written.rebuild();
    expect(rowSets.map(({ id, rows, blocks: found }) => ({ id, rows, bloom: found.bloom }))).toEqual([
      { id: old.key, rows: COUNT, bloom: undefined },
      { id: compacted.key, rows: more.length, bloom: compacted.bloom },
    ]);
  });

  it("with a damaged filter counts as missing", async () => {
    const written = new WrittenBlocks();
    const files = await written.rowSet(schema, rowsOf(upTo(COUNT)), { bloom });
    const source = written.blocks.find(({ id }) => id === files.bloom)?.source;
    const filters = source && (await (await openCFile(source)).listDataBlocks());
    await written.flip(files.bloom, (filters?.[blocks >> 1]?.offset ?? 0) + 40);
    const { rowSets, leftover } = await written.rebuild();
    expect(rowSets.map(({ id, blocks: found, doubts }) => ({ id, bloom: found.bloom, doubts }))).toEqual([
      {
        id: files.key,
        bloom: undefined,
        doubts: expect.arrayContaining(["no Bloom file with its keys found"]),
      },
    ]);
    expect(leftover.map(({ block }) => block.id)).toContain(files.bloom);
  });
});
