import { describe, expect, test } from "vitest";
import { BloomFilter, encodeBloomBlock, type KeyBatch } from "../src/index.js";
import { ascii, batchOf, numberedKeys, openBloom, writeBlocks, writeBloom } from "./files.js";

const keys = numberedKeys(40);
const bytes = await writeBloom(keys, { filterBytes: 16, falsePositiveRate: 0.01 });

describe("verify with keys", () => {
  test("lists the first hundred missing keys", async () => {
    const file = await openBloom(bytes);
    const absent = Array.from({ length: 300 }, (_, i) => ascii(`absent ${i}`));
    const report = await file.verify({ keys: [batchOf(keys), batchOf([...absent, ...keys])] });
    expect(report).toMatchObject({ ok: false, keys: 380, missingKeys: 300, warnings: [] });
    expect(report.problems).toHaveLength(100);
    expect(report.problems[0]).toEqual({
      code: "E_CORRUPT",
      reason: "key 40 is not found: reads would miss its row",
      field: "keys",
      actual: Buffer.from("absent 0").toString("hex"),
    });
  });

  test("accepts an async iterable", async () => {
    async function* portions(): AsyncGenerator<KeyBatch> {
      for (const key of keys) {
        yield batchOf([key]);
      }
    }
    const file = await openBloom(bytes);
    expect(await file.verify({ keys: portions(), expectedKeys: 14 })).toMatchObject({
      ok: true,
      keys: 40,
      missingKeys: 0,
    });
  });
});

test.each([
  [{ rows: 40, expectedKeys: 14 }, true],
  [{ rows: 42, expectedKeys: 14 }, true],
  [{ rows: 43, expectedKeys: 14 }, false],
  [{ rows: 28, expectedKeys: 14 }, false],
  [{ rows: 1000 }, true],
  [{ expectedKeys: 3 }, true],
  [{ keys: [batchOf(keys)], expectedKeys: 13 }, false],
])("verify compares the number of blocks with %j", async (options, ok) => {
  const report = await (await openBloom(bytes)).verify(options);
  expect(report.ok).toBe(ok);
  expect(report.problems).toMatchObject(ok ? [] : [{ code: "E_CORRUPT", field: "validx_info", actual: 3 }]);
});

test("verify warns about a saturated filter", async () => {
  const filter = (fill: number): Uint8Array =>
    encodeBloomBlock(new BloomFilter(new Uint8Array(10).fill(0xff, 0, fill), 3));
  const file = await openBloom(
    await writeBlocks([
      { key: ascii("a"), bytes: filter(9) },
      { key: ascii("b"), bytes: filter(10) },
    ]),
  );
  expect(await file.verify()).toMatchObject({
    ok: true,
    problems: [],
    warnings: [{ field: "bloom filter", block: { offset: 36, size: 20 }, actual: 80 }],
  });
  expect(await file.statistics()).toMatchObject({
    saturatedBlocks: 1,
    worstFalsePositiveRate: 1,
    estimatedKeys: Number.POSITIVE_INFINITY,
  });
});

test("verify lists each damaged block once and checks the others", async () => {
  const damaged = bytes.slice();
  for (const at of [20, 50]) {
    damaged[at] = (damaged[at] as number) ^ 1;
  }
  const report = await (await openBloom(damaged)).verify({ keys: [batchOf(keys)], expectedKeys: 14 });
  expect(report).toMatchObject({ ok: false, blocks: 3, keys: 40, missingKeys: 0 });
  expect(report.problems).toMatchObject([
    { code: "E_CHECKSUM", block: { offset: 16 } },
    { code: "E_CHECKSUM", block: { offset: 42 } },
  ]);
});

test("verify lists a damaged index once", async () => {
  const damaged = bytes.slice();
  damaged[100] = (damaged[100] as number) ^ 1;
  const report = await (await openBloom(damaged)).verify({ keys: [batchOf(keys)] });
  expect(report).toMatchObject({ ok: false, blocks: 0, keys: 40, missingKeys: 0 });
  expect(report.problems).toMatchObject([{ code: "E_CHECKSUM", block: { offset: 94 } }]);
});

test("filters above 1 MiB in total are read and verified", async () => {
  const sizing = { filterBytes: 700_000, expectedKeys: 20, hashCount: 6, falsePositiveRate: 0.01 };
  const file = await openBloom(await writeBloom(keys, { sizing }, 20));
  expect(await file.verify({ keys: [batchOf(keys)] })).toMatchObject({ ok: true, keys: 40, missingKeys: 0 });
  expect(await file.mayContainMany(batchOf(keys))).toEqual(new Uint8Array(40).fill(1));
});
