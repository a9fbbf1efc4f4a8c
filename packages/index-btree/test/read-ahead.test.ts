import type { BlockLocation } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import { dataBlock, storedTree } from "./stored-tree.js";

const KEYS = 400;
const key = (i: number): Uint8Array => Uint8Array.of(1 + (i >> 8), i & 255);
const stored = () =>
  storedTree(
    Array.from({ length: KEYS }, (_, i) => key(i)),
    200,
  );

async function offsets(tree: ReturnType<ReturnType<typeof stored>["store"]["tree"]>): Promise<number[]> {
  const found: number[] = [];
  const cursor = await tree.first();
  for (let more = cursor !== undefined; more; more = (await cursor?.next()) === true) {
    found.push(cursor?.pointer.offset ?? -1);
  }
  return found;
}

const all = Array.from({ length: KEYS }, (_, i) => dataBlock(i).offset);

describe("index blocks that are read ahead", () => {
  it("come in few reads and give the same entries", async () => {
    const { store, root } = stored();
    const reads: number[] = [];
    const loadMany = async (pointers: readonly BlockLocation[]): Promise<Uint8Array[]> => {
      reads.push(pointers.length);
      return pointers.map(store.load);
    };
    expect(await offsets(store.tree(root, { loadMany }))).toEqual(all);
    expect(reads.length).toBeGreaterThan(0);
    expect(Math.max(...reads)).toBeGreaterThan(2);
  });

  it("that are in memory are not read again", async () => {
    const { store, root } = stored();
    const read: number[] = [];
    const loadMany = async (pointers: readonly BlockLocation[]): Promise<Uint8Array[]> => {
      read.push(...pointers.map(({ offset }) => offset));
      return pointers.map(store.load);
    };
    const tree = store.tree(root, { loadMany });
    // A lookup in the middle reads its leaf.
    await tree.seekAtOrBefore(key(40));
    const before = read.length;
    expect(await offsets(tree)).toEqual(all);
    expect(new Set(read).size).toBe(read.length);
    expect(read.length).toBeGreaterThan(before);
  });

  it("are read one by one when reading many fails", async () => {
    const { store, root } = stored();
    const tree = store.tree(root, { loadMany: () => Promise.reject(new Error("too many")) });
    expect(await offsets(tree)).toEqual(all);
  });

  it("are damaged only for those who reach them", async () => {
    const { store, root } = stored();
    const loadMany = async (pointers: readonly BlockLocation[]): Promise<Uint8Array[]> =>
      pointers.map((pointer, i) => (i === 1 ? new Uint8Array(pointer.size) : store.load(pointer)));
    expect(await offsets(store.tree(root, { loadMany }))).toEqual(all);
  });

  it("that are more or fewer than requested change nothing", async () => {
    const { store, root } = stored();
    for (const extra of [true, false]) {
      const loadMany = async (pointers: readonly BlockLocation[]): Promise<Uint8Array[]> =>
        extra ? [...pointers.map(store.load), new Uint8Array(3)] : [];
      expect(await offsets(store.tree(root, { loadMany }))).toEqual(all);
    }
  });

  it("stop with the signal", async () => {
    const { store, root } = stored();
    const stop = new AbortController();
    const loadMany = (): Promise<Uint8Array[]> => {
      stop.abort(new Error("enough"));
      return Promise.reject(new Error("stopped"));
    };
    const tree = store.tree(root, { loadMany });
    const walk = async (): Promise<void> => {
      const cursor = await tree.first({ signal: stop.signal });
      while ((await cursor?.next()) === true) {
        // Only the walk matters.
      }
    };
    await expect(walk()).rejects.toThrow("enough");
  });
});

describe("the offset of a data block in memory", () => {
  it("is known when the path to it was read", async () => {
    const { store, root } = stored();
    const tree = store.tree(root);
    expect(tree.offsetInMemory(key(7))).toBe(-1);
    await tree.seekAtOrBefore(key(7));
    expect(tree.offsetInMemory(key(7))).toBe(dataBlock(7).offset);
    expect(tree.offsetInMemory(key(KEYS - 1))).toBe(-1);
    expect(tree.offsetInMemory(Uint8Array.of(0))).toBe(-1);
  });
});
