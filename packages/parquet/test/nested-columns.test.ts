import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isCFileError } from "@cfile/bytes";
import { memorySink } from "@cfile/io";
import { randomNumbers, readGolden, temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { openParquet } from "../src/index.js";
import {
  fieldsOf,
  ListVector,
  MapVector,
  type NestedValue,
  StructVector,
  scanNested,
} from "../src/nested.js";
import { rebuildParquet } from "../src/recover.js";
import { craftedFile } from "./crafted-file.js";
import { duckRows, ourCell, withDuckDB } from "./duckdb-rows.js";

const ROWS = 6000;
/** Nulls, empty lists and values at every level; `i` is the row. */
const NESTED = `
  SELECT
    i::INTEGER AS id,
    CASE WHEN i % 7 = 0 THEN NULL ELSE [x * i FOR x IN range(i % 5)] END AS numbers,
    CASE WHEN i % 11 = 0 THEN NULL
         ELSE [CASE WHEN (x + i) % 3 = 0 THEN NULL ELSE [repeat('s', (y + i) % 4) FOR y IN range(x)] END
               FOR x IN range(i % 4)] END AS words,
    CASE WHEN i % 5 = 0 THEN NULL
         ELSE {'a': CASE WHEN i % 3 = 0 THEN NULL ELSE i END,
               'b': {'c': 'text ' || (i % 13), 'd': [{'e': x::DOUBLE / 2, 'f': x % 2 = 0} FOR x IN range(i % 3)]}}
         END AS record,
    CASE WHEN i % 4 = 0 THEN NULL
         ELSE map_from_entries([(x::VARCHAR, CASE WHEN x % 2 = 0 THEN NULL ELSE [x, i] END) FOR x IN range(i % 6)])
         END AS lookup
  FROM range(${ROWS}) t(i)`;

async function nestedFile(options: string): Promise<{ bytes: Uint8Array; rows: unknown[][] }> {
  const path = join(temporaryFolder(), "nested.parquet");
  return withDuckDB(async (connection) => {
    await connection.run(`COPY (${NESTED}) TO '${path}' (FORMAT parquet, ${options})`);
    return {
      bytes: new Uint8Array(await readFile(path)),
      rows: await duckRows(connection, `FROM read_parquet('${path}')`),
    };
  });
}

async function rowsOf(
  bytes: Uint8Array,
  options: Parameters<typeof scanNested>[1] = {},
): Promise<unknown[][]> {
  await using file = await openParquet(bytes);
  const rows: unknown[][] = [];
  for await (const { columns, length } of scanNested(file, options)) {
    const cells: NestedValue[][] = columns.map((column) => column.toArray({ strings: "bytes" }));
    const single = columns.map((column) => column.get(length - 1, { strings: "bytes" }) ?? null);
    expect(single.map(ourCell)).toEqual(cells.map((column) => ourCell(column[length - 1] ?? null)));
    for (let row = 0; row < length; row++) {
      rows.push(cells.map((column) => ourCell(column[row] ?? null)));
    }
  }
  return rows;
}

describe("lists, maps and structs", () => {
  it.each([
    "PARQUET_VERSION v1, ROW_GROUP_SIZE 2048",
    "PARQUET_VERSION v2, COMPRESSION zstd, ROW_GROUP_SIZE 100000",
  ])("are read as DuckDB reads them (%s)", async (options) => {
    const { bytes, rows } = await nestedFile(options);
    expect(rows).toHaveLength(ROWS);
    expect(await rowsOf(bytes)).toEqual(rows);
  });

  it("are selected by conditions on flat columns", async () => {
    const { bytes, rows } = await nestedFile("ROW_GROUP_SIZE 2048");
    const where = [
      { column: "id", op: ">=", value: 2500 },
      { column: "id", op: "in", values: [3, 2500, 2501, 5999, 7000] },
    ] as const;
    const columns = ["record", "numbers"];
    const expected = [2500, 2501, 5999].map((id) => [rows[id]?.[3], rows[id]?.[1]]);
    expect(await rowsOf(bytes, { columns, where })).toEqual(expected);
    expect(await rowsOf(bytes, { columns, where, useStatistics: false })).toEqual(expected);
    expect(await rowsOf(bytes, { columns, where, limit: 2 })).toEqual(expected.slice(0, 2));
  });

  it("are cut by a limit, and kept whole when all rows match", async () => {
    const { bytes, rows } = await nestedFile("ROW_GROUP_SIZE 2048");
    expect(await rowsOf(bytes, { limit: 2061 })).toEqual(rows.slice(0, 2061));
    const all = { column: "id", op: ">=", value: 0 } as const;
    expect(await rowsOf(bytes, { where: all, limit: 2061 })).toEqual(rows.slice(0, 2061));
    const some = { column: "id", op: "in", values: [1, 4, 6, 7, 20, 2047, 2048, 5999] } as const;
    expect(await rowsOf(bytes, { where: some })).toEqual(some.values.map((id) => rows[id]));
  });

  it("have Arrow's layout", async () => {
    const { bytes } = await nestedFile("ROW_GROUP_SIZE 2048");
    await using file = await openParquet(bytes);
    for await (const { columns, length } of scanNested(file)) {
      const [, numbers, , record, lookup] = columns;
      expect(numbers).toBeInstanceOf(ListVector);
      expect(record).toBeInstanceOf(StructVector);
      expect(lookup).toBeInstanceOf(MapVector);
      for (const list of [numbers, lookup]) {
        expect(list?.kind === "list" || list?.kind === "map" ? list.offsets.length : 0).toBe(length + 1);
      }
      for (const index of [-1, length, Number.NaN]) {
        expect([numbers, record, lookup].map((vector) => vector?.get(index))).toEqual(
          Array(3).fill(undefined),
        );
      }
      const children = record?.kind === "struct" ? record.children : [];
      expect(children.map((child) => child.length)).toEqual([length, length]);
    }
  });

  it("name the types of their fields", async () => {
    const { bytes } = await nestedFile("ROW_GROUP_SIZE 2048");
    await using file = await openParquet(bytes);
    expect(fieldsOf(file).map(({ name, kind, parquetType }) => [name, kind, parquetType])).toEqual([
      ["id", "leaf", "INT_32"],
      ["numbers", "list", "LIST"],
      ["words", "list", "LIST"],
      ["record", "struct", "group"],
      ["lookup", "map", "MAP"],
    ]);
    expect(file.columns.map(({ name }) => name)).toEqual(["id", "numbers"]);
  });
});

describe("pages", () => {
  const schema = [
    { name: "root", num_children: 3 },
    { name: "flat", type: "INT32", repetition_type: "OPTIONAL" },
    { name: "list", type: "INT32", repetition_type: "REPEATED" },
    { name: "group", repetition_type: "REQUIRED", num_children: 1 },
    { name: "member", type: "INT32", repetition_type: "REQUIRED" },
  ] as const;

  it("may end at other rows in each leaf", async () => {
    const bytes = craftedFile(schema, 6, [
      {
        path: "flat",
        pages: [
          { values: [1, 3], definitions: [1, 0, 1] },
          { values: [4, 6], definitions: [1, 0, 1] },
        ],
      },
      {
        path: "list",
        maxRepetition: 1,
        pages: [
          { values: [10], definitions: [1], repetitions: [0] },
          { values: [20, 21, 40, 41], definitions: [1, 1, 0, 1, 1], repetitions: [0, 1, 0, 0, 1] },
          { values: [60], definitions: [0, 1], repetitions: [0, 0] },
        ],
      },
      { path: "group.member", pages: [{ values: [1, 2] }, { values: [3, 4, 5, 6] }] },
    ]);
    const member = (value: number) => ({ member: value });
    expect(await rowsOf(bytes)).toEqual(
      [
        [1, [10], member(1)],
        [null, [20, 21], member(2)],
        [3, [], member(3)],
        [4, [40, 41], member(4)],
        [null, [], member(5)],
        [6, [60], member(6)],
      ].map((row) => row.map((value) => ourCell(value as NestedValue))),
    );
  });
});

describe("columns", () => {
  const schema = [
    { name: "root", num_children: 3 },
    { name: "id", type: "INT32", repetition_type: "REQUIRED" },
    { name: "other", type: "INT32", repetition_type: "REQUIRED" },
    { name: "group", repetition_type: "REQUIRED", num_children: 1 },
    {
      name: "price",
      type: "INT32",
      repetition_type: "REQUIRED",
      converted_type: "DECIMAL",
      precision: 50,
      scale: 2,
    },
  ] as const;
  const pages = [{ values: [1, 2] }];
  const bytes = craftedFile(
    schema,
    2,
    ["id", "other", "group.price"].map((path) => ({ path, pages })),
  );

  it("with types that cannot be read are left out, or refused if they are named", async () => {
    expect(await rowsOf(bytes)).toEqual([1, 2].map((value) => [value, value].map(ourCell)));
    await expect(rowsOf(bytes, { columns: ["group"] })).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
      field: "group",
      message: expect.stringContaining("column group cannot be read: group.price is DECIMAL(50, 2)"),
    });
  });

  it.each([
    ["an unknown column", { columns: ["unknown"] }, "E_INVALID_ARGUMENT"],
    [
      "an unknown column in a condition",
      { where: { column: "unknown", op: "isNull" } },
      "E_INVALID_ARGUMENT",
    ],
    ["a condition without a column", { where: { op: "=", value: 1 } }, "E_INVALID_ARGUMENT"],
    ["a condition on a group", { where: { column: "group", op: "isNull" } }, "E_UNSUPPORTED"],
  ] as const)("are checked: %s", async (_, options, code) => {
    await expect(rowsOf(bytes, options)).rejects.toMatchObject({ code });
  });

  it("may be none, which gives no rows", async () => {
    expect(await rowsOf(bytes, { columns: [] })).toEqual([]);
  });
});

describe("damage", () => {
  it("is reported, and all rows whose pages are whole are recovered", async () => {
    const { bytes, rows } = await nestedFile("ROW_GROUP_SIZE 2048, COMPRESSION snappy");
    await using file = await openParquet(bytes);
    const leaf = file.leaves.find(({ path }) => path.startsWith("record") && path.endsWith("e"));
    // In row groups 0 and 2, a page of one leaf is damaged in the middle of its values.
    const damaged = bytes.slice();
    for (const group of [0, 2]) {
      const meta = file.metadata.row_groups[group]?.columns[leaf?.index ?? 0]?.meta_data;
      const start = Number(meta?.data_page_offset);
      damaged.fill(0xff, start + 40, start + 60);
    }
    const report = await openParquet(damaged).then((open) => open.verify());
    expect(report.losses.map(({ column, rowGroup }) => [column, rowGroup])).toEqual([
      [leaf?.path, 0],
      [leaf?.path, 2],
    ]);
    const sink = memorySink();
    const rebuilt = await rebuildParquet(damaged, sink);
    expect(rebuilt.rows).toBe(2048);
    expect(await rowsOf(sink.bytes())).toEqual(rows.slice(2048, 4096));
  });

  it("is an error or does not change a row", async () => {
    const { bytes, rows } = await nestedFile("ROW_GROUP_SIZE 2048, COMPRESSION uncompressed");
    const random = randomNumbers(1);
    for (let round = 0; round < 30; round++) {
      const damaged = bytes.slice(0);
      const at = 4 + random(bytes.length - 4);
      damaged[at] = (damaged[at] as number) ^ (1 << random(8));
      try {
        const found = await rowsOf(damaged);
        // Values have no CRC in files of DuckDB: a flipped bit may change values, but not the number of rows.
        expect(found.length).toBe(rows.length);
      } catch (error) {
        expect(isCFileError(error), String(error)).toBe(true);
      }
    }
  });

  it("in levels is an error", async () => {
    await using file = await openParquet(readGolden("parquet/ARROW-GH-45185.parquet"));
    await expect(async () => {
      for await (const _ of scanNested(file)) {
        // All rows are read.
      }
    }).rejects.toMatchObject({ code: "E_CORRUPT" });
  });
});
