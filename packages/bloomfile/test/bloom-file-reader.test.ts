import { openCFile } from "@cfile/format";
import { CFileWriter } from "@cfile/format/write";
import { memorySink, memorySource } from "@cfile/io";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BloomFilter, encodeBloomBlock, openBloomFile } from "../src/index.js";
import { ascii, batchOf, countingSource, numberedKeys, openBloom, writeBlocks, writeBloom } from "./files.js";

const keys = numberedKeys(40);
const small = { filterBytes: 16, falsePositiveRate: 0.01 };
const bytes = await writeBloom(keys, small);
const block = encodeBloomBlock(new BloomFilter(new Uint8Array(8).fill(0xff), 3));

describe("openBloomFile rejects", () => {
  const rejected = (field: string) =>
    expect.objectContaining({ code: "E_UNSUPPORTED", field, path: "x.bloom" });

  test.each([
    ["a compressed file", { compression: "LZ4" }, "compression"],
    ["a type other than BINARY", { type: "STRING" }, "data_type"],
    ["an encoding other than PLAIN", { encoding: "PREFIX_ENCODING" }, "encoding"],
    ["a file without a value index", { validx: false }, "validx_info"],
    ["a file with a positional index", { posidx: true }, "footer"],
    ["a delta file", { footerMetadata: [{ key: "deltafilestats", value: block }] }, "footer"],
  ] as const)("%s", async (_, options, field) => {
    const file = await writeBlocks([{ key: ascii("a"), bytes: block }], options);
    await expect(openBloom(file)).rejects.toThrow(rejected(field));
  });

  test("a column with rows", async () => {
    const sink = memorySink();
    const writer = new CFileWriter(sink, {
      type: "BINARY",
      encoding: "PLAIN_ENCODING",
      posidx: false,
      validx: true,
    });
    const { batchFromValues } = await import("@cfile/encodings/batches");
    await writer.append(batchFromValues({ type: "BINARY", nullable: false, array: false }, [ascii("a")]));
    await writer.finish();
    await expect(openBloom(sink.bytes())).rejects.toThrow(rejected("num_values"));
  });

  test("bytes that are not a CFile", async () => {
    await expect(openBloom(new Uint8Array(100))).rejects.toThrow(
      expect.objectContaining({ code: "E_CORRUPT" }),
    );
  });
});

describe("cached filters", () => {
  test("answer synchronously without reads", async () => {
    const source = countingSource(bytes);
    const file = await openBloomFile(source);
    expect(file.mayContainCached(ascii("key003"))).toBe(undefined);
    expect(await file.mayContain(ascii("key003"))).toBe(true);
    const { length } = source.reads;
    expect(file.mayContainCached(ascii("key004"))).toBe(true);
    expect(file.mayContainCached(ascii("a"))).toBe(false);
    expect(file.mayContainCached(ascii("key020"))).toBe(undefined);
    expect(await file.mayContain(ascii("key005"))).toBe(true);
    expect((await file.mayContainMany(batchOf(keys.slice(0, 14)))).indexOf(0)).toBe(-1);
    expect(source.reads).toHaveLength(length);
  });

  test("are evicted when the cache is full", async () => {
    const source = countingSource(bytes);
    const file = await openBloomFile(source, { cacheBytes: 40 });
    for (const key of keys) {
      await file.mayContain(key);
    }
    expect(file.mayContainCached(ascii("key039"))).toBe(true);
    expect(file.mayContainCached(ascii("key000"))).toBe(undefined);
    const uncached = await openBloom(bytes, { cacheBytes: 0 });
    expect(await uncached.mayContain(ascii("key000"))).toBe(true);
    expect(uncached.mayContainCached(ascii("key000"))).toBe(undefined);
  });
});

describe("many keys", () => {
  test("get the same answers one by one and together, in any order", async () => {
    const text = fc.constantFrom("", "a", "key", "key014", "key0135", "key999", "zz");
    const probe = fc.oneof(
      text,
      fc.nat(60).map((i) => `key${String(i).padStart(3, "0")}`),
      fc.string({ maxLength: 7 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(probe, { maxLength: 30 }), async (texts) => {
        const file = await openBloom(bytes);
        const alone = await openBloom(bytes);
        const probes = texts.map(ascii);
        const answers = await file.mayContainMany(batchOf(probes));
        for (const [i, key] of probes.entries()) {
          expect(answers[i]).toBe((await alone.mayContain(key)) ? 1 : 0);
        }
      }),
    );
  });

  test("are looked up with one read of neighboring blocks, and the index that was read with the footer", async () => {
    const source = countingSource(bytes);
    const file = await openBloomFile(source);
    const opened = source.reads.length;
    const mixed = [...keys, ...keys].toReversed();
    expect((await file.mayContainMany(batchOf(mixed))).indexOf(0)).toBe(-1);
    expect(source.reads.slice(opened)).toEqual([16]);
  });

  test("share reads when they are looked up concurrently", async () => {
    const source = countingSource(bytes);
    const file = await openBloomFile(source);
    await file.mayContain(ascii("a"));
    const before = source.reads.length;
    await Promise.all(keys.map((key) => file.mayContain(key)));
    expect(source.reads.length - before).toBe(3);
  });

  test("may have a fixed width", async () => {
    const file = await openBloom(bytes);
    const data = new Uint8Array(Buffer.concat(keys));
    expect((await file.mayContainMany({ width: 6, data })).indexOf(0)).toBe(-1);
    expect(await file.mayContainMany({ width: 6, data: new Uint8Array(0) })).toEqual(new Uint8Array(0));
  });
});

test("the measured rate of false positives is near the expected rate", async () => {
  const even = Array.from({ length: 4000 }, (_, i) => ascii(`k${String(2 * i).padStart(5, "0")}`));
  const odd = Array.from({ length: 4000 }, (_, i) => ascii(`k${String(2 * i + 1).padStart(5, "0")}`));
  const file = await openBloom(await writeBloom(even, { filterBytes: 256, falsePositiveRate: 0.05 }));
  const { keys: probed, falsePositives, rate } = await file.measure(batchOf(odd));
  expect(probed).toBe(4000);
  expect(rate).toBe(falsePositives / 4000);
  const { falsePositiveRate, worstFalsePositiveRate } = await file.statistics();
  expect(falsePositiveRate).toBeGreaterThan(0.03);
  expect(falsePositiveRate).toBeLessThan(0.07);
  expect(worstFalsePositiveRate).toBeGreaterThanOrEqual(falsePositiveRate);
  expect(rate).toBeGreaterThan(0.7 * falsePositiveRate);
  expect(rate).toBeLessThan(1.3 * falsePositiveRate);
  expect(await file.measure(batchOf([]))).toEqual({ keys: 0, falsePositives: 0, rate: 0 });
});

test("statistics cover all blocks", async () => {
  const file = await openBloom(bytes);
  expect(await file.statistics()).toMatchObject({
    fileBytes: 176,
    blocks: 3,
    damagedBlocks: 0,
    indexBlocks: 1,
    indexBytes: 46,
    filterBytes: 48,
    bits: 384,
    saturatedBlocks: 0,
    hashCounts: { min: 6, max: 6 },
  });
});

describe("an abort", () => {
  const aborted = AbortSignal.abort(new RangeError("enough"));

  test("ends any call; later calls succeed", async () => {
    const file = await openBloom(bytes);
    await expect(file.mayContain(ascii("key000"), { signal: aborted })).rejects.toThrow("enough");
    await expect(file.mayContainMany(batchOf(keys), { signal: aborted })).rejects.toThrow("enough");
    await expect(file.measure(batchOf(keys), { signal: aborted })).rejects.toThrow("enough");
    await expect(file.statistics({ signal: aborted })).rejects.toThrow("enough");
    await expect(file.verify({ signal: aborted })).rejects.toThrow("enough");
    await expect(file.blocks({ signal: aborted }).next()).rejects.toThrow("enough");
    expect(await file.mayContain(ascii("key000"))).toBe(true);
  });

  test("ends a running read, and is not reported as damage", async () => {
    const source = countingSource(bytes);
    const file = await openBloomFile(source);
    await file.mayContain(ascii("a"));
    const controller = new AbortController();
    const answer = file.mayContain(ascii("key000"), {
      signal: controller.signal,
      onDamage: () => expect.unreachable(),
    });
    controller.abort(new RangeError("enough"));
    await expect(answer).rejects.toThrow("enough");
  });

  test("ends one lookup, but not a concurrent lookup of the same key", async () => {
    const file = await openBloom(bytes);
    await file.mayContain(ascii("a"));
    const controller = new AbortController();
    const others = file.mayContain(ascii("key000"));
    const own = file.mayContain(ascii("key000"), { signal: controller.signal });
    controller.abort(new RangeError("enough"));
    await expect(own).rejects.toThrow("enough");
    expect(await others).toBe(true);
  });

  test("ends openBloomFile", async () => {
    await expect(openBloom(bytes, { signal: aborted })).rejects.toThrow("enough");
  });
});

test("a failing source is not damage", async () => {
  const source = memorySource(bytes);
  let isBroken = false;
  const file = await openBloomFile({
    ...source,
    read: (offset, length, options) =>
      isBroken ? Promise.reject(new TypeError("unplugged")) : source.read(offset, length, options),
  });
  isBroken = true;
  const onDamage = () => expect.unreachable();
  const failed = expect.objectContaining({ code: "E_IO" });
  await expect(file.mayContain(ascii("key000"), { onDamage })).rejects.toThrow(failed);
  await expect(file.mayContainMany(batchOf(keys), { onDamage })).rejects.toThrow(failed);
  await expect(file.verify()).rejects.toThrow(failed);
  isBroken = false;
  expect(await file.mayContain(ascii("key000"), { onDamage })).toBe(true);
});

describe("a damaged filter", () => {
  const damaged = bytes.slice();
  damaged[60] = (damaged[60] as number) ^ 4;
  const broken = { offset: 42, size: 26 };

  test("throws, or answers maybe with onDamage", async () => {
    const file = await openBloom(damaged);
    const failed = expect.objectContaining({ code: "E_CHECKSUM", block: broken, path: "x.bloom" });
    await expect(file.mayContain(ascii("key014"))).rejects.toThrow(failed);
    await expect(file.mayContainMany(batchOf(keys))).rejects.toThrow(failed);
    await expect(file.statistics()).rejects.toThrow(failed);
    expect(await file.mayContain(ascii("key000"))).toBe(true);
    const errors: unknown[] = [];
    const onDamage = (error: unknown): number => errors.push(error);
    expect(await file.mayContain(ascii("key014 not"), { onDamage })).toBe(true);
    expect((await file.mayContainMany(batchOf(keys), { onDamage })).indexOf(0)).toBe(-1);
    expect(await file.statistics({ onDamage })).toMatchObject({
      blocks: 3,
      damagedBlocks: 1,
      filterBytes: 32,
    });
    expect(errors).toEqual([failed, failed, failed]);
  });

  test("is not detected with verifyChecksums: false", async () => {
    const file = await openBloom(damaged, { verifyChecksums: false });
    expect(await file.mayContain(ascii("key000"))).toBe(true);
    expect((await file.statistics()).damagedBlocks).toBe(0);
  });
});

test("with onDamage, a damaged index answers maybe for every key", async () => {
  const damaged = bytes.slice();
  damaged[100] = (damaged[100] as number) ^ 4;
  const file = await openBloom(damaged);
  await expect(file.mayContain(ascii("a"))).rejects.toThrow(expect.objectContaining({ code: "E_CHECKSUM" }));
  const errors: unknown[] = [];
  const onDamage = (error: unknown): number => errors.push(error);
  expect(await file.mayContain(ascii("a"), { onDamage })).toBe(true);
  expect(await file.mayContainMany(batchOf([ascii("a")]), { onDamage })).toEqual(Uint8Array.of(1));
  expect(errors).toHaveLength(2);
});

test("openCFile recognizes a Bloom file", async () => {
  const file = await openCFile(memorySource(bytes));
  expect(file.kind).toBe("bloom");
});

test("await using closes the source", async () => {
  let closed = 0;
  const source = memorySource(bytes);
  {
    await using file = await openBloomFile({
      ...source,
      close: async () => {
        closed++;
      },
    });
    expect(await file.mayContain(ascii("key000"))).toBe(true);
  }
  expect(closed).toBe(1);
});
