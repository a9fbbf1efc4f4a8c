import { readAvroContainer } from "@cfile/avro";
import { isCFileError } from "@cfile/bytes";
import { type ByteDirectory, type DirectoryOperation, MemoryDirectory, readExactly, sizeOf } from "@cfile/io";
import { expect, test } from "vitest";
import { history, openIcebergTable } from "../src/index.js";
import { firstSnapshot, memoryFolders, secondSnapshot } from "./made-table.js";

async function bytesOf(directory: ByteDirectory, file: string): Promise<Uint8Array> {
  const source = await directory.openSource(file);
  return readExactly(source, 0, await sizeOf(source));
}

/** The names of all data and delete files of the current snapshot; reading them all proves that they exist. */
async function currentFiles(folders: ReturnType<typeof memoryFolders>): Promise<string[]> {
  const table = await openIcebergTable(folders);
  if (table?.metadata.current === undefined) {
    return [];
  }
  const inMetadata = (path: string): Promise<Uint8Array> => {
    expect(path.startsWith("/warehouse/t/metadata/")).toBe(true);
    return bytesOf(folders.metadata, path.slice("/warehouse/t/metadata/".length));
  };
  const files: string[] = [];
  for (const listed of await readAvroContainer(await inMetadata(table.metadata.current.manifestList))) {
    const { manifest_path: path, manifest_length: length } = listed as {
      manifest_path: string;
      manifest_length: number;
    };
    const manifest = await inMetadata(path);
    expect(manifest.length).toBe(length);
    for (const entry of await readAvroContainer(manifest)) {
      const { data_file: file } = entry as {
        data_file: { file_path: string; file_size_in_bytes: number };
      };
      const name = file.file_path.slice("/warehouse/t/data/".length);
      expect((await bytesOf(folders.data, name)).length).toBe(file.file_size_in_bytes);
      files.push(name);
    }
  }
  return files;
}

async function addSecond(folders: ReturnType<typeof memoryFolders>): Promise<void> {
  const table = await openIcebergTable(folders);
  if (table === undefined) {
    throw new Error("no table");
  }
  await secondSnapshot(table);
}

const OLD = ["first.parquet"];
const NEW = ["first.parquet", "second.parquet", "deletes.parquet"];

test("snapshots list their files, parents and sequence numbers", async () => {
  const folders = memoryFolders();
  const first = await firstSnapshot(folders);
  expect(await currentFiles(folders)).toEqual(OLD);
  const second = await secondSnapshot(first);
  expect(await currentFiles(folders)).toEqual(NEW);
  expect([...history(second.metadata)].map(({ id }) => id)).toEqual([
    second.metadata.current?.id,
    first.metadata.current?.id,
  ]);
  expect(second.metadata.lastSequenceNumber).toBe(2n);
  expect(second.metadata.current?.summary).toMatchObject({
    operation: "overwrite",
    "added-records": "2",
    "total-records": "5",
    "added-equality-deletes": "3",
  });
  expect(new TextDecoder().decode(await bytesOf(folders.metadata, "version-hint.text"))).toBe("2");
});

test("killed between any two operations, the table has the old or the new snapshot, and the next commit works", async () => {
  const before = memoryFolders();
  await firstSnapshot(before);
  const files = {
    data: before.data.snapshot(),
    metadata: before.metadata.snapshot(),
  };
  const seen = new Set<string>();
  let isDone = false;
  for (let kill = 0; !isDone; kill++) {
    let left = kill;
    const onOperation = (_: DirectoryOperation): void => {
      if (left-- === 0) {
        throw new Error("killed");
      }
    };
    const data = new MemoryDirectory("data", { files: files.data, onOperation });
    const metadata = new MemoryDirectory("metadata", { files: files.metadata, onOperation });
    const table = await openIcebergTable(memoryFolders(data, metadata));
    isDone =
      (await (table &&
        secondSnapshot(table).then(
          () => true,
          () => false,
        ))) ?? false;
    left = Number.POSITIVE_INFINITY;
    const found = await currentFiles(memoryFolders(data, metadata));
    seen.add(found.join());
    expect([OLD.join(), NEW.join()]).toContain(found.join());
    if (found.length === OLD.length) {
      await addSecond(memoryFolders(data, metadata));
      expect(await currentFiles(memoryFolders(data, metadata))).toEqual(NEW);
    }
    expect(kill).toBeLessThan(200);
  }
  expect(seen).toEqual(new Set([OLD.join(), NEW.join()]));
});

test("of two writers of the next snapshot, the second is refused", async () => {
  const folders = memoryFolders();
  const first = await firstSnapshot(folders);
  await secondSnapshot(first);
  const code = await secondSnapshot(first).then(
    () => "none",
    (error: unknown) => (isCFileError(error) ? error.code : String(error)),
  );
  expect(code).toBe("E_SOURCE_CHANGED");
  expect((await openIcebergTable(folders))?.version).toBe(2);
});

test("of two first snapshots, one is refused even if both saw no table", async () => {
  const folders = memoryFolders();
  await firstSnapshot(folders);
  await expect(firstSnapshot(folders)).rejects.toMatchObject({ code: "E_IO" });
});

test("a table of another catalog is refused", async () => {
  const files = new Map([["00000-a.metadata.json", new Uint8Array()]]);
  const folders = memoryFolders(undefined, new MemoryDirectory("metadata", { files }));
  await expect(openIcebergTable(folders)).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
});

test.each([
  ["not JSON", "{", "E_CORRUPT"],
  ["no schemas", '{"format-version":2}', "E_CORRUPT"],
  ["format version 3", '{"format-version":3}', "E_UNSUPPORTED"],
  ["a list", "[]", "E_CORRUPT"],
])("metadata with %s are refused", async (_, text, code) => {
  const files = new Map([["v1.metadata.json", new TextEncoder().encode(text)]]);
  const folders = memoryFolders(undefined, new MemoryDirectory("metadata", { files }));
  await expect(openIcebergTable(folders)).rejects.toMatchObject({ code });
});
