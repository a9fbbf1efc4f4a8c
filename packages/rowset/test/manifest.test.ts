import { MemoryDirectory } from "@cfile/io";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { RowSetSchema } from "../src/index.js";
import { encodeManifest } from "../src/store/manifest.js";
import { parseManifest } from "../src/store/parse-manifest.js";
import { createTableStore, openTableStore } from "../src/store.js";

const schema: RowSetSchema = {
  columns: [
    { id: 1, name: "k", type: "INT32", nullable: false, array: false, isKey: true },
    { id: 2, name: "l", type: "STRING", nullable: false, array: false, isKey: true, blockSize: 4096 },
    {
      id: 7,
      name: "v",
      type: "DECIMAL64",
      nullable: true,
      array: false,
      isKey: false,
      encoding: "PLAIN_ENCODING",
      compression: "LZ4",
      precision: 12,
      scale: 2,
      readDefault: 5n,
    },
    {
      id: 8,
      name: "w",
      type: "VARCHAR",
      nullable: true,
      array: true,
      isKey: false,
      length: 10,
      readDefault: null,
    },
  ],
};

let files: ReadonlyMap<string, Uint8Array>;
let text: string;

beforeAll(async () => {
  const directory = new MemoryDirectory("table");
  await using writer = await createTableStore(directory, schema, { timestamp: 4n });
  await writer.appendRows([
    [1, "a", 100n, ["x"]],
    [2, "b", null, null],
  ]);
  await writer.finish();
  await using handle = await openTableStore(directory);
  await handle.update([{ k: 1, l: "a", v: 7n }], 18446744073709551000n);
  files = directory.snapshot();
  text = new TextDecoder().decode(files.get("rowset.json"));
});

function openWith(
  manifest: string | Uint8Array | undefined,
  changed: ReadonlyMap<string, Uint8Array | undefined> = new Map(),
) {
  const all = new Map(files);
  for (const [name, bytes] of changed) {
    if (bytes === undefined) {
      all.delete(name);
    } else {
      all.set(name, bytes);
    }
  }
  if (manifest === undefined) {
    all.delete("rowset.json");
  } else {
    all.set("rowset.json", typeof manifest === "string" ? new TextEncoder().encode(manifest) : manifest);
  }
  return openTableStore(new MemoryDirectory("table", { files: all }));
}

type Json = { [name: string]: unknown };

/** The manifest with a different value at a path such as `rowSets.0.bloom.file`; `undefined` removes it. */
function changedAt(place: string, value: unknown): string {
  const json: Json = JSON.parse(text);
  const names = place.split(".");
  const last = names.pop() ?? "";
  let target: Json = json;
  for (const name of names) {
    target = target[name] as Json;
  }
  if (value === undefined) {
    delete target[last];
  } else {
    target[last] = value;
  }
  return JSON.stringify(json);
}

describe("rowset.json", () => {
  it("keeps every property of a schema", async () => {
    await using handle = await openWith(text);
    expect(handle.schema).toEqual(schema);
    expect(handle.lastTimestamp).toBe(18446744073709551000n);
    const manifest = parseManifest(new TextEncoder().encode(text), "m");
    expect(new TextDecoder().decode(encodeManifest(manifest))).toBe(text);
    expect(await handle.get([1, "a"])).toMatchObject({ cells: [1, "a", 7n, ["x"]] });
  });

  it.each<[string, unknown, string]>([
    ["format", "other", "format"],
    ["format", undefined, "format"],
    ["version", "1", "version"],
    ["nextFile", -1, "nextFile"],
    ["nextFile", 1.5, "nextFile"],
    ["lastTimestamp", 7, "lastTimestamp"],
    ["lastTimestamp", "18446744073709551616", "lastTimestamp"],
    ["lastTimestamp", "-1", "lastTimestamp"],
    ["lastTimestamp", "01", "lastTimestamp"],
    ["historyStart", "x", "historyStart"],
    ["extra", 1, "extra"],
    ["schema", [], "schema"],
    ["schema.extra", 1, "schema.extra"],
    ["schema.columns", {}, "schema.columns"],
    ["schema.columns.0.id", 2, "schema.columns[1]"],
    ["schema.columns.0.id", -2, "schema.columns[0].id"],
    ["schema.columns.1.name", "k", "schema.columns[1]"],
    ["schema.columns.0.type", "INT33", "schema.columns[0].type"],
    ["schema.columns.0.type", "constructor", "schema.columns[0].type"],
    ["schema.columns.0.nullable", true, "schema.columns[0]"],
    ["schema.columns.0.nullable", 1, "schema.columns[0].nullable"],
    ["schema.columns.0.key", false, "schema.columns[1]"],
    ["schema.columns.2.encoding", "DICT_ENCODING", "schema.columns[2]"],
    ["schema.columns.2.encoding", "X", "schema.columns[2].encoding"],
    ["schema.columns.2.compression", "X", "schema.columns[2].compression"],
    ["schema.columns.2.readDefault", "00", "schema.columns[2].readDefault"],
    ["schema.columns.2.readDefault", "0g", "schema.columns[2].readDefault"],
    ["schema.columns.2.precision", "x", "schema.columns[2].precision"],
    ["schema.columns.3.readDefault", "ff", "schema.columns[3].readDefault"],
    ["rowSets", null, "rowSets"],
    ["rowSets.0", 1, "rowSets[0]"],
    ["rowSets.0.rows", 0, "rowSets[0].rows"],
    ["rowSets.0.rows", 2 ** 32, "rowSets[0].rows"],
    ["rowSets.0.minKey", "zz", "rowSets[0].minKey"],
    ["rowSets.0.minKey", "ff", "rowSets[0].minKey"],
    ["rowSets.0.columns.0.id", 2, "rowSets[0].columns[1].id"],
    ["rowSets.0.columns.0.id", 99, "rowSets[0].columns[0].id"],
    ["rowSets.0.columns.3", undefined, "rowSets[0].columns[3]"],
    ["rowSets.0.columns", [], "rowSets[0].columns"],
    ["rowSets.0.bloom", undefined, "rowSets[0].bloom"],
    ["rowSets.0.bloom.file", "../bloom", "rowSets[0].bloom.file"],
    ["rowSets.0.bloom.file", "/etc/passwd", "rowSets[0].bloom.file"],
    ["rowSets.0.bloom.file", "..", "rowSets[0].bloom.file"],
    ["rowSets.0.bloom.file", "a\\b", "rowSets[0].bloom.file"],
    ["rowSets.0.bloom.file", "rowset.json", "rowSets[0].bloom.file"],
    ["rowSets.0.bloom.file", "000000-column-1.cfile", "rowSets[0].bloom.file"],
    ["rowSets.0.bloom.bytes", -1, "rowSets[0].bloom.bytes"],
    ["rowSets.0.bloom.more", 1, "rowSets[0].bloom.more"],
    ["rowSets.0.adhocIndex", undefined, "rowSets[0].adhocIndex"],
    ["rowSets.0.redo", {}, "rowSets[0].redo"],
    ["rowSets.0.undo.0.file", 1, "rowSets[0].undo[0].file"],
  ])("with %s = %j is rejected, naming the field", async (place, value, field) => {
    await expect(openWith(changedAt(place, value))).rejects.toMatchObject({
      code: "E_CORRUPT",
      path: "table/rowset.json",
      field: expect.stringContaining(field),
    });
  });

  it("with another version is rejected", async () => {
    await expect(openWith(changedAt("version", 2))).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
      field: "version",
      actual: 2,
    });
  });

  it.each(["", "{", "[]", "null", '"x"', "\u0000"])(
    "that is not an object is rejected: %j",
    async (content) => {
      await expect(openWith(content)).rejects.toMatchObject({ code: "E_CORRUPT", path: "table/rowset.json" });
    },
  );

  it("that is not text, or missing, is rejected", async () => {
    await expect(openWith(Uint8Array.of(0xff, 0xfe))).rejects.toMatchObject({ code: "E_CORRUPT" });
    await expect(openWith(undefined)).rejects.toMatchObject({
      code: "E_NOT_FOUND",
      path: "table/rowset.json",
    });
  });

  it("that is truncated or changed anywhere is rejected or still a valid manifest", async () => {
    const bytes = new TextEncoder().encode(text);
    const positions = fc.integer({ min: 0, max: bytes.length - 1 });
    await fc.assert(
      fc.asyncProperty(
        positions,
        fc.integer({ min: 0, max: 255 }),
        fc.boolean(),
        async (position, value, isCut) => {
          const damaged = isCut ? bytes.slice(0, position) : bytes.slice();
          if (!isCut) {
            damaged[position] = value;
          }
          await openWith(damaged).then(
            (handle) => handle.close(),
            (error) => {
              expect(error).toMatchObject({ name: "CFileError", path: expect.stringContaining("table") });
            },
          );
        },
      ),
      { numRuns: 400, seed: 3 },
    );
  });
});

describe("a file that the manifest lists", () => {
  const nameOf = (place: RegExp): string => [...files.keys()].find((file) => place.test(file)) ?? "";

  it.each([/column-1/, /column-7/, /bloom/, /index/, /redo/, /undo/])("must exist: %s", async (place) => {
    const file = nameOf(place);
    await expect(openWith(text, new Map([[file, undefined]]))).rejects.toMatchObject({
      code: "E_BLOCK_MISSING",
      path: `table/${file}`,
      field: file,
    });
  });

  it.each([/column-1/, /column-7/, /index/, /redo/])("must have the stated size: %s", async (place) => {
    const file = nameOf(place);
    const longer = new Uint8Array((files.get(file)?.length ?? 0) + 1);
    const read = async () => {
      await using handle = await openWith(text, new Map([[file, longer]]));
      for await (const batch of handle.scan()) {
        expect(batch.length).toBe(0);
      }
    };
    await expect(read()).rejects.toMatchObject({
      code: "E_CORRUPT",
      path: `table/${file}`,
      field: "file size",
    });
  });

  it("must match its role", async () => {
    const [one, other] = [nameOf(/column-7/), nameOf(/column-8/)];
    const json = changedAt("rowSets.0.columns.2", { id: 7, file: other, bytes: files.get(other)?.length });
    const swapped = JSON.parse(json);
    swapped.rowSets[0].columns[3] = { id: 8, file: one, bytes: files.get(one)?.length };
    const read = async () => {
      await using handle = await openWith(JSON.stringify(swapped));
      for await (const batch of handle.scan()) {
        expect(batch.length).toBe(0);
      }
    };
    await expect(read()).rejects.toMatchObject({ code: "E_CORRUPT", path: `table/${other}` });
  });
});
