/** Parts of the reader, tested alone with contents that golden files lack. */
import { ByteReader, CacheBudget, concatBytes, fromHex, utf8Bytes } from "@cfile/bytes";
import { type CellBatch, FileInfo, type HFileStructure, parseCells } from "@cfile/hfile";
import { memoryTree, treeOfPaths } from "@cfile/io";
import { messageBytes } from "@cfile/protobuf/write";
import { describe, expect, it } from "vitest";
import { BloomFilter, compareRowKeys } from "../src/bloom/bloom-filter.js";
import { rowEnd } from "../src/bloom/bloom-key.js";
import { parseBloomMeta } from "../src/bloom/bloom-meta.js";
import { BLOOM_HASHES } from "../src/bloom/hashes.js";
import { cellTtl, tagValue } from "../src/cells/cell-tags.js";
import { requirePackable } from "../src/cells/packed-parts.js";
import { StoreCursor } from "../src/cells/store-cursor.js";
import { fileFacts } from "../src/files/file-facts.js";
import { readHadoopLength } from "../src/files/hadoop-length.js";
import { parseReference } from "../src/files/reference.js";
import { boundsOf, compareAge, type StoreFile } from "../src/files/store-file.js";
import { parseFileList, trackedFiles } from "../src/files/tracked-files.js";
import {
  encodeSnapshotDescription,
  encodeSnapshotManifest,
  encodeTimeRangeMessage,
} from "../src/generated/encode.js";
import { boundaryProblems, currentRegions } from "../src/root/current-regions.js";
import { describeTable } from "../src/root/descriptor.js";
import { objectTree } from "../src/root/object-tree.js";
import {
  encodedRegionName,
  parseRegionInfo,
  type RegionInfo,
  regionInfoOf,
} from "../src/root/region-info.js";
import { parseManifest, readManifest, readSnapshotInfo } from "../src/root/snapshot-manifest.js";
import { parseTableName, storedTableName } from "../src/root/table-name.js";
import { parseFile } from "../src/root/tree-files.js";
import { cachedMayHaveRow } from "../src/scan/file-choice.js";
import { OpenRegion } from "../src/scan/open-region.js";
import { RegionPool } from "../src/scan/region-pool.js";
import { planCells, rowsOf } from "../src/scan/scan-options.js";
import { i32, i64, listBytes, regionInfoBytes } from "./made-root.js";

const refused = (code: string, field?: string) =>
  expect.objectContaining(field === undefined ? { code } : { code, field });

describe("lengths of Hadoop", () => {
  const read = (hex: string) => readHadoopLength(new ByteReader(fromHex(hex)), "length");
  it.each([
    ["7f", 127],
    ["8f80", 128],
    ["8c7fffffff", 0x7fffffff],
  ])("%s is %d", (hex, length) => {
    expect(read(hex)).toBe(length);
  });

  it.each([
    ["8c80000000", "E_CORRUPT"],
    ["887fffffffffffffff", "E_CORRUPT"],
    ["87ff", "E_CORRUPT"],
    ["ff", "E_CORRUPT"],
    ["8f", "E_TRUNCATED"],
  ])("%s is refused: %s", (hex, code) => {
    expect(() => read(hex)).toThrow(refused(code));
  });
});

describe("Bloom filters", () => {
  const meta = (hashes: number, type: number, bytes = i64(1n)): Uint8Array =>
    concatBytes([i32(3), bytes, i32(hashes), i32(type), i64(1n), i64(1n), i32(0), Uint8Array.of(0)]);

  it("may have no chunks", () => {
    expect(parseBloomMeta(meta(3, 1))).toMatchObject({ hashCount: 3, chunks: [], keys: 1 });
  });

  it.each<[string, Uint8Array, string, string]>([
    ["another version", i32(2), "E_UNSUPPORTED", "Bloom version"],
    ["more hashes than anybody needs", meta(1025, 1), "E_CORRUPT", "hash count"],
    ["an unknown hash", meta(3, 3), "E_UNSUPPORTED", "hash type"],
    ["a size above 2^53", meta(3, 1, i64(2n ** 53n)), "E_CORRUPT", "Bloom bytes"],
  ])("with %s are refused", (_, bytes, code, field) => {
    expect(() => parseBloomMeta(bytes)).toThrow(refused(code, field));
  });

  it("have Jenkins' hash of nothing", () => {
    // The published value for length and seed 0.
    expect((BLOOM_HASHES[0]?.(new Uint8Array(0), 0, 0) ?? 0) >>> 0).toBe(0xdeadbeef);
  });

  const chunk = (key: string, offset: number) => ({ offset, size: 1, firstKey: utf8Bytes(key) });
  const filter = (chunks: readonly ReturnType<typeof chunk>[], body = new Uint8Array(0)) => {
    const source = { name: "file" };
    const structure = { loader: { source, load: async () => ({ body }) } } as unknown as HFileStructure;
    return new BloomFilter(
      { ...parseBloomMeta(meta(3, 1)), chunks },
      structure,
      compareRowKeys,
      new CacheBudget(1000),
    );
  };

  it("with chunks that are not in order are refused", () => {
    expect(() => filter([chunk("b", 0), chunk("a", 1)])).toThrow(refused("E_CORRUPT", "chunk key"));
    expect(filter([chunk("a", 0), chunk("b", 1)]).meta.chunks).toHaveLength(2);
  });

  it("with an empty chunk are refused when it is asked", async () => {
    await expect(filter([chunk("a", 0)]).mayContain(utf8Bytes("b"))).rejects.toMatchObject({
      code: "E_CORRUPT",
      field: "Bloom chunk",
    });
    expect(await filter([chunk("b", 0)]).mayContain(utf8Bytes("a"))).toBe(false);
    const full = filter([chunk("a", 0)], new Uint8Array(8).fill(255));
    expect([full.cachedAnswer(utf8Bytes("b")), await full.mayContain(utf8Bytes("b"))]).toEqual([
      undefined,
      true,
    ]);
    expect(full.cachedAnswer(utf8Bytes("b"))).toBe(true);
  });

  it.each([
    ["a row after the last key", "ROW", "m", "n", false],
    ["the last key", "ROW", "m", "m", undefined],
    ["a row and no last key", "ROW", undefined, "n", undefined],
    ["a row and an empty last key", "ROW", "", "n", undefined],
    ["a prefix after the last key", "ROWPREFIX_FIXED_LENGTH", "ma", "mbx", false],
    ["the last prefix", "ROWPREFIX_FIXED_LENGTH", "ma", "maz", undefined],
  ])("say of %s whether it can be there", (_, bloomType, last, row, answer) => {
    const facts = {
      bloomType,
      bloomPrefixLength: 2,
      lastBloomKey: last === undefined ? last : utf8Bytes(last),
    };
    const file = { facts, blooms: { general: filter([chunk("", 0)]) } } as unknown as StoreFile;
    expect(cachedMayHaveRow(file, utf8Bytes(row), undefined)).toBe(answer);
  });

  it("have rows within damaged keys", () => {
    expect([rowEnd(new Uint8Array(0)), rowEnd(Uint8Array.of(0xff, 0xff))]).toEqual([2, 2]);
  });
});

/** One cell `r`, `f:q` with the value `v`. */
function cellBatch(tags: Uint8Array | undefined, mvcc: Uint8Array | undefined): CellBatch {
  const key = concatBytes([fromHex("000172"), utf8Bytes("\u0001fq"), i64(5n), Uint8Array.of(4)]);
  const parts = [i32(key.length), i32(1), key, utf8Bytes("v")];
  const after = tags === undefined ? [] : [i32(tags.length).slice(2), tags];
  return parseCells(concatBytes([...parts, ...after, mvcc ?? new Uint8Array(0)]), {
    tags: tags !== undefined,
    mvcc: mvcc !== undefined,
  });
}

describe("cells", () => {
  it("of files without tags have none", () => {
    expect(tagValue(cellBatch(undefined, undefined), 0, 5)).toBeUndefined();
  });

  it("have tags and a time to live", () => {
    const batch = cellBatch(concatBytes([fromHex("00010600" + "0908"), i64(7n)]), undefined);
    expect([tagValue(batch, 0, 6)?.length, tagValue(batch, 0, 7), cellTtl(batch, 0)]).toEqual([
      0,
      undefined,
      7,
    ]);
  });

  it.each(["00", "0001", "0000", "000205", "0009050102"])("with the tags %s are refused", (hex) => {
    expect(() => tagValue(cellBatch(fromHex(hex), undefined), 0, 8)).toThrow(refused("E_CORRUPT", "tags"));
  });

  it("with a time to live of two bytes are refused", () => {
    expect(() => cellTtl(cellBatch(fromHex("0003080000"), undefined), 0)).toThrow(
      refused("E_CORRUPT", "tags"),
    );
  });

  const cursor = (batch: CellBatch, family = "f"): StoreCursor => {
    const options = {
      family: 0,
      familyBytes: utf8Bytes(family),
      age: 0,
      sequenceId: undefined,
      path: "file",
    };
    const made = new StoreCursor([].values(), options);
    made.begin(batch);
    return made;
  };

  it.each([
    [undefined, undefined, 0],
    [fromHex("00010600"), fromHex("05"), 5],
    [undefined, fromHex("8f80"), 128],
    [undefined, fromHex("891fffffffffffff"), Number.MAX_SAFE_INTEGER],
  ])("with the tags %s and the MVCC number %s have the sequence ID %d", (tags, mvcc, id) => {
    expect(cursor(cellBatch(tags?.slice(0, 3), mvcc)).sequenceId).toBe(id);
  });

  it.each(["87ff", "ff", "8920000000000000", "888000000000000000"])(
    "with the MVCC number %s are refused",
    (hex) => {
      expect(() => cursor(cellBatch(undefined, fromHex(hex)))).toThrow(refused("E_CORRUPT", "MVCC number"));
    },
  );

  it.each(["g", "ff"])("whose family is not %s are refused", (family) => {
    expect(() => cursor(cellBatch(undefined, undefined), family)).toThrow(refused("E_CORRUPT", "family"));
  });

  it("of more than 4 GiB are not packed", () => {
    expect(() => requirePackable(2 ** 32)).toThrow(refused("E_LIMIT"));
    expect(requirePackable(2 ** 32 - 1)).toBeUndefined();
  });
});

describe("facts of a file", () => {
  const factsOf = (entries: Readonly<Record<string, Uint8Array>>) =>
    fileFacts(new FileInfo(Object.entries(entries).map(([key, value]) => ({ key: utf8Bytes(key), value }))));
  const range = (from?: bigint, to?: bigint) =>
    concatBytes([utf8Bytes("PBUF"), messageBytes(encodeTimeRangeMessage, { from, to })]);
  const PREFIX = { BLOOM_FILTER_TYPE: utf8Bytes("ROWPREFIX_FIXED_LENGTH") };

  it.each<[string, Record<string, Uint8Array>, object]>([
    ["nothing", {}, { bloomType: "NONE", timeRange: undefined, replaces: [], maxSequenceId: undefined }],
    ["a range in protobuf", { TIMERANGE: range(1n, 9n) }, { timeRange: { min: 1n, max: 9n } }],
    ["a range without bounds", { TIMERANGE: range() }, { timeRange: { min: 0n, max: 2n ** 63n - 1n } }],
    ["a prefix as text", { ...PREFIX, BLOOM_FILTER_PARAM: utf8Bytes("12") }, { bloomPrefixLength: 12 }],
    ["a prefix", { ...PREFIX, BLOOM_FILTER_PARAM: i32(3) }, { bloomPrefixLength: 3 }],
    ["kept sequence IDs", { SKIP_RESET_SEQ_ID: Uint8Array.of(1) }, { keepsSequenceIds: true }],
  ])("with %s", (_, entries, facts) => {
    expect(factsOf(entries)).toMatchObject(facts);
  });

  it.each<[string, Record<string, Uint8Array>, string, string]>([
    [
      "an unknown Bloom filter",
      { BLOOM_FILTER_TYPE: utf8Bytes("COLUMN") },
      "E_UNSUPPORTED",
      "BLOOM_FILTER_TYPE",
    ],
    ["a sequence ID above 2^53", { MAX_SEQ_ID_KEY: i64(2n ** 53n) }, "E_CORRUPT", "MAX_SEQ_ID_KEY"],
    ["a prefix of 0 bytes", { ...PREFIX, BLOOM_FILTER_PARAM: i32(0) }, "E_CORRUPT", "BLOOM_FILTER_PARAM"],
    ["no prefix", PREFIX, "E_CORRUPT", "BLOOM_FILTER_PARAM"],
    ["a range of 8 bytes", { TIMERANGE: i64(1n) }, "E_CORRUPT", "TIMERANGE"],
    [
      "replaced files without PBUF",
      { COMPACTION_EVENT_KEY: utf8Bytes("x") },
      "E_CORRUPT",
      "compaction event",
    ],
  ])("with %s are refused", (_, entries, code, field) => {
    expect(() => factsOf(entries)).toThrow(refused(code, field));
  });
});

/** A region of rows from one key to another. */
function region(startKey: string, endKey: string, regionId = 1, replicaId = 0): RegionInfo {
  const name = { namespace: utf8Bytes("default"), qualifier: utf8Bytes("t") };
  return regionInfoOf({
    tableName: name,
    regionId,
    replicaId,
    startKey: utf8Bytes(startKey),
    endKey: utf8Bytes(endKey),
  });
}

describe("regions", () => {
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  it.each([
    ["none", [], []],
    ["all rows", [["", ""]], []],
    [
      "two that adjoin",
      [
        ["", "b"],
        ["b", ""],
      ],
      [],
    ],
    ["a hole at the start", [["b", ""]], ["hole  to b"]],
    [
      "holes between and at the end",
      [
        ["", "b"],
        ["c", "d"],
      ],
      ["hole b to c", "hole d to "],
    ],
    [
      "an overlap",
      [
        ["", "c"],
        ["b", ""],
      ],
      ["overlap b to c"],
    ],
    [
      "an overlap within",
      [
        ["", "d"],
        ["b", "c"],
        ["d", ""],
      ],
      ["overlap b to c"],
    ],
    [
      "a copy without an end",
      [
        ["", ""],
        ["b", "c"],
      ],
      ["overlap b to c"],
    ],
    [
      "two without ends",
      [
        ["", ""],
        ["b", ""],
      ],
      ["overlap b to "],
    ],
  ])("%s", (_, bounds, problems) => {
    const regions = bounds.map(([from = "", to = ""]) => region(from, to));
    expect(
      boundaryProblems(regions).map(({ kind, from, to }) => `${kind} ${text(from)} to ${text(to)}`),
    ).toEqual(problems);
    expect(currentRegions(regions)).toHaveLength(bounds.length);
  });

  it("that a newer one overlaps, and replicas, do not count", () => {
    const regions = [region("", "m", 1), region("", "", 2), region("m", "", 1), region("", "", 2, 1)];
    expect(currentRegions(regions)).toEqual([regions[1]]);
    const split = [region("", "", 1), region("", "m", 2), region("m", "", 3)];
    expect(currentRegions(split)).toEqual(split.slice(1));
  });

  it.each<[string, Parameters<typeof regionInfoBytes>[0], string]>([
    ["without an ID", { regionId: undefined }, "region id"],
    ["that end before their start", { startKey: utf8Bytes("b"), endKey: utf8Bytes("a") }, "end key"],
    ["without rows", { startKey: utf8Bytes("b"), endKey: utf8Bytes("b") }, "end key"],
    ["of no table", { tableName: undefined }, "table name of the region"],
  ])("%s are refused", (_, message, field) => {
    expect(() => parseRegionInfo(regionInfoBytes(message))).toThrow(refused("E_CORRUPT", field));
  });

  it("without a description are refused", () => {
    expect(() => regionInfoOf(undefined)).toThrow(refused("E_CORRUPT"));
  });

  it("of the table of regions has a name of its own", () => {
    const meta = { namespace: "hbase", table: "meta" };
    expect(encodedRegionName(meta, new Uint8Array(0), 1)).toBe("1588230740");
    expect(encodedRegionName({ ...meta, table: "m" }, new Uint8Array(0), 1)).toHaveLength(32);
  });

  it("of a replica have its number in their name", () => {
    expect(region("", "", 1, 1).encodedName).not.toBe(region("", "", 1).encodedName);
  });

  it.each([
    ["bottom", "c", "b", "c"],
    ["bottom", "z", "b", "y"],
    ["top", "c", "c", "y"],
    ["top", "a", "b", "y"],
  ] as const)("with a reference to the %s half from %s on have rows from %s to %s", (side, row, from, to) => {
    expect(boundsOf(region("b", "y"), { side, row: utf8Bytes(row) })).toEqual({
      from: utf8Bytes(from),
      to: utf8Bytes(to),
    });
    expect(boundsOf(region("", ""), { side: "bottom", row: utf8Bytes("m") })).toEqual({
      from: undefined,
      to: utf8Bytes("m"),
    });
  });
});

it("a reference of before protobuf may be to the bottom half", () => {
  const { side, row } = parseReference(fromHex("00" + "04" + "00027878"));
  expect([side, new TextDecoder().decode(row)]).toEqual(["bottom", "xx"]);
  expect(() => parseReference(fromHex("00" + "01" + "00"))).toThrow(refused("E_CORRUPT", "split key"));
  expect(() => parseReference(utf8Bytes("PBUF"))).toThrow(refused("E_CORRUPT", "split key"));
});

it("files are ordered by sequence ID, size, time of the bulk load and name", () => {
  const file = (name: string, sequenceId: number, size: number, bulkLoadTime: bigint) =>
    ({ name, sequenceId, size, facts: { bulkLoadTime } }) as StoreFile;
  const files = [
    file("e", 2, 1, 0n),
    file("d", 1, 1, 2n),
    file("c", 1, 1, 1n),
    file("b", 1, 1, 1n),
    file("a", 1, 9, 9n),
  ];
  const [, , later, earlier] = files as [StoreFile, StoreFile, StoreFile, StoreFile];
  expect([compareAge(later, earlier), compareAge(earlier, later)]).toEqual([1, -1]);
  expect(
    files
      .sort(compareAge)
      .map(({ name }) => name)
      .join(""),
  ).toBe("abcde");
});

describe("lists of store files", () => {
  const files = (timestamp: number, ...names: string[]) => ({
    timestamp,
    files: names.map((name) => ({ name })),
  });
  const damaged = (bytes: Uint8Array) => bytes.map((byte, i) => (i === 5 ? byte ^ 1 : byte));
  const listed = (lists: Readonly<Record<string, Uint8Array>>) =>
    trackedFiles(
      memoryTree(new Map(Object.entries(lists).map(([name, bytes]) => [`f/.filelist/${name}`, bytes]))),
      "f",
    );

  it.each<[string, Record<string, Uint8Array>, string[]]>([
    ["no list", {}, []],
    ["an older second", { "f1.1": listBytes(files(2, "a")), "f2.1": listBytes(files(1, "b")) }, ["a"]],
    ["a newer second", { "f1.1": listBytes(files(2, "a")), "f2.1": listBytes(files(3, "b")) }, ["b"]],
    ["no times", { f1: listBytes({ files: [{ name: "a" }] }), f2: listBytes({ files: [] }) }, ["a"]],
    ["a time in the second", { f1: listBytes({ files: [] }), f2: listBytes(files(1, "b")) }, ["b"]],
    ["a newer generation", { "f1.1": listBytes(files(9, "a")), "f2.2": listBytes(files(1, "b")) }, ["b"]],
    [
      "a damaged second",
      { "f1.1": listBytes(files(1, "a")), "f2.1": damaged(listBytes(files(2, "b"))) },
      ["a"],
    ],
    ["another file", { "f1.1": listBytes(files(1, "a")), "f3.1": new Uint8Array(3) }, ["a"]],
  ])("with %s", async (_, lists, names) => {
    expect(await listed(lists)).toEqual(names);
  });

  it.each<[string, Uint8Array, string]>([
    ["damaged", damaged(listBytes(files(1, "a"))), "E_CHECKSUM"],
    ["of a newer version", listBytes({ version: 2, files: [] }), "E_UNSUPPORTED"],
    ["with a file without a name", listBytes({ files: [{}] }), "E_CORRUPT"],
  ])("that are all %s are refused", async (_, bytes, code) => {
    await expect(listed({ "f1.1": bytes })).rejects.toMatchObject({ code });
  });

  it("of version 1 are read", () => {
    expect(parseFileList(listBytes({ version: 1, files: [] }))).toMatchObject({ version: 1 });
  });
});

describe("descriptors", () => {
  const family = (name: string, attributes: Readonly<Record<string, string>> = {}) => ({
    name: utf8Bytes(name),
    attributes: Object.entries(attributes).map(([key, value]) => ({
      key: utf8Bytes(key),
      value: utf8Bytes(value),
    })),
    configuration: [{ name: "a", value: "b" }, {}],
  });
  const described = (...families: ReturnType<typeof family>[]) =>
    describeTable({
      tableName: { namespace: utf8Bytes("default"), qualifier: utf8Bytes("t") },
      attributes: [],
      families,
      configuration: [],
    });

  it("have families in order, with their settings", () => {
    const { families } = described(
      family("b"),
      family("a", { KEEP_DELETED_CELLS: "ttl", TTL: " 60 ", IS_MOB: "TRUE" }),
    );
    expect(families).toMatchObject([
      { name: "a", keepDeletedCells: "TTL", ttlSeconds: 60, mob: true },
      { name: "b", keepDeletedCells: "FALSE", ttlSeconds: undefined, mob: false, maxVersions: 1 },
    ]);
  });

  it.each<[string, ReturnType<typeof family>[], string]>([
    ["a family twice", [family("a"), family("a")], "column families"],
    ["a family that is a path", [family("../a")], "column family name"],
    ["a number with a sign", [family("a", { VERSIONS: "-1" })], "VERSIONS"],
    ["a number above 2^53", [family("a", { TTL: "99999999999999999" })], "TTL"],
    ["an unknown way to keep cells", [family("a", { KEEP_DELETED_CELLS: "MAYBE" })], "KEEP_DELETED_CELLS"],
  ])("with %s are refused", (_, families, field) => {
    expect(() => described(...families)).toThrow(refused("E_CORRUPT", field));
  });
});

describe("names of tables", () => {
  it.each(["", ":", "a:", ":a", "a:b:c", "a/b", ".t", "ns:.t"])("%j is refused", (name) => {
    expect(() => parseTableName(name)).toThrow(refused("E_INVALID_ARGUMENT", "table"));
    expect(() => storedTableName(name, "name")).toThrow(refused("E_CORRUPT", "name"));
  });

  it("may have a namespace", () => {
    expect([parseTableName("t"), parseTableName("ns:t")]).toEqual([
      { namespace: "default", table: "t" },
      { namespace: "ns", table: "t" },
    ]);
  });
});

describe("snapshots", () => {
  const TABLE = { namespace: utf8Bytes("default"), qualifier: utf8Bytes("t") };
  const tableSchema = {
    tableName: TABLE,
    attributes: [],
    families: [{ name: utf8Bytes("f"), attributes: [], configuration: [] }],
    configuration: [],
  };
  const region = { regionId: 1, tableName: TABLE };
  const manifest = (...families: string[]) =>
    messageBytes(encodeSnapshotManifest, {
      tableSchema,
      regions: [{ region, families: families.map((name) => ({ family: utf8Bytes(name), files: [{}] })) }],
    });

  it("have files by family", () => {
    const [found] = parseManifest(manifest("f")).regions;
    expect([...(found?.families ?? [])]).toEqual([
      ["f", [{ name: "", size: undefined, reference: undefined }]],
    ]);
  });

  it.each([[["g"]], [["f", "f"]]])("with the families %s are refused", (families) => {
    expect(() => parseManifest(manifest(...families))).toThrow(refused("E_CORRUPT", "family"));
  });

  it("without a descriptor are refused", () => {
    const bytes = messageBytes(encodeSnapshotManifest, { regions: [] });
    expect(() => parseManifest(bytes)).toThrow(refused("E_CORRUPT", "table schema"));
  });

  const info = (message: object) =>
    readSnapshotInfo(
      memoryTree(
        new Map([[".hbase-snapshot/s/.snapshotinfo", messageBytes(encodeSnapshotDescription, message)]]),
      ),
      "s",
      {},
    );

  it("are of a table, and of a flush if they do not say", async () => {
    expect(await info({ table: "ns:t" })).toMatchObject({
      table: { namespace: "ns", table: "t" },
      type: "FLUSH",
      name: "",
    });
    expect(await info({ table: "t", type: 2 })).toMatchObject({
      type: "SKIPFLUSH",
      version: 0,
      ttlSeconds: 0,
    });
    await expect(info({})).rejects.toMatchObject({ code: "E_CORRUPT", field: "table of the snapshot" });
    await expect(readSnapshotInfo(memoryTree(new Map()), "../s", {})).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
    });
  });

  it.each<[string, number, Uint8Array | undefined, string]>([
    ["of version 1", 1, undefined, "E_UNSUPPORTED"],
    ["without a manifest", 2, undefined, "E_UNSUPPORTED"],
    ["with a damaged manifest", 2, utf8Bytes("x"), "E_TRUNCATED"],
  ])("%s are refused", async (_, version, bytes, code) => {
    const path = ".hbase-snapshot/s/data.manifest";
    const tree = memoryTree(new Map(bytes === undefined ? [] : [[path, bytes]]));
    await expect(readManifest(tree, { name: "s", version }, {})).rejects.toMatchObject({
      code,
      path: `memory/${path}`,
    });
  });
});

it("a small file of more than 256 MiB is refused before it is read", async () => {
  const tree = treeOfPaths(new Map([["a", 2 ** 40]]), "tree", (size, name) => ({
    name,
    size: async () => size,
    read: () => Promise.reject(new Error("read")),
  }));
  await expect(parseFile(tree, "a", (bytes) => bytes)).rejects.toMatchObject({
    code: "E_LIMIT",
    path: "tree/a",
  });
});

it("folders in S3 cannot be listed", async () => {
  const tree = objectTree("s3://bucket/hbase/", () => Promise.reject(new Error("opened")));
  await expect(tree.list("data")).rejects.toMatchObject({
    code: "E_UNSUPPORTED",
    path: "s3://bucket/hbase/data",
  });
});

describe("scans", () => {
  const descriptor = describeTable({
    tableName: { namespace: utf8Bytes("default"), qualifier: utf8Bytes("t") },
    attributes: [],
    families: [{ name: utf8Bytes("f"), attributes: [], configuration: [] }],
    configuration: [],
  });
  const column = { family: "f", qualifier: "q" };

  it.each<[string, Parameters<typeof planCells>[1], string, string]>([
    ["raw cells of a column", { raw: true, columns: [column] }, "E_INVALID_ARGUMENT", "columns"],
    ["a fraction of a millisecond", { now: 1.5 }, "E_INVALID_ARGUMENT", "now"],
    ["another family", { families: ["g"] }, "E_NOT_FOUND", "family"],
    ["a column of another family", { columns: [{ ...column, family: "g" }] }, "E_NOT_FOUND", "family"],
    ["no versions", { versions: 0 }, "E_INVALID_ARGUMENT", "versions"],
    ["half a version", { versions: 1.5 }, "E_INVALID_ARGUMENT", "versions"],
    ["times before 1970", { timeRange: { from: -1, to: 1 } }, "E_INVALID_ARGUMENT", "timeRange.from"],
    ["times of a fraction", { timeRange: { from: 1, to: 1.5 } }, "E_INVALID_ARGUMENT", "timeRange.to"],
    ["times above 2^63", { timeRange: { from: 1, to: 2n ** 63n } }, "E_INVALID_ARGUMENT", "timeRange.to"],
    ["times that end early", { timeRange: { from: 2, to: 1 } }, "E_INVALID_ARGUMENT", "timeRange"],
  ])("of %s are refused", (_, options, code, field) => {
    expect(() => planCells(descriptor, options)).toThrow(refused(code, field));
  });

  it.each([-1, 1.5, Number.NaN])("of %d rows are refused", (limit) => {
    expect(() => rowsOf({ limit })).toThrow(refused("E_INVALID_ARGUMENT", "limit"));
  });

  it("have no bounds at empty rows", () => {
    expect(rowsOf({ startRow: "", stopRow: new Uint8Array(0) })).toEqual({
      from: undefined,
      to: undefined,
      limit: Number.POSITIVE_INFINITY,
    });
  });
});

describe("the pool of regions", () => {
  it("closes regions that nobody reads, beyond 16", async () => {
    const closed: string[] = [];
    const pool = new RegionPool((name) => {
      const open = new OpenRegion(region("", ""), () => Promise.reject(new Error("opened")));
      open.close = async () => void closed.push(name);
      return open;
    });
    const names = Array.from({ length: 18 }, (_, i) => `r${i}`);
    for (const name of names) {
      pool.acquire(name);
    }
    // All regions are in use.
    await pool.release("r17");
    expect(closed).toEqual(["r17"]);
    await pool.release("r0");
    await pool.release("r1");
    expect(closed).toEqual(["r17", "r0"]);
    await pool.close();
    expect(closed).toHaveLength(18);
    // Readers may release a region after all are closed.
    await pool.release("r2");
    expect(closed).toHaveLength(18);
  });
});
