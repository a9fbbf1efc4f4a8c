import { fromHex, isCFileError, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BloomFilter, encodeBloomBlock } from "../src/index.js";
import { ascii, batchOf, numberedKeys, openBloom, writeBlocks, writeBloom } from "./files.js";
import { goldenBloomFiles } from "./golden.js";

const keys = numberedKeys(120);
const probes = batchOf([...keys, ascii("a"), ascii("key0005"), ascii("zzz")]);
const options = { filterBytes: 16, falsePositiveRate: 0.01, indexBlockSize: 40 };
const intact = await writeBloom(keys, options);
const answers = await (await openBloom(intact)).mayContainMany(probes);
const unchecked = await writeBloom(keys, { ...options, checksums: false });

/** The answers of a file, or `undefined` if it is rejected with a `CFileError`. Throws other errors. */
async function lookUp(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    const file = await openBloom(bytes);
    const report = await file.verify({ keys: [probes], expectedKeys: 14 });
    expect(report.problems.every(({ code }) => code.startsWith("E_"))).toBe(true);
    return await file.mayContainMany(probes);
  } catch (error) {
    expect(error).toSatisfy(
      (thrown: unknown) => isCFileError(thrown) && thrown.code !== "E_INVALID_ARGUMENT",
    );
    return undefined;
  }
}

test("the file for these tests has several index blocks", async () => {
  expect((await (await openBloom(intact)).statistics()).indexBlocks).toBeGreaterThan(5);
});

test("a file truncated at any length is rejected", async () => {
  for (const bytes of [intact, unchecked]) {
    for (let length = 0; length < bytes.length; length++) {
      expect(await lookUp(bytes.subarray(0, length))).toBe(undefined);
    }
  }
});

test("a file with a flipped bit is rejected or gives the same answers", async () => {
  for (let at = 0; at < intact.length; at++) {
    const flipped = intact.slice();
    flipped[at] = (flipped[at] as number) ^ (1 << (at % 8));
    expect([undefined, toHex(answers)]).toContain(
      await lookUp(flipped).then((found) => found && toHex(found)),
    );
  }
});

test("a file without checksums and with modified bytes gives answers or throws a CFileError", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(unchecked.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
      async (changes) => {
        const changed = unchecked.slice();
        for (const [at, value] of changes) {
          changed[at] = value;
        }
        await lookUp(changed);
      },
    ),
    { numRuns: 1500 },
  );
});

describe.each(goldenBloomFiles.filter(({ bytes }) => bytes.length < 2000))("$name", ({ bytes }) => {
  test("gives answers or throws a CFileError when any byte is modified", async () => {
    for (let at = 0; at < bytes.length; at++) {
      const changed = bytes.slice();
      changed[at] = (changed[at] as number) ^ 0xff;
      await lookUp(changed);
    }
  });
});

describe("an invalid block", () => {
  test.each([
    ["with 0 hash functions", "02000000 0800 ff", "E_CORRUPT"],
    ["with 65 hash functions", "02000000 0841 ff", "E_CORRUPT"],
    ["with -1 hash functions", "0b000000 08 ffffffffffffffffff01 ff", "E_CORRUPT"],
    ["without bits", "02000000 0806", "E_CORRUPT"],
    ["without a header", "00000000 ff", "E_CORRUPT"],
    ["with a header longer than itself", "09000000 0806 ff", "E_TRUNCATED"],
    ["shorter than its length word", "020000", "E_TRUNCATED"],
    ["without any bytes", "", "E_TRUNCATED"],
  ])("%s is rejected, and listed by verify", async (_, hex, code) => {
    for (const checksums of [true, false]) {
      const bytes = await writeBlocks([{ key: ascii("a"), bytes: fromHex(hex) }], { checksums });
      const file = await openBloom(bytes);
      const block = { offset: checksums ? 16 : 12, size: fromHex(hex).length + (checksums ? 4 : 0) };
      const rejected = expect.objectContaining({ code, path: "x.bloom", block });
      await expect(file.mayContain(ascii("b"))).rejects.toThrow(rejected);
      await expect(file.mayContainMany(batchOf([ascii("b")]))).rejects.toThrow(rejected);
      expect((await file.verify()).problems).toEqual([expect.objectContaining({ code, block })]);
    }
  });
});

describe("an index", () => {
  const bytes = encodeBloomBlock(new BloomFilter(new Uint8Array(8).fill(0x11), 3));
  const write = (...names: string[]): Promise<Uint8Array> =>
    writeBlocks(
      names.map((name) => ({ key: ascii(name), bytes })),
      { checksums: false },
    );

  test("with a repeated key is rejected", async () => {
    const file = await openBloom(await write("a", "b", "b"));
    await expect(file.mayContain(ascii("a"))).rejects.toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "key" }),
    );
    expect((await file.verify()).problems).toMatchObject([{ code: "E_CORRUPT", field: "key" }]);
  });

  /** Changes the pointer of the second block, at 26, 14 bytes. */
  const redirect = async (offset: number, size: number): Promise<Uint8Array> => {
    const file = await write("a", "b");
    const at = Buffer.from(file).indexOf(Uint8Array.of(1, 0x62, 26, 14), 40);
    expect(at).toBeGreaterThan(0);
    file.set([offset, size], at + 2);
    return file;
  };

  test.each([
    ["two pointers to one block", 12, 14],
    ["a pointer to offset 0", 0, 14],
    ["a pointer into the header", 11, 14],
    ["a pointer past the blocks", 127, 14],
    ["a block that reaches into the footer", 26, 127],
  ])("with %s is rejected", async (_, offset, size) => {
    const file = await openBloom(await redirect(offset, size));
    await expect(file.mayContain(ascii("a"))).rejects.toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "block pointer", block: { offset, size } }),
    );
    expect((await file.verify()).ok).toBe(false);
  });

  test("deeper than limits.maxIndexDepth is rejected", async () => {
    const deep = await writeBloom(numberedKeys(600), {
      filterBytes: 1,
      falsePositiveRate: 0.9,
      indexBlockSize: 1,
    });
    const file = await openBloom(deep, { limits: { maxIndexDepth: 3 } });
    await expect(file.mayContain(ascii("key000"))).rejects.toThrow(
      expect.objectContaining({ code: "E_LIMIT", field: "index depth" }),
    );
    expect(await (await openBloom(deep)).mayContain(ascii("key000"))).toBe(true);
  });
});
