/** Files whose metadata contradict themselves or their pages. */
import { concatBytes } from "@cfile/bytes";
import { batchFromValues } from "@cfile/encodings/batches";
import { memorySink, memorySource } from "@cfile/io";
import { readGolden } from "@cfile-tools/testkit";
import type { ColumnMetaData, FileMetaData, RowGroup, SchemaElement } from "hyparquet";
import { describe, expect, it } from "vitest";
import { openParquet, type ParquetScanOptions } from "../src/index.js";
import { listedPages } from "../src/read/range-pages.js";
import { exportParquet } from "../src/write.js";
import { type CraftedBytes, craftedFile } from "./crafted-file.js";

type SortingColumn = NonNullable<RowGroup["sorting_columns"]>[number];

const schema: readonly SchemaElement[] = [
  { name: "root", num_children: 4 },
  { name: "a", type: "INT32", repetition_type: "REQUIRED" },
  { name: "b", type: "INT32", repetition_type: "REQUIRED" },
  { name: "c", type: "INT32", repetition_type: "OPTIONAL" },
  { name: "list", type: "INT32", repetition_type: "REPEATED" },
];
const chunks = [
  { path: "a", pages: [{ values: [] }, { values: [1, 2] }, { values: [] }, { values: [3] }] },
  { path: "b", pages: [{ values: [4, 5, 6] }] },
  { path: "c", pages: [{ values: [7, 8], definitions: [1, 0, 1] }] },
  {
    path: "list",
    pages: [{ values: [9, 10, 11], definitions: [1, 1, 0, 1], repetitions: [0, 1, 0, 0] }],
  },
];
const crafted = (change?: (metadata: FileMetaData) => FileMetaData): Uint8Array =>
  craftedFile(schema, 3, chunks, change);

async function rowsOf(bytes: Uint8Array, options: ParquetScanOptions = {}): Promise<unknown[][]> {
  await using file = await openParquet(bytes);
  const rows: unknown[][] = [];
  for await (const { columns, length } of file.scan(options)) {
    const cells = columns.map((column) => column.toArray());
    rows.push(...Array.from({ length }, (_, i) => cells.map((column) => column[i])));
  }
  return rows;
}

describe("a file", () => {
  it("may have pages without values", async () => {
    expect(await rowsOf(crafted())).toEqual([
      [1, 4, 7, [9, 10]],
      [2, 5, null, []],
      [3, 6, 8, [11]],
    ]);
  });

  const ascending = (...columns: readonly number[]): SortingColumn[] =>
    columns.map((column_idx) => ({ column_idx, descending: false, nulls_first: false }));
  const descending = (column_idx: number) => ({ column_idx, descending: true, nulls_first: false });
  it.each<readonly [string, readonly (SortingColumn[] | undefined)[], readonly string[]]>([
    ["no row groups", [], []],
    ["no order", [undefined], []],
    ["one row group", [ascending(1, 0)], ["b", "a"]],
    ["the common start of row groups", [ascending(0, 1), ascending(0)], ["a"]],
    ["another order in a row group", [ascending(0, 1), ascending(1, 0)], []],
    ["the same order in all row groups", [ascending(0, 1), ascending(0, 1)], ["a", "b"]],
    ["a descending column", [[...ascending(0), descending(1)]], ["a"]],
    ["a column with nulls", [ascending(0, 2, 1)], ["a"]],
    ["a column of lists", [ascending(3)], []],
    ["an unknown column", [ascending(0, 9)], ["a"]],
  ])("is sorted as its row groups state: %s", async (_, orders, expected) => {
    const bytes = crafted((metadata) => {
      const group = metadata.row_groups[0] as FileMetaData["row_groups"][number];
      const groups = orders.map((order) => ({ ...group, ...(order && { sorting_columns: order }) }));
      return { ...metadata, row_groups: groups, num_rows: 3n * BigInt(groups.length) };
    });
    await using file = await openParquet(bytes);
    expect(file.sortedBy).toEqual(expected);
  });

  it.each<readonly [string, ParquetScanOptions, object]>([
    ["an unknown column", { columns: ["z"] }, { code: "E_INVALID_ARGUMENT", field: "name" }],
    ["a condition without a column", { where: { op: "=", value: 1 } }, { code: "E_INVALID_ARGUMENT" }],
    [
      "a condition on a list",
      { where: { column: "list", op: "=", value: 1 } },
      { code: "E_INVALID_ARGUMENT" },
    ],
  ])("refuses %s", async (_, options, error) => {
    await expect(rowsOf(crafted(), options)).rejects.toMatchObject(error);
  });

  it("gives no more rows than asked for", async () => {
    for (const limit of [0, 1, 2, 3, 4]) {
      expect(await rowsOf(crafted(), { columns: ["a"], limit })).toEqual([[1], [2], [3]].slice(0, limit));
    }
    const where = { column: "b", op: ">", value: 4 } as const;
    expect(await rowsOf(crafted(), { columns: ["a"], where, limit: 1 })).toEqual([[2]]);
  });

  it("has columns that a CFile cannot have, and says why", async () => {
    const nested = [
      { name: "root", num_children: 1 },
      { name: "g", repetition_type: "REQUIRED", num_children: 1 },
      { name: "x", type: "INT32", repetition_type: "REQUIRED" },
    ] as const;
    const bytes = craftedFile(nested, 1, [{ path: "g.x", pages: [{ values: [1] }] }]);
    await expect(rowsOf(bytes, { columns: ["g"] })).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
      field: "g",
    });
    await using file = await openParquet(bytes);
    expect([file.columns, file.refused]).toEqual([[], [{ name: "g.x", reason: "a nested column" }]]);
  });
});

describe("a chunk", () => {
  const changed = (change: (meta: ColumnMetaData) => Partial<ColumnMetaData> | undefined): Uint8Array =>
    crafted((metadata) => {
      for (const { columns } of metadata.row_groups) {
        const meta = columns[0]?.meta_data as ColumnMetaData;
        const own = change(meta);
        columns[0] = { file_offset: 0n, ...(own && { meta_data: { ...meta, ...own } }) };
      }
      return metadata;
    });
  it.each<readonly [string, Uint8Array]>([
    ["no metadata", changed(() => undefined)],
    ["another type", changed(() => ({ type: "INT64" }))],
    ["an unknown codec", changed(() => ({ codec: "UNKNOWN" as never }))],
    ["an offset of 0", changed(() => ({ data_page_offset: 0n }))],
    ["a negative size", changed(() => ({ total_compressed_size: -1n }))],
    ["a negative number of values", changed(() => ({ num_values: -1n }))],
  ])("is refused with %s, and the other columns are read", async (_, bytes) => {
    await expect(rowsOf(bytes, { columns: ["a"] })).rejects.toMatchObject({
      code: "E_CORRUPT",
      field: "column chunk",
    });
    expect(await rowsOf(bytes, { columns: ["b"] })).toEqual([[4], [5], [6]]);
    await using file = await openParquet(bytes);
    const { losses } = await file.verify();
    expect(losses).toMatchObject([{ column: "a", part: "rest", rows: { from: 0, to: 3 }, offset: 0 }]);
  });

  it("without values may have no offset", async () => {
    const empty = craftedFile(schema.slice(0, 2).with(0, { name: "root", num_children: 1 }), 0, [
      { path: "a", pages: [] },
    ]);
    expect(await rowsOf(empty)).toEqual([]);
  });

  it("whose key is missing is a loss of all its rows", async () => {
    const bytes = readGolden("parquet-encrypted/java-plain-footer-ctr.parquet");
    await using file = await openParquet(bytes);
    const { losses } = await file.verify();
    expect([...new Set(losses.map(({ column, error }) => `${column} ${error.code} ${error.field}`))]).toEqual(
      ["id E_UNSUPPORTED column key", "name E_UNSUPPORTED column key"],
    );
  });
});

describe("an encrypted page", () => {
  it.each([
    ["more bytes than its chunk", 0x7fffffff, "E_CORRUPT"],
    ["fewer bytes than a module", 5, "E_TRUNCATED"],
    ["other bytes than were encrypted", 40, "E_CHECKSUM"],
  ])("is refused when its header states %s", async (_, length, code) => {
    const bytes = readGolden("parquet-encrypted/java-uniform.parquet");
    const keys = { footerKey: new TextEncoder().encode("0123456789012345") };
    await using whole = await openParquet(bytes, { keys });
    const meta = whole.metadata.row_groups[0]?.columns[0]?.meta_data;
    const start = Number(meta?.dictionary_page_offset ?? meta?.data_page_offset);
    const damaged = bytes.slice();
    new DataView(damaged.buffer).setUint32(start, length, true);
    await using file = await openParquet(damaged, { keys });
    const report = await file.verify();
    expect(report.losses[0]).toMatchObject({ column: "id", error: { code } });
  });
});

/** A dictionary of one value, then codes; `encoding` is the number in the format. */
function dictionaryWith(encoding: number, body: Uint8Array): CraftedBytes {
  const size = 2 * body.length;
  const head = [0x15, 4, 0x15, size, 0x15, size, 0x4c, 0x15, 2, 0x15, 2 * encoding, 0, 0];
  return { stored: concatBytes([Uint8Array.from(head), body]), valueCount: 0 };
}

describe("a dictionary", () => {
  const codes: CraftedBytes = {
    // A page of version 1: 2 codes of 1 bit.
    stored: Uint8Array.of(
      0x15,
      0,
      0x15,
      6,
      0x15,
      6,
      0x2c,
      0x15,
      4,
      0x15,
      16,
      0x15,
      6,
      0x15,
      6,
      0,
      0,
      1,
      4,
      0,
    ),
    valueCount: 2,
  };
  const int32 = Uint8Array.of(7, 0, 0, 0);
  const one = (type: "INT32" | "BOOLEAN", encoding: number, body: Uint8Array): Uint8Array =>
    craftedFile(
      [
        { name: "root", num_children: 1 },
        { name: "a", type, repetition_type: "REQUIRED" },
      ],
      2,
      [{ path: "a", pages: [dictionaryWith(encoding, body), codes] }],
      (metadata) => {
        Object.assign(metadata.row_groups[0]?.columns[0]?.meta_data ?? {}, { type, encodings: [] });
        return metadata;
      },
    );

  it("gives the values of codes", async () => {
    expect(await rowsOf(one("INT32", 0, int32))).toEqual([[7], [7]]);
    expect(await rowsOf(one("INT32", 2, int32))).toEqual([[7], [7]]);
  });

  it.each([
    ["an encoding that dictionaries do not have", one("INT32", 5, int32), "E_UNSUPPORTED"],
    ["booleans", one("BOOLEAN", 0, Uint8Array.of(1)), "E_CORRUPT"],
    ["fewer bytes than its values", one("INT32", 0, int32.subarray(0, 3)), "E_TRUNCATED"],
  ])("is refused with %s", async (_, bytes, code) => {
    await expect(rowsOf(bytes)).rejects.toMatchObject({ code });
  });
});

describe("an offset index", () => {
  const spanning = craftedFile(schema.slice(3).with(0, { name: "root", num_children: 1 }), 2, [
    {
      path: "list",
      pages: [
        { values: [1, 2], definitions: [1, 1], repetitions: [0, 1] },
        { values: [3, 4], definitions: [1, 1], repetitions: [1, 0] },
      ].map((page) => ({ ...page })),
      maxRepetition: 1,
    },
  ]);

  it("is refused if it lists a page that does not start a row", async () => {
    await using file = await openParquet(spanning);
    const [leaf] = file.leaves;
    if (leaf === undefined) {
      throw new TypeError("the file has no column");
    }
    const offsets: number[] = [];
    for await (const { offset } of file.pages(leaf, 0)) {
      offsets.push(offset);
    }
    const locations = offsets.map((offset, firstRow) => ({ offset, size: 100, firstRow }));
    const chunk = { ...file.chunks.chunk(leaf, 0), locations };
    const read = async (): Promise<void> => {
      for await (const _ of listedPages(memorySource(spanning), chunk, [{ from: 1, to: 2 }], {})) {
        // The second page continues the first row.
      }
    };
    await expect(read()).rejects.toMatchObject({ code: "E_CORRUPT", field: "offset index" });
  });

  it("leads past a page of lists whose header is lost", async () => {
    const column = { name: "list", type: "INT32", nullable: true, array: true } as const;
    const values = Array.from({ length: 50 }, (_, i) => [i, i]);
    async function* rows() {
      yield { length: 50, firstRow: 0, names: ["list"], columns: [batchFromValues(column, values)] };
    }
    const sink = memorySink();
    await exportParquet(sink, { columns: [column], rows: rows() }, { pageRows: 10 });
    const damaged = sink.bytes().slice();
    await using whole = await openParquet(damaged);
    const [leaf] = whole.leaves;
    const locations = leaf && (await whole.chunks.locations(leaf, 0));
    const third = locations?.[2]?.offset ?? 0;
    damaged.fill(0, third, third + 12);
    const report = await whole.verify();
    expect(report.losses).toMatchObject([{ page: 2, rows: { from: 20, to: 30 }, values: undefined }]);
  });
});
