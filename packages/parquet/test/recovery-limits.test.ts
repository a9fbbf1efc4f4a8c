/** Recovery when the source or the sink fails, when the schema is unknown, and when pages share rows or are lost. */
import { ByteBuilder, CFileError } from "@cfile/bytes";
import { batchFromValues } from "@cfile/encodings/batches";
import { type ByteSource, memorySink, memorySource } from "@cfile/io";
import { readGolden } from "@cfile-tools/testkit";
import type { SchemaElement } from "hyparquet";
import { describe, expect, it } from "vitest";
import { openParquet } from "../src/index.js";
import { EarlyCopy } from "../src/rebuild/early-copy.js";
import { planGroup } from "../src/rebuild/group-plan.js";
import { footerBytes } from "../src/rebuild/write-footer.js";
import { type RebuildOptions, rebuildParquet, recoverParquet } from "../src/recover.js";
import { type Leaf, leavesOf } from "../src/schema/leaf-schema.js";
import { writtenLevels } from "../src/write/level-writer.js";
import { dataPageV1, dataPageV2, dictionaryPage } from "../src/write/page-writer.js";
import { MAGIC } from "../src/write/parquet-output.js";
import { type ExportOptions, exportParquet } from "../src/write.js";
import { footerSize, partsOf, rebuilt } from "./rebuilt-rows.js";

/** A source that counts its reads, and fails at one of them. */
function failingAt(bytes: Uint8Array, failing: number): ByteSource & { readonly reads: number } {
  const { read, ...source } = memorySource(bytes);
  const counted = {
    ...source,
    reads: 0,
    read: async (...given: Parameters<ByteSource["read"]>) => {
      if (counted.reads++ === failing) {
        throw new CFileError("E_IO", "the disk failed");
      }
      return read(...given);
    },
  };
  return counted;
}

const withoutFooter = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, bytes.length - footerSize(bytes));

describe("a source that fails", () => {
  const cases: readonly (readonly [string, Uint8Array, RebuildOptions])[] = [
    "list_columns",
    "datapage_v2.snappy",
    "rle-dict-snappy-checksum",
  ].flatMap((name) => {
    const bytes = readGolden(`parquet/${name}.parquet`);
    const bare = withoutFooter(bytes);
    return [
      [name, bytes, {}],
      [`${name} like itself`, bare, { like: bytes }],
      [`${name} without a schema`, bare, {}],
    ] as const;
  });
  const withoutCrcs = readGolden("parquet/alltypes_plain.parquet");

  it.each([...cases, ["alltypes_plain", withoutCrcs, {}] as const])(
    "ends the recovery at each read with E_IO, and writes nothing: %s",
    async (_, bytes, options) => {
      const whole = failingAt(bytes, -1);
      await rebuildParquet(whole, memorySink(), options);
      for (let failing = 0; failing < whole.reads; failing++) {
        let isAborted = false;
        const sink = memorySink();
        const abort = (reason: unknown): Promise<void> => {
          isAborted = true;
          return sink.abort(reason);
        };
        const target = { ...sink, abort };
        const recovery = rebuildParquet(failingAt(bytes, failing), target, options);
        await expect(recovery, `read ${failing}`).rejects.toMatchObject({ code: "E_IO" });
        expect(isAborted, `read ${failing}`).toBe(true);
      }
    },
  );
});

describe("a sink that fails while the file is walked", () => {
  it("gets no more bytes, and its error ends the walk", async () => {
    const bytes = Uint8Array.from({ length: 40 }, (_, i) => MAGIC[i] ?? i);
    const written: number[] = [];
    const failure = new CFileError("E_IO", "no space left");
    const sink = memorySink();
    const target = {
      ...sink,
      write: async (part: Uint8Array) => {
        written.push(part.length);
        throw failure;
      },
    };
    const copy = new EarlyCopy(memorySource(bytes), target);
    // The second read is forwarded before the sink has refused the first one.
    await Promise.all([
      copy.source.read(0, 10, { target: new Uint8Array(10) }),
      copy.source.read(10, 10, { target: new Uint8Array(10) }),
    ]);
    await expect(copy.finish()).rejects.toBe(failure);
    expect(written).toEqual([10]);
    expect(() => copy.advance(20)).toThrow(failure);
  });
});

describe("what is known about a file", () => {
  it.each([
    ["nothing but the magic number", Uint8Array.from(MAGIC)],
    ["no bytes", new Uint8Array(0)],
    ["bytes of something else", new Uint8Array(500).fill(0x5a)],
  ])("does not give a schema without a page: %s", async (_, bytes) => {
    await expect(rebuildParquet(bytes, memorySink())).rejects.toMatchObject({
      ...{ code: "E_INVALID_ARGUMENT", field: "schema" },
      reason: expect.stringContaining("the footer is lost"),
    });
  });

  it("is guessed from the pages if the footer must not be used", async () => {
    const bytes = readGolden("parquet/list_columns.parquet");
    const { ledger } = await rebuilt(bytes, { useFooter: false });
    expect([ledger.schemaFrom, (await rebuilt(bytes, {})).ledger.schemaFrom]).toEqual(["guessed", "footer"]);
  });

  it("is not taken from another file with other columns than the given schema has", async () => {
    const bytes = twoColumns([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    const like = readGolden("parquet/alltypes_plain.parquet");
    const { rows, ledger } = await rebuilt(bytes, { schema: INTEGERS, like, rowGroupRows: 3 });
    expect([rows, ledger.schemaFrom]).toEqual([await integerRows([1, 2, 3], [4, 5, 6]), "given"]);
  });
});

const INTEGERS = ["a", "b"].map((name) => ({ name, type: "INT32", nullable: false, array: false }) as const);

const littleEndian = (values: readonly number[]): Uint8Array =>
  new Uint8Array(Int32Array.from(values).buffer);

interface Levels {
  readonly repetitions?: readonly number[];
  readonly definitions?: readonly number[];
  readonly maxDefinition?: number;
}

/** An uncompressed page of 32-bit integers. */
function page(
  values: readonly number[],
  { repetitions, definitions, maxDefinition = 0 }: Levels = {},
  version: 1 | 2 = 1,
): Uint8Array {
  const valueCount = repetitions?.length ?? definitions?.length ?? values.length;
  const content = {
    levels: {
      repetitions: writtenLevels(repetitions && Uint8Array.from(repetitions), 1),
      definitions: writtenLevels(definitions && Uint8Array.from(definitions), maxDefinition),
      valueCount,
      nullCount: valueCount - values.length,
    },
    rowCount: repetitions?.filter((level) => level === 0).length ?? valueCount,
    values: littleEndian(values),
    encoding: "PLAIN",
  } as const;
  const { parts } =
    version === 1 ? dataPageV1(content, undefined, new ByteBuilder(256)) : dataPageV2(content, undefined);
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

const fileOf = (...pages: readonly Uint8Array[]): Uint8Array =>
  Uint8Array.from([...MAGIC, ...pages.flatMap((part) => [...part])]);

const twoColumns = (columns: readonly (readonly number[])[]): Uint8Array =>
  fileOf(...columns.map((values) => page(values)));

const text = (value: number): string => Buffer.from(littleEndian([value])).toString("hex");
const integerRows = async (...columns: readonly (readonly number[])[]): Promise<string[]> =>
  (columns[0] ?? []).map((_, i) => columns.map((values) => `|${text(values[i] ?? 0)}`).join(""));

/** The file with a changed last byte in page `index`, so that its CRC is wrong. */
async function withDamaged(bytes: Uint8Array, index: number): Promise<Uint8Array> {
  const part = (await partsOf(bytes)).filter(({ kind }) => kind === "page")[index];
  const damaged = bytes.slice();
  const at = (part?.offset ?? 0) + (part?.size ?? 0) - 1;
  damaged[at] = (damaged[at] ?? 0) ^ 0xff;
  return damaged;
}

const LISTS: readonly SchemaElement[] = [
  { name: "root", num_children: 2 },
  { name: "list", type: "INT32", repetition_type: "REPEATED" },
  { name: "b", type: "INT32", repetition_type: "REQUIRED" },
];

describe("rows that span pages", () => {
  const list = (values: readonly number[], repetitions: readonly number[]) =>
    page(values, { repetitions, definitions: values.map(() => 1), maxDefinition: 1 });
  // Rows: [1, 2], [3, 4, 5], [6], [7, 8].
  const lists = [list([1, 2, 3], [0, 1, 0]), list([4, 5, 6], [1, 1, 0]), list([7, 8], [0, 1])];
  const cells = ["|01000000+102000000", "|03000000+104000000+105000000", "|06000000", "|07000000+108000000"];

  it("are cut out of all pages that hold them", async () => {
    for (const [damaged, kept] of [
      [3, [2, 3]],
      [4, [0, 1]],
    ] as const) {
      const bytes = fileOf(...lists, page([10, 11]), page([12, 13]));
      const { rows, ledger } = await rebuilt(await withDamaged(bytes, damaged), { schema: LISTS });
      expect(rows).toEqual(kept.map((row) => `${cells[row]}|${text(10 + row)}`));
      expect(ledger.losses).toMatchObject([{ part: "page", column: "b", rowGroup: 0 }]);
    }
  });

  it("are copied with whole pages where nothing is lost", async () => {
    const { rows, ledger } = await rebuilt(fileOf(...lists, page([10, 11, 12, 13])), { schema: LISTS });
    expect(rows).toEqual(cells.map((cell, row) => `${cell}|${text(10 + row)}`));
    expect(ledger).toMatchObject({ ok: false, pagesKept: 4, pagesRewritten: 0 });
  });

  it("are lost with the page that starts them", async () => {
    const bytes = fileOf(...lists, page([10, 11, 12, 13]));
    const { rows } = await rebuilt(await withDamaged(bytes, 0), { schema: LISTS });
    expect(rows).toEqual([2, 3].map((row) => `${cells[row]}|${text(10 + row)}`));
  });

  it("are damage at the start of a chunk, which continues no row", async () => {
    const bytes = fileOf(list([4, 5, 6], [1, 1, 0]), list([7, 8], [0, 1]), page([12, 13]));
    const { ledger, rows } = await rebuilt(bytes, { schema: LISTS });
    expect(ledger.losses).toMatchObject([
      { part: "page", column: "list", reason: "the first value of the chunk continues a row" },
    ]);
    expect(rows).toEqual([`${cells[3]}|${text(13)}`]);
  });

  it("become null where they are lost", async () => {
    const bytes = fileOf(...lists, page([10, 11, 12, 13]));
    const { rows } = await rebuilt(await withDamaged(bytes, 0), { schema: LISTS, lost: "null" });
    expect(rows).toEqual(["|-0", "|-0", cells[2], cells[3]].map((cell, row) => `${cell}|${text(10 + row)}`));
  });
});

describe("lost cells that become null", () => {
  it("make required columns nullable, and keep the cells of cut pages", async () => {
    const bytes = fileOf(page([1, 2]), page([3, 4]), page([5, 6, 7, 8]));
    const { rows, ledger } = await rebuilt(await withDamaged(bytes, 0), {
      ...{ schema: INTEGERS, lost: "null", rowGroupRows: 4 },
    });
    expect(rows).toEqual(["|-0", "|-0", `|${text(3)}`, `|${text(4)}`].map((a, i) => `${a}|${text(5 + i)}`));
    expect(ledger.groups).toMatchObject([{ rows: 4, rowsKept: 4, lost: [{ from: 0, to: 2 }] }]);
  });

  it("make required structs nullable, whose fields keep their own nulls", async () => {
    const schema: readonly SchemaElement[] = [
      { name: "root", num_children: 2 },
      { name: "pair", num_children: 1, repetition_type: "REQUIRED" },
      { name: "x", type: "INT32", repetition_type: "OPTIONAL" },
      { name: "b", type: "INT32", repetition_type: "REQUIRED" },
    ];
    const optional = (values: readonly number[], definitions: readonly number[]) =>
      page(values, { definitions, maxDefinition: 1 });
    const bytes = fileOf(optional([1], [0, 1]), optional([2], [1, 0]), page([5, 6, 7, 8]));
    const { rows } = await rebuilt(await withDamaged(bytes, 0), { schema, lost: "null" });
    expect(rows).toEqual(["|-0", "|-0", `|${text(2)}`, "|-1"].map((a, i) => `${a}|${text(5 + i)}`));
  });

  it("fill the rows that are known of a row group without a whole column", async () => {
    const lone = INTEGERS.slice(0, 1);
    const one = await rebuilt(await withDamaged(fileOf(page([1, 2])), 0), { schema: lone, lost: "null" });
    expect(one.ledger.losses).toMatchObject([{ part: "page", reason: "page CRC mismatch" }]);
    const cut = fileOf(page([1, 2]), page([3, 4]));
    const two = await rebuilt(cut.subarray(0, -3), { schema: lone, lost: "null" });
    expect([two.rows, two.ledger.isCut]).toEqual([[`|${text(1)}`, `|${text(2)}`], true]);
  });

  it.each([
    ["up to the last page that remains", [{ from: 2, to: 5 }], [{ from: 0, to: 5 }]],
    ["without rows if no page remains", [], []],
  ])("are written for a row group of unknown length %s", (_, covered, rows) => {
    const [leaf] = leavesOf([
      { name: "root", num_children: 1 },
      { name: "a", type: "INT32", repetition_type: "REQUIRED" },
    ]) as [Leaf];
    const nowhere = { page: 0, column: 0, isInGap: false };
    const group = { start: nowhere, end: nowhere, rows: undefined, chunks: [], cost: 0 };
    const chunk = {
      leaf,
      codec: "UNCOMPRESSED",
      dictionary: undefined,
      pages: [],
      lost: [],
      covered,
    } as const;
    const plan = planGroup({ ...group, isCertain: true, isGuessed: false }, [chunk], [0], "null");
    expect(plan.rows).toEqual(rows);
  });
});

it("reports a damaged dictionary, and loses the pages of its codes", async () => {
  const bytes = readGolden("parquet/rle-dict-snappy-checksum.parquet");
  const pages = (await partsOf(bytes)).flatMap((part) => (part.kind === "page" ? [part] : []));
  const index = pages.findIndex(({ header }) => header.kind === "dictionary");
  const { ledger } = await rebuilt(await withDamaged(bytes, index), {});
  expect(ledger.losses[0]).toMatchObject({
    ...{ part: "dictionary", offset: pages[index]?.offset, size: pages[index]?.size, rowGroup: 0 },
    reason: "page CRC mismatch",
  });
  expect(ledger.losses.slice(1)).toMatchObject([{ part: "page", reason: "the dictionary is lost" }]);
});

async function numbers(options: ExportOptions, type: "INT32" | "INT16" = "INT32"): Promise<Uint8Array> {
  const column = { name: "n", type, nullable: false, array: false } as const;
  async function* rows() {
    const values = Array.from({ length: 100 }, (_, i) => i);
    yield { length: 100, firstRow: 0, names: ["n"], columns: [batchFromValues(column, values)] };
  }
  const sink = memorySink();
  await exportParquet(sink, { columns: [column], rows: rows() }, options);
  return sink.bytes();
}

describe("the undamaged pages of a file with a footer", () => {
  it.each([
    ["drop", false, [...Array(20).keys(), ...Array.from({ length: 60 }, (_, i) => 40 + i)]],
    ["null", true, Array.from({ length: 100 }, (_, i) => (i >= 20 && i < 40 ? null : i))],
  ] as const)("are a table, with lost rows as asked: %s", async (lost, nullable, expected) => {
    const bytes = await numbers({ pageRows: 20, codec: "UNCOMPRESSED" });
    await using file = await recoverParquet(await withDamaged(bytes, 1));
    expect(file.lostRows).toEqual([{ from: 20, to: 40 }]);
    const { columns, rows } = file.table(lost);
    expect(columns).toMatchObject([{ name: "n", nullable }]);
    const values: unknown[] = [];
    for await (const batch of rows) {
      values.push(...(batch.columns[0]?.toArray() ?? []));
    }
    expect(values).toEqual(expected);
  });

  it("stay as they are in a table without losses", async () => {
    await using file = await recoverParquet(await numbers({}));
    expect([file.table("null").columns, file.lostRows, file.report.ok]).toMatchObject([
      [{ name: "n", nullable: false }],
      [],
      true,
    ]);
  });

  it("lose the rows of a page with values that the type cannot have", async () => {
    const bytes = await numbers({ pageRows: 20, codec: "UNCOMPRESSED" }, "INT16");
    const second = (await partsOf(bytes)).filter(({ kind }) => kind === "page")[1];
    // The last value of the second page: INT16 is stored in 32 bits.
    bytes[(second?.offset ?? 0) + (second?.size ?? 0) - 2] = 1;
    await using file = await recoverParquet(bytes, { verifyChecksums: false });
    expect(file.columns).toMatchObject([{ rowsKept: 80, rowsLost: 20, lost: [{ from: 20, to: 40 }] }]);
    expect(file.report.losses).toMatchObject([
      {
        part: "values",
        rowGroup: 0,
        rows: { from: 20, to: 40 },
        error: { code: "E_CORRUPT", field: "values" },
      },
    ]);
    const values: unknown[] = [];
    for await (const batch of file.column("n")) {
      values.push(...batch.toArray());
    }
    expect(values).toEqual(Array.from({ length: 100 }, (_, i) => (i >= 20 && i < 40 ? null : i)));
  });

  it.each([1, 2] as const)("lose the rows of a page that exceeds its row group: v%i", async (version) => {
    const bytes = await numbers({ pageRows: 20, codec: "UNCOMPRESSED", dataPageVersion: version });
    await using whole = await openParquet(bytes);
    const { metadata } = whole;
    const groups = metadata.row_groups.map((group) => ({ ...group, num_rows: 95n }));
    const footer = footerBytes({ ...metadata, row_groups: groups, num_rows: 95n }, undefined);
    const pages = bytes.subarray(0, bytes.length - footerSize(bytes));
    await using file = await recoverParquet(Uint8Array.from([...pages, ...footer, ...MAGIC]), {
      useOffsetIndex: false,
    });
    const values: unknown[] = [];
    for await (const batch of file.column("n")) {
      values.push(...batch.toArray());
    }
    expect(values).toEqual(Array.from({ length: 95 }, (_, i) => (i < 80 ? i : null)));
    expect(file.lostRows).toEqual([{ from: 80, to: 95 }]);
    expect(file.report).toMatchObject({
      ok: false,
      losses: [{ part: "page", rows: { from: 80, to: 95 }, error: { code: "E_CORRUPT", field: "num_rows" } }],
    });
  });
});

it("takes a dictionary page that nothing refers to for no rows", async () => {
  const words = dictionaryPage(littleEndian([7]), 1, undefined).parts.flatMap((part) => [...part]);
  const { rows } = await rebuilt(fileOf(Uint8Array.from(words), page([1, 2])), {
    schema: INTEGERS.slice(0, 1),
  });
  expect(rows).toEqual([`|${text(1)}`, `|${text(2)}`]);
});
