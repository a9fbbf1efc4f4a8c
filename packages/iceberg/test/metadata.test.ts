import { isCFileError } from "@cfile/bytes";
import { MemoryDirectory } from "@cfile/io";
import { describe, expect, test } from "vitest";
import { commitSnapshot, history, openIcebergTable, readSnapshot } from "../src/index.js";
import { parseMetadata } from "../src/metadata/metadata-json.js";
import { readWhole } from "../src/metadata/table-folders.js";
import { changeMetadata, firstOf, lastName, rowsIn } from "./changed-table.js";
import { FIRST, firstSnapshot, memoryFolders } from "./made-table.js";

/** A snapshot ID like those of other writers, with 63 bits. */
const ID = 4_611_686_018_427_387_905n;

/** A table with one snapshot, changed. */
async function changed(
  change: (first: (list: string) => Record<string, unknown>) => Record<string, unknown>,
) {
  const folders = memoryFolders();
  const table = await firstSnapshot(folders);
  await changeMetadata(
    table,
    change((list) => firstOf(table, list)),
  );
  return folders;
}

describe("damaged metadata is refused:", () => {
  test.each<[string, string, Parameters<typeof changed>[0]]>([
    ["location", "no location", () => ({ location: undefined })],
    ["last-sequence-number", "no last sequence number", () => ({ "last-sequence-number": undefined })],
    ["snapshots", "snapshots that are no list", () => ({ snapshots: {} })],
    ["snapshots", "a snapshot that is no object", () => ({ snapshots: [7] })],
    ["current-snapshot-id", "an unknown current snapshot", () => ({ "current-snapshot-id": 7 })],
    ["current-snapshot-id", "text for the current snapshot", () => ({ "current-snapshot-id": "7" })],
    ["current-snapshot-id", "a fraction for the current snapshot", () => ({ "current-snapshot-id": 1.5 })],
    ["current-snapshot-id", "a text with NUL", () => ({ "current-snapshot-id": "\0seven" })],
    ["current-schema-id", "an unknown schema", () => ({ "current-schema-id": 7 })],
    ...[
      { fields: {} },
      { fields: [null] },
      { fields: [{ id: 1, name: "a", required: true, type: 7 }] },
      { "identifier-field-ids": 10 },
      { "identifier-field-ids": ["10"] },
    ].map((fields): [string, string, Parameters<typeof changed>[0]] => [
      "current-schema-id",
      `a schema with ${JSON.stringify(fields)}`,
      (first) => ({ schemas: [{ ...first("schemas"), ...fields }] }),
    ]),
    ...(["snapshot-id", "manifest-list", "timestamp-ms"] as const).map(
      (field): [string, string, Parameters<typeof changed>[0]] => [
        field,
        `a snapshot without ${field}`,
        (first) => ({ snapshots: [{ ...first("snapshots"), [field]: undefined }] }),
      ],
    ),
    ...(["parent-snapshot-id", "schema-id"] as const).map(
      (field): [string, string, Parameters<typeof changed>[0]] => [
        field,
        `a snapshot whose ${field} is text`,
        (first) => ({ snapshots: [{ ...first("snapshots"), [field]: "1" }] }),
      ],
    ),
    ...[{ "source-id": "1" }, { transform: 1 }, { name: null }].map(
      (fields): [string, string, Parameters<typeof changed>[0]] => [
        "partition-specs",
        `a partition field with ${JSON.stringify(fields)}`,
        () => ({
          "partition-specs": [
            { "spec-id": 0, fields: [{ "source-id": 10, transform: "identity", name: "id", ...fields }] },
          ],
        }),
      ],
    ),
  ])("%s: %s", async (field, _, change) => {
    const folders = await changed(change);
    const path = "metadata/v1.metadata.json";
    await expect(openIcebergTable(folders)).rejects.toMatchObject({ code: "E_CORRUPT", field, path });
  });

  test("a current snapshot with a schema that the table does not have", async () => {
    const folders = await changed((first) => ({
      snapshots: [{ ...first("snapshots"), "schema-id": 7 }],
    }));
    await expect(rowsIn(folders)).rejects.toMatchObject({ code: "E_CORRUPT", field: "schema-id" });
  });

  test("metadata of more than 256 MiB, before they are read", async () => {
    const folder = new MemoryDirectory("metadata", {
      files: new Map([["v1.metadata.json", new Uint8Array()]]),
    });
    const large = {
      name: "large",
      size: async () => 2 ** 40,
      read: () => Promise.reject(new Error("read")),
    };
    folder.openSource = async () => large;
    await expect(openIcebergTable(memoryFolders(undefined, folder))).rejects.toMatchObject({
      code: "E_LIMIT",
      path: "large",
    });
  });

  test("a number of 200,000 digits with a letter, at once", () => {
    const code = (text: string): unknown => {
      try {
        return parseMetadata(text);
      } catch (error) {
        return isCFileError(error) && error.code;
      }
    };
    expect(code(`${"9".repeat(200_000)}e`)).toBe("E_CORRUPT");
  });
});

test("a text of 20 MB is parsed", () => {
  const text = `"\\${"x".repeat(20_000_000)}`;
  expect(parseMetadata(JSON.stringify({ text, number: 12 }))).toEqual({ text, number: 12 });
});

describe("metadata of other writers are read:", () => {
  test.each<[string, unknown[][], Parameters<typeof changed>[0]]>([
    [
      "without optional fields",
      FIRST.map((row) => [...row]),
      (first) => ({
        ...{ properties: undefined, "default-sort-order-id": undefined, refs: undefined },
        "last-updated-ms": undefined,
        snapshots: [{ ...first("snapshots"), summary: undefined, "schema-id": undefined }],
      }),
    ],
    ["without a current snapshot", [], () => ({ "current-snapshot-id": null })],
    [
      "with the ID -1 for no current snapshot",
      [],
      () => ({ "current-snapshot-id": -1, snapshots: undefined }),
    ],
  ])("%s", async (_, rows, change) => {
    const folders = await changed(change);
    expect(await rowsIn(folders)).toEqual(rows);
    const table = await openIcebergTable(folders);
    const next = table && (await commitSnapshot(table, { dataFiles: [] }));
    expect(next?.metadata.json["refs"]).toMatchObject({ main: { type: "branch" } });
    expect(next?.metadata.current?.time).toBeGreaterThan(0);
  });

  test("with snapshot IDs of 63 bits, which stay the parents of new snapshots", async () => {
    const folders = memoryFolders();
    const table = await firstSnapshot(folders);
    const { id, manifestList } = table.metadata.current ?? { id: 0n, manifestList: "" };
    const text = new TextDecoder().decode(await readWhole(folders.metadata, "v1.metadata.json"));
    const other = text.replaceAll(String(id), String(ID)).replace(lastName(manifestList), "list.avro");
    const files = new Map(folders.metadata.snapshot());
    files.set("list.avro", files.get(lastName(manifestList)) ?? new Uint8Array());
    files.set("v1.metadata.json", new TextEncoder().encode(other.replace(`snap-${ID}.avro`, "list.avro")));
    const metadata = new MemoryDirectory("metadata", { files });
    const opened = await openIcebergTable(memoryFolders(folders.data, metadata));
    const next = opened && (await commitSnapshot(opened, { dataFiles: [] }));
    const again = await openIcebergTable(memoryFolders(folders.data, metadata));
    expect(again && [...history(again.metadata)].map((one) => one.id)).toEqual([
      next?.metadata.current?.id,
      ID,
    ]);
    expect(again?.metadata.current?.parentId).toBe(ID);
  });
});

test("a folder without metadata has no table", async () => {
  expect(await openIcebergTable(memoryFolders())).toBeUndefined();
  const folders = await changed(() => ({}));
  const table = await openIcebergTable(folders);
  expect(table && (await readSnapshot(table)).keyNames).toEqual(["id"]);
});
