import { compareBytes } from "@cfile/bytes";
import type { SeekTarget } from "@cfile/encodings";
import { DATA_TYPES } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { encodeKey } from "@cfile/encodings/keys";
import { memorySink, memorySource } from "@cfile/io";
import { withMetrics } from "@cfile/io/decorators";
import { describe, expect, test } from "vitest";
import { type CFileReader, openCFile, type SearchValue } from "../src/index.js";
import { CFileWriter } from "../src/write.js";
import {
  cellOf,
  type GoldenFile,
  type GoldenValue,
  goldenBytes,
  goldenCell,
  goldenCells,
  goldenFile,
  goldenNames,
  goldenValues,
} from "./golden.js";

const files = goldenNames.map((name) => goldenFile(name));
const open = (name: string): Promise<CFileReader> => openCFile(memorySource(goldenBytes(name)));

/** A sample of rows: both ends and some in between. */
function sampleRows(rows: number): number[] {
  const step = Math.max(1, Math.floor(rows / 17));
  return [...new Set([0, 1, rows - 1, ...Array.from({ length: 17 }, (_, i) => i * step)])].filter(
    (row) => row >= 0 && row < rows,
  );
}

function searchValue(type: GoldenFile["type"], value: GoldenValue): SearchValue {
  return cellOf(type, value) as SearchValue;
}

/** The next smaller or greater value in key order, if the type has one. */
function neighbor(type: GoldenFile["type"], value: SearchValue, step: 1 | -1): SearchValue | undefined {
  if (value instanceof Uint8Array) {
    if (step > 0) {
      return Uint8Array.of(...value, 0);
    }
    return value.length === 0 ? undefined : value.slice(0, -1);
  }
  const next = typeof value === "bigint" ? value + BigInt(step) : Number(value) + step;
  try {
    encodeKey(type, next as SeekTarget);
    return next;
  } catch {
    return undefined;
  }
}

describe("lookups by row", () => {
  const nonEmpty = files.filter(({ rows }) => rows > 0).map((file) => [file.name, file] as const);

  test.each(nonEmpty)("return the cells of a scan: %s", async (name, golden) => {
    const file = await open(name);
    const values = goldenValues(golden);
    for (const row of sampleRows(golden.rows)) {
      for await (const batch of file.scan({ rows: { from: row, to: row + 1 } })) {
        expect(batch.firstRow).toBe(row);
        expect(batch.length).toBe(1);
        expect(goldenCell(batch, 0)).toEqual(values[row]);
        expect(await file.get(row)).toEqual(batch.get(0));
      }
    }
    expect(await file.first()).toEqual(await file.get(0));
    expect(await file.last()).toEqual(await file.get(golden.rows - 1));
  });

  test("throw E_NOT_FOUND for rows that do not exist, also in empty files", async () => {
    const file = await open("enc_int32_plain_n9");
    for (const row of [9, 1e9, -1, 0.5, Number.NaN]) {
      await expect(file.get(row)).rejects.toMatchObject({ code: "E_NOT_FOUND" });
    }
    const empty = await open("enc_int32_plain_n0");
    await expect(empty.first()).rejects.toMatchObject({ code: "E_NOT_FOUND" });
    await expect(empty.last()).rejects.toMatchObject({ code: "E_NOT_FOUND" });
    expect(await empty.toArray()).toEqual([]);
  });
});

describe("range scans by row", () => {
  const multi = files.filter(
    ({ rows, layout }) => rows > 20 && rows <= 5000 && (layout?.posidx?.entries.length ?? 2) > 1,
  );

  test.each(multi.map((file) => [file.name, file] as const))(
    "return the rows of the range: %s",
    async (name, golden) => {
      const file = await open(name);
      const values = goldenValues(golden);
      const { rows } = golden;
      for (const [from, to] of [
        [0, 1],
        [1, rows - 1],
        [Math.floor(rows / 3), Math.floor(rows / 2)],
        [rows - 3, rows + 50],
        [rows, rows + 1],
        [5, 5],
      ] as const) {
        const cells: GoldenValue[] = [];
        for await (const batch of file.scan({ rows: { from, to }, batchRows: 7 })) {
          expect(batch.length).toBeLessThanOrEqual(7);
          cells.push(...goldenCells(batch));
        }
        expect(cells).toEqual(values.slice(from, to));
      }
    },
  );
});

describe("searches by value", () => {
  const indexed = files.filter(({ write_validx, rows }) => write_validx && rows > 0);

  test("are tested on many files with a value index", () => {
    expect(indexed.length).toBeGreaterThan(30);
  });

  test.each(indexed.map((file) => [file.name, file] as const))(
    "match a binary search of all values: %s",
    async (name, golden) => {
      const file = await open(name);
      const values = goldenValues(golden);
      const keys = values.map((value) => encodeKey(golden.type, cellOf(golden.type, value) as SeekTarget));
      const expected = (value: SearchValue): unknown => {
        const key = encodeKey(golden.type, value as SeekTarget);
        let low = 0;
        let high = keys.length;
        while (low < high) {
          const middle = (low + high) >>> 1;
          if (compareBytes(keys[middle] ?? key, key) < 0) {
            low = middle + 1;
          } else {
            high = middle;
          }
        }
        const found = keys[low];
        return found === undefined ? undefined : { row: low, exact: compareBytes(found, key) === 0 };
      };
      for (const row of sampleRows(golden.rows)) {
        const value = searchValue(golden.type, values[row] ?? null);
        for (const target of [value, neighbor(golden.type, value, -1), neighbor(golden.type, value, 1)]) {
          if (target !== undefined) {
            expect(await file.find(target)).toEqual(expected(target));
          }
        }
      }
      const first = searchValue(golden.type, values[Math.floor(golden.rows / 3)] ?? null);
      const second = searchValue(golden.type, values[Math.floor(golden.rows / 2)] ?? null);
      const cells: GoldenValue[] = [];
      for await (const batch of file.scan({
        where: [
          { op: ">=", value: first },
          { op: "<", value: second },
        ],
      })) {
        cells.push(...goldenCells(batch));
      }
      expect(cells).toEqual(values.slice(Math.floor(golden.rows / 3), Math.floor(golden.rows / 2)));
    },
  );

  test("require a value index and a value of the type", async () => {
    const plain = await open("enc_int32_plain_n9");
    await expect(plain.find(1)).rejects.toMatchObject({ code: "E_UNSUPPORTED", field: "validx_info" });
    const keyed = await open("idx_int32_plain_opt");
    for (const value of [2 ** 40, 1.5, "1", -(2n ** 31n) - 1n]) {
      await expect(keyed.find(value)).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    }
    expect(DATA_TYPES[keyed.type].isKey).toBe(true);
  });
});

test("find() returns the first of equal values, in one block or across several", async () => {
  for (const encoding of ["PLAIN_ENCODING", "BIT_SHUFFLE", "RLE"] as const) {
    const values = Array.from({ length: 3000 }, (_, i) => Math.floor(i / 700));
    const sink = memorySink();
    const writer = new CFileWriter(sink, { type: "INT32", encoding, validx: true, blockSize: 512 });
    await writer.append(batchFromValues({ type: "INT32", nullable: false, array: false }, values));
    await writer.finish();
    const file = await openCFile(memorySource(sink.bytes()));
    for (const value of [0, 1, 2, 3, 4]) {
      expect(await file.find(value)).toEqual({ row: 700 * value, exact: true });
    }
    expect(await file.find(5)).toBeUndefined();
  }
});

test("a lookup reads the data block, and the index blocks that are not among the last 4 KiB of the file", async () => {
  const source = withMetrics(memorySource(goldenBytes("comp_lz4_indexes")));
  const file = await openCFile(source);
  const before = source.metrics.reads;
  await file.get(2000);
  expect(source.metrics.reads - before).toBe(2);
  await file.get(2001);
  expect(source.metrics.reads - before).toBe(2);
});
