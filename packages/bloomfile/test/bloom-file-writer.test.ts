import { memorySink } from "@cfile/io";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BloomFileWriter, bloomSizingByCount } from "../src/write.js";
import { ascii, batchOf, failingSink, numberedKeys, openBloom, writeBloom } from "./files.js";

const rejected = (field: string) => expect.objectContaining({ code: "E_INVALID_ARGUMENT", field });
const small = { filterBytes: 16, falsePositiveRate: 0.01 };

test("the default sizing is Kudu's", () => {
  expect(new BloomFileWriter(memorySink()).sizing).toMatchObject({
    filterBytes: 4096,
    expectedKeys: 1710,
    hashCount: 13,
  });
});

test("filters can be sized by the number of keys", async () => {
  const sizing = bloomSizingByCount(10, 0.05);
  const file = await openBloom(await writeBloom(numberedKeys(25), { sizing }));
  expect(await file.statistics()).toMatchObject({ blocks: 3, filterBytes: 3 * sizing.filterBytes });
});

test("a file without keys contains no key", async () => {
  const file = await openBloom(await writeBloom([]));
  expect(await file.mayContain(ascii("a"))).toBe(false);
  expect(await file.mayContain(new Uint8Array(0))).toBe(false);
  expect(await file.statistics()).toMatchObject({
    blocks: 0,
    indexBlocks: 1,
    estimatedKeys: 0,
    falsePositiveRate: 0,
    hashCounts: { min: 0, max: 0 },
  });
  expect(await file.verify({ keys: [], expectedKeys: 14 })).toMatchObject({ ok: true, blocks: 0 });
});

test("the empty key can be stored", async () => {
  const file = await openBloom(await writeBloom([new Uint8Array(0), ascii("a")], small));
  expect(await file.mayContain(new Uint8Array(0))).toBe(true);
  expect(await file.mayContain(ascii("a"))).toBe(true);
});

test("a file without checksums is smaller and gives the same answers", async () => {
  const keys = numberedKeys(40);
  const bytes = await writeBloom(keys, { ...small, checksums: false });
  expect(bytes).toHaveLength(176 - 6 * 4);
  const file = await openBloom(bytes);
  expect((await file.mayContainMany(batchOf(keys))).indexOf(0)).toBe(-1);
  expect(await file.verify({ keys: [batchOf(keys)] })).toMatchObject({ ok: true, checksums: false });
});

test("the file does not depend on the batches of keys", async () => {
  const key = fc.uint8Array({ maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(key, { maxLength: 60, selector: (bytes) => Buffer.from(bytes).toString("hex") }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 4, max: 12 }),
      async (unsorted, portion, filterBytes) => {
        const keys = unsorted.toSorted(Buffer.compare);
        const options = { filterBytes, falsePositiveRate: 0.1, indexBlockSize: 64 };
        const whole = await writeBloom(keys, options);
        expect(Buffer.compare(await writeBloom(keys, options, portion), whole)).toBe(0);
        const file = await openBloom(whole);
        expect((await file.mayContainMany(batchOf(keys))).indexOf(0)).toBe(-1);
        const report = await file.verify({ keys: [batchOf(keys)] });
        expect(report.problems).toEqual([]);
      },
    ),
    { numRuns: 150 },
  );
});

test("the caller may reuse the memory of keys", async () => {
  const keys = numberedKeys(40);
  const sink = memorySink();
  const writer = new BloomFileWriter(sink, small);
  const key = new Uint8Array(6);
  for (const next of keys) {
    key.set(next);
    await writer.append(key);
    key.fill(0xee);
  }
  await writer.finish();
  expect(sink.bytes()).toEqual(await writeBloom(keys, small));
});

describe("BloomFileWriter rejects", () => {
  test.each([
    ["a filter size of 0", { filterBytes: 0 }],
    ["a rate of 0", { falsePositiveRate: 0 }],
    ["a rate that requires more than 64 hash functions", { falsePositiveRate: 1e-25 }],
    [
      "a sizing for 0 keys",
      { sizing: { filterBytes: 8, expectedKeys: 0, hashCount: 3, falsePositiveRate: 0.1 } },
    ],
    [
      "a sizing of 0 bytes",
      { sizing: { filterBytes: 0, expectedKeys: 1, hashCount: 3, falsePositiveRate: 0.1 } },
    ],
    [
      "a sizing for 1.5 keys",
      { sizing: { filterBytes: 8, expectedKeys: 1.5, hashCount: 3, falsePositiveRate: 0.1 } },
    ],
  ])("%s", (_, options) => {
    expect(() => new BloomFileWriter(memorySink(), options)).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
    );
  });

  test.each([
    ["within a batch", [["b", "a"]]],
    ["within a batch, to a prefix", [["ab", "a"]]],
    ["across batches", [["b"], ["a"]]],
    ["across blocks", [Array.from({ length: 14 }, (_, i) => `k${i + 10}`), ["k"]]],
  ])("keys that descend %s", async (_, batches) => {
    const writer = new BloomFileWriter(memorySink(), small);
    const write = async (): Promise<void> => {
      for (const batch of batches) {
        await writer.appendMany(batchOf(batch.map(ascii)));
      }
    };
    await expect(write()).rejects.toThrow(rejected("keys"));
    await expect(writer.append(ascii("z"))).rejects.toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
    );
  });

  test("a repeated key that fills several filters, but not one that fits into one", async () => {
    const repeated = (count: number) => [...Array(count).fill(ascii("b")), ascii("c")];
    const file = await openBloom(await writeBloom([ascii("a"), ...repeated(20)], small));
    expect(await file.mayContain(ascii("b"))).toBe(true);
    await expect(writeBloom([ascii("a"), ...repeated(60)], small)).rejects.toThrow(rejected("keys"));
  });

  test("an invalid batch", async () => {
    const writer = new BloomFileWriter(memorySink(), small);
    await expect(writer.appendMany({ width: 3, data: new Uint8Array(4) })).rejects.toThrow(rejected("width"));
  });
});

describe("after a failure of the sink", () => {
  test.each([0, 1, 2])("at write %d, nothing more is written", async (count) => {
    const sink = failingSink(count);
    const writer = new BloomFileWriter(sink, small);
    await writer.appendMany(batchOf(numberedKeys(40)));
    await expect(writer.finish()).rejects.toThrow("disk full");
    expect(sink.calls).toEqual([...Array(count + 1).fill("write"), "abort"]);
    await expect(writer.finish()).rejects.toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT" }));
  });

  test("to close, the sink is aborted", async () => {
    const sink = failingSink(100);
    const writer = new BloomFileWriter(sink);
    await expect(writer.finish()).rejects.toThrow("disk full");
    expect(sink.calls.slice(-2)).toEqual(["close", "abort"]);
  });
});

test("abort() leaves no file behind", async () => {
  const sink = failingSink(100);
  const writer = new BloomFileWriter(sink);
  await writer.append(ascii("a"));
  await writer.abort();
  await writer.abort();
  await expect(writer.append(ascii("b"))).rejects.toThrow(
    expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
  );
  expect(sink.calls).toEqual(["abort"]);
});

test("disposing of a writer before finish() leaves no file behind", async () => {
  const sink = failingSink(100);
  {
    await using writer = new BloomFileWriter(sink);
    await writer.append(ascii("a"));
  }
  expect(sink.calls).toEqual(["abort"]);
});
