/** Pages are assigned to chunks by headers, sizes and the chunks in a footer; contradictory pages are not assigned. */
import { CFileError } from "@cfile/bytes";
import { memorySource } from "@cfile/io";
import { readGolden } from "@cfile-tools/testkit";
import type { FileMetaData, SchemaElement } from "hyparquet";
import { describe, expect, it } from "vitest";
import { alignChunks } from "../src/layout/align-chunks.js";
import { pageSpan, readHabits } from "../src/layout/column-habits.js";
import { dividePages } from "../src/layout/divide-pages.js";
import { GroupParser } from "../src/layout/group-parser.js";
import { movedLayout } from "../src/layout/moved-layout.js";
import { mayFit } from "../src/layout/page-fit.js";
import { PageStore } from "../src/layout/page-store.js";
import { type FoundPages, PageRows } from "../src/layout/page-tokens.js";
import { siblingChunks } from "../src/layout/sibling-pages.js";
import { type StatedChunk, type StatedFile, statedChunks } from "../src/layout/stated-chunks.js";
import { statedLayout } from "../src/layout/stated-layout.js";
import type { PageHeader } from "../src/pages/page-header.js";
import type { PageLocation } from "../src/pages/page-locations.js";
import { type Leaf, leavesOf } from "../src/schema/leaf-schema.js";
import type { PagePart } from "../src/walk/file-part.js";

function leaves(...columns: readonly Partial<SchemaElement>[]): Leaf[] {
  const elements = columns.map(
    (own, i): SchemaElement => ({ name: `c${i}`, type: "INT32", repetition_type: "REQUIRED", ...own }),
  );
  return leavesOf([{ name: "root", num_children: columns.length }, ...elements]);
}

function header(own: Partial<PageHeader> = {}): PageHeader {
  const { valueCount = 1 } = own;
  return {
    ...{ kind: "data-v1", uncompressedSize: 4 * valueCount, storedSize: 4 * valueCount, crc: 1 },
    ...{ valueCount, encoding: "PLAIN", definitionEncoding: "RLE", repetitionEncoding: "RLE" },
    ...{
      rowCount: undefined,
      nullCount: undefined,
      definitionBytes: 0,
      repetitionBytes: 0,
      isCompressed: true,
    },
    ...own,
  };
}

const PAGE_HEADER = 20;

/** Consecutive pages of 32-bit integers, starting at `offset`. */
function found(
  headers: readonly Partial<PageHeader>[],
  own: Partial<FoundPages> = {},
  offset = 4,
): FoundPages {
  let at = offset;
  const pages = headers.map((one): PagePart => {
    const full = header(one);
    const size = PAGE_HEADER + full.storedSize;
    at += size;
    return { kind: "page", offset: at - size, size, headerSize: PAGE_HEADER, header: full, crc: "right" };
  });
  return {
    pages,
    gapBefore: pages.map(() => false),
    startsChunk: pages.map(() => false),
    ...{ knowsStarts: false, endsOpen: false, endsInGap: false, hasMoved: false },
    ...own,
  };
}

const storeOf = (bytes = new Uint8Array(0)): PageStore => new PageStore(memorySource(bytes), [], {});

function rowsOf(pages: FoundPages, own: readonly Leaf[]): PageRows {
  return new PageRows(pages, own, storeOf(), true);
}

const counts = (...values: readonly number[]): Partial<PageHeader>[] =>
  values.map((valueCount) => ({ valueCount }));

/** Consecutive chunks, each with the bytes and rows of pages with these numbers of values. */
function chunksOf(columns: number, ...pages: readonly (readonly number[])[]): StatedChunk[] {
  let at = 4;
  return pages.map((own, i) => {
    const from = at;
    at += own.reduce((sum, count) => sum + PAGE_HEADER + 4 * count, 0);
    return {
      ...{ group: Math.floor(i / columns), column: i % columns, from, to: at, dictionarySize: 0 },
      rows: own.reduce((sum, count) => sum + count, 0),
      ...{ pages: undefined, bounds: undefined },
    };
  });
}

describe("pages that are placed into chunks of equal size", () => {
  const two = leaves({}, {});
  const rows = rowsOf(found(counts(10, 10, 10)), two);
  const chunks = chunksOf(2, [10, 10], [10, 10]);
  const everywhere = [
    [
      { from: 0, to: 1 },
      { from: 0, to: 2 },
    ],
    [
      { from: 1, to: 3 },
      { from: 2, to: 3 },
    ],
  ];

  it("are placed as their values allow", async () => {
    expect(await alignChunks(chunks, rows, async () => true)).toEqual(everywhere);
    expect(await alignChunks(chunks, rows, async (_, { from, to }) => to - from === 1 || from === 1)).toEqual(
      [[{ from: 0, to: 1 }], [{ from: 1, to: 3 }]],
    );
  });

  it("may be anywhere if their values fit nowhere", async () => {
    expect(await alignChunks(chunks, rows, async () => false)).toEqual(everywhere);
  });

  it("have no place if they are larger than the chunks", async () => {
    expect(await alignChunks(chunks, rowsOf(found(counts(30)), two), async () => true)).toBeUndefined();
    expect(await movedLayout(chunks, rowsOf(found(counts(30)), two), storeOf())).toBeUndefined();
  });

  it("have no certain place if there are too many", async () => {
    const many = Array.from({ length: 600 }, () => [1, 1]);
    const half = rowsOf(found(counts(...many.map(() => 1))), two);
    expect(await alignChunks(chunksOf(2, ...many), half, async () => true)).toBeUndefined();
  });
});

describe("a chunk that lost pages of a file that is too short", () => {
  const one = leaves({});

  it("has its pages by their row counts, where they have one size", async () => {
    const coded = (valueCount: number) => ({ valueCount, encoding: "DELTA_BINARY_PACKED", storedSize: 40 });
    const all = found([coded(10), coded(30)].map((own) => ({ ...own, uncompressedSize: 40 })));
    const pages = { ...all, pages: all.pages.map((part) => ({ ...part, crc: "absent" }) as const) };
    const list = [10, 20, 30].map((count, i) => ({
      ...{ size: PAGE_HEADER + 40, rows: count, firstRow: [0, 10, 30][i] ?? 0, bounds: undefined },
    }));
    const chunk = { ...chunksOf(1, [45])[0], from: 4, to: 184, rows: 60, pages: list } as StatedChunk;
    // Without CRCs the bytes would be read; these headers state enough.
    const rows = new PageRows(pages, one, storeOf(), false);
    const layout = await movedLayout([chunk], rows, storeOf());
    expect(layout?.groups[0]?.chunks[0]?.runs).toEqual([
      { from: 0, to: 1, rows: 10, reaches: "start", firstRow: 0 },
      { from: 1, to: 2, rows: 30, reaches: "none", firstRow: 30 },
    ]);
  });

  it.each([
    ["in the middle", [false, true, false], false, ["start", "end"]],
    ["at the start", [true, false, false], false, ["end"]],
    ["at both ends", [true, false, false], true, ["none"]],
    ["at the end", [false, false, false], true, ["start"]],
    ["nowhere", [false, false, false], false, ["none"]],
    ["everywhere", [true, true, true], true, ["none", "none", "none"]],
  ] as const)("has guessed places from gaps: %s", async (_, gapBefore, endsInGap, reaches) => {
    const pages = found(counts(10, 10, 10), { gapBefore: [...gapBefore], endsInGap });
    const layout = await movedLayout(chunksOf(1, [10, 10, 10, 10]), rowsOf(pages, one), storeOf());
    expect(layout?.groups).toMatchObject([{ rows: 40, isCertain: false, isGuessed: true }]);
    expect(layout?.groups[0]?.chunks[0]?.runs.map((run) => run.reaches)).toEqual(reaches);
  });
});

const INT32 = leaves({});
/** Metadata of one row group with one chunk, with only the fields used here. */
function statedFile(
  meta: Readonly<Record<string, unknown>> | undefined,
  own: Partial<StatedFile> = {},
  rows = 10n,
): StatedFile {
  const chunk = { meta_data: meta && { type: "INT32", data_page_offset: 4n, ...meta }, file_offset: 0n };
  const metadata = { row_groups: [{ columns: [chunk], num_rows: rows }] } as unknown as FileMetaData;
  return { metadata, fields: {}, offset: 1000, offsetIndexes: [], columnIndexes: [], ...own };
}

describe("the chunks of a footer", () => {
  it.each([
    ["another type", { type: "INT64", total_compressed_size: 60n }],
    ["no metadata", undefined],
  ])("are not used for a column of %s", (_, meta) => {
    expect(statedChunks(statedFile(meta), INT32)).toEqual([]);
  });

  it("are not used with another number of columns", () => {
    expect(statedChunks(statedFile({ total_compressed_size: 60n }), leaves({}, {}))).toEqual([]);
  });

  it.each<readonly [string, readonly PageLocation[], readonly number[] | undefined]>(
    [
      [
        "pages side by side",
        [
          [4, 40, 0],
          [44, 20, 6],
        ],
        [6, 4],
      ],
      [
        "pages that overlap",
        [
          [4, 40, 0],
          [40, 24, 6],
        ],
        undefined,
      ],
      ["pages that end early", [[4, 40, 0]], undefined],
      [
        "pages without rows",
        [
          [4, 40, 0],
          [44, 20, 0],
        ],
        undefined,
      ],
      ["no pages", [], undefined],
    ].map(([what, pages, rows]) => [
      what as string,
      (pages as number[][]).map(([offset = 0, size = 0, firstRow = 0]) => ({ offset, size, firstRow })),
      rows as number[] | undefined,
    ]),
  )("have the pages of an offset index with %s", (_, locations, expected) => {
    const file = statedFile({ total_compressed_size: 60n }, { offsetIndexes: [locations] });
    expect(statedChunks(file, INT32)[0]?.pages?.map(({ rows }) => rows)).toEqual(expected);
  });
});

describe("pages where the footer states them", () => {
  const file = (size: number, rows: bigint, offset = 1000) =>
    statedFile({ total_compressed_size: BigInt(size) }, { offset }, rows);
  const layout = (stated: StatedFile, pages: FoundPages) =>
    statedLayout(stated, rowsOf(pages, INT32), storeOf());
  const dictionary = { kind: "dictionary", valueCount: 1 } as const;
  // Only the headers of damaged pages are known.
  const unread = (all: FoundPages): FoundPages => ({
    ...all,
    pages: all.pages.map((part) => ({ ...part, crc: "wrong" }) as const),
  });

  it("are a row group", async () => {
    const found10 = await layout(file(80, 10n), found(counts(5, 5)));
    expect(found10?.groups).toMatchObject([
      { rows: 10, isCertain: true, chunks: [{ runs: [{ rows: 10 }] }] },
    ]);
  });

  it.each<readonly [string, StatedFile, FoundPages]>([
    ["no pages", file(80, 10n), found([])],
    ["fewer rows than stated", file(80, 11n), found(counts(5, 5))],
    ["more rows than stated", file(80, 9n), found(counts(5, 5), { gapBefore: [false, true] })],
    ["pages before the chunk", file(80, 10n), found(counts(5, 5), {}, 2)],
    ["bytes before the first page without a gap", file(90, 10n), found(counts(5, 5), {}, 14)],
    ["pages after the chunk", file(40, 10n), found(counts(5, 5))],
    ["a page that is too long", file(60, 10n), found(counts(5, 5))],
    ["bytes after the last page without a gap", file(90, 10n), found(counts(5, 5))],
    ["a dictionary after data", file(64, 5n), unread(found([{ valueCount: 5 }, dictionary]))],
    [
      "a dictionary behind a gap",
      file(84, 5n),
      unread(found([dictionary, { valueCount: 5 }], { gapBefore: [true] }, 24)),
    ],
    ["pages of another type", file(80, 10n), found([{ valueCount: 5 }, { valueCount: 5, encoding: "RLE" }])],
  ])("are contradicted by %s", async (_, stated, pages) => {
    expect(await layout(stated, pages)).toBeUndefined();
  });

  it.each([
    ["are all moved by the bytes missing before them", false, ["end"]],
    ["are not known to have moved so if others are missing at the end", true, ["none"]],
  ])("%s", async (_, endsInGap, reaches) => {
    // 40 of 120 bytes are missing before the first page: the footer starts that much earlier.
    const pages = found(counts(5, 5), { gapBefore: [true, false], endsInGap });
    const moved = await layout(file(120, 15n, 84), pages);
    expect(moved?.groups[0]?.chunks[0]?.runs.map((run) => run.reaches)).toEqual(reaches);
    expect(moved?.groups).toMatchObject([{ isCertain: false, isGuessed: true }]);
  });

  it("have not moved if the last one ends where the footer says", async () => {
    const pages = found(counts(5, 5), { gapBefore: [true, false] }, 44);
    const moved = await layout(file(120, 15n, 84), pages);
    expect(moved?.groups).toMatchObject([{ isCertain: false, isGuessed: true, rows: 15 }]);
  });
});

describe("the header of a page", () => {
  const optional = leaves({ repetition_type: "OPTIONAL" });
  const v2 = (own: Partial<PageHeader>) =>
    header({ kind: "data-v2", rowCount: 4, definitionBytes: 2, valueCount: 4, nullCount: 1, ...own });

  it.each<readonly [string, PageHeader, readonly Leaf[], boolean]>([
    ["required values of their size", header({ valueCount: 4, uncompressedSize: 16 }), INT32, true],
    ["required values of another size", header({ valueCount: 4, uncompressedSize: 17 }), INT32, false],
    ["values after counted nulls", v2({ uncompressedSize: 2 + 12 }), optional, true],
    ["values of more than the stated nulls", v2({ uncompressedSize: 2 + 16 }), optional, false],
    [
      "v1 levels of unknown length before values",
      header({ valueCount: 4, uncompressedSize: 90 }),
      optional,
      true,
    ],
    [
      "v1 with counted nulls and room for levels",
      header({ valueCount: 4, nullCount: 1, uncompressedSize: 18 }),
      optional,
      true,
    ],
    [
      "v1 with counted nulls and no room for levels",
      header({ valueCount: 4, nullCount: 1, uncompressedSize: 15 }),
      optional,
      false,
    ],
    ["no values and no bytes", header({ valueCount: 0, uncompressedSize: 0 }), optional, true],
    ["no values but bytes", header({ valueCount: 0, uncompressedSize: 5 }), INT32, true],
  ])("fits a column, or not: %s", (_, own, [leaf], expected) => {
    expect(leaf && mayFit(own, leaf)).toBe(expected);
  });
});

describe("row groups that may start at a page", () => {
  it("are refused if there are more than a thousand", async () => {
    const many = leaves(...Array.from({ length: 40 }, () => ({})));
    const pages = found(counts(...Array.from({ length: 40 }, () => 1)), {
      gapBefore: Array.from({ length: 40 }, () => true),
    });
    const parser = new GroupParser(rowsOf(pages, many));
    const error = await parser.groupsFrom({ page: 0, column: 0, isInGap: false }).catch((reason) => reason);
    expect(error).toBeInstanceOf(CFileError);
    expect(error).toMatchObject({ code: "E_LIMIT", field: "rowGroupRows" });
  });
});

describe("the values of a page", () => {
  const bytes = Uint8Array.from([...new Uint8Array(24), ...new Uint8Array(Int32Array.of(7, 9).buffer)]);
  const [part] = found([{ valueCount: 2 }]).pages as [PagePart];
  const [leaf] = INT32 as [Leaf];

  it("have bounds, which are unknown for a damaged page and an error if the source fails", async () => {
    expect(await pageSpan(storeOf(bytes), part, leaf, undefined)).toEqual({
      least: 7,
      most: 9,
      isAscending: true,
    });
    const [other] = leaves({ type: "INT64" }) as [Leaf];
    expect(await pageSpan(storeOf(bytes), part, other, undefined)).toBeUndefined();
    const failing = { ...memorySource(bytes), read: () => Promise.reject(new CFileError("E_IO", "failed")) };
    const store = new PageStore(failing, [], {});
    await expect(pageSpan(store, part, leaf, undefined)).rejects.toMatchObject({ code: "E_IO" });
  });

  it("are compared with those of another file, for columns where that has any", async () => {
    const store = storeOf(bytes);
    const habits = await readHabits([{ column: 0, dictionary: undefined, pages: [part] }], INT32, store);
    const run = { from: 0, to: 1, rows: 2, reaches: "start" } as const;
    const group = (column: number) => ({
      start: { page: 0, column: 0, isInGap: false },
      end: { page: 1, column: 0, isInGap: false },
      ...{ rows: 2, cost: 0, chunks: [{ column, dictionary: undefined, runs: [run] }] },
    });
    const two = leaves({}, {});
    const far = Uint8Array.from([...new Uint8Array(24), ...new Uint8Array(Int32Array.of(9000, 7).buffer)]);
    expect(await habits.isUnlike(group(0), [part], two, store)).toBe(false);
    expect(await habits.isUnlike(group(1), [part], two, storeOf(far))).toBe(false);
    const fresh = await readHabits([{ column: 0, dictionary: undefined, pages: [part] }], INT32, store);
    expect(await fresh.isUnlike(group(0), [part], two, storeOf(far))).toBe(true);
  });
});

describe("the values of coded pages", () => {
  // A dictionary of 7 and 9, and a page of the codes 0 and 1: a width of one bit, and a bit-packed run.
  const at = 4 + PAGE_HEADER;
  const bytes = new Uint8Array(at + 8 + PAGE_HEADER + 3);
  bytes.set(new Uint8Array(Int32Array.of(7, 9).buffer), at);
  bytes.set([1, 3, 2], at + 8 + PAGE_HEADER);
  const coded = { valueCount: 2, encoding: "RLE_DICTIONARY", storedSize: 3, uncompressedSize: 3 };
  const [words, codes] = found([{ kind: "dictionary", valueCount: 2 }, coded]).pages as [PagePart, PagePart];
  const run = { from: 1, to: 2, rows: 2, reaches: "start" } as const;
  const group = (dictionary: number | undefined) => ({
    start: { page: 0, column: 0, isInGap: false },
    end: { page: 2, column: 0, isInGap: false },
    ...{ rows: 2, cost: 0, chunks: [{ column: 0, dictionary, runs: [run] }] },
  });

  it("are compared by their dictionary, and not without it", async () => {
    const store = storeOf(bytes);
    const far = bytes.slice();
    far.set(new Uint8Array(Int32Array.of(9000, 7).buffer), at);
    for (const [dictionary, other, isUnlike] of [
      [0, bytes, false],
      [0, far, true],
      [undefined, far, false],
    ] as const) {
      const habits = await readHabits([{ column: 0, dictionary: words, pages: [codes] }], INT32, store);
      expect(await habits.isUnlike(group(dictionary), [words, codes], INT32, storeOf(other))).toBe(isUnlike);
    }
  });

  it("refute a division by the values of another column, only if they are known", async () => {
    const plain = Uint8Array.from([...bytes, ...new Uint8Array(PAGE_HEADER)]);
    const two = leaves({}, {});
    const narrow = found([{ valueCount: 2 }], {}, bytes.length).pages;
    const both = Uint8Array.from([...plain, ...new Uint8Array(Int32Array.of(9000, 7).buffer)]);
    const store = storeOf(both);
    const chunks = [
      { column: 0, dictionary: words, pages: [codes] },
      { column: 1, dictionary: undefined, pages: narrow },
    ];
    const habits = await readHabits(chunks, two, store);
    const far = both.slice();
    far.set(new Uint8Array(Int32Array.of(9000, 7).buffer), at);
    expect(await habits.refute([group(0)], [words, codes], two, storeOf(far))).toBe(true);
    const others = await readHabits(chunks, two, store);
    expect(await others.refute([group(undefined)], [words, codes], two, storeOf(far))).toBe(false);
  });
});

describe("bytes of a page whose column is unknown", () => {
  const levels = { kind: "data-v2", rowCount: 4, nullCount: 0, definitionBytes: 2, valueCount: 4 } as const;

  it.each([
    ["as many as the header states, after levels", 18, true],
    ["fewer than the header states", 30, false],
  ])("are decompressed by some codec, or by none: %s", async (_, uncompressedSize, expected) => {
    const [part] = found([{ ...levels, storedSize: 18, uncompressedSize }]).pages as [PagePart];
    expect(await storeOf(new Uint8Array(64)).opens(part)).toBe(expected);
  });
});

it("finds no chunks of another file whose column metadata are encrypted", async () => {
  const metadata = { row_groups: [{ columns: [{ file_offset: 0n }], num_rows: 1n, total_byte_size: 0n }] };
  const bytes = readGolden("parquet/list_columns.parquet");
  expect(await siblingChunks(memorySource(bytes), metadata as unknown as FileMetaData, undefined)).toEqual(
    [],
  );
});

it.each([
  ["of the column's width", Uint8Array.of(1, 0, 0, 0), { least: 1, most: 1, isExact: true }],
  ["of another width", Uint8Array.of(1, 0), undefined],
])("takes bounds from the footer that are values %s", (_, bound, expected) => {
  const statistics = { field_5: bound, field_6: bound };
  const fields = { field_4: [{ field_1: [{ field_3: { field_12: statistics } }] }] };
  const file = statedFile({ total_compressed_size: 60n }, { fields });
  expect(statedChunks(file, INT32)[0]?.bounds).toEqual(expected);
});

it("guesses the row groups of a file whose pages have moved, also where only one division is possible", async () => {
  const pages = found(counts(5, 5), { hasMoved: true });
  const facts = { leaves: leaves({}, { type: "FLOAT" }), store: storeOf(), hints: {} };
  const { layout } = await dividePages(pages, undefined, facts);
  expect(layout.groups).toMatchObject([{ rows: 5, isCertain: false, isGuessed: true }]);
});
