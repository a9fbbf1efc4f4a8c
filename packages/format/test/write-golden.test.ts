import type { ColumnBatch } from "@cfile/encodings";
import { memorySink, memorySource } from "@cfile/io";
import type { KernelChoice } from "@cfile/kernels";
import { describe, expect, test } from "vitest";
import { openCFile } from "../src/index.js";
import { CFileWriter } from "../src/write.js";
import {
  type GoldenFile,
  goldenBatch,
  goldenBytes,
  goldenCells,
  goldenFile,
  goldenNames,
  goldenWriterOptions,
} from "./golden.js";

/** Version 1 is read but never written: the same values are written as version 2. */
const isVersion1 = (golden: GoldenFile): boolean => golden.name.startsWith("v1_");

async function write(
  golden: GoldenFile,
  batches: readonly ColumnBatch[],
  kernels: KernelChoice,
): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new CFileWriter(sink, { ...goldenWriterOptions(golden), kernels });
  for (const batch of batches) {
    await writer.append(batch);
  }
  await writer.finish();
  return sink.bytes();
}

function firstDifference(a: Uint8Array, b: Uint8Array): number {
  return a.findIndex((byte, i) => byte !== b[i]);
}

describe.each(goldenNames.map((name) => [name]))("%s", (name) => {
  const golden = goldenFile(name);

  test.each(["portable", "simd"] as const)(
    "is rewritten from its values, byte for byte (%s)",
    async (kernels) => {
      const expected = goldenBytes(name);
      const written = await write(golden, golden.rows === 0 ? [] : [goldenBatch(golden)], kernels);
      if (isVersion1(golden)) {
        const [ours, theirs] = await Promise.all(
          [written, expected].map(async (bytes) => {
            const file = await openCFile(memorySource(bytes));
            const blocks = [];
            for (const pointer of await file.listDataBlocks()) {
              const block = await file.dataBlock(pointer);
              blocks.push({ firstRow: block.firstRow, cells: goldenCells(block.decode(0, block.rows)) });
            }
            return blocks;
          }),
        );
        expect(ours).toEqual(theirs);
        return;
      }
      expect({ size: written.length, differsAt: firstDifference(written, expected) }).toEqual({
        size: expected.length,
        differsAt: -1,
      });
    },
  );
});
