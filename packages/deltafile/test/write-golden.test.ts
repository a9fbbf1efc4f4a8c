import { toHex } from "@cfile/bytes";
import { memorySink, memorySource } from "@cfile/io";
import { describe, expect, it } from "vitest";
import { DELETE, encodeDeltaKey, REINSERT, UPDATE } from "../src/index.js";
import { concatDeltas, type DeltaBatch, openDeltaFile } from "../src/read.js";
import { DeltaFileWriter } from "../src/write.js";
import { type GoldenDeltaFile, goldenDeltaFiles, mutationsOf } from "./golden.js";

const TYPES = { UPDATE, DELETE, REINSERT } as const;

async function writeAgain(file: GoldenDeltaFile): Promise<Uint8Array> {
  const sink = memorySink();
  const { kind, compression, blockSize } = file;
  const writer = new DeltaFileWriter(sink, { kind, compression, blockSize });
  for (const delta of file.deltas) {
    await writer.append(delta.row_idx, BigInt(delta.timestamp), TYPES[delta.type], mutationsOf(delta));
  }
  await writer.finish();
  return sink.bytes();
}

async function batchOf(bytes: Uint8Array): Promise<DeltaBatch> {
  const batches = [];
  for await (const batch of (await openDeltaFile(memorySource(bytes))).entries()) {
    batches.push(batch);
  }
  return concatDeltas(batches);
}

/** The output of zlib differs between versions. */
const deterministic = goldenDeltaFiles.filter(({ compression }) => compression !== "ZLIB");

describe("a written delta file", () => {
  it.each(deterministic)("is byte-identical to Kudu's: $name", async (file) => {
    expect(toHex(await writeAgain(file))).toBe(toHex(file.bytes));
  });

  it.each(goldenDeltaFiles)("has Kudu's blocks, statistics and entries: $name", async (file) => {
    const bytes = await writeAgain(file);
    const reader = await openDeltaFile(memorySource(bytes));
    expect(toHex(reader.structure.footer.metadata[0]?.value ?? new Uint8Array(0))).toBe(file.statsRaw);
    expect(await batchOf(bytes)).toEqual(await batchOf(file.bytes));
    const keys = [];
    for await (const batch of reader.entries()) {
      const key = { row: batch.rows[0] as number, timestamp: batch.timestamps[0] as bigint };
      keys.push(toHex(encodeDeltaKey(key)));
    }
    expect(keys).toEqual(file.validx.map(({ key }) => key));
  });

  it.each(deterministic)("is the same when written from batches: $name", async (file) => {
    const reader = await openDeltaFile(memorySource(file.bytes));
    const sink = memorySink();
    const { kind, compression, blockSize } = file;
    const writer = new DeltaFileWriter(sink, {
      kind,
      compression,
      blockSize,
      statistics: reader.statistics,
    });
    for await (const batch of reader.entries()) {
      await writer.appendBatch(batch);
    }
    await writer.finish();
    expect(toHex(sink.bytes())).toBe(toHex(file.bytes));
  });
});
