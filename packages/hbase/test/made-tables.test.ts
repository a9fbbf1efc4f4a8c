/** Tables made by `made-root.ts`: the cells that a client would see, the reports of checks, and rejected tables. */
import { CFileError, concatBytes, fromHex, utf8Bytes } from "@cfile/bytes";
import { type FileTree, memorySource, memoryTree, treeOfPaths } from "@cfile/io";
import { messageBytes } from "@cfile/protobuf/write";
import { describe, expect, it } from "vitest";
import { parseColumnSchema, tableColumns } from "../src/columns.js";
import { encodeSnapshotDescription, encodeSnapshotManifest } from "../src/generated/encode.js";
import { openHBaseRoot, type TableScanOptions } from "../src/index.js";
import { encodedRegionName } from "../src/root/region-info.js";
import { verifyTable } from "../src/verify.js";
import {
  cellOf,
  type Files,
  hfileBytes,
  i32,
  i64,
  listBytes,
  logBytes,
  loggedCell,
  type MadeTable,
  madeTable,
  openMade,
  regionAt,
  regionInfoBytes,
  storePath,
} from "./made-root.js";

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Row and value of each cell. */
async function cellsIn(files: Files, options: TableScanOptions = {}, recover = false): Promise<string[]> {
  await using table = await (await openMade(files)).openTable("t", { recover });
  const found: string[] = [];
  for await (const cells of table.scan(options)) {
    for (let i = 0; i < cells.length; i++) {
      found.push(`${text(cells.row(i))}=${text(cells.value(i))}`);
    }
  }
  return found;
}

/** A table with these store files. */
async function withFiles(stores: Readonly<Record<string, Uint8Array>>, made: MadeTable = {}): Promise<Files> {
  const files = madeTable(made);
  for (const [name, bytes] of Object.entries(stores)) {
    files.set(storePath(name), bytes);
  }
  return files;
}

describe("a scan", () => {
  it("takes the cell of the newer file if all else is equal", async () => {
    const files = await withFiles({
      "0a": await hfileBytes([cellOf("r", "old")], { MAX_SEQ_ID_KEY: i64(1n) }),
      "0b": await hfileBytes([cellOf("r", "new")], { MAX_SEQ_ID_KEY: i64(2n) }),
    });
    expect(await cellsIn(files)).toEqual(["r=new"]);
    const other = await withFiles({
      "0a": await hfileBytes([cellOf("r", "new")], { MAX_SEQ_ID_KEY: i64(2n) }),
      "0b": await hfileBytes([cellOf("r", "old")], { MAX_SEQ_ID_KEY: i64(1n) }),
    });
    expect(await cellsIn(other)).toEqual(["r=new"]);
  });

  it("leaves out a file whose cells have all expired", async () => {
    const info = { TIMERANGE: concatBytes([i64(5n), i64(5n)]) };
    const files = await withFiles(
      { "0a": await hfileBytes([cellOf("r", "x")], info) },
      { families: { f: { TTL: "1" } } },
    );
    expect(await cellsIn(files, { now: 2000 })).toEqual([]);
    expect(await cellsIn(files, { now: 1000 })).toEqual(["r=x"]);
  });

  it("refuses cells whose family is not that of the folder", async () => {
    const files = await withFiles({ "0a": await hfileBytes([cellOf("r", "x", { family: utf8Bytes("g") })]) });
    await expect(cellsIn(files)).rejects.toMatchObject({ code: "E_CORRUPT", field: "family" });
  });

  it("refuses a list of files with a name that leads out of the folder", async () => {
    const files = await withFiles({}, { families: { f: {} } });
    files.set(storePath(".filelist/f1.1"), listBytes({ files: [{ name: "../x" }] }));
    files.set(storePath("0a"), await hfileBytes([cellOf("r", "x")]));
    // The default tracker uses the files of the folder.
    expect(await cellsIn(files)).toEqual(["r=x"]);
  });

  it("with new-version rules returns what the rules leave: versions, expired ones, and no more", async () => {
    const family = { NEW_VERSION_BEHAVIOR: "true", VERSIONS: "5", MIN_VERSIONS: "1", TTL: "1" };
    const cells = [3000n, 2500n, 1000n, 500n].map((timestamp, i) =>
      cellOf("r", `v${i}`, { timestamp, mvcc: BigInt(9 - i) }),
    );
    const files = await withFiles({ "0a": await hfileBytes(cells) }, { families: { f: family } });
    const seen = (now: number, versions: number | "all") => cellsIn(files, { now, versions });
    expect(await seen(3000, "all")).toEqual(["r=v0", "r=v1"]);
    expect(await seen(9000, "all")).toEqual(["r=v0"]);
    expect(await seen(3000, 1)).toEqual(["r=v0"]);
  });

  it("with new-version rules leaves out cells past their own time to live", async () => {
    const ttl = (millis: bigint) => concatBytes([fromHex("000908"), i64(millis)]);
    const cells = [
      cellOf("a", "gone", { timestamp: 1000n, tags: ttl(10n) }),
      cellOf("b", "kept", { timestamp: 1000n, tags: ttl(10_000n) }),
    ];
    const files = await withFiles(
      { "0a": await hfileBytes(cells, {}, { tags: true }) },
      { families: { f: { NEW_VERSION_BEHAVIOR: "true" } } },
    );
    expect(await cellsIn(files, { now: 2000 })).toEqual(["b=kept"]);
  });

  it("stops at the limit, in several regions", async () => {
    const files = madeTable({ splits: ["", "m"] });
    files.set(storePath("0a"), await hfileBytes([cellOf("a", "1"), cellOf("b", "2")]));
    files.set(storePath("0b", { start: "m" }), await hfileBytes([cellOf("n", "3")]));
    expect(await cellsIn(files, { limit: 2 })).toEqual(["a=1", "b=2"]);
    expect(await cellsIn(files, { limit: 0 })).toEqual([]);
    expect(await cellsIn(files)).toEqual(["a=1", "b=2", "n=3"]);
    expect(await cellsIn(files, { startRow: "m", stopRow: "z" })).toEqual(["n=3"]);
  });

  it("refuses rows without a region, and rows of two, but only those", async () => {
    const hole = madeTable({ splits: ["b"] });
    hole.set(storePath("0a", { start: "b" }), await hfileBytes([cellOf("c", "1")]));
    await expect(cellsIn(hole)).rejects.toMatchObject({ code: "E_CORRUPT", field: "regions" });
    expect(await cellsIn(hole, { startRow: "b" })).toEqual(["c=1"]);
    const twice = madeTable({ splits: ["", "b", "d"] });
    const within = regionInfoBytes({ startKey: utf8Bytes("bb"), endKey: utf8Bytes("c") });
    twice.set(`data/default/t/${regionAt("bb")}/.regioninfo`, within);
    await expect(cellsIn(twice, { startRow: "b" })).rejects.toMatchObject({
      code: "E_CORRUPT",
      field: "regions",
    });
    await using table = await (await openMade(twice)).openTable("t");
    const rows = table.regionsOf({ startRow: "d" }).map(({ from, to }) => [from && text(from), to]);
    expect(rows).toEqual([["d", undefined]]);
    expect((await verifyTable(table)).boundaries.length).toBeGreaterThan(0);
  });

  it("of unknown regions and missing rows says so", async () => {
    const files = madeTable({ splits: ["b"] });
    await using table = await (await openMade(files)).openTable("t");
    await expect(table.files("0a")).rejects.toMatchObject({ code: "E_NOT_FOUND" });
    await expect(table.get("a")).rejects.toMatchObject({ code: "E_CORRUPT" });
    expect((await table.getMany(["b", "c"])).map(({ length }) => length)).toEqual([0, 0]);
    expect(table.losses).toEqual([]);
    expect(() => table.regionsOf()).toThrow(expect.objectContaining({ code: "E_CORRUPT" }));
  });

  it("packs values of any length", async () => {
    const long = "x".repeat(100);
    const files = await withFiles({ "0a": await hfileBytes([cellOf("a", long), cellOf("b", "y")]) });
    await using table = await (await openMade(files)).openTable("t");
    for await (const cells of table.scan()) {
      const { data, offsets } = cells.packValues();
      expect([text(data), [...offsets]]).toEqual([`${long}y`, [0, 100, 101]]);
    }
  });
});

describe("columns", () => {
  it("are empty without rows", async () => {
    await using table = await (await openMade(madeTable())).openTable("t");
    const { rows } = tableColumns(table, parseColumnSchema("f:q:string"));
    expect(await rows.next()).toEqual({ done: true, value: undefined });
  });

  it("come in batches of 4,096 rows", async () => {
    const cells = Array.from({ length: 4097 }, (_, i) => cellOf(`r${String(i).padStart(5, "0")}`, String(i)));
    const files = await withFiles({ "0a": await hfileBytes(cells) });
    await using table = await (await openMade(files)).openTable("t");
    const found: unknown[] = [];
    for await (const { length, firstRow, columns } of tableColumns(
      table,
      parseColumnSchema("f:q:int32(utf8)"),
    ).rows) {
      found.push([firstRow, length, columns[1]?.get(length - 1)]);
    }
    expect(found).toEqual([
      [0, 4096, 4095],
      [4096, 1, 4096],
    ]);
  });
});

describe("recovery", () => {
  it("reads rows of whole files and of parts of them", async () => {
    const files = await withFiles({
      "0a": await hfileBytes([cellOf("a", "1"), cellOf("b", "2"), cellOf("c", "3")]),
    });
    expect(await cellsIn(files, {}, true)).toEqual(["a=1", "b=2", "c=3"]);
    expect(await cellsIn(files, { startRow: "b" }, true)).toEqual(["b=2", "c=3"]);
    expect(await cellsIn(files, { stopRow: "b" }, true)).toEqual(["a=1"]);
    expect(await cellsIn(files, { startRow: "bb", stopRow: "bc" }, true)).toEqual([]);
  });
});

describe("Bloom filters of a file", () => {
  it("without one may have every row", async () => {
    const files = await withFiles({ "0a": await hfileBytes([cellOf("r", "x")]) });
    const filters = await (await openMade(files)).bloomFilters(storePath("0a"));
    expect([filters.type, filters.keys]).toEqual(["NONE", 0]);
    expect(await filters.mayContain(utf8Bytes("z"))).toBe(true);
    expect(await filters.mayDeleteFamily(utf8Bytes("z"))).toBe(true);
    await filters.close();
  });

  it("without markers never delete a family", async () => {
    const files = await withFiles({
      "0a": await hfileBytes([cellOf("r", "x")], { DELETE_FAMILY_COUNT: i64(0n) }),
    });
    files.set(storePath(`t=${regionAt()}-0a`), new Uint8Array(0));
    for (const name of ["0a", `t=${regionAt()}-0a`]) {
      const filters = await (await openMade(files)).bloomFilters(storePath(name));
      expect(await filters.mayDeleteFamily(utf8Bytes("r"))).toBe(false);
      await filters.close();
    }
  });

  it.each<[string, string]>([
    ["E_INVALID_ARGUMENT", "data/default/t/0a"],
    ["E_NOT_FOUND", storePath("0b")],
    ["E_NOT_FOUND", `mobdir/${storePath(`${"0".repeat(32)}20260101${"1".repeat(32)}_${"2".repeat(32)}`)}`],
    ["E_BLOCK_MISSING", storePath(`gone=${regionAt()}-0a`)],
  ])("are refused with %s: %s", async (code, path) => {
    await expect((await openMade(madeTable())).bloomFilters(path)).rejects.toMatchObject({ code });
  });
});

describe("a root", () => {
  it("has tables by namespace, without hidden folders", async () => {
    const files = madeTable();
    files.set("data/default/.tmp/x", new Uint8Array(0));
    files.set("data/ns/u/x", new Uint8Array(0));
    const root = await openMade(files);
    expect([await root.namespaces(), await root.tables(), await root.snapshots()]).toEqual([
      ["default", "ns"],
      ["t", "ns:u"],
      [],
    ]);
    await expect(root.openTable("hbase:meta")).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
    await expect(root.openTable("ns:u")).rejects.toMatchObject({ code: "E_NOT_FOUND" });
    await expect(root.snapshotInfo("s")).rejects.toMatchObject({ code: "E_NOT_FOUND" });
  });

  it("refuses a region with files that has no description, but not one that is being created", async () => {
    const files = madeTable();
    const folder = `data/default/t/${"0".repeat(32)}`;
    for (const name of ["recovered.edits/1", ".tmp/x", "f/.hidden"]) {
      files.set(`${folder}/${name}`, new Uint8Array(0));
    }
    expect(await cellsIn(files)).toEqual([]);
    files.set(`${folder}/f/0a`, new Uint8Array(0));
    await expect(cellsIn(files)).rejects.toMatchObject({ code: "E_BLOCK_MISSING" });
  });

  it("without its write-ahead log has only what was flushed", async () => {
    const files = madeTable();
    files.set("WALs/host,1,1/log", logBytes([{ cells: [loggedCell("a", "1")] }]));
    const root = await openHBaseRoot(memoryTree(files));
    await using table = await root.openTable("t", { withLog: false });
    expect((await table.get("a")).length).toBe(0);
    await using whole = await root.openTable("t");
    expect((await whole.get("a")).length).toBe(1);
  });
});

describe("MOB values", () => {
  const MOB = `${"0".repeat(32)}20260101${"1".repeat(32)}_${"2".repeat(32)}`;
  const REFERENCE = fromHex("000105");
  const inTable = (name: string) => {
    const table = utf8Bytes(name);
    return concatBytes([REFERENCE, i32(table.length + 1).slice(2), Uint8Array.of(6), table]);
  };

  /** A table whose cell `r` refers to a MOB file. */
  async function withMob(value: Uint8Array, tags: Uint8Array, mob?: Uint8Array): Promise<Files> {
    const files = madeTable({ families: { f: { IS_MOB: "true" } } });
    const cell = cellOf("r", "", { value, tags });
    files.set(storePath("0a"), await hfileBytes([cell], {}, { tags: true }));
    if (mob !== undefined) {
      const folder = "mobdir/data/default/t";
      files.set(`${folder}/${mobRegion()}/f/${MOB}`, mob);
    }
    return files;
  }
  const refer = (length: number, name = MOB) => concatBytes([i32(length), utf8Bytes(name)]);
  const mobRegion = () => encodedRegionName({ namespace: "default", table: "t" }, utf8Bytes(".mob"), 0);
  const mobFile = (row = "r") => hfileBytes([cellOf(row, "value")]);

  it.each([
    ["the table itself", REFERENCE],
    ["a table by its name", inTable("t")],
  ])("are read from the file of %s", async (_, tags) => {
    const files = await withMob(refer(5), tags, await mobFile());
    expect(await cellsIn(files)).toEqual(["r=value"]);
    await using table = await (await openMade(files)).openTable("t");
    expect(await verifyTable(table)).toMatchObject({ ok: true, mobReferences: 1, cells: 1, files: 1 });
  });

  it.each<[string, () => Promise<Files>, string]>([
    ["without a file name", () => withMob(i32(5), REFERENCE), "E_CORRUPT"],
    ["of three bytes", () => withMob(new Uint8Array(3), REFERENCE), "E_CORRUPT"],
    ["to a path", () => withMob(refer(5, "../x"), REFERENCE), "E_CORRUPT"],
    ["to a table that is a path", () => withMob(refer(5), inTable("../x")), "E_CORRUPT"],
    ["to a missing file", () => withMob(refer(5), REFERENCE), "E_BLOCK_MISSING"],
    ["to a missing cell", async () => withMob(refer(5), REFERENCE, await mobFile("s")), "E_CORRUPT"],
    ["to a value of another length", async () => withMob(refer(4), REFERENCE, await mobFile()), "E_CORRUPT"],
  ])("%s are refused", async (_, make, code) => {
    const files = await make();
    await expect(cellsIn(files)).rejects.toMatchObject({ code });
    await using table = await (await openMade(files)).openTable("t");
    expect(await verifyTable(table)).toMatchObject({ ok: false, problems: [{ code }], mobReferences: 0 });
  });

  it("of many files are read; 64 files stay open", async () => {
    const files = madeTable({ families: { f: { IS_MOB: "true" } } });
    const name = (i: number) => `${"0".repeat(32)}20260101${String(i).padStart(32, "0")}_${"2".repeat(32)}`;
    const rows = Array.from({ length: 70 }, (_, i) => `r${String(i).padStart(2, "0")}`);
    const cells = rows.map((row, i) => cellOf(row, "", { value: refer(5, name(i)), tags: REFERENCE }));
    files.set(storePath("0a"), await hfileBytes(cells, {}, { tags: true }));
    for (const [i, row] of rows.entries()) {
      files.set(`mobdir/data/default/t/${mobRegion()}/f/${name(i)}`, await mobFile(row));
    }
    const { tree, counts } = counted(memoryTree(files));
    const table = await (await openHBaseRoot(tree)).openTable("t");
    let found = 0;
    for await (const { length } of table.scan()) {
      found += length;
    }
    expect(found).toBe(70);
    // 64 MOB files and the store file.
    expect(counts.open).toBe(65);
    await table.close();
    expect(counts.open).toBe(0);
  });
});

/** A tree that counts its open files. */
function counted(tree: FileTree) {
  const counts = { open: 0 };
  const openSource = async (path: string) => {
    const source = await tree.openSource(path);
    counts.open++;
    return { ...source, close: async () => void counts.open-- };
  };
  return { tree: { ...tree, openSource }, counts };
}

describe("a check", () => {
  it("reports references, sizes that a manifest states, and every block once", async () => {
    const files = madeTable();
    const key = concatBytes([fromHex("000172"), fromHex("007fffffffffffffff00")]);
    const file = await hfileBytes([cellOf("r", "x")]);
    files.set(storePath("0a"), file);
    files.set(storePath(`0a.${regionAt()}`), concatBytes([Uint8Array.of(1, key.length), key]));
    await using table = await (await openMade(files)).openTable("t");
    expect(await verifyTable(table)).toMatchObject({ ok: true, files: 2, references: 1, links: 0, cells: 1 });
  });

  it("reports files with other names", async () => {
    const files = madeTable();
    files.set(storePath("x"), new Uint8Array(0));
    await using table = await (await openMade(files)).openTable("t");
    expect(await verifyTable(table)).toMatchObject({
      ok: false,
      problems: [{ code: "E_CORRUPT", family: "f" }],
    });
  });

  it("finds out late that a file is missing, where opening it requests nothing", async () => {
    const files = madeTable();
    files.set(storePath("0a"), new Uint8Array(0));
    const missing = () => Promise.reject(new CFileError("E_NOT_FOUND", "no such file"));
    const tree = treeOfPaths(files, "tree", (bytes, name) =>
      name.endsWith("/0a") ? { name, size: missing, read: missing } : memorySource(bytes, name),
    );
    await using table = await (await openHBaseRoot(tree)).openTable("t");
    expect(await verifyTable(table)).toMatchObject({ problems: [{ code: "E_BLOCK_MISSING", file: "0a" }] });
  });

  it("reports a size that differs from a snapshot's manifest, whose other families are empty", async () => {
    const name = { namespace: utf8Bytes("default"), qualifier: utf8Bytes("t") };
    const families = ["f", "g"].map((family) => ({
      name: utf8Bytes(family),
      attributes: [],
      configuration: [],
    }));
    const file = await hfileBytes([cellOf("r", "x")]);
    const manifest = messageBytes(encodeSnapshotManifest, {
      tableSchema: { tableName: name, attributes: [], families, configuration: [] },
      regions: [
        {
          region: { regionId: 7, tableName: name },
          families: [{ family: utf8Bytes("f"), files: [{ name: "0a", size: file.length + 1 }] }],
        },
      ],
    });
    const files: Files = new Map([
      [
        ".hbase-snapshot/s/.snapshotinfo",
        messageBytes(encodeSnapshotDescription, { table: "t", version: 2 }),
      ],
      [".hbase-snapshot/s/data.manifest", manifest],
      [`archive/${storePath("0a")}`, file],
    ]);
    const root = await openMade(files);
    await using table = await root.openSnapshot("s", { recover: true });
    expect(await verifyTable(table)).toMatchObject({
      ok: false,
      cells: 1,
      problems: [{ code: "E_CORRUPT", path: `archive/${storePath("0a")}`, expected: file.length + 1 }],
    });
    let found = 0;
    for await (const { length } of table.scan()) {
      found += length;
    }
    expect([found, table.losses]).toEqual([1, []]);
  });

  it("reports a file that is damaged, and lists at most 1,000 problems", async () => {
    const files = madeTable();
    for (let i = 0; i < 1002; i++) {
      files.set(storePath(i.toString(16)), utf8Bytes("no HFile"));
    }
    await using table = await (await openMade(files)).openTable("t");
    const report = await verifyTable(table);
    expect([report.ok, report.problemCount, report.problems.length]).toEqual([false, 1002, 1000]);
    expect(report.problems[0]).toMatchObject({ family: "f", file: "0", path: storePath("0") });
  });
});
