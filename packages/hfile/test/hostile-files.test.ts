import { isCFileError } from "@cfile/bytes";
import { memorySource } from "@cfile/io";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HFILE_LIMITS } from "../src/file/file-structure.js";
import { encodeTrailer, parseTrailer } from "../src/file/trailer.js";
import { openHFile } from "../src/index.js";
import { recoverHFile } from "../src/recover.js";
import { goldenFile, goldenFiles } from "./golden.js";
import { numberedEntries, writeFile } from "./sorted-files.js";

/** Small files of every codec, encoding and kind of index, so that a large part of them can be tested. */
const samples = [
  "hbase_2_6_1_2KB_NONE_three_levels",
  "hbase_2_6_1_4KB_GZ_DIFF",
  "hbase_2_6_1_4KB_GZ_FAST_DIFF",
  "hbase_2_6_1_4KB_GZ_PREFIX",
  "hbase_2_6_1_4KB_GZ_ROW_INDEX_V1",
  "hbase_2_6_1_4KB_NONE_tags",
  "hbase_2_6_1_8KB_LZ4",
  "hbase_2_6_1_8KB_SNAPPY",
  "hbase_2_6_1_8KB_ZSTD",
  "hudi_1_2_native_1KB_NONE_400",
  "synthetic_no_checksum_area_protobuf_index_lengths",
].map(goldenFile);

/** Calls everything that reads. Throws all errors except a `CFileError`. */
async function readAll(bytes: Uint8Array): Promise<void> {
  try {
    const reader = await openHFile(memorySource(bytes), { checksums: false });
    const report = await reader.verify();
    expect(report.ok).toBe(report.problems.length === 0);
    for await (const batch of reader.scan()) {
      const cell = batch.cell(batch.length - 1);
      void [cell.family, cell.qualifier, cell.timestamp, cell.type, cell.tags, cell.mvcc];
    }
    await reader.getMany(["a", "key-", "row-000000100", "z"]);
    await reader.seek("row-0000000050");
    for (const name of reader.metaBlockNames) {
      await reader.metaBlock(name);
    }
  } catch (error) {
    if (!isCFileError(error)) {
      throw error;
    }
  }
}

async function recoverAll(bytes: Uint8Array): Promise<void> {
  const file = await recoverHFile(bytes, { checksums: false });
  let position = 0;
  for await (const batch of file.batches()) {
    expect(batch.length).toBeGreaterThan(0);
  }
  for (const { offset, size } of file.lost) {
    expect(offset).toBeGreaterThanOrEqual(position);
    expect(size).toBeGreaterThan(0);
    position = offset + size;
  }
  expect(position).toBeLessThanOrEqual(bytes.length);
}

describe.each(samples)("$name", ({ bytes }) => {
  it("truncated anywhere throws a CFileError or stays readable", async () => {
    for (let i = 0; i < 40; i++) {
      const cut = bytes.subarray(0, Math.floor((bytes.length * i) / 40));
      await readAll(cut);
      if (i % 8 === 0) {
        await recoverAll(cut);
      }
    }
    for (let length = bytes.length - 60; length < bytes.length; length++) {
      await readAll(bytes.subarray(0, length));
    }
  });

  it("with flipped bits throws a CFileError or stays readable", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 })), {
          minLength: 1,
          maxLength: 6,
        }),
        async (flips) => {
          const bad = bytes.slice();
          for (const [offset, xor] of flips) {
            bad[offset] = (bad[offset] as number) ^ xor;
          }
          await readAll(bad);
        },
      ),
      { numRuns: 40, seed: 7 },
    );
  });

  it("with forged words in the load-on-open section or trailer throws a CFileError or stays readable", async () => {
    const start = parseTrailer(bytes.subarray(-4096), bytes.length, HFILE_LIMITS).loadOnOpenOffset;
    const words = [0, 1, 0x7fffffff, 0x80000000, 0xffffffff];
    for (let offset = start; offset < bytes.length - 4000; offset += 11) {
      const bad = bytes.slice();
      new DataView(bad.buffer).setUint32(offset, words[offset % words.length] as number);
      await readAll(bad);
    }
  });
});

describe("forged structures", () => {
  const rewrite = (bytes: Uint8Array, changes: object): Uint8Array => {
    const trailer = parseTrailer(bytes.subarray(-4096), bytes.length, HFILE_LIMITS);
    const forged = bytes.slice();
    forged.set(encodeTrailer({ ...trailer, ...changes }), bytes.length - 4096);
    return forged;
  };
  const { bytes } = goldenFile("hudi_1_0_hbase_2_4_9_16KB_NONE_5000");

  it.each([
    ["more index entries than fit", { dataIndexCount: 2 ** 31 - 1 }],
    ["more meta entries than fit", { metaIndexCount: 2 ** 40 }],
    ["a load-on-open section behind the end", { loadOnOpenOffset: 2 ** 40 }],
    ["a file info before the section", { fileInfoOffset: 0 }],
    ["a file info inside the root index", { fileInfoOffset: 295839 + 33 }],
    ["no levels", { indexLevels: 0 }],
    ["too many levels", { indexLevels: 17 }],
    ["another major version", { majorVersion: 2 }],
    ["LZO", { codec: "LZO" }],
    ["BZIP2", { codec: "BZIP2" }],
    ["GZ where there is none", { codec: "GZ" }],
    ["LZ4 where there is none", { codec: "LZ4" }],
    ["ZSTD where there is none", { codec: "ZSTD" }],
  ])("%s", async (_, changes) => {
    await expect(openHFile(rewrite(bytes, changes))).rejects.toSatisfy((error) => isCFileError(error));
  });

  it("an unsupported codec is named in the error", async () => {
    await expect(openHFile(rewrite(bytes, { codec: "LZO" }))).rejects.toSatisfy(
      (error) => isCFileError(error, "E_UNSUPPORTED") && error.message.includes("LZO"),
    );
  });

  it("an index with two entries for one block is corrupt", async () => {
    const file = await writeFile(numberedEntries(200), { blockSize: 256, checksums: "NULL" });
    const reader = await openHFile(file);
    const { dataIndex, trailer } = reader.structure;
    const forged = file.slice();
    // The second entry gets the first one's offset.
    const at = trailer.loadOnOpenOffset + 33 + (dataIndex.keyEnds[0] as number);
    new DataView(forged.buffer).setUint32(at + 4, dataIndex.offset(0));
    await expect(openHFile(forged)).rejects.toSatisfy((error) => isCFileError(error, "E_CORRUPT"));
  });

  it("the verifier reports wrong counts", async () => {
    const reader = await openHFile(rewrite(bytes, { entryCount: 4999 }));
    const report = await reader.verify();
    expect(report.problems).toMatchObject([{ code: "E_CORRUPT", expected: 5000, actual: 4999 }]);
  });

  it("lookups throw if rows are not in byte order", async () => {
    const reader = await openHFile(rewrite(bytes, { comparator: "x.MetaCellComparator" }));
    await expect(reader.get("a")).rejects.toSatisfy((error) => isCFileError(error, "E_UNSUPPORTED"));
  });

  it("files that are not HFiles throw", async () => {
    for (const length of [0, 10, 4095, 4096, 10_000]) {
      await expect(openHFile(new Uint8Array(length))).rejects.toSatisfy((error) => isCFileError(error));
      await recoverAll(new Uint8Array(length));
    }
  });
});

it("changed header bytes of golden files throw a CFileError or stay readable", async () => {
  for (const { bytes } of goldenFiles.filter((file) => file.bytes.length < 70_000)) {
    for (const at of [3, 8, 11, 12, 15, 24, 25, 29, 32, 33, 40, 45]) {
      const bad = bytes.slice();
      bad[at] = (bad[at] as number) ^ 0x81;
      await readAll(bad);
      await recoverAll(bad);
    }
  }
});
