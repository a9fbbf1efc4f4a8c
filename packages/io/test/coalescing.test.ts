import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withCoalescing, withMetrics } from "../src/decorators.js";
import { memorySource } from "../src/index.js";
import { nextTick, numbered, pausedSource } from "./paused-source.js";

describe("reads of the same tick", () => {
  test.each<[string, number[][], number[][]]>([
    [
      "near ones are joined",
      [
        [0, 10],
        [20, 10],
        [45, 5],
      ],
      [[0, 50]],
    ],
    [
      "far ones are not",
      [
        [0, 10],
        [111, 10],
      ],
      [
        [0, 10],
        [111, 10],
      ],
    ],
    [
      "in any order",
      [
        [500, 10],
        [0, 10],
        [505, 20],
        [90, 10],
      ],
      [
        [0, 100],
        [500, 25],
      ],
    ],
    [
      "the same ones are one",
      [
        [7, 3],
        [7, 3],
        [8, 1],
      ],
      [[7, 3]],
    ],
    [
      "not beyond the span",
      [
        [0, 600],
        [600, 300],
        [900, 200],
      ],
      [
        [0, 900],
        [900, 200],
      ],
    ],
    [
      "one that is longer than the span is alone",
      [
        [0, 5000],
        [5000, 10],
      ],
      [
        [0, 5000],
        [5000, 10],
      ],
    ],
    [
      "what lies inside another is joined whatever the span",
      [
        [0, 5000],
        [1000, 10],
      ],
      [[0, 5000]],
    ],
  ])("%s", async (_name, reads, sent) => {
    const inner = pausedSource(numbered, false);
    const source = withCoalescing(inner, { maxGap: 100, maxSpan: 1000 });
    const parts = await Promise.all(reads.map(([offset = 0, length = 0]) => source.read(offset, length)));
    expect(parts).toEqual(
      reads.map(([offset = 0, length = 0]) => numbered.subarray(offset, offset + length)),
    );
    expect(inner.reads.map(({ offset, length }) => [offset, length])).toEqual(sent);
  });

  test("return the bytes of the file for any ranges", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(100_500), fc.nat(3000)), { minLength: 1, maxLength: 50 }),
        fc.constantFrom(0, 100, 10_000),
        fc.constantFrom(0, 1000, 50_000),
        async (reads, maxGap, maxSpan) => {
          const inner = withMetrics(memorySource(numbered));
          const source = withCoalescing(inner, { maxGap, maxSpan });
          const wanted = reads.map(([offset, length]) => ({ offset, length }));
          const parts = await source.readMany?.(wanted);
          expect(parts).toEqual(reads.map(([offset, length]) => numbered.subarray(offset, offset + length)));
          expect(inner.metrics.reads).toBeLessThanOrEqual(reads.length);
        },
      ),
      { seed: 3, numRuns: 40 },
    );
  });

  test("a small part does not retain the memory of the joined read", async () => {
    const source = withCoalescing(memorySource(numbered));
    const [small, large] = await Promise.all([source.read(0, 10), source.read(10, 60_000)]);
    expect(small.buffer.byteLength).toBe(10);
    expect(large.buffer).toBe(numbered.buffer);
  });
});

describe("a joined read", () => {
  test("is aborted only when all its callers have aborted", async () => {
    const inner = pausedSource(numbered);
    const source = withCoalescing(inner);
    const controllers = [new AbortController(), new AbortController()];
    const reading = controllers.map(({ signal }, i) => source.read(i * 10, 10, { signal }));
    const settled = Promise.allSettled(reading);
    await nextTick();
    expect(inner.reads.length).toBe(1);
    controllers[0]?.abort("enough");
    await nextTick();
    expect(inner.reads[0]?.signal?.aborted).toBe(false);
    controllers[1]?.abort("me too");
    await nextTick();
    expect(inner.reads[0]?.signal?.aborted).toBe(true);
    expect(await settled).toMatchObject([{ reason: "enough" }, { reason: "me too" }]);
  });

  test("omits callers that aborted before it was sent", async () => {
    const inner = pausedSource(numbered, false);
    const source = withCoalescing(inner);
    const controller = new AbortController();
    const reading = Promise.allSettled([
      source.read(0, 10, { signal: controller.signal }),
      source.read(50, 10),
    ]);
    await Promise.resolve();
    controller.abort("enough");
    expect(await reading).toMatchObject([{ reason: "enough" }, { status: "fulfilled" }]);
    expect(inner.reads).toMatchObject([{ offset: 50, length: 10 }]);
  });

  test("that fails rejects all its callers, but no later one", async () => {
    const inner = pausedSource(numbered);
    const source = withCoalescing(inner);
    const reading = Promise.allSettled([source.read(0, 10), source.read(50, 10)]);
    await nextTick();
    inner.reads[0]?.fail(new TypeError("broken"));
    expect(await reading).toMatchObject([{ reason: { code: "E_IO" } }, { reason: { code: "E_IO" } }]);
    const next = source.read(0, 10);
    await nextTick();
    inner.reads[1]?.answer();
    expect(await next).toEqual(numbered.subarray(0, 10));
  });

  test.each([{ maxGap: -1 }, { maxSpan: Number.NaN }])("rejects %o", (options) => {
    expect(() => withCoalescing(memorySource(numbered), options)).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
    );
  });
});
