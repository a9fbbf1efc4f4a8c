import { execFileSync } from "node:child_process";
import fs from "node:fs";
import {
  appendFile,
  chmod,
  mkdir,
  open,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { countBlockingReads, temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { withRetry } from "../src/decorators.js";
import { type FileSourceOptions, fileSource } from "../src/file.js";
import { type ByteSource, openSource, readExactly } from "../src/index.js";

const bytes = Uint8Array.from({ length: 1000 }, (_, i) => (i * 7) & 255);

async function file(): Promise<string> {
  const path = join(temporaryFolder(), "ä b#c%20.cfile");
  await writeFile(path, bytes);
  return path;
}

async function opened(location: string | URL, options: FileSourceOptions = {}): Promise<ByteSource> {
  const source = await fileSource(location, options);
  onTestFinished(() => source.close?.());
  return source;
}

describe.each<FileSourceOptions>([{}, { blocking: true }])("a file, read with %j,", (options) => {
  test("is read by path and by URL", async () => {
    const path = await file();
    for (const location of [path, pathToFileURL(path), pathToFileURL(path).href]) {
      const source = await opened(location, options);
      expect(source.name).toBe(path);
      expect(await source.size()).toBe(1000);
      expect(await readExactly(source, 0, 1000)).toEqual(bytes);
      expect(await readExactly(source, 990, 10)).toEqual(bytes.subarray(990));
      expect(await readExactly(source, 1000, 0)).toEqual(new Uint8Array(0));
    }
  });

  test("truncates reads at its end", async () => {
    const source = await opened(await file(), options);
    await expect(readExactly(source, 990, 11)).rejects.toMatchObject({ code: "E_TRUNCATED", actual: 10 });
    await expect(readExactly(source, 5000, 1)).rejects.toMatchObject({ code: "E_TRUNCATED", actual: 0 });
    await expect(readExactly(source, 0, Number.MAX_SAFE_INTEGER)).rejects.toMatchObject({
      code: "E_TRUNCATED",
      actual: 1000,
    });
    await expect(source.read(-1, 1)).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
  });

  test("can be empty", async () => {
    const path = join(temporaryFolder(), "empty");
    await writeFile(path, "");
    const source = await opened(path, options);
    expect(await source.size()).toBe(0);
    expect(await source.read(0, 5)).toEqual(new Uint8Array(0));
  });

  test("can be far larger than memory", async () => {
    const path = await file();
    await truncate(path, 2 ** 40);
    const source = await opened(path, options);
    expect(await source.size()).toBe(2 ** 40);
    expect(await readExactly(source, 2 ** 40 - 3, 3)).toEqual(new Uint8Array(3));
    await expect(source.read(0, 2 ** 40)).rejects.toMatchObject({ code: "E_IO", path });
  });

  test("supports concurrent reads", async () => {
    const source = await opened(await file(), options);
    const parts = await Promise.all(Array.from({ length: 100 }, (_, i) => readExactly(source, i * 10, 10)));
    expect(Buffer.concat(parts)).toEqual(Buffer.from(bytes));
  });

  test("has its modification time as version", async () => {
    const path = await file();
    await utimes(path, 1, 1234.5);
    expect(await (await opened(path, options)).version?.()).toBe("1234500000000");
    await utimes(path, 1, 1234.25);
    expect(await (await opened(path, options)).version?.()).toBe("1234250000000");
  });

  test("fails with the signal's reason", async () => {
    const source = await opened(await file(), options);
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    await expect(source.read(0, 10, { signal })).rejects.toBe(reason);
    await expect(source.read(0, 0, { signal })).rejects.toBe(reason);
  });

  test("closes after the reads that have begun", async () => {
    const source = await opened(await file());
    const reading = source.read(0, 1000);
    const closing = source.close?.();
    expect(await reading).toEqual(bytes);
    await closing;
    await expect(source.read(0, 1)).rejects.toMatchObject({ code: "E_IO" });
  });

  test("can be closed twice and cannot be read afterward", async () => {
    const path = await file();
    const source = await fileSource(path, options);
    await source.close?.();
    await source.close?.();
    await expect(source.read(0, 10)).rejects.toMatchObject({ code: "E_IO", path });
  });
});

describe("blocking reads", () => {
  test("are done when `read` returns, unless reads are slow", async () => {
    const readSync = vi.spyOn(fs, "readSync");
    onTestFinished(() => readSync.mockRestore());
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    onTestFinished(() => clock.mockRestore());
    const source = await opened(await file(), { blocking: true });
    const blockedReads = async (count: number): Promise<number> => {
      readSync.mockClear();
      for (let i = 0; i < count; i++) {
        expect(await readExactly(source, i, 10)).toEqual(bytes.subarray(i, i + 10));
      }
      return readSync.mock.calls.length;
    };
    expect(await blockedReads(100)).toBe(100);

    // Each blocking read takes a millisecond, and reads follow that do not block: 1, 2, 4 and so on up to 64.
    clock.mockImplementation(() => now++);
    expect(await blockedReads(7 + 127)).toBe(7);
    expect(await blockedReads(65 + 65)).toBe(2);
    expect(await blockedReads(1)).toBe(1);
    clock.mockImplementation(() => now);
    expect(await blockedReads(100)).toBe(36);

    // After a fast read, a single read follows again.
    clock.mockImplementation(() => now++);
    expect(await blockedReads(2)).toBe(1);
    clock.mockImplementation(() => now);
    expect(await blockedReads(100)).toBe(100);
  });
});

test("once in 20 ms, a read does not block, so that the thread handles other events", async () => {
  const blockingReads = countBlockingReads();
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const source = await opened(await file(), { blocking: true });
  let events = 0;
  const timer = setInterval(() => events++, 0);
  onTestFinished(() => clearInterval(timer));
  const free: number[] = [];
  for (let i = 0; i < 100; i++) {
    const before = blockingReads();
    await readExactly(source, i, 10);
    if (blockingReads() === before) {
      free.push(i);
    }
    now += 5;
  }
  expect(free).toEqual(Array.from({ length: 19 }, (_, i) => 5 + 5 * i));
  expect(events).toBeGreaterThan(0);
});

test("opening a single file does not block, so that a thread that opens many files handles other events", async () => {
  const path = await file();
  const openSync = vi.spyOn(fs, "openSync");
  onTestFinished(() => openSync.mockRestore());
  let isHandled = false;
  setImmediate(() => {
    isHandled = true;
  });
  let count = 0;
  for (; !isHandled && count < 1000; count++) {
    await (await fileSource(path, { blocking: true })).close?.();
  }
  expect(count).toBeLessThan(10);
  expect(openSync).not.toHaveBeenCalled();
});

test("`openSource` passes its options for files", async () => {
  const blockingReads = countBlockingReads();
  const path = await file();
  const chunks: unknown[] = [];
  for (const options of [{}, { file: { blocking: true } }]) {
    const source = await openSource(pathToFileURL(path), options);
    onTestFinished(() => source.close?.());
    expect(await readExactly(source, 3, 10)).toEqual(bytes.subarray(3, 13));
    expect(withRetry(source).chunkBytes).toBe(source.chunkBytes);
    chunks.push([source.chunkBytes, blockingReads()]);
  }
  expect(chunks).toEqual([
    [undefined, 0],
    [256 * 1024, 1],
  ]);
});

describe("a file that was changed", () => {
  test.each<[string, (path: string) => Promise<void>]>([
    ["longer", (path) => appendFile(path, "x")],
    ["shorter", (path) => truncate(path, 5)],
    ["empty", (path) => truncate(path, 0)],
    [
      "written again",
      async (path) => {
        await writeFile(path, bytes);
        await utimes(path, 1, 1);
      },
    ],
  ])("%s: E_SOURCE_CHANGED", async (_name, change) => {
    const path = await file();
    const source = await opened(path);
    await readExactly(source, 0, 10);
    await change(path);
    await expect(source.read(0, 10)).rejects.toMatchObject({ code: "E_SOURCE_CHANGED", path });
    await expect(source.read(2000, 10)).rejects.toMatchObject({ code: "E_SOURCE_CHANGED" });
  });

  test("removed or replaced under its name: the opened file stays readable", async () => {
    const path = await file();
    const source = await opened(path);
    await writeFile(`${path}2`, "other");
    await rename(`${path}2`, path);
    expect(await readExactly(source, 0, 1000)).toEqual(bytes);
    await rm(path);
    expect(await readExactly(source, 0, 1000)).toEqual(bytes);
  });
});

describe("unreadable files", () => {
  test("a missing file is E_NOT_FOUND", async () => {
    const folder = temporaryFolder();
    for (const name of ["none", "none/none"]) {
      const path = join(folder, name);
      await expect(fileSource(path)).rejects.toMatchObject({ code: "E_NOT_FOUND", path });
    }
    await symlink(join(folder, "none"), join(folder, "link"));
    await expect(fileSource(join(folder, "link"))).rejects.toMatchObject({ code: "E_NOT_FOUND" });
    await expect(fileSource("")).rejects.toMatchObject({ code: "E_NOT_FOUND" });
  });

  test("a directory, and a path below a file", async () => {
    const folder = temporaryFolder();
    await mkdir(join(folder, "d"));
    await expect(fileSource(join(folder, "d"))).rejects.toThrow("it is a directory");
    const path = join(await file(), "x");
    await expect(fileSource(path)).rejects.toMatchObject({
      code: "E_IO",
      path,
      reason: "cannot open the file: a part of the path is not a directory",
    });
  });

  test.runIf(process.platform === "linux")(
    "a pipe and a device: E_IO, without waiting for a writer",
    async () => {
      const pipe = join(temporaryFolder(), "pipe");
      execFileSync("mkfifo", [pipe]);
      // A reader that waits for a writer would prevent the test, and then the process, from ending.
      const rescue = setTimeout(() => void open(pipe, "w").then((handle) => handle.close()), 2000);
      const start = performance.now();
      await expect(fileSource(pipe)).rejects.toThrow("not a regular file");
      expect(performance.now() - start).toBeLessThan(1500);
      clearTimeout(rescue);
      await expect(fileSource("/dev/null")).rejects.toMatchObject({ code: "E_IO" });
    },
  );

  test.runIf(process.getuid?.() !== 0)("a file without permission", async () => {
    const path = await file();
    await chmod(path, 0);
    await expect(fileSource(path)).rejects.toThrow("permission denied");
  });

  test.each(["file://elsewhere/x", "file:///a%2fb", "file:///a%00b"])("%s names no file", async (url) => {
    await expect(fileSource(url)).rejects.toMatchObject({ name: "CFileError" });
    await expect(fileSource(new URL(url))).rejects.toMatchObject({ name: "CFileError" });
  });

  test("a path with a NUL byte", async () => {
    await expect(fileSource("a\0b")).rejects.toMatchObject({ code: "E_IO" });
  });
});
