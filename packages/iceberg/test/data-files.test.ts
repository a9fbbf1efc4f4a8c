import { batchFromValues } from "@cfile/encodings/batches";
import { MemoryDirectory } from "@cfile/io";
import { openParquet } from "@cfile/parquet";
import { expect, test } from "vitest";
import { icebergSchema, type SourceColumn, writeIcebergFile } from "../src/index.js";

const COLUMNS: readonly SourceColumn[] = [
  { id: 10, name: "id", type: "INT64", nullable: false, array: false, isKey: true },
  { id: 11, name: "words", type: "STRING", nullable: true, array: true },
];
const CELLS = [
  [1n, 2n, 3n, 5n, 8n],
  [["a", "b"], null, [], ["c"], ["d", null]],
] as const;

async function* rows() {
  const columns = COLUMNS.map((column, i) => batchFromValues(column, CELLS[i] ?? []));
  yield { names: COLUMNS.map(({ name }) => name), columns, firstRow: 0, length: 5 };
}

test("data files have what engines use to read less of them", async () => {
  const data = new MemoryDirectory("data");
  const options = { schema: icebergSchema(COLUMNS), sortedBy: ["id"], parquet: { pageRows: 2 } };
  const written = await writeIcebergFile(
    await data.createSink("a.parquet"),
    "a.parquet",
    { columns: COLUMNS, rows: rows() },
    options,
  );
  expect(written).toMatchObject({ rows: 5, sortOrderId: 1, columns: [{ id: 10 }, { id: 1_000_011 }] });
  const file = await openParquet(await data.openSource("a.parquet"));
  const [id, words] = file.metadata.row_groups[0]?.columns ?? [];
  expect(file.sortedBy).toEqual(["id"]);
  expect([id?.meta_data?.codec, words?.meta_data?.codec]).toEqual(["ZSTD", "ZSTD"]);
  expect(id?.meta_data?.statistics).toMatchObject({ min_value: 1n, max_value: 8n, null_count: 0n });
  for (const length of [
    id?.column_index_length,
    id?.offset_index_length,
    id?.meta_data?.bloom_filter_length,
  ]) {
    expect(length).toBeGreaterThan(0);
  }
  expect(words?.meta_data?.bloom_filter_length).toBeUndefined();
  const ids = file.metadata.schema.flatMap(({ field_id: fieldId }) => fieldId ?? []);
  expect(ids).toEqual([10, 11, 1_000_011]);
  const found: unknown[] = [];
  for await (const { columns } of file.scan({ where: { column: "id", op: "=", value: 5n } })) {
    found.push(...columns.map((column) => column.toArray()));
  }
  expect(found).toEqual([[5n], [["c"]]]);
});

test.each([false, true])("strings that are not UTF-8 are refused, in arrays: %s", async (array) => {
  const column: SourceColumn = { id: 1, name: "word", type: "STRING", nullable: true, array };
  const bytes = Uint8Array.of(0xff);
  async function* rows() {
    const cells = [array ? [bytes] : bytes];
    yield { names: ["word"], columns: [batchFromValues(column, cells)], firstRow: 0, length: 1 };
  }
  const sink = await new MemoryDirectory("data").createSink("a.parquet");
  const table = { columns: [column], rows: rows() };
  await expect(
    writeIcebergFile(sink, "a.parquet", table, { schema: icebergSchema([column]) }),
  ).rejects.toMatchObject({ code: "E_UNSUPPORTED", field: "word" });
});
