import { describe, expect, test } from "vitest";
import { BlockCache, CacheBudget } from "../src/index.js";

const block = (memory: number) => ({ memory });

describe("BlockCache", () => {
  test("evicts blocks in LRU order when the budget is exceeded", () => {
    const cache = new BlockCache<{ memory: number }>(100);
    const blocks = [0, 1, 2, 3].map(() => block(30));
    for (const [offset, one] of blocks.slice(0, 3).entries()) {
      cache.set(offset, one);
    }
    expect(cache.get(0)).toBe(blocks[0]);
    cache.set(3, blocks[3] as { memory: number });
    expect([0, 1, 2, 3].map((offset) => cache.get(offset) !== undefined)).toEqual([true, false, false, true]);
    expect(cache.held).toBe(60);
  });

  test("does not hold a block larger than the budget; clear() removes all blocks", () => {
    const cache = new BlockCache(100);
    cache.set(1, block(101));
    expect(cache.get(1)).toBeUndefined();
    cache.set(1, block(100));
    expect(cache.get(1)).toBeDefined();
    cache.clear();
    expect(cache.get(1)).toBeUndefined();
    expect(cache.held).toBe(0);
  });

  test("replaces the block at the same offset", () => {
    const cache = new BlockCache(100);
    cache.set(1, block(60));
    cache.set(1, block(50));
    expect(cache.held).toBe(50);
  });

  test("updates the size of a growing block when the block is used", () => {
    const cache = new BlockCache<{ memory: number }>(100);
    const growing = block(40);
    cache.set(1, block(40));
    cache.set(2, growing);
    growing.memory = 90;
    expect(cache.get(2)).toBe(growing);
    expect(cache.get(1)).toBeUndefined();
  });
});

describe("a CacheBudget shared by several caches", () => {
  test("evicts blocks of all caches in LRU order", () => {
    const budget = new CacheBudget(100);
    const [left, right] = [new BlockCache(budget), new BlockCache(budget)];
    left.set(1, block(40));
    right.set(1, block(40));
    left.get(1);
    left.set(2, block(40));
    expect(right.get(1)).toBeUndefined();
    expect(left.get(1)).toBeDefined();
    left.clear();
    right.set(1, block(90));
    expect(right.get(1)).toBeDefined();
  });
});
