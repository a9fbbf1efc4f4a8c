/** Bloom filters in files: headers that are invalid or unknown, encrypted filters, and the values that are looked up. */
import { CFileError, concatBytes } from "@cfile/bytes";
import type { CellValue } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { Condition } from "@cfile/encodings/conditions";
import { type ByteSource, memorySink, memorySource } from "@cfile/io";
import { describe, expect, it } from "vitest";
import { ChunkCipher, ModuleCipher } from "../src/crypto/module-cipher.js";
import { openParquet, type ParquetColumn } from "../src/index.js";
import { BloomFilter } from "../src/prune/bloom-filter.js";
import { exportParquet } from "../src/write.js";

const START = 4;
const BLOCK = new Uint8Array(32).fill(0xff);
/** A Thrift union with this member. */
const union = (member: number): number[] => [0x1c, (member << 4) | 12, 0, 0];
/** Size, algorithm, hash and compression. */
const header = (size: readonly number[], ...members: readonly number[]): Uint8Array =>
  Uint8Array.of(...size, ...members.flatMap(union), 0);
const SIZE_32 = [0x15, 64];
const GOOD = header(SIZE_32, 1, 1, 1);

/** A filter after the magic bytes of a file. */
const fileOf = (...parts: readonly Uint8Array[]): ByteSource =>
  memorySource(concatBytes([new Uint8Array(START), ...parts]), "filtered");
const sizeOf = (...parts: readonly Uint8Array[]): number => concatBytes(parts).length + START;

describe("a filter", () => {
  it("is opened by its header", async () => {
    const filter = await BloomFilter.open(fileOf(GOOD, BLOCK), START, sizeOf(GOOD, BLOCK));
    expect(await filter?.mayHave(Uint8Array.of(1))).toBe(true);
    const empty = await BloomFilter.open(fileOf(GOOD, new Uint8Array(32)), START, sizeOf(GOOD, BLOCK));
    expect(await empty?.mayHave(Uint8Array.of(1))).toBe(false);
  });

  it.each([3, -1, 0.5, Number.NaN, 2 ** 60, 80])("is refused at the offset %d", async (offset) => {
    await expect(BloomFilter.open(fileOf(GOOD, BLOCK), offset, 60)).rejects.toMatchObject({
      code: "E_CORRUPT",
      field: "Bloom filter",
      path: "filtered",
    });
  });

  it.each([
    ["no size", []],
    ["a size that is text", [0x18, 1, 65]],
    ["half a block", [0x15, 32]],
    ["a block and a half", [0x15, 96]],
    ["more blocks than the file has", [0x15, 0x80, 1]],
    ["a negative size", [0x15, 63]],
  ])("is refused with %s", async (_, size) => {
    // Without field 1, the first union has the number 2.
    const members = size.length === 0 ? [0x2c, 0x1c, 0, 0, ...union(1), ...union(1), 0] : undefined;
    const bytes = members === undefined ? header(size, 1, 1, 1) : Uint8Array.from(members);
    const opened = BloomFilter.open(fileOf(bytes, BLOCK), START, sizeOf(bytes, BLOCK));
    await expect(opened).rejects.toMatchObject({ code: "E_CORRUPT", offset: START, field: "Bloom filter" });
  });

  it.each([
    ["algorithm", [2, 1, 1]],
    ["hash", [1, 2, 1]],
    ["compression", [1, 1, 2]],
    ["number of unions", [1, 1]],
  ])("of an unknown %s is not used", async (_, members) => {
    const bytes = header(SIZE_32, ...members);
    expect(await BloomFilter.open(fileOf(bytes, BLOCK), START, sizeOf(bytes, BLOCK))).toBeUndefined();
  });
});

describe("an encrypted filter", () => {
  const key = new TextEncoder().encode("0123456789012345");

  /** A module whose tag does not cover its position, as in files of DuckDB. */
  async function moduleOf(content: Uint8Array): Promise<Uint8Array> {
    const iv = Uint8Array.from({ length: 12 }, (_, i) => i);
    const imported = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt"]);
    const cipher = new Uint8Array(
      await crypto.subtle.encrypt({ name: "AES-GCM", iv }, imported, Uint8Array.from(content)),
    );
    const length = new Uint8Array(Uint32Array.of(iv.length + cipher.length).buffer);
    return concatBytes([length, iv, cipher]);
  }

  async function opened(parts: readonly Uint8Array[], limit = sizeOf(...parts)) {
    const cipher = await ModuleCipher.create(key, undefined, false);
    return BloomFilter.open(fileOf(...parts), START, limit, new ChunkCipher(cipher, 0, 0));
  }

  it("is decrypted as a whole", async () => {
    for (const bits of [BLOCK, new Uint8Array(32)]) {
      const filter = await opened([await moduleOf(GOOD), await moduleOf(bits)]);
      expect(await filter?.mayHave(Uint8Array.of(1))).toBe(bits === BLOCK);
    }
  });

  it("is refused when its header or its blocks are damaged or cut", async () => {
    const parts = [await moduleOf(GOOD), await moduleOf(BLOCK)];
    const [head = GOOD, blocks = BLOCK] = parts;
    const other = await moduleOf(new Uint8Array(64));
    const longer = head.slice();
    longer[0] = 0xff;
    await expect(opened([head, other])).rejects.toMatchObject({ code: "E_CHECKSUM" });
    await expect(opened([longer, blocks])).rejects.toMatchObject({ code: "E_CHECKSUM" });
    await expect(opened([head, blocks.subarray(0, 40)])).rejects.toMatchObject({ code: "E_TRUNCATED" });
    await expect(opened(parts, START + 3)).rejects.toMatchObject({ code: "E_TRUNCATED" });
  });
});

describe("a search", () => {
  const ROWS = 100;
  const INT32 = { name: "c", type: "INT32", nullable: false, array: false } as const;

  /** One column without bounds, so that only its filter and its values exclude rows. */
  async function written(column: ParquetColumn, values: readonly CellValue[]): Promise<Uint8Array> {
    async function* rows() {
      const columns = [batchFromValues(column, values)];
      yield { length: values.length, firstRow: 0, names: ["c"], columns };
    }
    const sink = memorySink();
    const options = { bloomFilters: ["c"], statistics: "none" } as const;
    await exportParquet(sink, { columns: [column], rows: rows() }, options);
    return sink.bytes();
  }

  async function found(input: Uint8Array | ByteSource, where: Condition): Promise<readonly number[]> {
    await using file = await openParquet(input);
    const rows: number[] = [];
    for await (const batch of file.scan({ where })) {
      rows.push(...Array.from({ length: batch.length }, (_, i) => batch.rows?.[i] ?? batch.firstRow + i));
    }
    return rows;
  }

  const decimal = { name: "c", type: "DECIMAL128", precision: 30, scale: 2, nullable: false, array: false };
  it.each<readonly [string, ParquetColumn, readonly CellValue[], Condition, readonly number[]]>([
    [
      "zeros of both signs",
      { ...INT32, type: "DOUBLE" },
      [-0, 0, 1],
      { column: "c", op: "=", value: 0 },
      [0, 1],
    ],
    [
      "zeros of floats",
      { ...INT32, type: "FLOAT" },
      [-0, 1, 2],
      { column: "c", op: "in", values: [0, 3] },
      [0],
    ],
    ["other numbers", { ...INT32, type: "DOUBLE" }, [1, 2, 3], { column: "c", op: "=", value: 2 }, [1]],
    ["decimals", decimal as ParquetColumn, [1n, 2n, 3n], { column: "c", op: "=", value: 2n }, [1]],
    ["text", { ...INT32, type: "STRING" }, ["a", "b"], { column: "c", op: "=", value: "b" }, [1]],
    [
      "more values than are looked up",
      INT32,
      Array.from({ length: ROWS }, (_, i) => i),
      { column: "c", op: "in", values: Array.from({ length: 70 }, (_, i) => 500 - 7 * i) },
      Array.from({ length: ROWS }, (_, i) => i).filter((i) => i >= 17 && (500 - i) % 7 === 0),
    ],
  ])("finds %s", async (_, column, values, where, expected) => {
    expect(await found(await written(column, values), where)).toEqual(expected);
  });

  it("reads all values when the filter is damaged, and fails when it cannot be read", async () => {
    const bytes = await written(
      INT32,
      Array.from({ length: ROWS }, (_, i) => 2 * i),
    );
    await using file = await openParquet(bytes);
    const offset = Number(file.metadata.row_groups[0]?.columns[0]?.meta_data?.bloom_filter_offset);
    const damaged = bytes.slice();
    damaged.fill(0xff, offset, offset + 8);
    expect(await found(damaged, { column: "c", op: "=", value: 14 })).toEqual([7]);
    expect(await found(bytes, { column: "c", op: "=", value: 15 })).toEqual([]);
    const { read, ...source } = memorySource(bytes);
    const failing: ByteSource = {
      ...source,
      read: async (at, size, options) => {
        if (at === offset) {
          throw new CFileError("E_IO", "the disk failed");
        }
        return read(at, size, options);
      },
    };
    await expect(found(failing, { column: "c", op: "=", value: 14 })).rejects.toMatchObject({ code: "E_IO" });
  });
});
