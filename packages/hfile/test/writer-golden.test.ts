import { fromHex, toHex } from "@cfile/bytes";
import { memorySink } from "@cfile/io";
import { describe, expect, it } from "vitest";
import { openHFile } from "../src/index.js";
import { HFileWriter, type HFileWriterOptions } from "../src/write.js";
import { type GoldenFile, goldenFile, goldenFiles } from "./golden.js";
import { storedBlocks } from "./stored-blocks.js";

const nativeFiles = goldenFiles.filter(({ name }) => name.startsWith("hudi_1_2_native_"));

async function rewriteNative({ facts }: GoldenFile): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new HFileWriter(sink, {
    profile: "hudi",
    blockSize: facts.block_size,
    compression: facts.compression === "GZ" ? "GZ" : "NONE",
    createTime: Number(facts.file_creation_time_ms),
  });
  for (const [name, hex] of Object.entries(facts.meta_blocks ?? {})) {
    writer.addMetaBlock(name, fromHex(hex as string));
  }
  for (const [key, hex] of Object.entries(facts.appended_file_info ?? {})) {
    writer.addFileInfo(key, fromHex(hex));
  }
  await writer.append(
    (facts.entries ?? []).map(([row, value]) => ({ row: fromHex(row), value: fromHex(value) })),
  );
  await writer.finish();
  return sink.bytes();
}

describe("the hudi profile reproduces files of Hudi's own writer", () => {
  it.each(nativeFiles)("$name", async (golden) => {
    const written = await rewriteNative(golden);
    if (golden.facts.compression === "NONE") {
      expect(Buffer.compare(written, golden.bytes)).toBe(0);
    } else {
      // Deflate's bytes may differ, but not the decompressed data.
      const ours = await storedBlocks(written);
      const theirs = await storedBlocks(golden.bytes);
      expect(ours.map(({ kind, body }) => [kind, toHex(body)])).toEqual(
        theirs.map(({ kind, body }) => [kind, toHex(body)]),
      );
    }
  });
});

/** Files of HBase, with the options of its writer. */
const hbaseFiles: readonly (HFileWriterOptions & { name: string })[] = [
  { name: "hudi_1_0_hbase_2_4_9_16KB_NONE_5000", blockSize: 16384 },
  { name: "hudi_1_0_hbase_2_4_9_16KB_GZ_20000", blockSize: 16384, compression: "GZ" },
  { name: "hudi_1_0_hbase_2_4_9_16KB_GZ_200_20_non_unique", blockSize: 16384, compression: "GZ" },
  { name: "hudi_1_0_hbase_2_4_13_16KB_GZ_20000_fake_first_key", blockSize: 16384, compression: "GZ" },
  {
    name: "hudi_1_0_hbase_2_4_13_1KB_GZ_10000_large_keys_deep_index",
    blockSize: 1024,
    compression: "GZ",
    indexBlockSize: 2048,
  },
  { name: "hudi_1_0_hbase_2_4_9_no_entry", compression: "GZ" },
  { name: "hbase_2_6_1_2KB_NONE_three_levels", blockSize: 2048, bytesPerChecksum: 512, indexBlockSize: 256 },
  { name: "hbase_2_6_1_4KB_NONE_tags", blockSize: 4096, bytesPerChecksum: 4096, tags: true },
];

const SET_BY_THE_WRITER =
  /^(KEY_VALUE_VERSION|MAX_MEMSTORE_TS_KEY|hfile\.(AVG_.*|LASTKEY|CREATE_TIME_TS|MAX_TAGS_LEN|TAGS_COMPRESSED))$/;

async function rewriteHBase(options: HFileWriterOptions & { name: string }): Promise<Uint8Array> {
  const reader = await openHFile(goldenFile(options.name).bytes);
  const sink = memorySink();
  const createTime = Number(reader.fileInfo.integer("hfile.CREATE_TIME_TS", 8));
  const { comparator } = reader.trailer;
  const writer = new HFileWriter(sink, { ...options, createTime, comparator });
  for (const name of reader.metaBlockNames) {
    writer.addMetaBlock(name, (await reader.metaBlock(name)) as Uint8Array);
  }
  for (const { key, value } of reader.fileInfo.entries) {
    const text = new TextDecoder().decode(key);
    if (!SET_BY_THE_WRITER.test(text)) {
      writer.addFileInfo(text, value);
    }
  }
  for await (const batch of reader.scan()) {
    await writer.append(Array.from({ length: batch.length }, (_, i) => batch.cell(i)));
  }
  await writer.finish();
  return sink.bytes();
}

describe("the hbase profile reproduces files of HBase", () => {
  it.each(hbaseFiles)("$name", async (options) => {
    const golden = goldenFile(options.name).bytes;
    const written = await rewriteHBase(options);
    expect(Buffer.compare(written, golden)).toBe(0);
  });
});
