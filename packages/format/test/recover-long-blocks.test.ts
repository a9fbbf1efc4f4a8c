import { DEFAULT_LIMITS } from "@cfile/bytes";
import { batchFromValues } from "@cfile/encodings/batches";
import { memorySink, memorySource } from "@cfile/io";
import { randomNumbers } from "@cfile-tools/testkit";
import { describe, expect, test } from "vitest";
import { openCFile } from "../src/index.js";
import { DamagedSource } from "../src/recover/search/damaged-source.js";
import { searchLongBlocks } from "../src/recover/search/long-blocks.js";
import { scanDamagedCFile } from "../src/recover.js";
import { CFileWriter, type WriterOptions } from "../src/write.js";
import { sameNumbers } from "./same-numbers.js";

const MIB = 1 << 20;
const next = randomNumbers(29);
/** Text that is hardly compressible. */
const noise = (words: number): string =>
  Array.from({ length: words }, () => next(2 ** 31).toString(36)).join("");

interface Column {
  readonly options: WriterOptions;
  readonly values: readonly unknown[];
}

const numbers = Array.from({ length: 560_000 }, () => next(2 ** 31));
const texts = Array.from({ length: 85 }, () => noise(4000 + next(4000)));
const lists = Array.from({ length: 50 }, () => Array.from({ length: 9000 }, () => next(2 ** 31)));
const columns: Readonly<Record<string, Column>> = {
  "plain integers": { options: { type: "INT32", encoding: "PLAIN_ENCODING" }, values: numbers },
  "plain booleans": {
    options: { type: "BOOL", encoding: "PLAIN_ENCODING", blockSize: MIB },
    values: Array.from({ length: 17 * MIB }, (_, i) => (numbers[i % 560_000] ?? 0) % 3 === 0),
  },
  "bitshuffle integers": { options: { type: "INT32", encoding: "BIT_SHUFFLE" }, values: numbers },
  "nullable integers": {
    options: { type: "INT32", encoding: "PLAIN_ENCODING", nullable: true },
    values: numbers.map((value) => (value % 7 === 0 ? null : value)),
  },
  "integers in runs": { options: { type: "INT32", encoding: "RLE" }, values: numbers },
  "compressed text": {
    options: { type: "STRING", encoding: "PLAIN_ENCODING", compression: "LZ4" },
    values: texts,
  },
  "plain text": { options: { type: "STRING", encoding: "PLAIN_ENCODING" }, values: texts },
  "text with prefixes": { options: { type: "STRING", encoding: "PREFIX_ENCODING" }, values: texts },
  "text with a long dictionary": {
    options: { type: "STRING", encoding: "DICT_ENCODING" },
    values: texts.slice(0, 70),
  },
  arrays: {
    options: { type: "INT32", encoding: "PLAIN_ENCODING", array: true, nullable: true },
    values: lists,
  },
};

async function written({ options, values }: Column): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new CFileWriter(sink, { blockSize: 560_000, ...options });
  const { type, array, nullable = false } = options;
  for (let from = 0; from < values.length; from += MIB) {
    await writer.append(batchFromValues({ type, array, nullable }, values.slice(from, from + MIB) as never));
  }
  await writer.finish();
  return sink.bytes();
}

describe("blocks above 512 KiB", () => {
  test.each(Object.keys(columns))(
    "are found without footer and index, also between damaged ones: %s",
    async (name) => {
      const column = columns[name] as Column;
      const bytes = await written(column);
      const file = await openCFile(memorySource(bytes));
      const blocks = await file.listDataBlocks();
      expect(blocks.some(({ size }) => size > MIB / 2)).toBe(true);
      const rows: { firstRow: number; rows: number }[] = [];
      for (const { offset, size } of blocks) {
        const { firstRow, rows: count } = await file.dataBlock({ offset, size });
        rows.push({ firstRow, rows: count });
      }
      const cut = bytes.slice(0, file.structure.footerRange.offset);
      // Every block at an even position starts with other bytes, and the first bytes of the file are lost.
      const damaged = blocks.filter((_, i) => i % 2 === 0);
      cut.fill(0xee, 0, 8);
      for (const { offset } of damaged) {
        cut.fill(0xee, offset, offset + 24);
      }
      const {
        type,
        encoding,
        compression = "NO_COMPRESSION",
        nullable = false,
        array = false,
      } = column.options;
      const known = { type, encoding, compression, nullable, array, checksums: true };
      const found = await scanDamagedCFile(memorySource(cut), known);
      const kept = found.ledger.blocks.filter(({ state }) => state === "kept");
      expect(kept.map(({ block, firstRow, rows: count }) => ({ ...block, firstRow, rows: count }))).toEqual(
        blocks.flatMap(({ offset, size }, i) => (i % 2 === 1 ? [{ offset, size, ...rows[i] }] : [])),
      );
      const { values } = columns[name] as Column;
      for await (const { batch } of found.entries()) {
        if (batch !== undefined) {
          const right = values.slice(batch.firstRow, batch.firstRow + batch.length);
          expect(JSON.stringify(batch.toArray()) === JSON.stringify(right)).toBe(true);
        }
      }
    },
  );
});

test("crafted bytes with a valid checksum between any start and any end are searched in bounded time", async () => {
  const bytes = sameNumbers(2 ** 14);
  const file = new DamagedSource(memorySource(bytes), bytes.length, DEFAULT_LIMITS, undefined);
  let tested = 0;
  const classify = (block: { size: number }): undefined => {
    tested += block.size;
  };
  const before = process.cpuUsage().user;
  const search = { classify, mayStart: (_: Uint8Array, at: number): boolean => at % 4 === 0 };
  expect(await searchLongBlocks(file, 0, bytes.length, 64, search)).toEqual([]);
  expect(tested).toBeGreaterThan(0);
  expect(tested).toBeLessThanOrEqual(2 ** 26);
  expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(1);
});
