/** Indexes that lead to a wrong block or not to a block, in files without checksums. */

import { crc32c } from "@cfile/bytes";
import { batchFromValues } from "@cfile/encodings/batches";
import { memorySink, memorySource } from "@cfile/io";
import { describe, expect, test } from "vitest";
import { type CFileReader, FEATURE_CHECKSUM, openCFile, parseFooter } from "../src/index.js";
import { mergeClaims } from "../src/recover/index-claims.js";
import { scanDamagedCFile } from "../src/recover.js";
import { CFileWriter, encodeFooter, type WriterOptions } from "../src/write.js";

const BASE = {
  type: "INT32",
  encoding: "PLAIN_ENCODING",
  checksums: false,
  blockSize: 512,
  batchRows: 10,
} as const;

async function written(
  options: WriterOptions,
  values: readonly (number | string | Uint8Array)[],
): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new CFileWriter(sink, options);
  await writer.append(batchFromValues(options, values));
  await writer.finish();
  return sink.bytes();
}

/** The file with different fields in its footer; without checksums, also with additional bytes before the footer. */
function withFooter(
  bytes: Uint8Array,
  fieldsAt: (offset: number) => Partial<ReturnType<typeof parseFooter>>,
  before: readonly number[] = [],
): Uint8Array {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 4, true);
  const start = bytes.length - 12 - length;
  const known = parseFooter(bytes.subarray(start, start + length));
  const footer = encodeFooter({ ...known, ...fieldsAt(start) });
  const out = Uint8Array.from([...bytes.subarray(0, start), ...before, ...footer, ...bytes.subarray(-12)]);
  const view = new DataView(out.buffer);
  view.setUint32(out.length - 4, footer.length, true);
  if (known.incompatibleFeatures === FEATURE_CHECKSUM) {
    view.setUint32(start - 4, crc32c(out, start), true);
  }
  return out;
}

/** The file with `to` instead of `from` as the key of a block in the positional index. */
async function withKey(bytes: Uint8Array, from: number, to: number): Promise<CFileReader> {
  const file = await openCFile(memorySource(bytes));
  const [root] = (await file.layout()).posidx?.indexBlocks ?? [];
  const forged = bytes.slice();
  const view = new DataView(forged.buffer);
  const start = root?.offset ?? 0;
  for (let at = start; at < start + (root?.size ?? 0) - 4; at++) {
    if (forged[at] === 4 && view.getUint32(at + 1) === from) {
      view.setUint32(at + 1, to);
      return openCFile(memorySource(forged));
    }
  }
  throw new RangeError(`no key ${from} in the index`);
}

const numbers = Array.from({ length: 1000 }, (_, i) => i);
const file = await written(BASE, numbers);
const [first, second] = await (await openCFile(memorySource(file))).listDataBlocks();
const secondRow = (await (await openCFile(memorySource(file))).dataBlock(second ?? { offset: 0, size: 0 }))
  .firstRow;

async function drain(rows: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of rows) {
    // Reading is the test.
  }
}

const LOST = { code: "E_CORRUPT", field: "posidx_info" };

/** An index block without entries. */
const EMPTY = [8, 0, 0x10, 0, 4, 0, 0, 0];
const withEmptyIndex = withFooter(file, (offset) => ({ posidx: { offset, size: EMPTY.length } }), EMPTY);

describe("an index without entries", () => {
  test.each<[string, (reader: CFileReader) => Promise<unknown>]>([
    ["a scan", (reader) => drain(reader.scan())],
    ["a lookup", (reader) => reader.get(0)],
    ["a lookup of several rows", (reader) => reader.getMany([3, 0])],
  ])("is refused by %s", async (_, read) => {
    await expect(read(await openCFile(memorySource(withEmptyIndex)))).rejects.toMatchObject({
      ...LOST,
      actual: expect.any(Number),
    });
  });
});

describe("an index that leads to a later block", () => {
  test.each<[string, (reader: CFileReader) => Promise<unknown>, object]>([
    [
      "a scan",
      (reader) => drain(reader.scan({ rows: { from: secondRow - 1 } })),
      { code: "E_CORRUPT", field: "ordinal" },
    ],
    ["a lookup", (reader) => reader.get(secondRow - 1), LOST],
    ["a lookup of several rows", (reader) => reader.getMany([secondRow - 1, 999]), LOST],
  ])("is refused by %s", async (_, read, problem) => {
    expect(first?.offset).toBeLessThan(second?.offset ?? 0);
    await expect(read(await withKey(file, secondRow, secondRow - 1))).rejects.toMatchObject(problem);
  });
});

describe("a search for the first of equal values", () => {
  const equal = { ...BASE, validx: true } as const;
  const values = numbers.map((i) => (i < 5 ? 0 : 7));

  test("finds it blocks before the one that the index leads to", async () => {
    const reader = await openCFile(memorySource(await written(equal, values)));
    expect(await reader.find(7)).toEqual({ row: 5, exact: true });
    expect(await reader.find(0)).toEqual({ row: 0, exact: true });
    expect(await reader.find(3)).toEqual({ row: 5, exact: false });
    expect(await reader.find(8)).toBeUndefined();
  });

  test("notices an index that leads from a row to a later block", async () => {
    const bytes = await written(equal, values);
    const last = (await (await openCFile(memorySource(bytes))).listDataBlocks()).at(-1);
    const row = (await (await openCFile(memorySource(bytes))).dataBlock(last ?? { offset: 0, size: 0 }))
      .firstRow;
    const reader = await withKey(bytes, row, row - 1);
    await expect(reader.find(7)).rejects.toMatchObject({ code: "E_CORRUPT", field: "ordinal" });
  });

  test("is refused if the index does not begin with the first row", async () => {
    const reader = await withKey(
      await written(
        equal,
        numbers.map(() => 7),
      ),
      0,
      1,
    );
    await expect(reader.find(7)).rejects.toMatchObject({ code: "E_CORRUPT", field: "positional key" });
  });
});

const indexed = { ...BASE, validx: true } as const;
const withNulls = withFooter(await written(indexed, [1, 2]), () => ({ nullable: true }));

describe("a search by value", () => {
  test.each([
    ["in a file without value index", withFooter(file, () => ({})), "the file has no value index"],
    ["in a column with nulls", withNulls, "the column has nulls or arrays"],
  ])("is refused %s", async (_, bytes, reason) => {
    const reader = await openCFile(memorySource(bytes));
    await expect(reader.find(1)).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
      field: "validx_info",
      message: expect.stringContaining(reason),
    });
  });

  test("finds nothing in an index without entries", async () => {
    const bytes = await written(indexed, [1, 2]);
    const forged = withFooter(bytes, (offset) => ({ validx: { offset, size: EMPTY.length } }), EMPTY);
    expect(await (await openCFile(memorySource(forged))).find(1)).toBeUndefined();
  });

  test("notices that the index of rows has no entries", async () => {
    const bytes = await written(
      indexed,
      numbers.map(() => 7),
    );
    const forged = withFooter(bytes, (offset) => ({ posidx: { offset, size: EMPTY.length } }), EMPTY);
    await expect((await openCFile(memorySource(forged))).find(7)).rejects.toMatchObject(LOST);
  });

  test("is refused for a type without keys", async () => {
    const reader = await openCFile(
      memorySource(withFooter(await written(indexed, [1, 2]), () => ({ dataType: "FLOAT" }))),
    );
    await expect(reader.find(1)).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  });

  test.each([
    ["BINARY", [Uint8Array.of(1)], "a"],
    ["STRING", ["a", "b"], 1],
    ["INT32", [1, 2], "1"],
    ["INT32", [1, 2], 1.5],
  ] as const)("in %s is refused for another kind of value", async (type, cells, value) => {
    const bytes = await written({ ...indexed, type }, [...cells]);
    await expect((await openCFile(memorySource(bytes))).find(value)).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      field: "value",
    });
  });
});

describe("recovery", () => {
  test("needs none of the optional fields of a footer", async () => {
    const fields = {
      compression: undefined,
      nullable: undefined,
      array: undefined,
      incompatibleFeatures: undefined,
    };
    const { ledger } = await scanDamagedCFile(memorySource(withFooter(file, () => fields)));
    expect(ledger.blocks.reduce((sum, { rows = 0 }) => sum + rows, 0)).toBe(numbers.length);
    expect(ledger.blocks.every(({ state }) => state === "kept")).toBe(true);
  });

  test.each([
    ["the header says that there are no checksums", 0],
    ["the header is lost, too", 1],
  ])(
    "finds out how blocks without checksums are encoded if the footer is lost, and %s",
    async (_, damage) => {
      const footer = new DataView(file.buffer).getUint32(file.length - 4, true);
      const cut = file.slice(0, file.length - 12 - footer);
      cut[0] = (cut[0] as number) ^ damage;
      const scan = scanDamagedCFile(memorySource(cut), { type: "INT32" });
      if (damage === 1) {
        // The start of the first block is unknown.
        await expect(scan).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT", field: "encoding" });
        return;
      }
      const { ledger } = await scan;
      expect(
        ledger.blocks.filter(({ state }) => state === "kept").reduce((sum, { rows = 0 }) => sum + rows, 0),
      ).toBe(1000);
    },
  );

  test("ends in an index block that leads to itself", async () => {
    // An entry for row 0 with the offset and size of the block, the position of the entry, and the trailer of an inner block.
    const loop = (offset: number): number[] => [
      ...[4, 0, 0, 0, 0, (offset & 127) | 128, offset >>> 7, 20, 0, 0, 0, 0],
      ...[8, 1, 0x10, 1, 4, 0, 0, 0],
    ];
    const size = withFooter(file, () => ({})).length;
    const footer = new DataView(file.buffer).getUint32(size - 4, true);
    const bytes = withFooter(file, (offset) => ({ posidx: { offset, size: 20 } }), loop(size - 12 - footer));
    const { ledger } = await scanDamagedCFile(memorySource(bytes));
    expect(ledger.parts).toContainEqual(
      expect.objectContaining({
        problem: expect.objectContaining({ reason: expect.stringContaining("cycle") }),
      }),
    );
    expect(ledger.blocks.filter(({ state }) => state === "kept").length).toBeGreaterThan(1);
  });

  test("refuses blocks with more rows than the footer counts", async () => {
    const bytes = await written({ ...BASE, checksums: true }, numbers);
    const { ledger } = await scanDamagedCFile(
      memorySource(withFooter(bytes, () => ({ rowCount: secondRow + 1 }))),
    );
    expect(ledger.blocks.filter(({ state }) => state === "kept").length).toBe(1);
    expect(ledger.blocks).toContainEqual(
      expect.objectContaining({ problem: expect.objectContaining({ field: "num_values" }) }),
    );
  });

  test("takes the first row of a block from the index that has it", () => {
    const byRow = { offset: 12, size: 5, firstRow: 3 };
    const byValue = { offset: 12, size: 5, firstRow: undefined };
    expect(mergeClaims([[byValue], [byRow]])).toEqual([byRow]);
    expect(mergeClaims([[byRow], [byValue]])).toEqual([byRow]);
  });
});

describe("bounds of a scan", () => {
  test.each([
    [{ rows: { from: -1 } }, "rows.from"],
    [{ rows: { from: 1.5 } }, "rows.from"],
    [{ rows: { to: Number.NaN } }, "rows.to"],
    [{ rows: { to: Number.NEGATIVE_INFINITY } }, "rows.to"],
    [{ batchRows: 0 }, "batchRows"],
    [{ limit: -1 }, "limit"],
    [{ readAhead: { requests: -1 } }, "readAhead"],
    [{ readAhead: { requests: 1.5 } }, "readAhead"],
  ])("%o are refused", async (options, field) => {
    const reader = await openCFile(memorySource(file));
    await expect(drain(reader.scan(options))).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT", field });
  });

  test.each([
    [{ rows: { from: 998, to: Number.POSITIVE_INFINITY } }, [998, 999]],
    [{ rows: { from: 1000 } }, []],
    [{ rows: { from: 40, to: 50 }, limit: 2.9, batchRows: 1.5 }, [40, 41]],
  ])("%o select rows", async (options, expected) => {
    const reader = await openCFile(memorySource(file));
    const found: unknown[] = [];
    for await (const batch of reader.scan(options)) {
      found.push(...batch.toArray());
    }
    expect(found).toEqual(expected);
  });
});
