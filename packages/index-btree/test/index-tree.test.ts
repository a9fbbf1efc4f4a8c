import { type BlockLocation, compareBytes, fromHex, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodePositionalKey, type IndexCursor, IndexTree, type IndexTreeOptions } from "../src/index.js";
import { walkIndexTree } from "../src/walk.js";
import { goldenIndexes, goldenMultiLevelIndexes } from "./golden.js";
import { BlockStore, dataBlock, storedTree } from "./stored-tree.js";

/** Key and data block of an entry. */
const described = (cursor: IndexCursor | undefined): string =>
  cursor === undefined ? "none" : `${toHex(cursor.key)}@${cursor.pointer.offset}+${cursor.pointer.size}`;

async function allEntries(tree: IndexTree): Promise<string[]> {
  const entries: string[] = [];
  const cursor = await tree.first();
  for (let more = cursor !== undefined; more; more = (await cursor?.next()) ?? false) {
    entries.push(described(cursor));
  }
  return entries;
}

async function depthOf(tree: IndexTree): Promise<number> {
  let depth = 0;
  for await (const step of walkIndexTree(tree)) {
    depth = Math.max(depth, step.kind === "block" ? step.depth + 1 : 0);
  }
  return depth;
}

const numbered = (count: number, step = 1): Uint8Array[] =>
  Array.from({ length: count }, (_, i) => encodePositionalKey(i * step));

describe("an index tree of a golden file", () => {
  const open = (index: (typeof goldenIndexes)[number]): IndexTree =>
    new IndexTree({
      root: index.root,
      kind: index.kind,
      load: ({ offset, size }: BlockLocation) => index.blockAt(offset, size),
    });

  it("has the same blocks and entries as in Kudu's reader", async () => {
    for (const index of goldenIndexes) {
      const blocks = [];
      const entries = [];
      for await (const step of walkIndexTree(open(index))) {
        if (step.kind === "block") {
          const { kind, ...block } = step;
          blocks.push(block);
        } else {
          entries.push({ key: toHex(step.key), ...step.pointer });
        }
      }
      expect(blocks).toEqual(index.tree.index_blocks);
      expect(entries).toEqual(index.tree.entries);
      expect(await allEntries(open(index))).toEqual(
        index.tree.entries.map(({ key, offset, size }) => `${key}@${offset}+${size}`),
      );
    }
  });

  it.each(goldenMultiLevelIndexes.map((index) => [index.name, index.kind, index] as const))(
    "finds every key of %s, %s, and the keys before and after it",
    async (_, __, index) => {
      const tree = open(index);
      const keys = index.tree.entries.map(({ key }) => fromHex(key));
      const targets = keys.flatMap((key) => [
        key,
        key.subarray(0, -1),
        Uint8Array.of(...key, 0),
        fromHex("ff"),
      ]);
      for (const target of [new Uint8Array(0), ...targets]) {
        const found = index.tree.entries[keys.findLastIndex((key) => compareBytes(key, target) <= 0)];
        expect(described(await tree.seekAtOrBefore(target))).toBe(
          found === undefined ? "none" : `${found.key}@${found.offset}+${found.size}`,
        );
      }
    },
  );
});

describe("an index tree", () => {
  it("gives the results of a linear search, for any keys, block size and cache size", async () => {
    const key = fc.uint8Array({ maxLength: 4 }).map((bytes) => bytes.map((byte) => byte & 7));
    await fc.assert(
      fc.asyncProperty(
        fc.array(key, { minLength: 1, maxLength: 120 }),
        fc.constantFrom(1, 50, 100),
        fc.constantFrom(0, 300, undefined),
        fc.array(key, { maxLength: 20 }),
        async (keys, blockSize, cacheBytes, targets) => {
          keys.sort(compareBytes);
          const { store, root } = storedTree(keys, blockSize);
          const tree = store.tree(root, { cacheBytes });
          const entries = keys.map((key, i) => `${toHex(key)}@${dataBlock(i).offset}+100`);
          for (const target of [...targets, ...keys.slice(0, 20)]) {
            const at = keys.findLastIndex((key) => compareBytes(key, target) <= 0);
            const cursor = await tree.seekAtOrBefore(target);
            expect(described(cursor)).toBe(entries[at] ?? "none");
            if (cursor !== undefined) {
              expect(await cursor.next()).toBe(at + 1 < keys.length);
              expect(described(cursor)).toBe(entries[Math.min(at + 1, keys.length - 1)]);
            }
          }
          expect(described(await tree.first())).toBe(entries[0]);
          expect(described(await tree.last())).toBe(entries.at(-1));
          expect(await allEntries(tree)).toEqual(entries);
        },
      ),
      { seed: 4, numRuns: 150 },
    );
  });

  it("is searched through many levels", async () => {
    const keys = numbered(3000, 2);
    const { store, root } = storedTree(keys, 60);
    const tree = store.tree(root, { kind: "posidx" });
    expect(await depthOf(tree)).toBeGreaterThanOrEqual(5);
    for (let ordinal = 0; ordinal < 6100; ordinal += 7) {
      const cursor = await tree.seekAtOrBefore(encodePositionalKey(ordinal));
      expect(cursor?.pointer).toEqual(dataBlock(Math.min(2999, ordinal >> 1)));
    }
    expect((await allEntries(tree)).length).toBe(3000);
  });

  it("without entries finds nothing", async () => {
    const { store, root } = storedTree([], 100);
    for (const kind of ["posidx", "validx"] as const) {
      const tree = store.tree(root, { kind });
      expect(await tree.first()).toBeUndefined();
      expect(await tree.last()).toBeUndefined();
      expect(await tree.seekAtOrBefore(fromHex("61"))).toBeUndefined();
      expect(await allEntries(tree)).toEqual([]);
      expect(await depthOf(tree)).toBe(1);
    }
  });

  it("reads one block per level and reuses cached blocks", async () => {
    const { store, root } = storedTree(numbered(3000), 200);
    const levels = await depthOf(store.tree(root));
    expect(levels).toBeGreaterThanOrEqual(3);
    store.loads.length = 0;
    const tree = store.tree(root);
    await tree.seekAtOrBefore(encodePositionalKey(1234));
    expect(store.loads.length).toBe(levels);
    await tree.seekAtOrBefore(encodePositionalKey(1234));
    expect(store.loads.length).toBe(levels);
    await allEntries(tree);
    await allEntries(tree);
    expect(new Set(store.loads).size).toBe(store.loads.length);
  });

  it("stays within its cache limit", async () => {
    const { store, root } = storedTree(numbered(3000), 200);
    await allEntries(store.tree(root));
    const blocks = store.loads.length;
    store.loads.length = 0;
    const uncached = store.tree(root, { cacheBytes: 0 });
    await allEntries(uncached);
    expect(store.loads.length).toBe(blocks);
    await allEntries(uncached);
    expect(store.loads.length).toBe(2 * blocks);
    store.loads.length = 0;
    const small = store.tree(root, { cacheBytes: 20_000 });
    await allEntries(small);
    await allEntries(small);
    expect(store.loads.length).toBeGreaterThan(blocks);
    await small.last();
    store.loads.length = 0;
    await small.last();
    expect(store.loads.length).toBe(0);
  });

  it("keeps frequently used blocks in the cache", async () => {
    const { store, root } = storedTree(numbered(3000), 200);
    const tree = store.tree(root, { cacheBytes: 20_000 });
    for (let ordinal = 0; ordinal < 3000; ordinal++) {
      expect((await tree.seekAtOrBefore(encodePositionalKey(ordinal)))?.pointer).toEqual(dataBlock(ordinal));
    }
    expect(store.loads.filter((offset) => offset === root.offset).length).toBe(1);
    expect(new Set(store.loads).size).toBe(store.loads.length);
  });

  it("shares loads among concurrent callers", async () => {
    const { store, root } = storedTree(numbered(500), 200);
    const tree = store.tree(root, {
      load: async (pointer) => {
        await Promise.resolve();
        return store.load(pointer);
      },
    });
    const cursors = await Promise.all(
      Array.from({ length: 20 }, () => tree.seekAtOrBefore(encodePositionalKey(77))),
    );
    expect(cursors.map(described)).toEqual(Array(20).fill(described(cursors[0])));
    expect(new Set(store.loads).size).toBe(store.loads.length);
    expect(cursors[0]?.pointer).toEqual(dataBlock(77));
  });

  it("works after a failed load, and the cursor keeps its position", async () => {
    const { store, root } = storedTree(numbered(500), 200);
    let failures = 1;
    const load: IndexTreeOptions["load"] = (pointer) => {
      if (failures > 0) {
        failures--;
        throw new TypeError("the network is down");
      }
      return store.load(pointer);
    };
    const tree = store.tree(root, { load, cacheBytes: 0 });
    await expect(tree.first()).rejects.toThrow("the network is down");
    const cursor = await tree.first();
    const entries = [];
    for (let i = 0; i < 499; i++) {
      entries.push(described(cursor));
      failures = 1;
      const moved = await cursor?.next().catch(() => "failed");
      if (moved === "failed") {
        expect(described(cursor)).toBe(entries[i]);
        expect(await cursor?.next()).toBe(true);
      }
    }
    entries.push(described(cursor));
    expect(entries).toEqual(numbered(500).map((key, i) => `${toHex(key)}@${dataBlock(i).offset}+100`));
    failures = 0;
    expect(await cursor?.next()).toBe(false);
  });

  it("stops when the signal is aborted, and works for other callers", async () => {
    const { store, root } = storedTree(numbered(500), 200);
    const controller = new AbortController();
    const seen: (AbortSignal | undefined)[] = [];
    const tree = store.tree(root, {
      load: (pointer, signal) => {
        seen.push(signal);
        return store.load(pointer);
      },
    });
    const cursor = await tree.first({ signal: controller.signal });
    expect(seen.every((signal) => signal === controller.signal)).toBe(true);
    controller.abort(new RangeError("enough"));
    await expect(tree.last({ signal: controller.signal })).rejects.toThrow("enough");
    await expect(
      (async () => {
        while (await cursor?.next()) {
          // Continues until a block must be loaded.
        }
      })(),
    ).rejects.toThrow("enough");
    expect(described(await tree.last())).toBe(`000001f3@${dataBlock(499).offset}+100`);
  });
});

describe("IndexCursor", () => {
  it("is independent of other cursors of the tree", async () => {
    const { store, root } = storedTree(numbered(300), 60);
    const tree = store.tree(root);
    const cursors = [];
    for (let i = 0; i < 10; i++) {
      cursors.push(await tree.seekAtOrBefore(encodePositionalKey(17 * i)));
    }
    for (let step = 1; step <= 100; step++) {
      await Promise.all(cursors.map((cursor) => cursor?.next()));
      expect(cursors.map((cursor) => cursor?.pointer)).toEqual(
        cursors.map((_, i) => dataBlock(17 * i + step)),
      );
    }
  });

  it("stays at the last entry", async () => {
    const store = new BlockStore();
    const root = store.putBlock(true, [[fromHex("61"), dataBlock(0)]]);
    const cursor = await store.tree(root).first();
    expect(await cursor?.next()).toBe(false);
    expect(await cursor?.next()).toBe(false);
    expect(cursor?.pointer).toEqual(dataBlock(0));
  });
});
