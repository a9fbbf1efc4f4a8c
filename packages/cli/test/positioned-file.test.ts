import { readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { inPieces, PositionedFile } from "../src/export/positioned-file.js";

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

describe("a transfer in pieces", () => {
  it.each([
    { system: "all that is requested", atMost: 1 << 20, available: 600_000, done: 600_000, calls: 3 },
    { system: "fewer bytes than requested", atMost: 100_000, available: 600_000, done: 600_000, calls: 6 },
    { system: "no more bytes after some", atMost: 100_000, available: 250_000, done: 250_000, calls: 4 },
    { system: "nothing", atMost: 100_000, available: 0, done: 0, calls: 1 },
  ])("with $system: $done bytes", ({ atMost, available, done, calls }) => {
    const ranges: [from: number, count: number][] = [];
    const transfer = (from: number, length: number): number => {
      const count = Math.min(length, atMost, available - from);
      ranges.push([from, count]);
      return count;
    };
    expect(inPieces(600_000, transfer)).toBe(done);
    expect(ranges).toHaveLength(calls);
    expect(ranges.reduce((end, [from, count]) => (from === end ? end + count : Number.NaN), 0)).toBe(done);
  });
});
