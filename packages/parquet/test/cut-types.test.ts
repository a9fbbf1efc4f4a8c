/** Files with every type of the format, cut at page boundaries and random offsets: exactly the rows whose pages are whole are recovered. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { listGolden, randomNumbers, readGolden, temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import type { RebuildOptions } from "../src/recover.js";
import { withDuckDB } from "./duckdb-rows.js";
import { difference, footerSize, rebuilt, rowsWithout, subjectOf } from "./rebuilt-rows.js";

/** Cuts of a file of few pages; larger files get fewer. */
const CUTS = 8;
const MANY_PAGES = 300;
const START = 4096;

/** The recovered rows; empty if the remaining pages show nothing. */
async function recovered(bytes: Uint8Array, options: RebuildOptions): Promise<readonly string[]> {
  try {
    return (await rebuilt(bytes, options)).rows;
  } catch (error) {
    expect(error).toMatchObject({ name: "CFileError" });
    return [];
  }
}

/** Differences between the rows recovered from cuts of a file and its whole rows. */
async function cutDifferences(
  name: string,
  bytes: Uint8Array,
  options: RebuildOptions = {},
): Promise<string[]> {
  const subject = await subjectOf(name, bytes);
  const random = randomNumbers(3);
  const end = bytes.length - footerSize(bytes);
  const { pageEnds } = subject;
  const cuts = pageEnds.length > MANY_PAGES ? 1 : CUTS;
  const step = Math.ceil(pageEnds.length / cuts);
  const ends = pageEnds.filter((_, i) => i % step === step >> 1);
  const places = Array.from({ length: cuts >> 1 }, () => 4 + random(end - 4));
  const differences: string[] = [];
  for (const size of new Set([...ends, ...places, end])) {
    const rows = await recovered(bytes.subarray(0, size), { ...options, like: bytes });
    const expected = rowsWithout(subject, { from: size, to: bytes.length });
    differences.push(...difference(`cut at ${size} of ${bytes.length}`, rows, expected));
  }
  const start = { from: 0, to: Math.min(START, end >> 1) };
  const rest = await recovered(bytes.subarray(start.to), {});
  differences.push(...difference("without its start", rest, rowsWithout(subject, start)));
  const own = await recovered(bytes.subarray(0, bytes.length - 8), {});
  return [...differences, ...difference("with its own footer", own, subject.rows)];
}

describe("DuckDB", () => {
  const folder = temporaryFolder();
  const rows = "FROM range(4500) t(i)";
  it.each([
    [
      "VARIANT",
      `SELECT i AS id, CASE WHEN i % 5 = 0 THEN NULL ELSE {'a': i, 'b': 'x' || i}::VARIANT END AS v ${rows}`,
    ],
    ["GEOMETRY", `SELECT i AS id, ('POINT(' || i || ' 2)')::GEOMETRY AS g ${rows}`],
    [
      "numbers and times",
      `SELECT i::HUGEINT AS huge, (i / 7)::DECIMAL(25, 5) AS wide, (i / 7)::DECIMAL(4, 1) AS narrow, i::UINTEGER AS unsigned,
       ('2020-01-01'::TIMESTAMP + INTERVAL (i) SECOND)::TIMESTAMP_NS AS nanos, TIME '10:00:00' + INTERVAL (i) SECOND AS time,
       INTERVAL (i) DAY AS span, md5(i::VARCHAR)::BLOB AS bytes, md5(i::VARCHAR)::UUID AS uuid,
       (CASE i % 3 WHEN 0 THEN 'a' ELSE 'b' END)::ENUM('a', 'b') AS choice ${rows}`,
    ],
  ])("%s", async (name, select) => {
    for (const form of ["COMPRESSION snappy", "COMPRESSION zstd, PARQUET_VERSION v2"]) {
      const path = join(folder, `${name}.parquet`);
      await withDuckDB((connection) =>
        connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 2048, ${form})`),
      );
      expect(await cutDifferences(name, new Uint8Array(await readFile(path)))).toEqual([]);
    }
  });
});

/** Two of these cannot be read; the others have too many pages for a short test, or pages above the size limit. */
const LEFT_OUT: readonly string[] = [
  "data/datapage_v1-corrupt-checksum",
  "data/rle-dict-uncompressed-corrupt-checksum",
  "data/overflow_i16_page_cnt",
  "data/large_string_map.brotli",
];
/** Two columns of one type and a single row group: only its number of rows shows where the first column ends. */
const ROW_GROUP_ROWS: Readonly<Record<string, number>> = {
  "data/datapage_v1-snappy-compressed-checksum": 5120,
  "data/datapage_v1-uncompressed-checksum": 5120,
};

describe("apache/parquet-testing", () => {
  const names = ["data", "data/geospatial", "shredded_variant"].flatMap((folder) =>
    listGolden(`parquet-testing/${folder}`, ".parquet").map((name) => `${folder}/${name}`),
  );
  it.each(names.filter((name) => !LEFT_OUT.includes(name)))("%s", async (name) => {
    const bytes = readGolden(`parquet-testing/${name}.parquet`);
    expect(await cutDifferences(name, bytes, { rowGroupRows: ROW_GROUP_ROWS[name] })).toEqual([]);
  });
});
