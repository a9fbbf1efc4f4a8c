import { type ByteDirectory, MemoryDirectory } from "@cfile/io";
import { describe, expect, it } from "vitest";
import { TableStoreFiles } from "../src/store/table-store-files.js";

/** A directory that counts its open files. */
function countingDirectory(): { directory: ByteDirectory; opened: () => number } {
  const directory = new MemoryDirectory();
  let count = 0;
  const open = directory.openSource.bind(directory);
  directory.openSource = async (name) => {
    const source = await open(name);
    count++;
    return { ...source, close: async () => void count-- };
  };
  return { directory, opened: () => count };
}

describe("a file of a table store", () => {
  it("stays closed when a read comes after close", async () => {
    const { directory, opened } = countingDirectory();
    const store = await TableStoreFiles.create(directory, {
      schema: { columns: [] },
      ...{ rowSets: [], nextFile: 1, lastTimestamp: 0n, historyStart: 0n },
    });
    const { file, sink } = await store.createFile("redo");
    await sink.write(new Uint8Array([1, 2, 3]));
    await sink.close();
    const source = store.source(file, 3);
    expect(await source.read(1, 2)).toEqual(new Uint8Array([2, 3]));
    expect(opened()).toBe(1);
    await source.close?.();
    await expect(source.read(1, 2)).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    expect(opened()).toBe(0);
  });
});
