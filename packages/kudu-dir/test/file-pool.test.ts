/** Files that are opened on their first read: which ones stay open, and what happens when they fail or change. */
import { CFileError } from "@cfile/bytes";
import { type FileTree, memorySource } from "@cfile/io";
import { describe, expect, it } from "vitest";
import { mapAtOnce } from "../src/blocks/at-once.js";
import { FilePool, fileNamesIn } from "../src/blocks/file-pool.js";

const MAX_IDLE = 128;

/** A tree that counts opened and closed files; `read` may fail. */
function countingTree(read: (path: string) => Promise<void> = async () => undefined) {
  const opened: string[] = [];
  const closed: string[] = [];
  const tree: FileTree = {
    name: "server",
    list: async () => [],
    openSource: async (path) => {
      opened.push(path);
      const source = memorySource(new TextEncoder().encode(path.padEnd(80)), path);
      return {
        ...source,
        read: async (...range) => {
          await read(path);
          return source.read(...range);
        },
        close: async () => void closed.push(path),
      };
    },
  };
  return { tree, opened, closed };
}

const ioError = new CFileError("E_IO", "the disk fails", { path: "server" });
const movedError = new CFileError("E_SOURCE_CHANGED", "the file has grown", { path: "server" });

describe("idle files", () => {
  it("stay open up to a maximum; the one that was used first is closed first", async () => {
    const { tree, opened, closed } = countingTree();
    const pool = new FilePool(undefined);
    const names = Array.from({ length: MAX_IDLE + 3 }, (_, i) => `f${i}`);
    for (const path of names) {
      await pool.content({ tree, path }, path).read(0, 4);
    }
    expect(closed).toEqual(["f0", "f1", "f2"]);
    await pool.content({ tree, path: "f5" }, "f5").read(0, 4);
    expect(opened).toEqual(names);
    await pool.close();
    expect([...closed].sort()).toEqual([...names].sort());
  });

  it("are closed instead of those in use", async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { tree, closed } = countingTree();
    const pool = new FilePool(undefined);
    const using = pool.use({ tree, path: "held" }, async ({ source }) => {
      await held;
      return source.read(0, 4);
    });
    for (let i = 0; i < MAX_IDLE + 1; i++) {
      await pool.use({ tree, path: `f${i}` }, async () => undefined);
    }
    expect(closed).toEqual(["f0", "f1"]);
    release();
    expect(new TextDecoder().decode(await using)).toBe("held");
  });

  it("that several readers use are closed once, after the last, when a read fails", async () => {
    const { tree, opened, closed } = countingTree();
    const pool = new FilePool(undefined);
    const fail = (): Promise<never> => Promise.reject(ioError);
    const reads = Array.from({ length: 3 }, () => pool.use({ tree, path: "a" }, fail));
    const results = await Promise.allSettled(reads);
    expect(results.map((result) => result.status === "rejected" && result.reason)).toEqual(
      Array(3).fill(ioError),
    );
    expect({ opened, closed }).toEqual({ opened: ["a"], closed: ["a"] });
    await pool.use({ tree, path: "a" }, async () => undefined);
    expect(opened).toEqual(["a", "a"]);
  });
});

describe("a read of a block", () => {
  it.each([
    [
      "of a missing file throws E_BLOCK_MISSING",
      new CFileError("E_NOT_FOUND", "no file", { path: "x" }),
      "E_BLOCK_MISSING",
    ],
    ["that the disk refuses throws E_IO", ioError, "E_IO"],
  ])("%s", async (_name, error, code) => {
    const tree: FileTree = { name: "server", list: async () => [], openSource: () => Promise.reject(error) };
    const source = new FilePool(undefined).content({ tree, path: "x" }, "block 1");
    await expect(source.read(0, 1)).rejects.toMatchObject({ code, reason: error.reason, path: error.path });
  });

  it.each([
    [1, "is repeated once if the file changes", undefined],
    [2, "throws if the file changes again", movedError],
  ])("%i: %s", async (changes, _name, error) => {
    let left = changes;
    const { tree, opened } = countingTree(async () => {
      if (left-- > 0) {
        throw movedError;
      }
    });
    const read = new FilePool(undefined).content({ tree, path: "a" }, "block 1").read(0, 1);
    await (error === undefined
      ? expect(read).resolves.toEqual(Uint8Array.of(0x61))
      : expect(read).rejects.toBe(error));
    expect(opened).toHaveLength(2);
  });

  it("as a whole throws E_LIMIT for a file that is too large, and closes it", async () => {
    const { tree, closed } = countingTree();
    const reading = new FilePool(undefined).readWhole({ tree, path: "a" }, "journal", 79);
    await expect(reading).rejects.toMatchObject({ code: "E_LIMIT", path: "server/a", field: "file size" });
    expect(closed).toEqual(["a"]);
  });
});

it("a missing folder has no names; another error is thrown", async () => {
  const failing = (error: CFileError): FileTree => ({
    ...countingTree().tree,
    list: () => Promise.reject(error),
  });
  const missing = new CFileError("E_NOT_FOUND", "no folder", {});
  expect(await fileNamesIn({ tree: failing(missing), path: "a" })).toEqual([]);
  await expect(fileNamesIn({ tree: failing(ioError), path: "a" })).rejects.toBe(ioError);
});

it("work on many items begins no further item after a failure", async () => {
  const begun: number[] = [];
  const items = Array.from({ length: 50 }, (_, i) => i);
  const work = async (item: number): Promise<number> => {
    begun.push(item);
    await Promise.resolve();
    if (item === 3) {
      throw ioError;
    }
    return item;
  };
  await expect(mapAtOnce(items, work, 4)).rejects.toBe(ioError);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(begun.length).toBeLessThan(10);
});
