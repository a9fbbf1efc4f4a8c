import { describe, expect, test } from "vitest";
import { cacheApiStore, opfsStore } from "../src/browser.js";
import { type PageStore, withCache } from "../src/decorators.js";
import { nextTick, numbered, pausedSource } from "./paused-source.js";

/** A folder of files with the interface of browsers. */
function fakeFolder() {
  const files = new Map<string, File>();
  let time = 0;
  const handleOf = (name: string) => ({
    kind: "file",
    name,
    getFile: async () => files.get(name),
    createWritable: async () => {
      const parts: BlobPart[] = [];
      return {
        write: async (bytes: Uint8Array<ArrayBuffer>) => void parts.push(bytes),
        close: async () => void files.set(name, new File(parts, name, { lastModified: ++time })),
      };
    },
  });
  const folder: object = {
    getFileHandle: async (name: string, options?: { create?: boolean }) => {
      if (!files.has(name) && options?.create !== true) {
        throw new DOMException("no such file", "NotFoundError");
      }
      return handleOf(name);
    },
    removeEntry: async (name: string) => void files.delete(name),
    async *values() {
      for (const name of files.keys()) {
        yield handleOf(name);
      }
    },
  };
  return { files, directory: folder as FileSystemDirectoryHandle };
}

/** A cache with the interface of browsers. */
function fakeCaches() {
  const entries = new Map<string, Response>();
  const cache: object = {
    match: async (url: string) => entries.get(url)?.clone(),
    put: async (url: string, response: Response) => void entries.set(url, response),
    keys: async () => [...entries.keys()],
    delete: async (url: string) => entries.delete(url),
  };
  return { entries, caches: { open: async () => cache as Cache } };
}

const key = (offset: number, version = "1") => ({ name: "x", version, offset, length: 10 });

describe.each<[string, () => PageStore]>([
  ["the private file system", () => opfsStore({ directory: fakeFolder().directory, bytes: 20 })],
  ["the Cache API", () => cacheApiStore({ caches: fakeCaches().caches, pages: 2 })],
])("%s", (_name, make) => {
  test("stores pages by file, version and offset", async () => {
    const store = make();
    expect(await store.get(key(0))).toBeUndefined();
    await store.set(key(0), numbered.subarray(0, 10));
    await store.set(key(10), numbered.subarray(10, 20));
    expect(await store.get(key(0))).toEqual(numbered.subarray(0, 10));
    expect(await store.get(key(10))).toEqual(numbered.subarray(10, 20));
    expect(await store.get(key(0, "2"))).toBeUndefined();
    expect(await store.get({ ...key(0), name: "y" })).toBeUndefined();
  });

  test("drops the oldest pages first", async () => {
    const store = make();
    await Promise.all(
      [0, 10, 20].map((offset) => store.set(key(offset), numbered.subarray(offset, offset + 10))),
    );
    const held = await Promise.all([0, 10, 20].map((offset) => store.get(key(offset))));
    expect(held.filter((bytes) => bytes !== undefined).length).toBe(2);
    expect(held[2]).toBeDefined();
  });

  test("serves the cache of a second visit", async () => {
    const folder = fakeFolder();
    const { caches } = fakeCaches();
    const open = () => (_name === "the Cache API" ? cacheApiStore({ caches }) : opfsStore(folder));
    await withCache(pausedSource(numbered, false, "1"), { pageBytes: 1000, store: open() }).read(0, 5000);
    await nextTick();
    await nextTick();
    const second = pausedSource(numbered, false, "1");
    expect(await withCache(second, { pageBytes: 1000, store: open() }).read(10, 4000)).toEqual(
      numbered.subarray(10, 4010),
    );
    expect(second.reads).toEqual([]);
  });
});

describe("without browser storage", () => {
  test.each<[string, PageStore]>([
    ["private file system", opfsStore()],
    ["Cache API", cacheApiStore()],
  ])("files are readable without %s", async (_name, store) => {
    const source = withCache(pausedSource(numbered, false, "1"), { store });
    expect(await source.read(5, 5)).toEqual(numbered.subarray(5, 10));
  });
});

test("the private file system store counts existing files", async () => {
  const folder = fakeFolder();
  const first = opfsStore({ ...folder, bytes: 20 });
  await first.set(key(0), new Uint8Array(10));
  await first.set(key(10), new Uint8Array(10));
  const second = opfsStore({ ...folder, bytes: 20 });
  await second.set(key(20), new Uint8Array(10));
  expect(folder.files.size).toBe(2);
  expect(await second.get(key(0))).toBeUndefined();
  await second.set(key(30), new Uint8Array(21));
  expect(await second.get(key(30))).toBeUndefined();
});
