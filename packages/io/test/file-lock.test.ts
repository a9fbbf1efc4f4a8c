import { spawn } from "node:child_process";
import { readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { temporaryFolder } from "@cfile-tools/testkit";
import { beforeEach, describe, expect, it } from "vitest";
import { fileDirectory } from "../src/file.js";
import { type ByteDirectory, MemoryDirectory } from "../src/index.js";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** The ID of a process that has ended. */
async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""]);
  await new Promise((resolve) => child.once("exit", resolve));
  return child.pid ?? 0;
}

const lockOf = async (directory: ByteDirectory) => {
  const lock = await directory.lock?.("lock");
  if (lock === undefined) {
    throw new TypeError("no lock");
  }
  return lock;
};

describe.each([
  ["a folder on disk", (): Promise<ByteDirectory> => fileDirectory(folder)],
  ["memory", async (): Promise<ByteDirectory> => new MemoryDirectory()],
])("a lock in %s", (_, open) => {
  it("has one holder at a time", async () => {
    const directory = await open();
    const first = await lockOf(directory);
    await first.check();
    await expect(lockOf(directory)).rejects.toMatchObject({ code: "E_SOURCE_CHANGED", field: "lock" });
    await first.release();
    const second = await lockOf(directory);
    await expect(first.check()).rejects.toMatchObject({ code: "E_SOURCE_CHANGED" });
    await first.release();
    await second.check();
    await second.release();
    expect(await directory.list()).toEqual([]);
  });

  it("goes to one of many competitors", async () => {
    const directory = await open();
    const taken = await Promise.allSettled(Array.from({ length: 20 }, () => lockOf(directory)));
    expect(taken.filter(({ status }) => status === "fulfilled").length).toBe(1);
  });
});

describe("a lock file", () => {
  const write = (owner: unknown): Promise<void> =>
    writeFile(join(folder, "lock"), typeof owner === "string" ? owner : JSON.stringify(owner));

  it("names its holder", async () => {
    const directory = await fileDirectory(folder);
    const lock = await lockOf(directory);
    expect(JSON.parse(await readFile(join(folder, "lock"), "utf8"))).toMatchObject({
      pid: process.pid,
      host: hostname(),
    });
    await expect(lockOf(directory)).rejects.toMatchObject({
      actual: expect.stringContaining(`process ${process.pid} `),
    });
    await lock.release();
  });

  it("of a dead process goes to one of many competitors and leaves no other files", async () => {
    await write({ pid: await deadProcess(), host: hostname(), started: 0, token: "00" });
    const directory = await fileDirectory(folder);
    const taken = await Promise.allSettled(Array.from({ length: 20 }, () => lockOf(directory)));
    const locks = taken.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(locks.length).toBe(1);
    expect(await readdir(folder)).toEqual(["lock"]);
    await locks[0]?.check();
  });

  it("of an earlier process with the same ID is taken over", async () => {
    await write({ pid: process.pid, host: hostname(), started: 1000, token: "00" });
    const lock = await lockOf(await fileDirectory(folder));
    await expect(lock.check()).resolves.toBeUndefined();
  });

  it("of another machine is respected", async () => {
    await write({ pid: 1, host: `not-${hostname()}`, started: 0, token: "00" });
    await expect(lockOf(await fileDirectory(folder))).rejects.toMatchObject({ code: "E_SOURCE_CHANGED" });
  });

  it.each(["", "{", '{"pid":-1}', "null", "7"])(
    "without a valid owner, %j, counts as held while it is young",
    async (text) => {
      await write(text);
      const directory = await fileDirectory(folder);
      await expect(lockOf(directory)).rejects.toMatchObject({ code: "E_SOURCE_CHANGED" });
      await utimes(join(folder, "lock"), 1000, 1000);
      await (await lockOf(directory)).check();
    },
  );

  it("is named by the error when it cannot be created", async () => {
    const directory = await fileDirectory(folder);
    await rm(folder, { recursive: true });
    await expect(lockOf(directory)).rejects.toMatchObject({
      code: "E_NOT_FOUND",
      path: join(folder, "lock"),
    });
    await writeFile(folder, "");
  });
});
