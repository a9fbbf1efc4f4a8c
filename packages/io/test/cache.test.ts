import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memoryStore, type PageStore, withCache } from "../src/decorators.js";
import { memorySource, readExactly } from "../src/index.js";
import { nextTick, numbered, pausedSource } from "./paused-source.js";

const PAGE = 1000;

function ranges(source: { reads: readonly { offset: number; length: number }[] }): number[][] {
  return source.reads.map(({ offset, length }) => [offset, length]);
}

describe("pages", () => {
  test("are fetched once, aligned, adjacent ones together", async () => {
    const inner = pausedSource(numbered, false);
    const source = withCache(inner, { pageBytes: PAGE });
    expect(await readExactly(source, 1500, 2000)).toEqual(numbered.subarray(1500, 3500));
    expect(await readExactly(source, 1000, 3000)).toEqual(numbered.subarray(1000, 4000));
    expect(await readExactly(source, 500, 4000)).toEqual(numbered.subarray(500, 4500));
    expect(ranges(inner)).toEqual([
      [1000, 3000],
      [0, 1000],
      [4000, 1000],
    ]);
  });

  test("end where the file ends", async () => {
    const inner = pausedSource(numbered.subarray(0, 2500), false);
    const source = withCache(inner, { pageBytes: PAGE });
    expect(await source.read(2400, 1000)).toEqual(numbered.subarray(2400, 2500));
    expect(await source.read(2500, 10)).toEqual(new Uint8Array(0));
    expect(await source.read(9999, 10)).toEqual(new Uint8Array(0));
    expect(ranges(inner)).toEqual([[2000, 500]]);
    await expect(readExactly(source, 2400, 1000)).rejects.toMatchObject({ code: "E_TRUNCATED" });
  });

  test("are evicted above the budget, least recently used first", async () => {
    const inner = pausedSource(numbered.slice(), false);
    const copying = { ...inner, read: async (o: number, l: number) => (await inner.read(o, l)).slice() };
    const source = withCache(copying, { pageBytes: PAGE, bytes: 2 * PAGE });
    for (const page of [0, 1, 0, 2, 0, 1]) {
      await source.read(page * PAGE, 10);
    }
    expect(ranges(inner).map(([offset = 0]) => offset / PAGE)).toEqual([0, 1, 2, 1]);
  });

  test("that are short are not padded", async () => {
    const source = withCache({ ...memorySource(numbered), size: async () => 200_000 }, { pageBytes: PAGE });
    await expect(readExactly(source, 99_999, 2)).rejects.toMatchObject({ code: "E_TRUNCATED" });
  });

  test("that are short are requested again", async () => {
    let short = true;
    const inner = memorySource(numbered);
    const source = withCache(
      {
        ...inner,
        read: async (offset, length) =>
          (await inner.read(offset, length)).subarray(0, short ? length - 1 : length),
      },
      { pageBytes: PAGE },
    );
    await expect(readExactly(source, 0, 3 * PAGE)).rejects.toMatchObject({ code: "E_TRUNCATED" });
    short = false;
    expect(await readExactly(source, 0, 3 * PAGE)).toEqual(numbered.subarray(0, 3 * PAGE));
  });

  test("serve any range of the file", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(100_500), fc.nat(5000)), { minLength: 1, maxLength: 20 }),
        fc.constantFrom(1, 7, 512, 4096, 200_000),
        fc.constantFrom(0, 10_000, 1_000_000),
        async (reads, pageBytes, bytes) => {
          const source = withCache(memorySource(numbered), { pageBytes, bytes });
          const parts = await source.readMany?.(reads.map(([offset, length]) => ({ offset, length })));
          expect(parts).toEqual(reads.map(([offset, length]) => numbered.subarray(offset, offset + length)));
        },
      ),
      { seed: 7, numRuns: 40 },
    );
  });

  test.each([{ bytes: -1 }, { bytes: Number.NaN }, { pageBytes: 0 }, { pageBytes: 1.5 }])(
    "reject %o",
    (options) => {
      expect(() => withCache(memorySource(numbered), options)).toThrow(
        expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
      );
    },
  );
});

describe("readers of the same page", () => {
  test("share its request", async () => {
    const inner = pausedSource(numbered);
    const source = withCache(inner, { pageBytes: PAGE });
    const reading = Promise.all([source.read(0, 10), source.read(500, 10), source.read(900, 200)]);
    await nextTick();
    expect(ranges(inner)).toEqual([
      [0, 1000],
      [1000, 1000],
    ]);
    for (const read of inner.reads) {
      read.answer();
    }
    expect(await reading).toEqual([
      numbered.subarray(0, 10),
      numbered.subarray(500, 510),
      numbered.subarray(900, 1100),
    ]);
  });

  test("one aborts: the other gets its bytes", async () => {
    const inner = pausedSource(numbered);
    const source = withCache(inner, { pageBytes: PAGE });
    const controller = new AbortController();
    const impatient = source.read(0, 10, { signal: controller.signal });
    const patient = source.read(5, 10, { signal: new AbortController().signal });
    await nextTick();
    controller.abort("enough");
    await expect(impatient).rejects.toBe("enough");
    expect(inner.reads[0]?.signal?.aborted).toBe(false);
    inner.reads[0]?.answer();
    expect(await patient).toEqual(numbered.subarray(5, 15));
    expect(inner.reads.length).toBe(1);
  });

  test("all abort: the request is aborted, and the next reader sends a new one", async () => {
    const inner = pausedSource(numbered);
    const source = withCache(inner, { pageBytes: PAGE });
    const controllers = [new AbortController(), new AbortController()];
    const reading = controllers.map(({ signal }) => source.read(0, 10, { signal }));
    const settled = Promise.allSettled(reading);
    await nextTick();
    for (const controller of controllers) {
      controller.abort("enough");
    }
    // Immediately, while the aborted request is still pending.
    const next = source.read(0, 10);
    expect(await settled).toMatchObject([{ reason: "enough" }, { reason: "enough" }]);
    await nextTick();
    expect(inner.reads.map(({ signal }) => signal?.aborted)).toEqual([true, false]);
    inner.reads[1]?.answer();
    expect(await next).toEqual(numbered.subarray(0, 10));
    expect(await source.read(10, 10)).toEqual(numbered.subarray(10, 20));
    expect(inner.reads.length).toBe(2);
  });

  test("a failure reaches waiting callers, not later ones", async () => {
    const inner = pausedSource(numbered);
    const source = withCache(inner, { pageBytes: PAGE });
    const failing = Promise.allSettled([source.read(0, 10), source.read(0, 3000)]);
    await nextTick();
    for (const read of inner.reads) {
      read.fail(new TypeError("broken"));
    }
    expect(await failing).toMatchObject([{ reason: { code: "E_IO" } }, { reason: { code: "E_IO" } }]);
    const next = source.read(0, 10);
    await nextTick();
    inner.reads.at(-1)?.answer();
    expect(await next).toEqual(numbered.subarray(0, 10));
  });
});

describe("a store", () => {
  test("serves a second source of the same version", async () => {
    const store = memoryStore(1_000_000);
    const first = pausedSource(numbered, false, "v1");
    await withCache(first, { pageBytes: PAGE, store }).read(0, 5000);
    await nextTick();
    const second = pausedSource(numbered, false, "v1");
    expect(await withCache(second, { pageBytes: PAGE, store }).read(2500, 4000)).toEqual(
      numbered.subarray(2500, 6500),
    );
    expect(ranges(second)).toEqual([[5000, 2000]]);
  });

  test("never serves another version, and is unused without a version", async () => {
    const store = memoryStore(1_000_000);
    await withCache(pausedSource(numbered, false, "v1"), { pageBytes: PAGE, store }).read(0, 5000);
    await nextTick();
    for (const version of ["v2", undefined]) {
      const inner = pausedSource(
        numbered.map((byte) => 255 - byte),
        false,
        version,
      );
      expect((await withCache(inner, { pageBytes: PAGE, store }).read(0, 1))[0]).toBe(
        255 - Number(numbered[0]),
      );
    }
  });

  test.each<[string, PageStore]>([
    [
      "fails",
      { get: () => Promise.reject(new TypeError("no")), set: () => Promise.reject(new TypeError("no")) },
    ],
    ["gives too little", { get: async () => new Uint8Array(3), set: async () => undefined }],
    ["is always empty", memoryStore(0)],
  ])("that %s does not affect reads", async (_name, store) => {
    const source = withCache(pausedSource(numbered, false, "v1"), { pageBytes: PAGE, store });
    expect(await source.read(0, 5000)).toEqual(numbered.subarray(0, 5000));
  });

  test("in memory stays within its limit and evicts pages in order of last use", async () => {
    const store = memoryStore(20);
    const key = (offset: number) => ({ name: "x", version: "1", offset, length: 10 });
    await store.set(key(0), new Uint8Array(10));
    await store.set(key(10), new Uint8Array(10));
    await store.get(key(0));
    await store.set(key(20), new Uint8Array(10));
    const held = await Promise.all([0, 10, 20].map((offset) => store.get(key(offset))));
    expect(held.map((bytes) => bytes !== undefined)).toEqual([true, false, true]);
  });
});
