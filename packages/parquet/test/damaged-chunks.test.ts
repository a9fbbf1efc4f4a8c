/** Column chunks whose metadata, headers, pages or indexes contradict each other: a typed error or a reported loss, never a wrong row. */
import { CFileError, concatBytes } from "@cfile/bytes";
import { type ByteSource, memorySource } from "@cfile/io";
import { readGolden } from "@cfile-tools/testkit";
import type { ColumnMetaData, Encoding, SchemaElement } from "hyparquet";
import { Encodings } from "hyparquet/src/constants.js";
import { describe, expect, it } from "vitest";
import { openParquet } from "../src/index.js";
import { pageCrc } from "../src/pages/page-header.js";
import { chunkStart } from "../src/read/page-decoder.js";
import { PageReader } from "../src/read/page-reader.js";
import { pagesAfter } from "../src/read/pages-after.js";
import { recoverParquet } from "../src/recover.js";
import { type Leaf, leavesOf } from "../src/schema/leaf-schema.js";
import { type CraftedBytes, craftedFile, thrift } from "./crafted-file.js";

const INT32: SchemaElement = { name: "n", type: "INT32", repetition_type: "REQUIRED" };
const int32s = (...values: readonly number[]): Uint8Array => new Uint8Array(Int32Array.from(values).buffer);

interface PageOptions {
  readonly isDictionary?: boolean;
  readonly crc?: number;
  readonly encoding?: Encoding;
  /** Size in bytes of a statistic that makes the header long. */
  readonly statistics?: number;
}

/** A page of version 1, or a dictionary. */
function page(values: number, body: Uint8Array, own: PageOptions = {}): CraftedBytes {
  const { isDictionary = false, crc = pageCrc(body) | 0, encoding = "PLAIN", statistics } = own;
  const details = { field_1: values, field_2: Encodings.indexOf(encoding) };
  const header = thrift({
    ...{ field_1: isDictionary ? 2 : 0, field_2: body.length, field_3: body.length, field_4: crc },
    ...(isDictionary
      ? { field_7: details }
      : {
          field_5: {
            ...{ ...details, field_3: 3, field_4: 3 },
            ...(statistics !== undefined && { field_5: { field_6: new Uint8Array(statistics) } }),
          },
        }),
  });
  return { stored: concatBytes([header, body]), valueCount: isDictionary ? 0 : values };
}

const FIRST = page(2, int32s(1, 2));
const SECOND = page(2, int32s(3, 4));
const ROOT: SchemaElement = { name: "root", num_children: 1 };

interface Flat {
  readonly pages?: readonly CraftedBytes[];
  readonly rows?: number;
  readonly firstRows?: readonly (number | undefined)[];
  readonly meta?: Partial<ColumnMetaData>;
  readonly element?: SchemaElement;
}

/** A file of the column `n`. */
function flatFile({ pages = [FIRST, SECOND], rows = 4, firstRows = [], meta, element = INT32 }: Flat = {}) {
  return craftedFile([ROOT, element], rows, [{ path: "n", pages, firstRows }], (metadata) => {
    for (const chunk of metadata.row_groups.flatMap(({ columns }) => columns)) {
      Object.assign(chunk.meta_data ?? {}, { encodings: [], type: element.type, ...meta });
    }
    return metadata;
  });
}

function flatLeaf(): Leaf {
  const [leaf] = leavesOf([ROOT, INT32]);
  if (leaf === undefined) {
    throw new TypeError("the schema has no leaf");
  }
  return leaf;
}

async function valuesOf(bytes: Uint8Array): Promise<unknown[]> {
  await using file = await openParquet(bytes);
  const values: unknown[] = [];
  for (const { name } of file.columns) {
    for await (const batch of file.column(name)) {
      values.push(...batch.toArray());
    }
  }
  return values;
}

async function recovered(bytes: Uint8Array): Promise<{ values: unknown[]; losses: unknown[] }> {
  await using file = await recoverParquet(bytes);
  const values: unknown[] = [];
  for (const { name } of file.columns) {
    for await (const batch of file.column(name)) {
      values.push(...batch.toArray());
    }
  }
  const losses = file.report.losses.map(({ part, rows, error }) => [part, rows, error.code, error.field]);
  return { values, losses };
}

/** A copy with the bytes `from` to `to` destroyed. */
function destroyed(bytes: Uint8Array, from: number, to: number): Uint8Array {
  return bytes.slice().fill(0xff, from, to);
}

describe("file metadata", () => {
  const magic = new TextEncoder().encode("PAR1");
  const fields = { field_1: 1, field_2: [{ field_4: "root" }], field_3: 0n };
  const fileOf = (own: object): Uint8Array => {
    const bytes = thrift({ ...fields, ...own });
    return concatBytes([magic, bytes, int32s(bytes.length), magic]);
  };

  it("may have no row groups", async () => {
    expect(await valuesOf(fileOf({ field_4: [] }))).toEqual([]);
  });

  it.each([
    ["the row groups", { field_4: "ab" }],
    ["the columns of a row group", { field_4: [{ field_1: "ab", field_3: 0n }] }],
    ["the key-value metadata", { field_4: [], field_5: "ab" }],
  ])("with a string instead of %s is corrupt", async (_, own) => {
    await expect(openParquet(fileOf(own))).rejects.toMatchObject({
      code: "E_CORRUPT",
      field: "file metadata",
    });
  });
});

describe("a row group", () => {
  it("must have the rows that it states", async () => {
    await expect(valuesOf(flatFile({ rows: 5 }))).rejects.toMatchObject({
      code: "E_CORRUPT",
      field: "num_rows",
    });
  });

  it("that does not exist has no rows", async () => {
    await using file = await openParquet(flatFile());
    expect([file.rowsOfGroup(0), file.rowsOfGroup(1)]).toEqual([4, 0]);
  });
});

describe("a dictionary", () => {
  const codes = page(2, Uint8Array.of(1, 3, 0b10), { encoding: "RLE_DICTIONARY" });

  const coded = (dictionary: CraftedBytes): Uint8Array =>
    flatFile({ pages: [dictionary, codes, page(2, int32s(5, 6))] });

  it("has the values of codes", async () => {
    expect(await valuesOf(coded(page(2, int32s(10, 20), { isDictionary: true })))).toEqual([10, 20, 5, 6]);
  });

  it.each([
    ["damaged", { crc: 1 }, "E_CHECKSUM", "crc"],
    ["of an encoding that it cannot have", { encoding: "DELTA_BYTE_ARRAY" }, "E_UNSUPPORTED", "encoding"],
  ] as const)(
    "that is %s loses its codes, and not the plain values after them",
    async (_, own, code, field) => {
      const bytes = coded(page(2, int32s(10, 20), { isDictionary: true, ...own }));
      expect(await recovered(bytes)).toEqual({
        values: [null, null, 5, 6],
        losses: [
          ["dictionary", { from: 0, to: 0 }, code, field],
          ["page", { from: 0, to: 2 }, code, field],
        ],
      });
    },
  );
});

describe("a page header", () => {
  const long = (statistics: number): Uint8Array =>
    flatFile({ pages: [page(2, int32s(1, 2), { statistics }), SECOND] });

  it.each([5000, 300_000])("may have statistics of %i bytes", async (statistics) => {
    expect(await valuesOf(long(statistics))).toEqual([1, 2, 3, 4]);
  });

  it("of more than 1 MiB is damage", async () => {
    await expect(valuesOf(long(3 << 20))).rejects.toMatchObject({
      code: "E_TRUNCATED",
      field: "page header",
    });
  });

  it("that the chunk ends in is damage", async () => {
    const pages = [FIRST, { ...SECOND, stored: SECOND.stored.subarray(0, 6) }];
    await expect(valuesOf(flatFile({ pages }))).rejects.toMatchObject({ code: "E_TRUNCATED" });
    expect((await recovered(flatFile({ pages }))).values).toEqual([1, 2, null, null]);
  });
});

describe("an encrypted page", () => {
  const keys = { footerKey: new TextEncoder().encode("0123456789012345") };
  const golden = readGolden("parquet-encrypted/duckdb.parquet");

  async function firstPage(
    change: (bytes: Uint8Array, start: number) => void,
    room?: (size: number) => number,
  ) {
    await using whole = await openParquet(golden, { keys });
    const [leaf] = whole.leaves;
    if (leaf === undefined) {
      throw new Error("no leaf");
    }
    const { meta, cipher, limit } = whole.chunks.chunk(leaf, 0);
    const start = chunkStart(meta);
    const found = await new PageReader(memorySource(golden), limit, {}, cipher).page(start, 5000, 0);
    const bytes = golden.slice();
    change(bytes, start);
    const end = room === undefined ? limit : start + room(found.end - start);
    return new PageReader(memorySource(bytes), end, {}, cipher).page(start, 5000, 0);
  }
  const unchanged = (): void => undefined;
  const length = (value: number) => (bytes: Uint8Array, start: number) =>
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(start, value, true);

  it("is read up to the end of its chunk", async () => {
    const { header, end } = await firstPage(unchanged, (size) => size);
    expect([header.kind, end > 4]).toEqual(["data-v1", true]);
  });

  it.each([
    ["whose header starts at the end of its chunk", unchanged, () => 2, "E_CORRUPT", "page header"],
    ["whose header exceeds its chunk", length(1 << 19), () => 100, "E_CORRUPT", "page header"],
    ["that exceeds its chunk", unchanged, (size: number) => size - 1, "E_CORRUPT", "page"],
    ["whose header has no room for its key's tag", length(4), undefined, "E_TRUNCATED", undefined],
  ])("%s is damage", async (_, change, room, code, field) => {
    const error: unknown = await firstPage(change, room).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, ...(field !== undefined && { field }) });
  });
});

describe("an offset index", () => {
  it("that states other rows than the headers loses the page", async () => {
    const bytes = flatFile({ firstRows: [0, 3] });
    const { losses } = await recovered(bytes);
    expect(losses).toEqual([
      ["page", { from: 0, to: 3 }, "E_CORRUPT", "number of values"],
      ["rest", { from: 3, to: 4 }, "E_CORRUPT", "number of values"],
    ]);
  });

  it.each([4, 100])("that states row %i of 4 is not used", async (row) => {
    const bytes = flatFile({ firstRows: [0, row] });
    expect(await recovered(bytes)).toEqual({ values: [1, 2, 3, 4], losses: [] });
    expect(await recovered(destroyed(bytes, 4, 8))).toEqual({
      values: [null, null, 3, 4],
      losses: [["page", { from: 0, to: 2 }, "E_CORRUPT", "page header"]],
    });
  });

  it("that states more rows than the chunk has values is not followed over a lost header", async () => {
    const bytes = flatFile({ firstRows: [0, 2], meta: { num_values: 2n } });
    const { values, losses } = await recovered(destroyed(bytes, 4, 8));
    expect(values).toEqual([null, null, 3, 4]);
    expect(losses).toEqual([["page", { from: 0, to: 2 }, "E_CORRUPT", "page header"]]);
  });
});

describe("ranges of rows", () => {
  const rows = 12;
  const pages = [2, 3, 1, 4, 2].map((count, i) =>
    page(count, int32s(...Array.from({ length: count }, () => i))),
  );
  const column = { pages, rows, firstRows: [0, 2, 5, 6, 10] };

  async function rangeOf(bytes: Uint8Array, useOffsetIndex: boolean, from: number, to: number) {
    await using file = await openParquet(bytes, { useOffsetIndex });
    const leaf = flatLeaf();
    const found: number[] = [];
    for await (const { data, firstRow } of file.chunks.rows(leaf, 0, [{ from, to }])) {
      expect(firstRow).toBe(from + found.length);
      found.push(...new Int32Array(data.values.kind === "fixed" ? data.values.bytes.slice().buffer : []));
    }
    return found;
  }

  it("are the same with and without an offset index", async () => {
    const bytes = flatFile(column);
    const all = await valuesOf(bytes);
    for (let from = 0; from < rows; from++) {
      for (let to = from + 1; to <= rows; to++) {
        for (const useOffsetIndex of [true, false]) {
          expect(await rangeOf(bytes, useOffsetIndex, from, to)).toEqual(all.slice(from, to));
        }
      }
    }
  });

  it("are refused where their page is damaged, and read elsewhere", async () => {
    const damaged = pages.map((own, i) => (i === 3 ? page(4, int32s(3, 3, 3, 3), { crc: 1 }) : own));
    const bytes = flatFile({ ...column, pages: damaged });
    expect(await rangeOf(bytes, true, 0, 6)).toEqual([0, 0, 1, 1, 1, 2]);
    await expect(rangeOf(bytes, true, 5, 7)).rejects.toMatchObject({ code: "E_CHECKSUM", field: "crc" });
  });
});

describe("pages after a lost header", () => {
  const [first, second] = [FIRST.stored, SECOND.stored];
  const dictionary = page(2, int32s(7, 8), { isDictionary: true }).stored;
  const garbage = new Uint8Array(40).fill(0xee);

  async function firstRows(rows: number, parts: readonly Uint8Array[], end?: number): Promise<number[]> {
    const bytes = concatBytes([int32s(-1), ...parts]);
    const rest = { leaf: flatLeaf(), rows, from: 4, end: end ?? bytes.length, limit: bytes.length };
    const found = await pagesAfter(memorySource(bytes), rest, {}, async () => undefined);
    return found.map(({ firstRow }) => firstRow);
  }

  it("are counted from the end of the chunk", async () => {
    expect(await firstRows(10, [first, second])).toEqual([6, 8]);
    expect(await firstRows(10, [garbage, first, second])).toEqual([6, 8]);
    expect(await firstRows(10, [first, garbage, second])).toEqual([8]);
  });

  it.each<[string, number, readonly Uint8Array[], number | undefined]>([
    ["a dictionary is among them", 10, [dictionary, first], undefined],
    ["they have more rows than the row group", 3, [first, second], undefined],
    ["other bytes follow, within the chunk", 10, [first, garbage], undefined],
    ["there are none", 10, [garbage], undefined],
  ])("are not found if %s", async (_, rows, parts, end) => {
    expect(await firstRows(rows, parts, end)).toEqual([]);
  });

  it("end where the chunk ends, whatever bytes follow", async () => {
    expect(await firstRows(10, [first, garbage], 4 + first.length)).toEqual([8]);
  });
});

describe("a source that fails", () => {
  /** Fails for bytes before `to`. */
  function failing(bytes: Uint8Array, error: Error, to: number): ByteSource {
    const whole = memorySource(bytes);
    return {
      name: "failing",
      size: async () => bytes.length,
      read: async (offset, length, options) => {
        if (offset < to) {
          throw error;
        }
        return whole.read(offset, length, options);
      },
    };
  }
  const bytes = flatFile({ firstRows: [0, 2] });
  const pagesEnd = 4 + FIRST.stored.length + SECOND.stored.length;

  it.each([
    ["E_IO", new Error("connection reset"), "the first page", 5],
    ["E_IO", new Error("connection reset"), "all pages", pagesEnd],
    ["E_SOURCE_CHANGED", new CFileError("E_SOURCE_CHANGED", "another version"), "the first page", 5],
  ])("is not taken for damage: %s, %s, at %s", async (code, error, _, to) => {
    const source = failing(bytes, error, to);
    await using file = await openParquet(source);
    await expect(file.verify()).rejects.toMatchObject({ code });
    await expect(recoverParquet(source)).rejects.toMatchObject({ code });
  });

  it("is not taken for damage in the pages after a lost header", async () => {
    const damaged = destroyed(flatFile(), 4, 8);
    const source = failing(damaged, new Error("connection reset"), 4);
    let reads = 0;
    const late: ByteSource = {
      ...source,
      read: async (offset, length, options) => {
        reads += offset < pagesEnd ? 1 : 0;
        return failing(damaged, new Error("reset"), reads > 1 ? pagesEnd : 0).read(offset, length, options);
      },
    };
    await using file = await openParquet(late);
    await expect(file.verify()).rejects.toMatchObject({ code: "E_IO" });
    expect(reads).toBeGreaterThan(1);
  });
});
