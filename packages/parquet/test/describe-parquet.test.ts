/** The structure of files, as footers and page headers describe it. */
import { CFileError } from "@cfile/bytes";
import { batchFromValues } from "@cfile/encodings/batches";
import { type ByteSource, memorySink, memorySource } from "@cfile/io";
import { listGolden, readGolden } from "@cfile-tools/testkit";
import type { ColumnChunk, ColumnMetaData, FileMetaData } from "hyparquet";
import { describe, expect, it } from "vitest";
import { openParquet } from "../src/index.js";
import { type ChunkDescription, chunkPages, describeParquet, type PageDescription } from "../src/inspect.js";
import { footerBytes } from "../src/rebuild/write-footer.js";
import { MAGIC } from "../src/write/parquet-output.js";
import { exportParquet } from "../src/write.js";
import { footerSize } from "./rebuilt-rows.js";

async function pagesOf(...given: Parameters<typeof chunkPages>): Promise<PageDescription[]> {
  const pages: PageDescription[] = [];
  for await (const page of chunkPages(...given)) {
    pages.push(page);
  }
  return pages;
}

// The footers of the first two files are damaged, and a page header of the last one.
const DAMAGED = ["ARROW-RS-GH-6229-DICTHEADER", "PARQUET-1481", "ARROW-GH-41317"];
const names = listGolden("parquet", ".parquet").filter((name) => !DAMAGED.includes(name));

describe("the chunks of a file", () => {
  it.each(names)("have the pages that a reader finds: %s", async (name) => {
    const bytes = readGolden(`parquet/${name}.parquet`);
    const source = memorySource(bytes);
    const { rowGroups, rows, footer, size } = await describeParquet(source);
    await using file = await openParquet(bytes);
    expect([rows, size, footer.offset + footer.size]).toEqual([file.rowCount, bytes.length, bytes.length]);
    for (const [group, { chunks, rows: own }] of rowGroups.entries()) {
      expect(own).toBe(file.rowsOfGroup(group));
      expect(chunks.map(({ column }) => column)).toEqual(file.leaves.map(({ path }) => path));
      for (const [i, chunk] of chunks.entries()) {
        const pages = await pagesOf(source, chunk);
        const visits: unknown[] = [];
        for await (const { kind, offset, valueCount } of file.pages(file.leaves[i] as never, group, true)) {
          visits.push(kind === "dictionary" ? [kind, offset] : [offset, valueCount]);
        }
        expect(
          pages.flatMap(({ kind, offset, values }) =>
            kind === "dictionary" ? [[kind, offset]] : kind === "other" ? [] : [[offset, values]],
          ),
        ).toEqual(visits);
        if (chunk.dictionary !== undefined) {
          const [dictionary] = pages.filter(({ kind }) => kind === "dictionary");
          expect(chunk.dictionary).toEqual({ offset: dictionary?.offset, size: dictionary?.size });
        }
      }
    }
  });
});

const columns = [
  { name: "id", type: "INT64", nullable: false, array: false },
  { name: "word", type: "STRING", nullable: true, array: false },
] as const;

async function ours(): Promise<Uint8Array> {
  async function* rows() {
    const batches = [
      batchFromValues(columns[0], [1n, 2n, 3n, 4n]),
      batchFromValues(columns[1], ["a", null, "b", "a"]),
    ];
    yield { length: 4, firstRow: 0, names: ["id", "word"], columns: batches };
  }
  const sink = memorySink();
  const options = { bloomFilters: ["id"], sortedBy: ["id"], pageRows: 2, keyValues: { author: "me" } };
  await exportParquet(sink, { columns, rows: rows() }, options);
  return sink.bytes();
}

/** The same pages with changed metadata. */
async function withMetadata(change: (metadata: FileMetaData) => FileMetaData): Promise<ByteSource> {
  const bytes = await ours();
  await using file = await openParquet(bytes);
  const footer = footerBytes(change(structuredClone(file.metadata)), undefined);
  return memorySource(Uint8Array.from([...bytes.subarray(0, -footerSize(bytes)), ...footer, ...MAGIC]));
}

/** A chunk whose metadata has only the required fields and the offset of its filter. */
function bare({ meta_data: meta, file_offset }: ColumnChunk): ColumnChunk {
  const { statistics: _, bloom_filter_length: __, ...required } = meta as ColumnMetaData;
  return { file_offset, meta_data: required };
}

describe("a description", () => {
  it("has statistics, filters, indexes and metadata", async () => {
    const { rowGroups, keyValues, schema } = await describeParquet(memorySource(await ours()));
    expect(keyValues).toContainEqual({ key: "author", value: "me" });
    expect(schema.map(({ name }) => name).slice(1)).toEqual(["id", "word"]);
    const [group] = rowGroups;
    expect(group).toMatchObject({ offset: 4, rows: 4, sortedBy: ["id"] });
    const [id, word] = group?.chunks ?? [];
    expect(id).toMatchObject({ column: "id", type: "INT64", codec: "ZSTD", nullCount: 0, min: 1n, max: 4n });
    expect(id?.bloomFilter?.size).toBeGreaterThan(32);
    expect(word).toMatchObject({ column: "word", values: 4, nullCount: 1, min: "a", max: "b" });
    expect([word?.bloomFilter, word?.distinctCount]).toEqual([undefined, undefined]);
    expect(word?.dictionary).toBeUndefined();
    for (const { columnIndex, offsetIndex } of [id, word].flatMap((chunk) => chunk ?? [])) {
      expect([columnIndex?.size, offsetIndex?.size].every((size) => (size ?? 0) > 0)).toBe(true);
    }
  });

  it("has no statistics, sizes and indexes that the footer leaves out", async () => {
    const source = await withMetadata((metadata) => ({
      ...metadata,
      key_value_metadata: undefined as never,
      row_groups: metadata.row_groups.map(({ columns: chunks, ...group }) => ({
        ...group,
        sorting_columns: [
          { column_idx: 1, descending: true, nulls_first: false },
          { column_idx: 9, descending: false, nulls_first: false },
        ],
        columns: chunks.map(bare),
      })),
    }));
    const { rowGroups, keyValues } = await describeParquet(source);
    expect(keyValues).toEqual([]);
    expect(rowGroups[0]?.sortedBy).toEqual(["-word", "9"]);
    const [id] = rowGroups[0]?.chunks ?? [];
    expect(id).toMatchObject({ nullCount: undefined, min: undefined, max: undefined });
    expect([id?.columnIndex, id?.offsetIndex, id?.bloomFilter?.size]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(id?.bloomFilter?.offset).toBeGreaterThan(4);
  });

  it("has the older form of bounds, and distinct values", async () => {
    const source = await withMetadata((metadata) => {
      const statistics = { min: 1n, max: 4n, distinct_count: 4n } as const;
      for (const { meta_data: meta } of metadata.row_groups[0]?.columns.slice(0, 1) ?? []) {
        Object.assign(meta ?? {}, { statistics });
      }
      return metadata;
    });
    const { rowGroups } = await describeParquet(source);
    expect(rowGroups[0]?.chunks[0]).toMatchObject({
      min: 1n,
      max: 4n,
      distinctCount: 4,
      nullCount: undefined,
    });
  });

  it("may have row groups without chunks, and chunks that the schema does not have", async () => {
    const empty = { columns: [], total_byte_size: 0n, num_rows: 0n };
    const source = await withMetadata((metadata) => ({
      ...metadata,
      schema: [{ name: "root", num_children: 1 }, ...metadata.schema.slice(1, 2)],
      row_groups: [
        empty,
        ...metadata.row_groups.map((group) => ({ ...group, columns: group.columns.map(bare) })),
      ],
    }));
    const { rowGroups } = await describeParquet(source);
    expect(rowGroups[0]).toMatchObject({ offset: 0, size: 0, chunks: [] });
    expect(rowGroups[1]?.chunks.map(({ column }) => column)).toEqual(["id", ""]);
  });

  it("names chunks whose metadata is encrypted", async () => {
    const source = memorySource(readGolden("parquet-encrypted/java-columns.parquet"));
    const footerKey = new TextEncoder().encode("0123456789012345");
    const { rowGroups } = await describeParquet(source, { footerKey });
    const codecs = rowGroups[0]?.chunks.map(({ column, codec, values }) => [
      column,
      codec === "encrypted",
      values > 0,
    ]);
    expect(codecs).toEqual([
      ["id", true, false],
      ["name", false, true],
      ["amount", false, true],
      ["tags.list.element", true, false],
      ["open", false, true],
    ]);
  });
});

describe("the pages of a chunk", () => {
  it("end at a header that is damaged or cut, or at the end of the file", async () => {
    const bytes = await ours();
    const source = memorySource(bytes);
    const [chunk] = (await describeParquet(source)).rowGroups[0]?.chunks ?? [];
    if (chunk === undefined) {
      throw new TypeError("the file has no chunk");
    }
    const pages = await pagesOf(source, chunk);
    expect(pages.map(({ kind, values }) => [kind, values])).toEqual([
      ["data-v1", 2],
      ["data-v1", 2],
    ]);
    const second = pages[1]?.offset ?? 0;
    const damaged = bytes.slice();
    damaged.fill(0xff, second, second + 8);
    const first = pages.slice(0, 1);
    expect(await pagesOf(memorySource(damaged), chunk)).toEqual(first);
    for (const end of [second, second + 3]) {
      expect(await pagesOf(memorySource(bytes.subarray(0, end)), chunk)).toEqual(first);
    }
    expect(await pagesOf(source, { ...chunk, size: 0, offset: bytes.length - 600 })).toEqual([]);
  });

  it("have headers of any length up to 1 MiB, and a signal", async () => {
    // A page without values, whose header has a long binary in an unknown field.
    const longHeader = (size: number): Uint8Array => {
      const length = [
        (size & 0x7f) | 0x80,
        ((size >>> 7) & 0x7f) | 0x80,
        ((size >>> 14) & 0x7f) | 0x80,
        size >>> 21,
      ];
      const fields = [
        0x15,
        0,
        0x15,
        0,
        0x15,
        0,
        0x2c,
        0x15,
        2,
        0x15,
        0,
        0x15,
        6,
        0x15,
        6,
        0,
        0xf8,
        ...length,
      ];
      return Uint8Array.from([...MAGIC, ...fields, ...new Uint8Array(size), 0]);
    };
    const bytes = await ours();
    const [chunk] = (await describeParquet(memorySource(bytes))).rowGroups[0]?.chunks ?? [];
    for (const [size, count] of [
      [600, 1],
      [200_000, 1],
      [1_100_000, 0],
    ] as const) {
      const own = {
        ...(chunk as ChunkDescription),
        offset: 4,
        values: 1,
        size: size + 100,
      };
      expect(await pagesOf(memorySource(longHeader(size)), own), `${size}`).toHaveLength(count);
    }
    const stopped = AbortSignal.abort(new Error("stopped"));
    const failing: ByteSource = {
      ...memorySource(bytes),
      read: async (_at, _size, options) => {
        throw options?.signal?.aborted ? options.signal.reason : new CFileError("E_IO", "the disk failed");
      },
    };
    const whole = chunk as ChunkDescription;
    await expect(pagesOf(failing, whole, { signal: stopped })).rejects.toThrow("stopped");
    await expect(pagesOf(failing, whole)).rejects.toMatchObject({ code: "E_IO" });
  });
});
