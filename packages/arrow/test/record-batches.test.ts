import type { ColumnBatch } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { MemoryDirectory } from "@cfile/io";
import type { RowSetColumn } from "@cfile/rowset";
import { createTableStore, openTableStore } from "@cfile/rowset/store";
import { collectRows } from "@cfile-tools/testkit";
import { RecordBatch, RecordBatchReader, Table, vectorFromArray } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { apacheArrow } from "../src/apache.js";
import { flechette } from "../src/flechette.js";
import { type ArrowColumn, tableOfFiles, tableOfScan } from "../src/index.js";
import { digestOf, goldenDigest, openGolden } from "./golden.js";

const names = [
  "enc_int128_bshuf_null_n1000",
  "enc_decimal128_plain_null_n1000",
  "enc_date_rle_null_n1000",
  "enc_unixtime_micros_plain_null_n1000",
  "enc_string_dict_null_n1000",
  "enc_bool_rle_null_n1000",
  "enc_float_bshuf_null_n1000",
];

async function openAll() {
  const files = await Promise.all(names.map(openGolden));
  return Object.fromEntries(files.map((file, i) => [names[i] ?? "", file]));
}

async function expectDigests({
  columns,
  rows,
}: {
  readonly columns: readonly ArrowColumn[];
  readonly rows: AsyncIterable<{ readonly columns: readonly ColumnBatch[] }>;
}): Promise<void> {
  const batches: ColumnBatch[][] = columns.map(() => []);
  for await (const part of rows) {
    for (const [i, batch] of part.columns.entries()) {
      batches[i]?.push(batch);
    }
  }
  expect(columns.map(({ name }) => name)).toEqual(names);
  for (const [i, column] of columns.entries()) {
    expect(await digestOf(column, batches[i] ?? []), column.name).toBe(goldenDigest(column.name));
  }
}

describe("several CFiles survive a round trip", () => {
  it("through a stream of record batches that share the table's schema", async () => {
    const apache = await apacheArrow();
    const table = tableOfFiles(await openAll(), {}, { batchRows: 300 });
    const schema = apache.schema(table);
    const batches: RecordBatch[] = [];
    for await (const batch of apache.recordBatches(table)) {
      batches.push(batch);
      expect(batch).toBeInstanceOf(RecordBatch);
      expect(batch.schema).toBe(batches[0]?.schema);
      expect(String(batch.schema)).toBe(String(schema));
    }
    expect(batches.length).toBeGreaterThan(3);
    await expectDigests(apache.rows({ schema, batches }));
    // The library accepts them like its own batches.
    const whole = new Table(batches);
    expect(whole.numRows).toBe(1000);
    expect(whole.getChild("enc_bool_rle_null_n1000")?.nullCount).toBe(
      batches.reduce((sum, batch) => sum + (batch.getChildAt(5)?.nullCount ?? 0), 0),
    );
    await expectDigests(apache.rows(whole));
  });

  it("through a reader, and through tables of both libraries", async () => {
    const apache = await apacheArrow();
    const reader = await RecordBatchReader.from(apache.ipc(tableOfFiles(await openAll())));
    await reader.open();
    await expectDigests(apache.rows({ schema: reader.schema, batches: reader }));
    const other = await flechette();
    await expectDigests(other.rows(await other.table(tableOfFiles(await openAll(), {}, { batchRows: 300 }))));
  });

  it("without copying the scanned batches", async () => {
    const apache = await apacheArrow();
    const file = await openGolden("large_int32_bshuf");
    const table = tableOfFiles({ v: file });
    const scanned: ColumnBatch[] = [];
    const schema = apache.schema(table);
    async function* rows() {
      for await (const part of table.rows) {
        scanned.push(...part.columns);
        yield part;
      }
    }
    const batches = apache.recordBatches({ columns: table.columns, rows: rows() });
    for await (const { columns } of apache.rows({ schema, batches }).rows) {
      const [back, own] = [columns[0], scanned.at(-1)];
      expect(
        back?.kind === "fixed" && own?.kind === "fixed" && back.values.buffer === own.values.buffer,
      ).toBe(true);
    }
    expect(scanned.length).toBeGreaterThan(1);
  });
});

const column = (id: number, name: string, type: RowSetColumn["type"], more: object = {}): RowSetColumn => ({
  id,
  name,
  type,
  nullable: id > 0,
  array: false,
  isKey: id === 0,
  ...more,
});

describe("a row set", () => {
  const columns = [
    column(0, "k", "INT32"),
    column(1, "price", "DECIMAL64", { precision: 12, scale: 2 }),
    column(2, "wide", "DECIMAL128", { precision: 30, scale: 5 }),
    column(3, "day", "DATE"),
    column(4, "at", "UNIXTIME_MICROS"),
    column(5, "tags", "STRING", { array: true }),
  ];
  const cells = Array.from({ length: 200 }, (_, i) => [
    i,
    i % 3 === 0 ? null : BigInt(i) * 101n,
    i % 4 === 0 ? null : -(10n ** 28n) + BigInt(i),
    i % 5 === 0 ? null : 19_000 + i,
    i % 6 === 0 ? null : 1_700_000_000_000_000n + BigInt(i),
    i % 7 === 0 ? null : [`a${i}`, null, ""].slice(0, i % 4),
  ]);

  it("round-trips through record batches, including decimal digits", async () => {
    const [first, second] = [new MemoryDirectory(), new MemoryDirectory()];
    await using creator = await createTableStore(first, { columns });
    await creator.appendRows(cells);
    await creator.finish();
    await using rowSet = await openTableStore(first);
    const apache = await apacheArrow();
    const table = tableOfScan(rowSet.schema.columns, rowSet.scan({ batchRows: 64 }));
    const schema = apache.schema(table);
    expect(schema.fields.map(({ type }) => String(type))).toEqual([
      "Int32",
      "Decimal[12e+2]",
      "Decimal[30e+5]",
      "Date32<DAY>",
      "Timestamp<MICROSECOND, UTC>",
      "List<Utf8>",
    ]);
    const back = apache.rows({ schema, batches: apache.recordBatches(table) });
    expect(back.columns).toMatchObject(columns.map(({ id: _, isKey: __, ...own }) => own));
    await using again = await createTableStore(second, { columns });
    for await (const { columns: batches } of back.rows) {
      await again.append(batches);
    }
    await again.finish();
    await using copy = await openTableStore(second);
    expect(await collectRows(copy.scan())).toEqual(cells);
  });
});

describe("both libraries decode our vectors", () => {
  it("to the expected decimals, dates, timestamps, bytes and lists", async () => {
    const apache = await apacheArrow();
    const other = await flechette();
    const cases = [
      ["DATE", [19_723, null], (day: number) => day * 86_400_000],
      // Milliseconds, with microseconds as decimals.
      ["UNIXTIME_MICROS", [1_700_000_000_000_001n, null], (micros: bigint) => Number(micros) / 1000],
      ["FLOAT", [1.5, null], (value: number) => value],
      ["BINARY", [Uint8Array.of(0, 255), null], (bytes: Uint8Array) => bytes],
    ] as const;
    for (const [type, values, meant] of cases) {
      const batch = batchFromValues({ type, nullable: true }, [...values]);
      const expected = [(meant as (value: unknown) => unknown)(values[0]), null];
      const own = [...apache.vector(batch)].map((value) => (value instanceof Date ? Number(value) : value));
      expect(own, type).toEqual(expected);
    }
    const [day] = other.column([batchFromValues({ type: "DATE" }, [19_723])]);
    expect(Number(day)).toBe(Date.UTC(2024, 0, 1));
    const decimals = [
      ["DECIMAL32", -12_345],
      ["DECIMAL64", -123_456_789_012n],
      ["DECIMAL128", 2n ** 120n + 5n],
      ["INT128", -(2n ** 100n)],
    ] as const;
    for (const [type, value] of decimals) {
      const batch = batchFromValues({ type }, [value]);
      expect(BigInt(String([...other.column([batch])][0])), `flechette ${type}`).toBe(BigInt(value));
      const words: Uint32Array = [...apache.vector(batch)][0];
      const unsigned = [...words].reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);
      expect(BigInt.asIntN(32 * words.length, unsigned), `apache ${type}`).toBe(BigInt(value));
    }
    const lists = [[1, null, 3], null, []];
    const batch = batchFromValues({ type: "INT32", array: true, nullable: true }, lists);
    const plain = (list: Iterable<unknown> | null): unknown => list && [...list];
    expect([...apache.vector(batch)].map(plain)).toEqual(lists);
    expect([...other.column([batch])].map((list) => plain(list as Iterable<unknown> | null))).toEqual(lists);
  });
});

describe("invalid record batches", () => {
  it("throw when their rows are read", async () => {
    const apache = await apacheArrow();
    const table = new Table({ a: vectorFromArray(Int32Array.of(1, 2)) });
    const longer = new Table({ a: vectorFromArray(Int32Array.of(1, 2)), b: vectorFromArray(["x", "y"]) });
    const { rows } = apache.rows({ schema: longer.schema, batches: table.batches });
    await expect(rows.next()).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT", field: "columns" });
    const short = batchFromValues({ type: "INT32" }, [1]);
    const columns = [{ name: "a", type: "INT32", nullable: false, array: false }] as const;
    async function* two() {
      yield { length: 2, firstRow: 0, names: ["a"], columns: [short] };
    }
    await expect(apache.recordBatches({ columns, rows: two() }).next()).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      field: "columns",
    });
  });

  it("yield no rows if they are empty", async () => {
    const apache = await apacheArrow();
    const file = await openGolden("enc_int32_plain_n0");
    const read = new Table(apache.schema(tableOfFiles({ file })));
    expect(await apache.rows(read).rows.next()).toMatchObject({ done: true });
  });
});
