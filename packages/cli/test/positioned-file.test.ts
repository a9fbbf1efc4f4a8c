import * as fs from "node:fs";
import { readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@cfile-tools/testkit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PositionedFile } from "../src/export/positioned-file.js";

vi.mock("node:fs", { spy: true });

afterEach(() => {
  vi.resetAllMocks();
});

async function emptyFile(): Promise<PositionedFile> {
  const path = join(temporaryFolder(), "file");
  await writeFile(path, "");
  return new PositionedFile(path);
}

describe("a file of ranges", () => {
  const bytes = Uint8Array.from({ length: 600_000 }, (_, i) => i % 251);

  it("has the bytes at their positions, in whatever order they are written", async () => {
    const file = await emptyFile();
    file.write(bytes.subarray(300_000), 300_000);
    file.write(bytes.subarray(0, 300_000), 0);
    const read = new Uint8Array(400_000);
    file.read(read, 100_000);
    await file.settle();
    await file.close();
    expect(read).toEqual(bytes.subarray(100_000, 500_000));
    expect(new Uint8Array(await readFile(file.path))).toEqual(bytes);
  });

  it("accepts that the system transfers fewer bytes than requested", async () => {
    const file = await emptyFile();
    const { readSync, writeSync } = await vi.importActual<typeof fs>("node:fs");
    const some = (length: number | null | undefined): number => Math.min(length ?? 0, 70_000);
    vi.mocked(fs.writeSync).mockImplementation(((
      fd: number,
      from: Uint8Array,
      start: number,
      length: number,
      position: number,
    ) => writeSync(fd, from, start, some(length), position)) as typeof fs.writeSync);
    vi.mocked(fs.readSync).mockImplementation(((
      fd: number,
      to: Uint8Array,
      start: number,
      length: number,
      position: number,
    ) => readSync(fd, to, start, some(length), position)) as typeof fs.readSync);
    file.write(bytes, 0);
    const read = new Uint8Array(bytes.length);
    file.read(read, 0);
    await file.close();
    expect(read).toEqual(bytes);
  });

  it("fails if the system accepts no more bytes", async () => {
    const file = await emptyFile();
    vi.mocked(fs.writeSync).mockReturnValueOnce(1000).mockReturnValueOnce(0);
    expect(() => file.write(bytes, 0)).toThrowError(
      expect.objectContaining({ code: "E_IO", path: file.path }),
    );
    await file.close();
  });

  it("fails if bytes that were written are missing", async () => {
    const file = await emptyFile();
    file.write(bytes, 0);
    await truncate(file.path, 1000);
    expect(() => file.read(new Uint8Array(2000), 0)).toThrowError(
      expect.objectContaining({ code: "E_TRUNCATED", path: file.path }),
    );
    await file.close();
  });
});
