import { createHash } from "node:crypto";
import { memorySource } from "@cfile/io";
import type { KernelChoice } from "@cfile/kernels";
import { describe, expect, test } from "vitest";
import { type CFileReader, openCFile } from "../src/index.js";
import {
  type GoldenIndex,
  type GoldenValue,
  goldenBytes,
  goldenCells,
  goldenFile,
  goldenNames,
  goldenValues,
} from "./golden.js";

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

async function open(name: string, kernels?: KernelChoice): Promise<CFileReader> {
  return openCFile(memorySource(goldenBytes(name)), { kernels });
}

const KERNELS = ["portable", "simd"] as const;

function footerOf(file: CFileReader): Record<string, unknown> {
  const { footer } = file.structure;
  const fields = {
    data_type: footer.dataType,
    encoding: footer.encoding,
    num_values: footer.rowCount,
    posidx_info: footer.posidx && { root_block: footer.posidx },
    validx_info: footer.validx && { root_block: footer.validx },
    compression: footer.compression,
    metadata: footer.metadata.map(({ key, value }) => ({ key, value: toHex(value) })),
    is_type_nullable: footer.nullable,
    dict_block_ptr: footer.dictionary,
    incompatible_features: footer.incompatibleFeatures,
    compatible_features: footer.compatibleFeatures,
    is_type_array: footer.array,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

test("there are golden files", () => {
  expect(goldenNames.length).toBeGreaterThan(700);
});

describe.each(goldenNames.map((name) => [name]))("%s", (name) => {
  const golden = goldenFile(name);

  test("has the listed header, footer and layout", async () => {
    const file = await open(name);
    expect(file.type).toBe(golden.type);
    expect(file.encoding).toBe(golden.encoding);
    expect(file.compression).toBe(golden.compression);
    expect(file.nullable).toBe(golden.nullable);
    expect(file.array).toBe(golden.array);
    expect(file.rowCount).toBe(golden.rows);
    expect(file.headerMetadata.map(({ key, value }) => ({ key, value: toHex(value) }))).toEqual(
      golden.header_metadata,
    );
    expect(footerOf(file)).toEqual(golden.footer);
    if (golden.layout !== null) {
      const layout = await file.layout();
      const indexOf = (index: typeof layout.posidx): GoldenIndex | undefined =>
        index && {
          levels: index.levels,
          index_blocks: index.indexBlocks.map((block) => ({ ...block })),
          entries: index.entries.map(({ key, offset, size }) => ({ key: toHex(key), offset, size })),
        };
      expect(indexOf(layout.posidx)).toEqual(golden.layout.posidx);
      expect(indexOf(layout.validx)).toEqual(golden.layout.validx);
      expect(layout.dictionary).toEqual(golden.layout.dict_block);
    }
  });

  test.each(KERNELS)("is scanned to exactly the listed values (%s)", async (kernels) => {
    const file = await open(name, kernels);
    const cells: GoldenValue[] = [];
    let nextRow = 0;
    for await (const batch of file.scan()) {
      expect(batch.firstRow).toBe(nextRow);
      nextRow += batch.length;
      for (const cell of goldenCells(batch)) {
        cells.push(cell);
      }
    }
    const digest = (values: readonly GoldenValue[]): string =>
      createHash("sha256").update(JSON.stringify(values)).digest("hex");
    const expected = goldenValues(golden);
    if (digest(cells) !== digest(expected)) {
      expect(cells).toEqual(expected);
    }
    expect(cells.length).toBe(golden.rows);
  });

  test.each(KERNELS)("is valid (%s)", async (kernels) => {
    const report = await (await open(name, kernels)).verify();
    expect(report.problems).toEqual([]);
    expect(report.ok).toBe(true);
    expect(report.rows).toBe(golden.rows);
  });
});
