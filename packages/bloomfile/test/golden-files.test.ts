import { createHash } from "node:crypto";
import { fromHex, toHex } from "@cfile/bytes";
import type { ScalarBatch } from "@cfile/encodings";
import { encodeVectorKey } from "@cfile/encodings/keys";
import { openCFile } from "@cfile/format";
import { memorySink, memorySource } from "@cfile/io";
import { describe, expect, test } from "vitest";
import { BloomFileWriter, bloomSizingByBytes } from "../src/write.js";
import { ascii, batchOf, numberedKeys, openBloom, writeBloom } from "./files.js";
import { goldenBloomFiles, goldenKeys, goldenRowsets } from "./golden.js";

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

test("there are golden files", () => {
  expect(goldenBloomFiles).toHaveLength(5);
});

describe.each(goldenBloomFiles)("$name", (golden) => {
  const keys = goldenKeys(golden);
  const options = { filterBytes: golden.n_bytes, falsePositiveRate: golden.fp_rate };

  test.each([1, 7, 1710, Number.POSITIVE_INFINITY])(
    "is rewritten byte for byte from batches of %d keys",
    async (batch) => {
      expect(Buffer.compare(await writeBloom(keys, options, batch), golden.bytes)).toBe(0);
    },
  );

  test("is rewritten byte for byte from single keys", async () => {
    const sink = memorySink();
    const writer = new BloomFileWriter(sink, options);
    for (const key of keys) {
      await writer.append(key);
    }
    expect(writer.keyCount).toBe(golden.rows);
    expect(await writer.finish()).toEqual({
      keys: golden.rows,
      blocks: golden.layout.validx.entries.length,
      bytes: golden.bytes.length,
    });
    expect(Buffer.compare(sink.bytes(), golden.bytes)).toBe(0);
  });

  test("gives Kudu's answers for Kudu's probes", async () => {
    const file = await openBloom(golden.bytes);
    expect(golden.probes.some(({ inserted }) => !inserted)).toBe(true);
    for (const probe of golden.probes) {
      expect(await file.mayContain(fromHex(probe.key))).toBe(probe.maybe_present);
    }
    const answers = await file.mayContainMany(batchOf(golden.probes.map(({ key }) => fromHex(key))));
    expect([...answers]).toEqual(golden.probes.map(({ maybe_present }) => (maybe_present ? 1 : 0)));
  });

  test("finds all its keys", async () => {
    const file = await openBloom(golden.bytes);
    expect((await file.mayContainMany(batchOf(keys))).indexOf(0)).toBe(-1);
  });

  test("has the same blocks as in Kudu's listing", async () => {
    const file = await openBloom(golden.bytes);
    const blocks = [];
    for await (const block of file.blocks()) {
      blocks.push(block);
    }
    expect(blocks.map(({ indexKey, offset, size }) => ({ key: toHex(indexKey), offset, size }))).toEqual(
      golden.layout.validx.entries,
    );
    for (const [i, block] of blocks.entries()) {
      expect(block).toMatchObject({
        index: i,
        hashCount: golden.n_hashes,
        bitCount: 8 * golden.n_bytes,
        isSaturated: false,
      });
      const held = Math.min(golden.expected_count, golden.rows - i * golden.expected_count);
      expect(Math.abs(block.estimatedKeys - held)).toBeLessThan(1 + 0.12 * held);
    }
  });

  test("is valid for its keys", async () => {
    const file = await openBloom(golden.bytes);
    const report = await file.verify({ keys: [batchOf(keys)], expectedKeys: golden.expected_count });
    expect(report).toEqual({
      ok: true,
      problems: [],
      warnings: [],
      blocks: golden.layout.validx.entries.length,
      keys: golden.rows,
      missingKeys: 0,
      checksums: true,
    });
  });
});

test("there are Bloom files of row sets", () => {
  expect(goldenRowsets).toHaveLength(5);
});

/** Encoded keys of all rows. */
async function encodedKeys(bytes: Uint8Array): Promise<Uint8Array[]> {
  const keys: Uint8Array[] = [];
  for await (const batch of (await openCFile(memorySource(bytes))).scan()) {
    for (let row = 0; row < batch.length; row++) {
      keys.push(encodeVectorKey(batch as ScalarBatch, row));
    }
  }
  return keys;
}

describe.each(goldenRowsets)("the row set $name", ({ bloom, keys: keyFile }) => {
  test("has a Bloom file that is rewritten byte for byte from its keys", async () => {
    expect(Buffer.compare(await writeBloom(await encodedKeys(keyFile)), bloom)).toBe(0);
  });

  test("has a valid Bloom file that finds all its keys", async () => {
    const keys = await encodedKeys(keyFile);
    const file = await openBloom(bloom);
    const { expectedKeys } = bloomSizingByBytes();
    expect(await file.verify({ keys: [batchOf(keys)], expectedKeys })).toMatchObject({
      ok: true,
      problems: [],
      warnings: [],
      blocks: 1,
      keys: keys.length,
    });
  });
});

describe("matches the specification's file", () => {
  test("of alpha, beta and gamma", async () => {
    const keys = ["alpha", "beta", "gamma"].map(ascii);
    expect(toHex(await writeBloom(keys, { filterBytes: 16, falsePositiveRate: 0.01 }))).toBe(
      toHex(
        fromHex(`6b 75 64 75 63 66 6c 32 00 00 00 00 02 94 3a d3
          02 00 00 00 08 06 60 00 00 20 82 01 00 10 22 02
          01 40 08 08 26 00 27 e8 c6 40 01 61 10 1a 00 00
          00 00 08 01 10 00 04 00 00 00 8a 40 f8 ab 82 2d
          62 b5 08 0c 10 01 18 00 2a 06 0a 04 08 2a 10 14
          30 01 40 00 50 01 6b 75 64 75 63 66 6c 32 14 00
          00 00`),
      ),
    );
  });

  test("of 40 keys, with three blocks", async () => {
    const bytes = await writeBloom(numberedKeys(40), { filterBytes: 16, falsePositiveRate: 0.01 });
    expect(bytes).toHaveLength(176);
    const file = await openBloom(bytes);
    expect(file.structure.footer.validx).toEqual({ offset: 94, size: 46 });
    const blocks = [];
    for await (const { indexKey, offset } of file.blocks()) {
      blocks.push([Buffer.from(indexKey).toString(), offset]);
    }
    expect(blocks).toEqual([
      ["k", 16],
      ["key014", 42],
      ["key028", 68],
    ]);
  });

  test("of 10,000 keys of 8 bytes, with the parameters of Kudu's test", async () => {
    const data = new Uint8Array(80_000);
    const view = new DataView(data.buffer);
    for (let i = 0; i < 10_000; i++) {
      view.setBigUint64(8 * i, BigInt(i) << 2n);
    }
    const sink = memorySink();
    const writer = new BloomFileWriter(sink, { falsePositiveRate: Math.fround(0.01) });
    await writer.appendMany({ width: 8, data });
    await writer.finish();
    const bytes = sink.bytes();
    expect(bytes).toHaveLength(12426);
    expect(sha256(bytes.subarray(22, 22 + 4096))).toBe(
      "c3791bb05462cf82f44011f569c07a27146b0ec6118d0a0d3e8c93ffcdf507b1",
    );
    expect(sha256(bytes)).toBe("9cfa475885d2c0e61472c125014387cd1c497086cdc9e947a2e9046e49e81d95");
    const file = await openBloom(bytes);
    expect(file.structure.footer.validx).toEqual({ offset: 12334, size: 55 });
    expect((await file.mayContainMany({ width: 8, data })).indexOf(0)).toBe(-1);
  });
});
