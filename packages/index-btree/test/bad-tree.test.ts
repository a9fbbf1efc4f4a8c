import { type BlockLocation, DEFAULT_LIMITS, fromHex, isCFileError, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodePositionalKey, type IndexTree, type IndexTreeOptions } from "../src/index.js";
import { walkIndexTree } from "../src/walk.js";
import { BlockStore, dataBlock, storedTree } from "./stored-tree.js";

const key = (text: string): Uint8Array => new TextEncoder().encode(text);
const ordinal = encodePositionalKey;

/** Walks all blocks and entries and returns their number. A cursor must find the same entries. */
async function visited(tree: IndexTree): Promise<number> {
  let steps = 0;
  let entries = 0;
  for await (const step of walkIndexTree(tree)) {
    steps++;
    entries += step.kind === "entry" ? 1 : 0;
    expect(steps).toBeLessThan(100_000);
  }
  const cursor = await tree.first();
  for (let more = cursor !== undefined; more; more = (await cursor?.next()) ?? false) {
    entries--;
  }
  expect(entries).toBe(0);
  return steps;
}

async function reachAll(store: BlockStore, root: BlockLocation, options?: Partial<IndexTreeOptions>) {
  return visited(store.tree(root, { path: "x.cfile", ...options }));
}

const corruptBlock = (block: BlockLocation, field: string) =>
  expect.objectContaining({
    code: "E_CORRUPT",
    field,
    path: "x.cfile",
    block: expect.objectContaining(block),
  });

/** A leaf of one entry. */
const leafOf = (store: BlockStore, text: string): BlockLocation =>
  store.putBlock(true, [[key(text), dataBlock(0)]]);

describe("a malformed index tree", () => {
  it("whose root points to itself is rejected", async () => {
    const store = new BlockStore();
    const root = { offset: 16, size: 15 };
    const stored = store.putBlock(false, [[key("a"), root]], 16);
    expect(stored.size).toBe(16);
    const again = store.putBlock(false, [[key("a"), stored]], 16);
    await expect(reachAll(store, again)).rejects.toThrow(corruptBlock(again, "block pointer"));
    await expect(store.tree(again).seekAtOrBefore(key("b"))).rejects.toThrow(
      expect.objectContaining({ code: "E_CORRUPT" }),
    );
  });

  it("with a longer cycle is rejected, with or without a cache", async () => {
    for (const cacheBytes of [0, undefined]) {
      const store = new BlockStore();
      const root = store.putBlock(false, [[key("a"), { offset: 100, size: 16 }]], 16);
      store.putBlock(false, [[key("a"), { offset: 120, size: 16 }]], 100);
      store.putBlock(false, [[key("a"), root]], 120);
      await expect(reachAll(store, root, { cacheBytes })).rejects.toThrow(
        corruptBlock(root, "block pointer"),
      );
      expect(store.loads.length).toBe(3);
    }
  });

  it("with two pointers to the same block is rejected", async () => {
    const store = new BlockStore();
    const leaf = leafOf(store, "a");
    const twice = store.putBlock(false, [
      [key("a"), leaf],
      [key("a"), leaf],
    ]);
    await expect(reachAll(store, twice)).rejects.toThrow(corruptBlock(leaf, "block pointer"));
    const tree = store.tree(twice);
    await tree.first();
    await expect(tree.last()).rejects.toThrow(expect.objectContaining({ code: "E_CORRUPT" }));

    const parents = [0, 1].map(() => store.putBlock(false, [[key("a"), leaf]]));
    const root = store.putBlock(
      false,
      parents.map((parent) => [key("a"), parent] as const),
    );
    await expect(reachAll(store, root)).rejects.toThrow(corruptBlock(leaf, "block pointer"));
  });

  it("with leaves at two depths is rejected, whichever is read first", async () => {
    const store = new BlockStore();
    const deeper = (text: string) => store.putBlock(false, [[key(text), leafOf(store, text)]]);
    const highFirst = store.putBlock(false, [
      [key("a"), leafOf(store, "a")],
      [key("b"), deeper("b")],
    ]);
    const lowFirst = store.putBlock(false, [
      [key("a"), deeper("a")],
      [key("b"), leafOf(store, "b")],
    ]);
    for (const [root, loads] of [
      [highFirst, 3],
      [lowFirst, 4],
    ] as const) {
      store.loads.length = 0;
      await expect(reachAll(store, root)).rejects.toThrow(
        expect.objectContaining({ code: "E_CORRUPT", field: "index block type" }),
      );
      expect(store.loads.length).toBe(loads);
    }
  });

  it.each([
    ["with a first key that differs from the parent's", "b", ["c"], "d", ["d"]],
    ["with a first key that is a prefix of the parent's", "bb", ["b"], "d", ["d"]],
    ["with a key after the next block's", "b", ["b", "e"], "d", ["d"]],
  ] as const)("%s is rejected", async (_, firstKey, firstKeys, secondKey, secondKeys) => {
    const store = new BlockStore();
    const leaf = (keys: readonly string[]) =>
      store.putBlock(
        true,
        keys.map((text, i) => [key(text), dataBlock(i)] as const),
      );
    const bad = leaf(firstKeys);
    const root = store.putBlock(false, [
      [key(firstKey), bad],
      [key(secondKey), leaf(secondKeys)],
    ]);
    await expect(reachAll(store, root)).rejects.toThrow(corruptBlock(bad, "key"));
  });

  it("with a key after the entry that follows its grandparent is rejected", async () => {
    const store = new BlockStore();
    const bad = store.putBlock(true, [
      [key("b"), dataBlock(0)],
      [key("f"), dataBlock(1)],
    ]);
    const left = store.putBlock(false, [
      [key("a"), leafOf(store, "a")],
      [key("b"), bad],
    ]);
    const right = store.putBlock(false, [[key("e"), leafOf(store, "e")]]);
    const root = store.putBlock(false, [
      [key("a"), left],
      [key("e"), right],
    ]);
    await expect(reachAll(store, root)).rejects.toThrow(corruptBlock(bad, "key"));
  });

  it("with descending keys in a block is rejected", async () => {
    const store = new BlockStore();
    const bad = store.putBlock(true, [
      [key("b"), dataBlock(0)],
      [key("a"), dataBlock(1)],
    ]);
    const root = store.putBlock(false, [[key("b"), bad]]);
    await expect(reachAll(store, root)).rejects.toThrow(corruptBlock(bad, "key"));
    await expect(reachAll(store, bad)).rejects.toThrow(corruptBlock(bad, "key"));
  });

  it("with keys that repeat across blocks is rejected if they are ordinals, accepted if they are values", async () => {
    const store = new BlockStore();
    const leaf = (...rows: number[]) =>
      store.putBlock(
        true,
        rows.map((row) => [ordinal(row), dataBlock(row)] as const),
      );
    const first = leaf(0, 5);
    const root = store.putBlock(false, [
      [ordinal(0), first],
      [ordinal(5), leaf(5, 6)],
    ]);
    expect(await reachAll(store, root)).toBe(7);
    await expect(reachAll(store, root, { kind: "posidx" })).rejects.toThrow(corruptBlock(first, "key"));
  });

  it("with an empty block below its root, or an empty internal root, is rejected", async () => {
    const store = new BlockStore();
    for (const isLeaf of [true, false]) {
      const empty = store.putBlock(isLeaf, []);
      const root = store.putBlock(false, [[key("a"), empty]]);
      await expect(reachAll(store, root)).rejects.toThrow(corruptBlock(empty, "num_entries"));
    }
    const emptyRoot = store.putBlock(false, []);
    await expect(reachAll(store, emptyRoot)).rejects.toThrow(corruptBlock(emptyRoot, "num_entries"));
  });

  it.each([
    ["a key of three bytes", ["000000"]],
    ["a key of five bytes", ["0000000000"]],
    ["a first ordinal that is not 0", ["00000001"]],
    ["a repeated ordinal", ["00000000", "00000003", "00000003"]],
  ])("whose positional keys include %s is rejected, but accepted as a value index", async (_, keys) => {
    const store = new BlockStore();
    const root = store.putBlock(
      true,
      keys.map((hex, i) => [fromHex(hex), dataBlock(i)] as const),
    );
    expect(await reachAll(store, root)).toBe(1 + keys.length);
    await expect(reachAll(store, root, { kind: "posidx" })).rejects.toThrow(
      corruptBlock(root, "positional key"),
    );
  });

  it("that is too deep throws E_LIMIT, after reading as many blocks as the limit allows", async () => {
    const chain = (store: BlockStore, levels: number): BlockLocation => {
      let block = leafOf(store, "a");
      for (let level = 1; level < levels; level++) {
        block = store.putBlock(false, [[key("a"), block]]);
      }
      return block;
    };
    const store = new BlockStore();
    const { maxIndexDepth } = DEFAULT_LIMITS;
    expect(await reachAll(store, chain(store, maxIndexDepth))).toBe(maxIndexDepth + 1);
    for (const [levels, limit] of [
      [maxIndexDepth + 1, maxIndexDepth],
      [5000, maxIndexDepth],
      [4, 3],
    ] as const) {
      const root = chain(store, levels);
      store.loads.length = 0;
      const limits = { ...DEFAULT_LIMITS, maxIndexDepth: limit };
      await expect(reachAll(store, root, { limits })).rejects.toThrow(
        expect.objectContaining({ code: "E_LIMIT", field: "index depth", expected: limit, path: "x.cfile" }),
      );
      expect(store.loads.length).toBe(limit);
    }
  });

  it("that never ends throws E_LIMIT", async () => {
    const store = new BlockStore();
    const load = ({ offset }: BlockLocation): Uint8Array =>
      store.load(store.putBlock(false, [[key("a"), { offset: offset + 16, size: 16 }]], offset));
    await expect(reachAll(store, { offset: 16, size: 16 }, { load })).rejects.toThrow(
      expect.objectContaining({ code: "E_LIMIT" }),
    );
  });

  it("with a key above the limit throws E_LIMIT", async () => {
    const store = new BlockStore();
    const root = leafOf(store, "abcd");
    const limits = { ...DEFAULT_LIMITS, maxKeyLength: 3 };
    await expect(reachAll(store, root, { limits })).rejects.toThrow(
      expect.objectContaining({ code: "E_LIMIT", field: "key length", path: "x.cfile", block: root }),
    );
  });

  it("with a pointer outside the blocks of the file is rejected before anything is read there", async () => {
    const store = new BlockStore();
    const leaf = leafOf(store, "a");
    const root = store.putBlock(false, [[key("a"), leaf]]);
    for (const [forbidden, blamed, loads] of [
      [root.offset, root, 0],
      [leaf.offset, root, 1],
      [dataBlock(0).offset, leaf, 2],
    ] as const) {
      store.loads.length = 0;
      const isBlockAllowed = (offset: number, size: number): boolean => offset !== forbidden && size > 0;
      await expect(reachAll(store, root, { isBlockAllowed })).rejects.toThrow(
        corruptBlock(blamed, "block pointer"),
      );
      await expect(store.tree(root, { isBlockAllowed }).first()).rejects.toThrow(
        expect.objectContaining({ code: "E_CORRUPT" }),
      );
      expect(store.loads.length).toBe(2 * loads);
    }
  });

  it("with a pointer to an invalid data block is rejected when a cursor moves to that entry", async () => {
    const { store, root } = storedTree([0, 1, 2, 3, 4, 5].map(ordinal), 40);
    const tree = store.tree(root, { isBlockAllowed: (offset) => offset !== dataBlock(4).offset });
    const cursor = await tree.seekAtOrBefore(ordinal(3));
    await expect(cursor?.next()).rejects.toThrow(expect.objectContaining({ code: "E_CORRUPT" }));
    expect(cursor?.pointer).toEqual(dataBlock(3));
    expect((await tree.last())?.pointer).toEqual(dataBlock(5));
  });

  it("is reported with the location of the malformed block", async () => {
    const store = new BlockStore();
    const bad = store.put(fromHex("0800100005000000"));
    const root = store.putBlock(false, [[key("a"), bad]]);
    await expect(reachAll(store, root)).rejects.toThrow(corruptBlock(bad, "trailer length"));
  });
});

describe("an index tree with modified bytes", () => {
  const keys = Array.from({ length: 60 }, (_, i) => ordinal(i));

  it("is walked completely or throws a CFileError", async () => {
    const { store, root } = storedTree(keys, 70);
    await reachAll(store, root, { kind: "posidx" });
    const offsets = [...new Set(store.loads)];
    expect(offsets.length).toBeGreaterThan(15);
    const changes = fc.array(
      fc.tuple(fc.constantFrom(...offsets), fc.nat({ max: 200 }), fc.integer({ min: 1, max: 255 })),
      { minLength: 1, maxLength: 3 },
    );
    let values = 0;
    await fc.assert(
      fc.asyncProperty(changes, fc.constantFrom("posidx", "validx"), async (differences, kind) => {
        const load = (pointer: BlockLocation): Uint8Array => {
          const bytes = store.load(pointer).slice();
          for (const [offset, at, difference] of differences) {
            if (offset === pointer.offset && bytes.length > 0) {
              bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ difference;
            }
          }
          return bytes;
        };
        try {
          await reachAll(store, root, { load, kind });
          values++;
        } catch (error) {
          expect(isCFileError(error), String(error)).toBe(true);
        }
      }),
      { seed: 5, numRuns: 1500 },
    );
    expect(values).toBeGreaterThan(50);
  });

  it("with blocks that point to each other at random is ordered or throws a CFileError", async () => {
    // Blocks at offsets 16, 116, 216, ... with random pointers.
    const entry = fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 9 }));
    const block = fc.record({
      isLeaf: fc.boolean(),
      entries: fc.array(entry, { maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(block, { minLength: 1, maxLength: 10 }), async (blocks) => {
        const store = new BlockStore();
        const locations = blocks.map(({ isLeaf, entries }, i) =>
          store.putBlock(
            isLeaf,
            entries
              .toSorted(([a], [b]) => a - b)
              .map(
                ([letter, to]) => [Uint8Array.of(97 + letter), { offset: 16 + 100 * to, size: 100 }] as const,
              ),
            16 + 100 * i,
          ),
        );
        const load = ({ offset }: BlockLocation): Uint8Array =>
          store.load(locations[(offset - 16) / 100] ?? { offset, size: 0 });
        try {
          const tree = store.tree({ offset: 16, size: 100 }, { load, path: "x.cfile" });
          const found: string[] = [];
          for await (const step of walkIndexTree(tree)) {
            if (step.kind === "entry") {
              found.push(toHex(step.key));
            }
          }
          expect(found).toEqual(found.toSorted());
        } catch (error) {
          expect(isCFileError(error), String(error)).toBe(true);
        }
        expect(store.loads.length).toBeLessThanOrEqual(blocks.length + 1);
      }),
      { seed: 6, numRuns: 1500 },
    );
  });
});
