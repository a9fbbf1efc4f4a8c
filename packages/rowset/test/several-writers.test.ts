/** Processes that write to one table store at the same time, or are killed while writing. */

import { type ChildProcess, spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { MemoryDirectory } from "@cfile/io";
import { temporaryFolder } from "@cfile-tools/testkit";
import { beforeEach, describe, expect, it } from "vitest";
import type { RowSetSchema } from "../src/index.js";
import { createTableStore, openTableStore } from "../src/store.js";

const SCRIPT = fileURLToPath(new URL("writing-process.mjs", import.meta.url));
const schema: RowSetSchema = {
  columns: [
    { id: 1, name: "k", type: "INT32", nullable: false, array: false, isKey: true },
    { id: 2, name: "n", type: "INT32", nullable: true, array: false, isKey: false },
  ],
};

let folder: string;
beforeEach(async () => {
  folder = temporaryFolder();
  const writer = await createTableStore(folder, schema);
  await writer.appendRows([[0, 0]]);
  await writer.finish();
});

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

function start(
  number: number,
  writes: number,
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [SCRIPT, folder, String(number), String(writes)], { stdio: "pipe" });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return { child, ended: new Promise((resolve) => child.once("exit", (code) => resolve({ code, output }))) };
}

describe("several processes that write to one table store", () => {
  it("lose no write: each is rejected or permanent", async () => {
    const numbers = [1, 2, 3];
    const writes = 4;
    const ended = await Promise.all(numbers.map((number) => start(number, writes).ended));
    for (const { code, output } of ended) {
      expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining("refused ") });
    }
    await using table = await openTableStore(folder);
    expect((await table.get([0]))?.cells).toEqual([0, numbers.length * writes]);
    for (const number of numbers) {
      for (let i = 0; i < writes; i++) {
        expect((await table.get([1000 * number + i]))?.cells).toEqual([1000 * number + i, i]);
      }
    }
    expect((await table.verify()).flatMap(({ problems }) => problems)).toEqual([]);
    expect((await readdir(folder)).filter((file) => file.includes("lock"))).toEqual([]);
  });

  it("do not wait for a killed process", async () => {
    const { child, ended } = start(1, 1000);
    await Promise.race([new Promise((resolve) => child.stdout?.once("data", resolve)), ended]);
    child.kill("SIGKILL");
    const written = (await ended).output.split("written").length - 1;
    await using table = await openTableStore(folder);
    const [, count] = (await table.get([0]))?.cells ?? [];
    // The last write may be committed before it is reported.
    expect([written, written + 1]).toContain(count);
    await table.upsert([[7, 7]], table.lastTimestamp + 1n);
    const named = table.files.flat().map(({ file }) => file);
    expect((await readdir(folder)).sort()).toEqual([...named, "rowset.json"].sort());
  });
});

describe("another writer", () => {
  it("makes a write fail, which later succeeds", async () => {
    const directory = new MemoryDirectory("table");
    const writer = await createTableStore(directory, schema);
    await expect(createTableStore(directory, schema)).rejects.toMatchObject({
      code: "E_SOURCE_CHANGED",
      field: "lock",
    });
    await writer.appendRows([[1, 1]]);
    await writer.finish();
    await expect(createTableStore(directory, schema)).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    await using table = await openTableStore(directory);
    const lock = await directory.lock("rowset.json.lock");
    const before = await directory.list();
    await expect(table.update([{ k: 1, n: 2 }], 5n)).rejects.toMatchObject({ code: "E_SOURCE_CHANGED" });
    await expect(table.compact()).rejects.toMatchObject({ code: "E_SOURCE_CHANGED" });
    expect(await directory.list()).toEqual(before);
    await lock.release();
    await table.update([{ k: 1, n: 2 }], 5n);
    expect((await table.get([1]))?.cells).toEqual([1, 2]);
  });

  it("that aborts does not block a new table store", async () => {
    const directory = new MemoryDirectory("table");
    await (await createTableStore(directory, schema)).abort();
    const failing = await createTableStore(directory, schema, { sorted: true });
    await expect(
      failing.appendRows([
        [2, 1],
        [1, 1],
      ]),
    ).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    await (await createTableStore(directory, schema)).finish();
  });
});
