import { execFile } from "node:child_process";
import { chmod, lstat, mkdir, open, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type FileSinkOptions, fileSink } from "../src/file.js";
import type { ByteSink } from "../src/index.js";

const text = (content: string): Uint8Array => new TextEncoder().encode(content);

describe.each<FileSinkOptions>([{}, { blocking: true }])("a new file, written with %j,", (options) => {
  test("appears when it is closed, and not before", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "f.cfile");
    const sink = await fileSink(path, options);
    expect(sink.name).toBe(path);
    await sink.write(text("one "));
    await sink.write(new Uint8Array(0));
    await sink.write(text("two"));
    const during = await readdir(folder);
    expect(during).toHaveLength(1);
    expect(during).not.toContain("f.cfile");
    await sink.close();
    expect(await readdir(folder)).toEqual(["f.cfile"]);
    expect(await readFile(path, "utf8")).toBe("one two");
  });

  test("may be empty, large, written to a URL, in the working directory", async () => {
    const folder = temporaryFolder();
    const empty = await fileSink(pathToFileURL(join(folder, "ä #1")), options);
    await empty.close();
    expect(await readFile(join(folder, "ä #1"))).toHaveLength(0);

    const bytes = Uint8Array.from({ length: 3_000_000 }, (_, i) => i % 251);
    const large = await fileSink(pathToFileURL(join(folder, "large")).href, options);
    await large.write(bytes);
    await large.write(bytes.subarray(1, 7));
    await large.close();
    const written = await readFile(join(folder, "large"));
    expect(written.equals(Buffer.concat([bytes, bytes.subarray(1, 7)]))).toBe(true);
  });

  test("may have a name of maximum length", async () => {
    const folder = temporaryFolder();
    for (const name of ["n".repeat(255), "ü".repeat(127)]) {
      const sink = await fileSink(join(folder, name), options);
      await sink.write(text("long"));
      await sink.close();
      expect(await readFile(join(folder, name), "utf8")).toBe("long");
    }
  });

  test("leaves nothing when it is aborted", async () => {
    const folder = temporaryFolder();
    const sink = await fileSink(join(folder, "f"), options);
    await sink.write(text("one"));
    await sink.abort(new Error("enough"));
    await sink.abort();
    expect(await readdir(folder)).toEqual([]);
    await expect(sink.write(text("two"))).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    await expect(sink.close()).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    expect(await readdir(folder)).toEqual([]);
  });

  test("can be truncated: the next bytes follow the remaining ones", async () => {
    const path = join(temporaryFolder(), "f");
    const sink = await fileSink(path, options);
    await sink.write(text("one two"));
    await sink.truncate?.(4);
    await sink.write(text("three"));
    await sink.close();
    expect(await readFile(path, "utf8")).toBe("one three");
    await expect(sink.truncate?.(0)).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
  });

  test("is synced while it is written, if it is large; a failed sync fails the file", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "f");
    const handle = await open(join(folder, "any"), "w");
    const sync = vi.spyOn(Object.getPrototypeOf(handle), "sync");
    onTestFinished(() => sync.mockRestore());
    const bytes = new Uint8Array(24 * 1024 * 1024).fill(7);
    const write = async (count: number): Promise<ByteSink> => {
      const sink = await fileSink(path, options);
      for (let i = 0; i < count; i++) {
        await sink.write(bytes.subarray(i));
      }
      return sink;
    };
    const sink = await write(4);
    expect(sync).toHaveBeenCalledTimes(1);
    await sink.close();
    expect((await stat(path)).size).toBe(4 * bytes.length - 6);

    sync.mockRejectedValueOnce(Object.assign(new Error("EIO"), { code: "EIO" }));
    const failing = await write(3);
    await expect(failing.close()).rejects.toMatchObject({ code: "E_IO", path });
    expect(await readdir(folder)).toEqual(["any", "f"]);
    await handle.close();
  });

  test("remains when it is closed or aborted again", async () => {
    const folder = temporaryFolder();
    const sink = await fileSink(join(folder, "f"), options);
    await sink.write(text("one"));
    await sink.close();
    await expect(sink.close()).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    await expect(sink.write(text("two"))).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    await sink.abort();
    expect(await readFile(join(folder, "f"), "utf8")).toBe("one");
  });

  test("can have two writers at once: the last to close wins", async () => {
    const folder = temporaryFolder();
    const [one, two] = [
      await fileSink(join(folder, "f"), options),
      await fileSink(join(folder, "f"), options),
    ];
    await one.write(text("one"));
    await two.write(text("two"));
    await two.close();
    await one.close();
    expect(await readdir(folder)).toEqual(["f"]);
    expect(await readFile(join(folder, "f"), "utf8")).toBe("one");
  });
});

describe("an existing file", () => {
  async function existing(): Promise<string> {
    const path = join(temporaryFolder(), "f");
    await writeFile(path, "before");
    return path;
  }

  test("is unchanged until the new one is closed", async () => {
    const path = await existing();
    const sink = await fileSink(path);
    await sink.write(text("after"));
    expect(await readFile(path, "utf8")).toBe("before");
    await sink.close();
    expect(await readFile(path, "utf8")).toBe("after");
  });

  test("is replaced as a whole: open handles still read the old content", async () => {
    const path = await existing();
    const { ino } = await stat(path);
    const sink = await fileSink(path);
    await sink.write(text("after"));
    await sink.close();
    expect((await stat(path)).ino).not.toBe(ino);
  });

  test("is unchanged when the new one is aborted", async () => {
    const path = await existing();
    const sink = await fileSink(path);
    await sink.write(text("after"));
    await sink.abort();
    expect(await readFile(path, "utf8")).toBe("before");
    expect(await readdir(join(path, ".."))).toEqual(["f"]);
  });

  test.skipIf(process.platform === "win32")("keeps its permissions", async () => {
    for (const mode of [0o600, 0o664, 0o755]) {
      const path = await existing();
      await chmod(path, mode);
      const sink = await fileSink(path);
      await sink.close();
      expect((await stat(path)).mode & 0o777).toBe(mode);
    }
  });

  test.skipIf(process.platform === "win32")("is replaced through a symbolic link", async () => {
    const path = await existing();
    const folder = temporaryFolder();
    await symlink(path, join(folder, "link"));
    const sink = await fileSink(join(folder, "link"));
    expect(sink.name).toBe(join(folder, "link"));
    await sink.write(text("after"));
    await sink.close();
    expect((await lstat(join(folder, "link"))).isSymbolicLink()).toBe(true);
    expect(await readFile(path, "utf8")).toBe("after");
    expect(await readdir(folder)).toEqual(["link"]);
  });
});

describe("a file that cannot be written", () => {
  test("a directory", async () => {
    const path = temporaryFolder();
    await expect(fileSink(path)).rejects.toMatchObject({
      code: "E_IO",
      path,
      reason: "cannot write the file: it is a directory",
    });
    expect(await readdir(path)).toEqual([]);
  });

  test.skipIf(process.platform === "win32")("anything but a regular file is not replaced", async () => {
    const path = join(temporaryFolder(), "socket");
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => {
      server.close();
    });
    await expect(fileSink(path)).rejects.toMatchObject({ code: "E_IO", path });
    expect((await stat(path)).isSocket()).toBe(true);
  });

  test("the start of an existing temporary file is kept, and the rest is replaced", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "f");
    await mkdir(join(folder, "parts"));
    await writeFile(join(folder, "parts", "t"), "kept, removed");
    const options = { temporaryName: join("parts", "t") };
    await expect(fileSink(path, { ...options, kept: 14 })).rejects.toMatchObject({
      code: "E_TRUNCATED",
      expected: 14,
      actual: 13,
    });
    const sink = await fileSink(path, { ...options, kept: 6 });
    await sink.write(text("new"));
    await sink.close();
    expect(await readFile(path, "utf8")).toBe("kept, new");
    expect(await readdir(join(folder, "parts"))).toEqual([]);
    await expect(fileSink(path, { ...options, kept: 0 })).rejects.toMatchObject({ code: "E_NOT_FOUND" });
  });

  test("a missing directory, or a file of that name", async () => {
    const folder = temporaryFolder();
    const missing = join(folder, "none", "f");
    await expect(fileSink(missing)).rejects.toMatchObject({ code: "E_NOT_FOUND", path: missing });
    await writeFile(join(folder, "file"), "");
    await expect(fileSink(join(folder, "file", "f"))).rejects.toMatchObject({ code: "E_IO" });
    await expect(fileSink("")).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    expect(await readdir(folder)).toEqual(["file"]);
  });

  test("a directory created in the meantime: close fails and leaves nothing behind", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "f");
    const sink = await fileSink(path);
    await sink.write(text("one"));
    await mkdir(join(path, "inner"), { recursive: true });
    await expect(sink.close()).rejects.toMatchObject({ code: "E_IO", path });
    expect(await readdir(folder)).toEqual(["f"]);
    expect((await stat(path)).isDirectory()).toBe(true);
    await sink.abort();
    await expect(sink.close()).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
  });

  test("a folder removed in the meantime: close fails", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "d", "f");
    await mkdir(join(folder, "d"));
    const [closed, aborted] = [await fileSink(path), await fileSink(path)];
    await rm(join(folder, "d"), { recursive: true });
    await expect(closed.close()).rejects.toMatchObject({ code: "E_NOT_FOUND", path });
    await aborted.abort();
    expect(await readdir(folder)).toEqual([]);
  });

  /** Runs in a process whose files are limited to 8 blocks of 512 or 1024 bytes, which simulates a full disk. */
  test.skipIf(process.platform === "win32").each([false, true])(
    "a full disk: write fails, and close does not create a partial file (blocking: %s)",
    async (blocking) => {
      const folder = temporaryFolder();
      const path = join(folder, "f");
      await writeFile(path, "before");
      const script = `
      import { readdirSync } from "node:fs";
      import { fileSink } from ${JSON.stringify(import.meta.resolve("@cfile/io/file"))};
      const outcome = (promise) => promise.then(() => "done", (error) => error.code + ": " + error.reason);
      const results = [];
      for (const last of ["close", "abort"]) {
        const sink = await fileSink(${JSON.stringify(path)}, { blocking: ${blocking} });
        results.push(await outcome(sink.write(new Uint8Array(4000))));
        results.push(await outcome(sink.write(new Uint8Array(100_000))));
        results.push(await outcome(sink.write(new Uint8Array(1))));
        results.push(await outcome(sink[last]()));
        await sink.abort();
        results.push(readdirSync(${JSON.stringify(folder)}).join());
      }
      console.log(JSON.stringify(results));`;
      const { stdout } = await promisify(execFile)("sh", [
        "-c",
        'ulimit -f 8; exec "$0" --input-type=module --eval "$1"',
        process.execPath,
        script,
      ]);
      const failed = "E_IO: cannot write the file: file too large";
      expect(JSON.parse(stdout)).toEqual([
        "done",
        failed,
        failed,
        failed,
        "f",
        "done",
        failed,
        failed,
        "done",
        "f",
      ]);
      expect(await readFile(path, "utf8")).toBe("before");
    },
  );
});
