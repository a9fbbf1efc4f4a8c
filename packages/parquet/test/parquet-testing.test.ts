/** The valid files of apache/parquet-testing: each gives the same rows as in DuckDB, or is refused with a reason. */
import { listGolden, pathToGolden } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { openParquet } from "../src/index.js";
import { fieldsOf, type NestedValue, refusalOf, scanNested } from "../src/nested.js";
import { duckRows, ourCell, withDuckDB } from "./duckdb-rows.js";

const path = (name: string): string => pathToGolden(`parquet-testing/${name}.parquet`);

async function ourRows(name: string): Promise<unknown[][]> {
  await using file = await openParquet(path(name));
  const rows: unknown[][] = [];
  for await (const { columns, length } of scanNested(file)) {
    const cells: NestedValue[][] = columns.map((column) => column.toArray({ strings: "bytes" }));
    for (let row = 0; row < length; row++) {
      rows.push(cells.map((column) => ourCell(column[row] ?? null)));
    }
  }
  return rows;
}

/** Files that we refuse, with the code and field of the error. */
const REFUSED: Readonly<Record<string, readonly [string, string]>> = {
  "data/datapage_v1-corrupt-checksum": ["E_CHECKSUM", "crc"],
  "data/rle-dict-uncompressed-corrupt-checksum": ["E_CHECKSUM", "crc"],
};
const ONES = [
  ["1", "2", "3"],
  ["4", "5", "6"],
  ["7", "8", "9"],
];
/** Documented rows of files that DuckDB does not read or reads differently. */
const DOCUMENTED: Readonly<Record<string, unknown[][]>> = {
  "data/int96_from_spark": [
    ["1704141296123456"],
    ["1704070800000000"],
    ["253402225200000000"],
    ["1735599600000000"],
    [null],
    ["9089380393200000000"],
  ],
  "data/map_no_value": ONES.map((list) => [list.map((key) => [key, null]), list, list]),
};
/** Two encodings of the same values, side by side. */
const TWINS = ["data/byte_stream_split_extended.gzip"];
/** Files that DuckDB does not read, each with a file that has the same rows. */
const SAME: Readonly<Record<string, string>> = {
  "data/non_hadoop_lz4_compressed": "data/hadoop_lz4_compressed",
  "data/hadoop_lz4_compressed": "data/lz4_raw_compressed",
  "data/hadoop_lz4_compressed_larger": "data/lz4_raw_compressed_larger",
};
/** One column chunk of strings of more than 2 GiB, in 4 KiB. */
const BOMBS = ["data/large_string_map.brotli"];

const names = ["data", "data/geospatial"].flatMap((folder) =>
  listGolden(`parquet-testing/${folder}`, ".parquet").map((name) => `${folder}/${name}`),
);
const special = [REFUSED, DOCUMENTED, SAME].flatMap((files) => Object.keys(files));

describe("files of apache/parquet-testing", () => {
  it.each(names.filter((name) => ![...special, ...TWINS, ...BOMBS].includes(name)))(
    "%s: has the rows that DuckDB reads",
    async (name) => {
      const theirs = await withDuckDB((connection) =>
        duckRows(connection, `FROM read_parquet('${path(name)}')`),
      );
      expect(await ourRows(name)).toEqual(theirs);
      await using file = await openParquet(path(name));
      expect(fieldsOf(file).flatMap((field) => refusalOf(field) ?? [])).toEqual([]);
      expect(await file.verify()).toMatchObject({ ok: true });
    },
  );

  it.each(Object.entries(DOCUMENTED))("%s: has the documented rows", async (name, rows) => {
    expect(await ourRows(name)).toEqual(rows);
  });

  it.each(Object.entries(SAME))("%s: has the rows of %s", async (name, other) => {
    const rows = await ourRows(name);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows).toEqual(await ourRows(other));
  });

  it.each(TWINS)("%s: has the same values in each pair of columns", async (name) => {
    const rows = await ourRows(name);
    expect(rows).toHaveLength(200);
    for (const row of rows) {
      expect(row.filter((_, i) => i % 2 === 0)).toEqual(row.filter((_, i) => i % 2 === 1));
    }
  });

  it.each(Object.entries(REFUSED))("%s: is refused", async (name, [code, field]) => {
    await expect(ourRows(name)).rejects.toMatchObject({ code, field });
  });

  it.each(listGolden("parquet-testing/shredded_variant", ".parquet"))(
    "%s: carries the parts of a shredded VARIANT",
    async (name) => {
      await using file = await openParquet(path(`shredded_variant/${name}`));
      const variant = fieldsOf(file).find((field) => field.kind === "struct");
      const fields = variant?.kind === "struct" ? variant.fields.map((field) => field.name) : [];
      expect(fields.slice(0, 1)).toEqual(["metadata"]);
      expect(await file.verify()).toMatchObject({ ok: true });
      expect(await ourRows(`shredded_variant/${name}`)).toHaveLength(file.rowCount);
    },
  );

  const READABLE = "ARROW-GH-43605";
  it.each(listGolden("parquet-testing/bad_data", ".parquet").filter((name) => name !== READABLE))(
    "bad_data/%s: is refused",
    async (name) => {
      await expect(ourRows(`bad_data/${name}`)).rejects.toMatchObject({ name: "CFileError" });
    },
  );

  it(`bad_data/${READABLE}: dictionary codes of width 0 are valid`, async () => {
    expect(await ourRows(`bad_data/${READABLE}`)).toHaveLength(21_186);
  });

  it.each(BOMBS)("%s: is refused, since its strings exceed the limit of a page", async (name) => {
    await using file = await openParquet(path(name));
    await expect(async () => {
      for await (const _ of scanNested(file)) {
        // All rows are read.
      }
    }).rejects.toMatchObject({ code: "E_LIMIT" });
  });
});
