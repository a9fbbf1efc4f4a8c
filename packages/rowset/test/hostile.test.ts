import { BloomFileWriter } from "@cfile/bloomfile/write";
import { type CFileErrorCode, isCFileError } from "@cfile/bytes";
import { batchFromValues } from "@cfile/encodings/batches";
import { CFileContainerWriter, CFileWriter } from "@cfile/format/write";
import { memorySink, memorySource } from "@cfile/io";
import { randomNumbers } from "@cfile-tools/testkit";
import { beforeAll, describe, expect, it } from "vitest";
import { openRowSet, type RowSetFiles, type RowSetSchema } from "../src/index.js";
import { verifyRowSet } from "../src/verify.js";
import { column, counted, filesOf, type RowSetBytes, writeBase, writeDeltas } from "./synthetic.js";

const schema: RowSetSchema = {
  columns: [
    column(1, "a", { isKey: true }),
    column(2, "b", { isKey: true, type: "STRING" }),
    column(3, "n", { nullable: true }),
    column(4, "s", { type: "STRING" }),
  ],
};
const single: RowSetSchema = {
  columns: [column(1, "k", { isKey: true }), column(2, "n", { nullable: true })],
};
const rows = Array.from({ length: 40 }, (_, i) => [i >> 2, `b${i & 3}`, i, `s${i}`] as const);

let base: RowSetBytes;
let shorter: RowSetBytes;
let singleBase: RowSetBytes;
let redo: Uint8Array;

beforeAll(async () => {
  base = await writeBase(schema, rows);
  shorter = await writeBase(schema, rows.slice(0, 30));
  singleBase = await writeBase(single, [
    [1, 10],
    [2, null],
  ]);
  redo = await writeDeltas("redo", schema, [{ row: 3, timestamp: 9n, type: 1, cells: { 3: 1 } }]);
});

function withColumn(
  files: RowSetFiles,
  id: number,
  bytes: Uint8Array | undefined,
  name = `column ${id}`,
): RowSetFiles {
  const columns = new Map(files.columns);
  if (bytes === undefined) {
    columns.delete(id);
  } else {
    columns.set(id, memorySource(bytes, name));
  }
  return { ...files, columns };
}

async function readAll(files: RowSetFiles, read = schema): Promise<number> {
  const reader = await openRowSet(files, read);
  let count = 0;
  for await (const { length } of reader.scan()) {
    count += length;
  }
  for await (const { length } of reader.diff(0n, 100n)) {
    count += length;
  }
  await reader.get(read === schema ? [1, "b1"] : [1]);
  await reader.history(read === schema ? [1, "b1"] : [1]);
  return count;
}

const bytesOf = (bytes: Uint8Array | undefined): Uint8Array => bytes ?? new Uint8Array(0);

describe("files that do not belong together", () => {
  const cases: readonly [
    string,
    CFileErrorCode,
    string,
    string | undefined,
    () => RowSetFiles | Promise<RowSetFiles>,
  ][] = [
    [
      "a key column is missing",
      "E_BLOCK_MISSING",
      "column 1",
      undefined,
      () => withColumn(filesOf(base), 1, undefined),
    ],
    [
      "a column without default is missing",
      "E_CORRUPT",
      "column 4",
      undefined,
      () => withColumn(filesOf(base), 4, undefined),
    ],
    [
      "the ad-hoc index is missing",
      "E_BLOCK_MISSING",
      "adhoc_index_block",
      undefined,
      () => ({ ...filesOf(base), adhocIndex: undefined }),
    ],
    [
      "a column has fewer rows",
      "E_CORRUPT",
      "num_values",
      "column 3",
      () => withColumn(filesOf(base), 3, shorter.columns.get(3)),
    ],
    [
      "a column is of another type",
      "E_CORRUPT",
      "data_type",
      "column 3",
      () => withColumn(filesOf(base), 3, base.columns.get(4)),
    ],
    [
      "a column has no nulls",
      "E_CORRUPT",
      "is_type_nullable",
      "column 3",
      () => withColumn(filesOf(base), 3, base.columns.get(1)),
    ],
    [
      "a Bloom file in the place of a column",
      "E_CORRUPT",
      "footer",
      "column 3",
      () => withColumn(filesOf(base), 3, base.bloom),
    ],
    [
      "a delta file in the place of a column",
      "E_CORRUPT",
      "footer",
      "column 3",
      () => withColumn(filesOf(base), 3, redo),
    ],
    [
      "a column in the place of the index",
      "E_CORRUPT",
      "data_type",
      "index",
      () => ({ ...filesOf(base), adhocIndex: memorySource(bytesOf(base.columns.get(1)), "index") }),
    ],
    [
      "a column in the place of the Bloom file",
      "E_UNSUPPORTED",
      "validx_info",
      "bloom",
      () => ({ ...filesOf(base), bloom: memorySource(bytesOf(base.columns.get(4)), "bloom") }),
    ],
    [
      "a column in the place of a delta file",
      "E_UNSUPPORTED",
      "deltafilestats",
      "redo 0",
      () => filesOf(base, [bytesOf(base.columns.get(4))]),
    ],
    [
      "no CFile at all",
      "E_CORRUPT",
      "footer magic",
      "column 3",
      () => withColumn(filesOf(base), 3, new Uint8Array(100)),
    ],
    ["an empty file", "E_TRUNCATED", "file size", "redo 0", () => filesOf(base, [new Uint8Array(0)])],
  ];

  it.each(cases)("%s: %s, %s", async (_, code, field, path, files) => {
    const error = await readAll(await files()).catch((error: unknown) => error);
    expect(error).toMatchObject({ name: "CFileError", code, field, path });
    const report = await verifyRowSet(await files(), schema);
    expect(report.ok).toBe(false);
    expect(report.problems).toContainEqual(expect.objectContaining({ code, field, path }));
  });

  it("a dropped column is ignored, but verified", async () => {
    const files = withColumn(filesOf(base), 77, shorter.columns.get(3), "dropped");
    expect(await readAll(files)).toBe(40);
    expect((await verifyRowSet(files, schema)).problems).toEqual([
      expect.objectContaining({
        role: "column 77, which is not in the schema",
        field: "num_values",
        path: "dropped",
      }),
    ]);
  });

  it("one file in two roles", async () => {
    const files = filesOf(base);
    const both = {
      ...files,
      columns: new Map(files.columns).set(9, files.columns.get(3) ?? memorySource(base.bloom)),
    };
    expect((await verifyRowSet(both, schema)).problems).toMatchObject([
      { field: "block id", path: "column 3" },
    ]);
  });

  it("a single key column without bounds or value index can still be searched", async () => {
    const sink = memorySink();
    const writer = new CFileWriter(sink, { type: "INT32" });
    await writer.append(batchFromValues({ type: "INT32" }, [1, 2]));
    await writer.finish();
    const files = withColumn(filesOf(singleBase), 1, sink.bytes());
    expect(await readAll(files, single)).toBe(2);
    const reader = await openRowSet(files, single);
    expect((await reader.get([2]))?.cells).toEqual([2, null]);
    expect(await reader.get([3])).toBeUndefined();
    expect((await verifyRowSet(files, single)).ok).toBe(true);
  });
});

async function keysFile(keys: readonly number[], minKey: number[], maxKey: number[]): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new CFileWriter(sink, { type: "INT32" });
  await writer.append(batchFromValues({ type: "INT32" }, keys));
  writer.addMetadata("min_key", Uint8Array.from(minKey));
  writer.addMetadata("max_key", Uint8Array.from(maxKey));
  await writer.finish();
  return sink.bytes();
}

describe("wrong keys", () => {
  it("swapped bounds", async () => {
    const bytes = await keysFile([1, 2], [0x80, 0, 0, 2], [0x80, 0, 0, 1]);
    const files = withColumn(filesOf(singleBase), 1, bytes);
    await expect(openRowSet(files, single)).rejects.toMatchObject({
      code: "E_CORRUPT",
      field: "min_key",
      path: "column 1",
    });
    expect((await verifyRowSet(files, single)).problems[0]).toMatchObject({
      role: "column k",
      field: "min_key",
    });
  });

  it.each([
    ["another max_key", [1, 2], [0x80, 0, 0, 1], [0x80, 0, 0, 9], "max_key"],
    ["another min_key", [1, 2], [0x80, 0, 0, 0], [0x80, 0, 0, 2], "min_key"],
    ["a key twice", [1, 1], [0x80, 0, 0, 1], [0x80, 0, 0, 1], "key"],
    ["keys that descend", [2, 1], [0x80, 0, 0, 2], [0x80, 0, 0, 2], "key"],
  ])("%s", async (_, keys, minKey, maxKey, field) => {
    const files = withColumn(filesOf(singleBase), 1, await keysFile(keys, minKey, maxKey));
    expect((await verifyRowSet(files, single)).problems[0]).toMatchObject({ field, path: "column 1" });
  });

  it("an ad-hoc index with other keys", async () => {
    const other = await writeBase(
      schema,
      rows.map(([a, ...rest]) => [a + 1, ...rest]),
    );
    const files = { ...filesOf(base), adhocIndex: filesOf(other).adhocIndex };
    const { problems } = await verifyRowSet(files, schema);
    expect(problems[0]).toMatchObject({ role: "row set", field: "key", path: "index" });
    expect(problems[0]?.reason).toContain('key (0, "b0") of row 0 differs from the ad-hoc index');
  });
});

async function bloomOf(key: Uint8Array): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new BloomFileWriter(sink);
  await writer.append(key);
  await writer.finish();
  return sink.bytes();
}

/** A filter whose header says 99 hash functions. */
async function bloomWithManyHashes(): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new CFileContainerWriter(sink, {
    type: "BINARY",
    encoding: "PLAIN_ENCODING",
    posidx: false,
    validx: true,
  });
  await writer.finish(() => {
    const key = Uint8Array.of(0);
    const bytes = Uint8Array.of(2, 0, 0, 0, 0x08, 99, 0xff);
    writer.appendRawBlock({ bytes, firstRow: 0, firstKey: key, lastKey: key });
    return { rows: 0 };
  });
  return sink.bytes();
}

it("a single key column is read once to verify a row set", async () => {
  const many = Array.from({ length: 100_000 }, (_, i): [number, null] => [
    20_000 * i + ((7919 * i * i) % 19_997),
    null,
  ]);
  const bytes = await writeBase(single, many);
  const { files, metrics } = counted(filesOf(bytes));
  expect((await verifyRowSet(files, single)).problems).toEqual([]);
  const size = bytesOf(bytes.columns.get(1)).length;
  expect(size).toBeGreaterThan(150_000);
  expect(metrics.get("column 1")?.bytes).toBeLessThan(1.1 * size);
});

describe("a wrong Bloom file", () => {
  it("is reported, and lookups work without it", async () => {
    const damaged: [string, Uint8Array][] = [
      ["hash count", await bloomWithManyHashes()],
      ["validx_info", bytesOf(base.columns.get(4))],
    ];
    for (const [, bytes] of damaged) {
      const files = { ...filesOf(base), bloom: memorySource(bytes, "bloom") };
      const met: unknown[] = [];
      const reader = await openRowSet(files, schema, { onDamage: (error) => met.push(error) });
      expect((await reader.get([1, "b1"]))?.cells).toEqual([1, "b1", 5, "s5"]);
      expect(met.length).toBeGreaterThan(0);
      expect(met.every((error) => isCFileError(error) && error.path === "bloom")).toBe(true);
      const strict = await openRowSet(files, schema);
      await expect(strict.get([1, "b1"])).rejects.toMatchObject({ name: "CFileError", path: "bloom" });
      expect((await verifyRowSet(files, schema)).problems[0]).toMatchObject({ role: "Bloom file" });
    }
  });

  it("with other keys is reported, unless columns have problems", async () => {
    const bloom = memorySource(await bloomOf(Uint8Array.of(0)), "bloom");
    for (const [valid, columns] of [
      [base, schema],
      [singleBase, single],
    ] as const) {
      const files = { ...filesOf(valid), bloom };
      const { problems } = await verifyRowSet(files, columns);
      expect(problems[0]).toMatchObject({ role: "Bloom file", field: "keys" });
      const damaged = bytesOf(valid.columns.get(columns === single ? 2 : 3)).slice();
      damaged[damaged.length >> 1] = 1 + (damaged[damaged.length >> 1] as number);
      const more = await verifyRowSet(withColumn(files, columns === single ? 2 : 3, damaged), columns);
      expect(more.problems).not.toEqual([]);
      expect(more.problems.map(({ role }) => role)).not.toContain("Bloom file");
    }
  });

  it("is a problem when it is missing; rows are still found", async () => {
    const files = { ...filesOf(base), bloom: undefined };
    expect(await readAll(files)).toBe(40);
    expect((await verifyRowSet(files, schema)).problems).toMatchObject([{ field: "bloom_block" }]);
  });
});

describe("wrong changes", () => {
  it.each([
    ["of a row that is not there", [{ row: 40, timestamp: 9n, type: 1, cells: { 3: 1 } }], "row"],
    ["of a key column", [{ row: 1, timestamp: 9n, type: 1, cells: { 1: 1 } }], "column 1"],
    [
      "of a dead row",
      [
        { row: 1, timestamp: 9n, type: 2 },
        { row: 1, timestamp: 10n, type: 2 },
      ],
      "change type",
    ],
    ["of a row that is alive", [{ row: 1, timestamp: 9n, type: 3 }], "change type"],
  ] as const)("%s", async (_, entries, field) => {
    const files = filesOf(base, [await writeDeltas("redo", schema, entries)]);
    const { problems } = await verifyRowSet(files, schema);
    expect(problems).toMatchObject([{ role: "redo 0", path: "redo 0", field }]);
  });

  it("of a key column are rejected where they would apply", async () => {
    const files = filesOf(base, [
      await writeDeltas("redo", schema, [{ row: 1, timestamp: 9n, type: 1, cells: { 1: 1 } }]),
    ]);
    await expect(readAll(files)).rejects.toMatchObject({
      code: "E_CORRUPT",
      field: "column 1",
      path: "redo 0",
    });
  });

  it("with a value that does not fit the column", async () => {
    const other = { columns: [column(3, "n", { type: "INT64", isKey: true })] };
    const bytes = await writeDeltas("redo", other, [{ row: 1, timestamp: 9n, type: 1, cells: { 3: 1n } }]);
    await expect(readAll(filesOf(base, [bytes]))).rejects.toMatchObject({
      code: "E_CORRUPT",
      field: "column 3",
      path: "redo 0",
    });
    expect((await verifyRowSet(filesOf(base, [bytes]), schema)).problems).toMatchObject([
      { role: "redo 0", field: "column 3" },
    ]);
  });

  it("with a null in a column that is not nullable", async () => {
    const nullable = { columns: [column(4, "s", { type: "STRING", nullable: true })] };
    const bytes = await writeDeltas("redo", nullable, [
      { row: 1, timestamp: 9n, type: 1, cells: { 4: null } },
    ]);
    await expect(readAll(filesOf(base, [bytes]))).rejects.toMatchObject({
      code: "E_CORRUPT",
      field: "column 4",
    });
  });

  it("of columns that are not in the schema are ignored", async () => {
    const bytes = await writeDeltas("redo", schema, [{ row: 1, timestamp: 9n, type: 1, cells: { 88: 5 } }]);
    expect(await readAll(filesOf(base, [bytes]))).toBe(41);
    expect((await verifyRowSet(filesOf(base, [bytes]), schema)).ok).toBe(true);
  });

  it("in the wrong order for their kind", async () => {
    const undo = await writeDeltas("undo", schema, [
      { row: 1, timestamp: 9n, type: 1, cells: { 3: 1 } },
      { row: 1, timestamp: 8n, type: 1, cells: { 3: 2 } },
    ]);
    const { problems } = await verifyRowSet(filesOf(base, [undo]), schema);
    expect(problems).toMatchObject([{ role: "redo 0", field: "timestamp", row: 1, timestamp: 8n }]);
  });

  it("in files in the wrong order, and in contradicting files", async () => {
    const first = await writeDeltas("redo", schema, [{ row: 1, timestamp: 19n, type: 2 }]);
    const second = await writeDeltas("redo", schema, [{ row: 1, timestamp: 9n, type: 1, cells: { 3: 1 } }]);
    const { problems } = await verifyRowSet(filesOf(base, [first, second]), schema);
    expect(problems).toMatchObject([
      { role: "redo 1", field: "min_timestamp" },
      { role: "redo 1", field: "change type", row: 1, timestamp: 9n },
    ]);
  });

  it("with a live row count that differs from the superblock", async () => {
    const { liveRows, problems } = await verifyRowSet(filesOf(base), schema, { liveRowCount: 39 });
    expect(liveRows).toBe(40);
    expect(problems).toMatchObject([{ field: "live_row_count", expected: 40, actual: 39 }]);
  });
});

describe("damaged bytes", () => {
  it("are an error or a value in every file, and verification never fails", async () => {
    const random = randomNumbers(7);
    const whole = filesOf(base, [redo]);
    const names = ["column 1", "column 3", "column 4", "index", "bloom", "redo 0"];
    const bytesByName = new Map<string, Uint8Array>([
      ["column 1", bytesOf(base.columns.get(1))],
      ["column 3", bytesOf(base.columns.get(3))],
      ["column 4", bytesOf(base.columns.get(4))],
      ["index", bytesOf(base.adhocIndex)],
      ["bloom", base.bloom],
      ["redo 0", redo],
    ]);
    for (let i = 0; i < 250; i++) {
      const name = names[i % names.length] ?? "";
      const bytes = bytesOf(bytesByName.get(name)).slice(0);
      const damaged = random(3) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes;
      damaged[random(damaged.length)] = random(256);
      const source = memorySource(damaged, name);
      const files: RowSetFiles = {
        columns: new Map(
          [...whole.columns].map(([id, column]) => [id, column.name === name ? source : column]),
        ),
        bloom: name === "bloom" ? source : whole.bloom,
        adhocIndex: name === "index" ? source : whole.adhocIndex,
        redo: name === "redo 0" ? [source] : whole.redo,
        undo: [],
      };
      const error = await readAll(files).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(error === undefined || isCFileError(error)).toBe(true);
      const report = await verifyRowSet(files, schema);
      expect(report.problemCount > 0 || error === undefined).toBe(true);
    }
  });
});

describe("invalid options", () => {
  it.each([
    ["columns[0]", { columns: ["x"] }],
    ["where[0]", { where: [{ column: "x", op: "isNull" }] }],
    ["where[0]", { where: [{ column: "n", op: "prefix", value: "a" }] }],
    ["where[0]", { where: [{ column: "n", op: "like", value: "a" }] }],
    ["values", { where: [{ column: "n", op: "=", value: "a" }] }],
    ["key", { keys: { from: [1, "b", 3] } }],
    ["asOf", { asOf: -1n }],
    ["asOf", { asOf: 5 }],
    ["limit", { limit: -1 }],
    ["batchRows", { batchRows: 0 }],
  ])("%s of %o", async (field, options) => {
    const reader = await openRowSet(filesOf(base), schema);
    await expect(reader.scan(options as object).next()).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      field,
    });
  });

  it("a diff from a later to an earlier timestamp", async () => {
    const reader = await openRowSet(filesOf(base), schema);
    await expect(reader.diff(2n, 1n).next()).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      field: "from",
    });
  });

  it("a key with too few cells", async () => {
    const reader = await openRowSet(filesOf(base), schema);
    await expect(reader.get([1])).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT", field: "key" });
  });
});
