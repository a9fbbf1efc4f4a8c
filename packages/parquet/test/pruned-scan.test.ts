/** Conditions skip row groups and pages; the rows are the same as without skipping. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CellValue } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { Condition } from "@cfile/encodings/conditions";
import { memorySink } from "@cfile/io";
import { flipBit, randomNumbers, temporaryFolder } from "@cfile-tools/testkit";
import { xxhash64 } from "hyparquet/src/xxhash.js";
import { describe, expect, it } from "vitest";
import { openParquet, type ParquetColumn, type ParquetScanOptions } from "../src/index.js";
import { scanNested } from "../src/nested.js";
import { intersect, joined } from "../src/prune/row-ranges.js";
import { Xxhash64 } from "../src/prune/xxhash64.js";
import { type ExportOptions, exportParquet } from "../src/write.js";
import { withDuckDB } from "./duckdb-rows.js";

const ROWS = 20_000;
const VALUES: Readonly<Record<string, string>> = {
  sorted: "i::BIGINT",
  small: "(i % 120)::TINYINT",
  random: "((i * 7919) % 100003)::INTEGER",
  real: "CASE WHEN i % 50 = 0 THEN 'NaN'::DOUBLE ELSE i / 7 END",
  text: "'key ' || lpad((i * 31 % 20000)::VARCHAR, 6, '0')",
  sparse: "CASE WHEN i % 3000 < 10 THEN i ELSE NULL END",
  at: "make_timestamp(i * 1000000)",
  price: "(i / 100)::DECIMAL(12, 2)",
  flag: "i > 15000",
  day: "DATE '2020-01-01' + (i // 10)::INTEGER",
};

async function duckFile(): Promise<Uint8Array> {
  const path = join(temporaryFolder(), "pruned.parquet");
  const columns = Object.entries(VALUES).map(([name, sql]) => `${sql} AS ${name}`);
  await withDuckDB(async (connection) => {
    await connection.run(
      `COPY (SELECT ${columns.join(", ")} FROM range(${ROWS}) t(i)) TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 4096)`,
    );
  });
  return new Uint8Array(await readFile(path));
}

/** The same columns with small pages, from our writer. */
async function ourFile(bytes: Uint8Array): Promise<Uint8Array> {
  await using file = await openParquet(bytes);
  const sink = memorySink();
  await exportParquet(
    sink,
    { columns: file.columns, rows: file.scan() },
    {
      pageRows: 100,
      rowGroupRows: 5000,
      bloomFilters: Object.keys(VALUES).filter((name) => name !== "flag"),
    },
  );
  return sink.bytes();
}

/** Small pages of values, one list per column. */
async function exported(
  columns: readonly ParquetColumn[],
  values: readonly (readonly CellValue[])[],
  options: ExportOptions = {},
): Promise<Uint8Array> {
  const sink = memorySink();
  async function* rows() {
    const batches = columns.map((column, i) => batchFromValues(column, values[i] ?? []));
    yield {
      length: values[0]?.length ?? 0,
      firstRow: 0,
      names: columns.map(({ name }) => name),
      columns: batches,
    };
  }
  await exportParquet(sink, { columns, rows: rows() }, { pageRows: 10, ...options });
  return sink.bytes();
}

async function rowsOf(bytes: Uint8Array, options: ParquetScanOptions): Promise<unknown[]> {
  await using file = await openParquet(bytes);
  const rows: unknown[] = [];
  for await (const batch of file.scan(options)) {
    const columns = batch.columns.map((column) => column.toArray());
    for (let i = 0; i < batch.length; i++) {
      rows.push([batch.rows?.[i] ?? batch.firstRow + i, ...columns.map((column) => column[i])]);
    }
  }
  return rows;
}

const CONDITIONS: readonly (readonly Condition[])[] = [
  [{ column: "sorted", op: "=", value: 12_345n }],
  [{ column: "sorted", op: "in", values: [1n, 19_999n, 20_000n] }],
  [{ column: "sorted", op: "<", value: 3n }],
  [{ column: "small", op: "=", value: 117 }],
  [{ column: "small", op: "=", value: -1 }],
  [{ column: "random", op: "=", value: 7919 }],
  [{ column: "real", op: "=", value: 0 }],
  [{ column: "real", op: ">=", value: 2850 }],
  [{ column: "text", op: "=", value: "key 000031" }],
  [{ column: "text", op: "prefix", value: "key 0199" }],
  [{ column: "text", op: ">", value: "key 019990" }],
  [{ column: "sparse", op: "isNotNull" }],
  [
    { column: "sparse", op: "isNull" },
    { column: "sorted", op: "<", value: 15n },
  ],
  [{ column: "at", op: "=", value: 17_000_000_000n }],
  [{ column: "price", op: "=", value: 1234n }],
  [{ column: "price", op: "<=", value: 20n }],
  [{ column: "flag", op: "=", value: false }],
  [{ column: "day", op: ">=", value: 20_260 }],
  [
    { column: "flag", op: "=", value: true },
    { column: "small", op: "in", values: [7, 9] },
  ],
];

describe("conditions", () => {
  it("find the same rows with and without statistics, Bloom filters and page indexes", async () => {
    const duck = await duckFile();
    const files = { duck, ours: await ourFile(duck) };
    for (const [name, bytes] of Object.entries(files)) {
      for (const where of CONDITIONS) {
        const columns = ["text", "sorted"];
        const expected = await rowsOf(bytes, { where, columns, useStatistics: false });
        expect(await rowsOf(bytes, { where, columns }), `${name} ${where[0]?.column}`).toEqual(expected);
      }
    }
  });
});

async function nestedRows(bytes: Uint8Array, options: ParquetScanOptions): Promise<unknown[]> {
  await using file = await openParquet(bytes);
  const rows: unknown[] = [];
  for await (const { columns, length, firstRow, positions } of scanNested(file, options)) {
    const cells = columns.map((column) => column.toArray());
    for (let i = 0; i < length; i++) {
      rows.push([firstRow + (positions?.[i] ?? i), ...cells.map((column) => column[i])]);
    }
  }
  return rows;
}

describe("an offset index with a wrong bit", () => {
  it.each([
    ["columns", rowsOf],
    ["fields", nestedRows],
  ])("gives the same rows, or an error, in a scan of %s", async (_, scan) => {
    const columns = ["a", "b"].map(
      (name) => ({ name, type: "INT32", nullable: false, array: false }) as const,
    );
    const values = Array.from({ length: 60 }, (_, i) => i);
    const whole = await exported(columns, [values, values]);
    const where = { column: "a", op: "=", value: 45 } as const;
    const expected = await scan(whole, { where });
    await using file = await openParquet(whole);
    const outcomes = { same: 0, error: 0 };
    for (const chunk of file.metadata.row_groups[0]?.columns ?? []) {
      const start = 8 * Number(chunk.offset_index_offset);
      for (let bit = start; bit < start + 8 * Number(chunk.offset_index_length); bit++) {
        const rows: unknown = await scan(flipBit(whole, bit), { where }).catch((error: unknown) => error);
        outcomes[Array.isArray(rows) ? "same" : "error"]++;
        if (Array.isArray(rows)) {
          expect(rows, `bit ${bit}`).toEqual(expected);
        } else {
          expect(rows, `bit ${bit}`).toMatchObject({ name: "CFileError" });
        }
      }
    }
    expect(outcomes.error).toBeGreaterThan(40);
    expect(outcomes.same).toBeGreaterThan(100);
  });
});

describe("sets of rows", () => {
  it("are intersected and joined", () => {
    const random = randomNumbers(5);
    for (let round = 0; round < 200; round++) {
      const set = () => {
        const starts = Array.from({ length: random(6) }, () => random(50)).sort((a, b) => a - b);
        return joined(starts.map((from) => ({ from, to: from + random(9) })));
      };
      const members = (ranges: readonly { from: number; to: number }[]) =>
        ranges.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i));
      const [a, b] = [set(), set()];
      expect(members(intersect(a, b))).toEqual(members(a).filter((row) => members(b).includes(row)));
    }
  });
});

describe("xxHash64", () => {
  it("agrees with another implementation for all lengths", () => {
    const random = randomNumbers(3);
    const hash = new Xxhash64();
    for (let length = 0; length < 200; length++) {
      const bytes = Uint8Array.from({ length: length + 3 }, () => random(256));
      hash.update(bytes, 3);
      const found = (BigInt(hash.high >>> 0) << 32n) | BigInt(hash.low >>> 0);
      expect(found).toBe(xxhash64(bytes.subarray(3)));
    }
  });
});
