import { type ColumnBatch, DictionaryBatch } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { memorySink, memorySource } from "@cfile/io";
import { collectRows } from "@cfile-tools/testkit";
import { expect, test } from "vitest";
import { openParquet } from "../src/index.js";
import { exportParquet } from "../src/write.js";

const column = { name: "s", type: "STRING", nullable: true, array: false } as const;
const WORDS = Array.from({ length: 100 }, (_, i) => `word ${i}`);

/** Rows with words from a dictionary; every tenth row is null. */
function coded(rows: number, firstRow: number): { readonly batch: ColumnBatch; readonly values: unknown[] } {
  const dictionary = batchFromValues({ ...column, nullable: false }, WORDS);
  const validity = new Uint8Array(Math.ceil(rows / 8));
  const values = Array.from({ length: rows }, (_, i) => (i % 10 === 9 ? null : WORDS[i % WORDS.length]));
  values.forEach((value, i) => {
    validity[i >> 3] = (validity[i >> 3] ?? 0) | (value === null ? 0 : 1 << (i & 7));
  });
  if (dictionary.kind !== "binary") {
    throw new Error("expected strings");
  }
  const nullCount = values.filter((value) => value === null).length;
  const codes = Int32Array.from({ length: rows }, (_, i) => i % WORDS.length);
  const base = { type: "STRING", length: rows, firstRow, validity, nullCount } as const;
  return { batch: new DictionaryBatch(base, codes, dictionary), values };
}

test.each([
  [100, "in few rows, is spelled out", false],
  [1000, "in many rows, is kept", true],
])("a dictionary of 100 words that ends after %i rows: %s", async (rows, _, isKept) => {
  const first = coded(rows, 0);
  const plain = Array.from({ length: 50 }, (_, i) => (i === 7 ? null : `plain ${i}`));
  async function* batches() {
    yield { length: rows, firstRow: 0, columns: [first.batch], names: ["s"] };
    yield { length: 50, firstRow: rows, columns: [batchFromValues(column, plain)], names: ["s"] };
  }
  const sink = memorySink();
  await exportParquet(sink, { columns: [column], rows: batches() }, { bloomFilters: ["s"] });
  const file = await openParquet(memorySource(sink.bytes(), "f"));
  const chunk = file.metadata.row_groups[0]?.columns[0]?.meta_data;
  expect(chunk?.encodings.includes("RLE_DICTIONARY")).toBe(isKept);
  expect(chunk?.statistics).toMatchObject({
    min_value: "plain 0",
    max_value: "word 98",
    null_count: BigInt(rows / 10 + 1),
  });
  expect(await collectRows(file.scan())).toEqual([...first.values, ...plain].map((value) => [value]));
});
