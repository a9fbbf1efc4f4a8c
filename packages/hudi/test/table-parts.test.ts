/** Properties, paths and listings that the golden tables lack. */
import { memorySource, memoryTree, treeOfPaths } from "@cfile/io";
import { describe, expect, test } from "vitest";
import { openHudiTable } from "../src/index.js";
import { parseJavaProperties } from "../src/table/java-properties.js";
import { listPartitions } from "../src/table/list-partitions.js";
import { requireInside, requireName, TableFiles } from "../src/table/table-files.js";
import { parseTableProperties } from "../src/table/table-properties.js";
import { unpack } from "./golden-table.js";

const utf8 = (text: string) => new TextEncoder().encode(text);
const refused = (code: string, field?: string) => expect.objectContaining({ code, ...(field && { field }) });
const filesOf = (files: Readonly<Record<string, string>>) =>
  new TableFiles(memoryTree(new Map(Object.entries(files).map(([path, text]) => [path, utf8(text)]))));

describe("Java properties", () => {
  test.each<[string, string, readonly (readonly [string, string])[]]>([
    ["comments and empty lines", "# a=1\n\n  ! b=2\n \t\nc=3", [["c", "3"]]],
    [
      "all separators",
      "a=1\nb:2\nc 3\nd\t=\t4\ne",
      [
        ["a", "1"],
        ["b", "2"],
        ["c", "3"],
        ["d", "4"],
        ["e", ""],
      ],
    ],
    ["escapes", "a\\=b\\:c=\\t\\n\\u00e9\\\\\\x", [["a=b:c", "\t\né\\x"]]],
    [
      "lines that continue",
      "a=1,\\\r\n   2,\\\n3\nb=\\\\\nc=4",
      [
        ["a", "1,2,3"],
        ["b", "\\"],
        ["c", "4"],
      ],
    ],
    ["an end amid a line that continues", "a=1\\", [["a", "1"]]],
    ["a key twice", "a=1\na=2", [["a", "2"]]],
  ])("may have %s", (_, text, entries) => {
    expect([...parseJavaProperties(utf8(text))]).toEqual(entries);
  });

  test.each(["a=\\u12", "a=\\u12g4", "\\uz=1"])("%s is refused", (text) => {
    expect(() => parseJavaProperties(utf8(text))).toThrow(refused("E_CORRUPT", "properties"));
  });

  test("of a million backslashes are read at once", () => {
    const text = `a=${"\\".repeat(1_000_000)}b`;
    expect(parseJavaProperties(utf8(text)).get("a")).toHaveLength(500_001);
  });
});

describe("properties of a table", () => {
  test.each([
    [6, "", 1],
    [8, "", 2],
    [8, "1", 1],
  ])("of version %d and layout %j have layout %d", (version, text, layout) => {
    const properties = `hoodie.table.version=${version}\nhoodie.timeline.layout.version=${text}`;
    expect(parseTableProperties(utf8(properties)).layout).toBe(layout);
  });

  test.each([
    ["", "hoodie.table.version"],
    ["hoodie.table.version=9\nhoodie.timeline.layout.version=3", "hoodie.timeline.layout.version"],
  ])("%j are not supported", (text, field) => {
    expect(() => parseTableProperties(utf8(text))).toThrow(refused("E_UNSUPPORTED", field));
  });
});

describe("paths", () => {
  test.each(["s3:x", "a+b.c-d:/x", "..", "a/..", "a\\b", "a\0"])("%j leads out of the table", (path) => {
    expect(() => requireInside(path, "path")).toThrow(refused("E_CORRUPT", "path"));
    expect(() => requireName(path, "name")).toThrow(refused("E_CORRUPT", "name"));
  });

  test.each(["", "a/b:c", "day=1:2"])("%j stays inside", (path) => {
    expect(requireInside(path, "path")).toBe(path);
  });

  test.each(["", "a/b"])("%j is not a name", (name) => {
    expect(() => requireName(name, "name")).toThrow(refused("E_CORRUPT", "name"));
  });

  test("have those of the table before them in errors", () => {
    const files = filesOf({ a: "" });
    expect([files.path(""), files.path("a"), files.nameOf(""), files.nameOf("a")]).toEqual([
      "",
      "a",
      "memory",
      "memory/a",
    ]);
    const below = files.below("b");
    expect([below.path(""), below.path("a"), below.nameOf("")]).toEqual(["b", "b/a", "memory/b"]);
  });
});

describe("files", () => {
  test("that are missing count as absent, but a failing disk is an error", async () => {
    const files = filesOf({ "a/b": "x" });
    expect([await files.list("c"), await files.readIfPresent("c")]).toEqual([[], undefined]);
    const failing = new TableFiles({
      name: "disk",
      list: () => Promise.reject(new Error("disk")),
      openSource: () => Promise.reject(new Error("disk")),
    });
    await expect(failing.list("a")).rejects.toThrow("disk");
    await expect(failing.readIfPresent("a")).rejects.toThrow("disk");
  });

  test("above 1 GiB are not read as a whole", async () => {
    const tree = treeOfPaths(new Map([["a", 2 ** 40]]), "tree", (size, name) => ({
      ...memorySource(new Uint8Array(0), name),
      size: async () => size,
    }));
    await expect(new TableFiles(tree).read("a")).rejects.toMatchObject({ code: "E_LIMIT", path: "tree/a" });
  });
});

describe("listed partitions", () => {
  const mark = ".hoodie_partition_metadata";

  test("are sorted, whatever the order of the folders is", async () => {
    const name = "a_0-1-2_20261122000000001.parquet";
    const files = filesOf({
      [`b/${mark}`]: "",
      [`b/${name}`]: "",
      [`b/.${name}.crc`]: "",
      "b/other": "",
      [`a/x/${mark}.parquet`]: "",
      [`c/${mark}`]: "",
      [`.hoodie/${mark}`]: "",
    });
    expect(await listPartitions(files)).toEqual([
      { path: "a/x", names: [] },
      { path: "b", names: [name] },
      { path: "c", names: [] },
    ]);
  });

  test("of folders that are too deep are refused", async () => {
    const path = Array.from({ length: 34 }, (_, i) => `f${i}`).join("/");
    await expect(listPartitions(filesOf({ [`${path}/x`]: "" }))).rejects.toMatchObject({ code: "E_LIMIT" });
  });
});

describe("a table", () => {
  test("on disk that does not exist is not found", async () => {
    await expect(openHudiTable("/tmp/no such table")).rejects.toMatchObject({ code: "E_NOT_FOUND" });
  });

  test.each(["mor_v8_flat", "cow_v9"])(
    "has the same files from its metadata table and from its folders: %s",
    async (name) => {
      const { files } = unpack(name);
      const path = ".hoodie/hoodie.properties";
      const text = new TextDecoder().decode(files.get(path));
      const unindexed = new Map(files).set(
        path,
        utf8(text.replace(/^hoodie\.table\.metadata\.partitions=.*$/m, "")),
      );
      await using table = await openHudiTable(memoryTree(files));
      await using listed = await openHudiTable(memoryTree(unindexed));
      expect([table.listingSource, listed.listingSource]).toEqual(["metadata", "listing"]);
      for (const partition of await table.partitions()) {
        expect([...(await listed.filesOf(partition))]).toEqual(
          expect.arrayContaining([...(await table.filesOf(partition))]),
        );
      }
      expect([...(await listed.filesOf("absent"))]).toEqual([]);
      expect(await listed.slices("absent")).toEqual([]);
    },
  );
});
