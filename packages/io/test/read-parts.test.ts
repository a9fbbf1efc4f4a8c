import { type BlockMemory, freshMemory, MemoryArena } from "@cfile/bytes";
import { ranges, webServer } from "@cfile-tools/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { httpSource } from "../src/http.js";
import { type ByteSource, memorySource, readParts } from "../src/index.js";

const content = Uint8Array.from({ length: 1_000_000 }, (_, i) => (i * 7) ^ (i >> 8));

let opened: ByteSource[];
beforeEach(() => {
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((source) => source.close?.()));
});

async function open(options: object = {}) {
  const server = await webServer(ranges(() => ({ bytes: content, headers: { ETag: '"1"' } })));
  const source = httpSource(server.url, options);
  opened.push(source);
  return { server, source };
}

describe.each([
  ["requested", {}],
  ["prefetched", { prefetchBytes: 2_000_000 }],
  ["at the beginning", { headBytes: 900_000 }],
  ["at the end", { tailBytes: 900_000 }],
  ["from a server without ranges", { fetch: async () => new Response(content) }],
])("the parts of a range %s", (_name, options) => {
  test("have the same bytes as a read", async () => {
    const { source } = await open(options);
    const parts = await readParts(source, 200_000, 600_000, {});
    for (const [start, end] of [
      [0, 0],
      [0, 1],
      [1, 600_000],
      [65_000, 66_000],
      [599_999, 600_000],
    ] as const) {
      const expected = content.subarray(200_000 + start, 200_000 + end);
      expect(Buffer.compare(parts.subarray(start, end), expected)).toBe(0);
    }
  });
});

test("parts are joined in the given memory, and only where several are needed", async () => {
  const { source } = await open();
  const taken: number[] = [];
  const memory: BlockMemory = {
    take: (length) => {
      taken.push(length);
      return freshMemory.take(length);
    },
  };
  const parts = await readParts(source, 10, 500_000, {});
  for (let start = 0; start < 500_000; start += 100) {
    parts.subarray(start, start + 100, memory);
  }
  expect(taken.length).toBeLessThan(500);
  taken.length = 0;
  const arena = new MemoryArena();
  const buffer = parts.subarray(0, 400_000, arena).buffer;
  arena.recycle();
  expect(parts.subarray(100_000, 500_000, arena).buffer).toBe(buffer);
  parts.subarray(0, 500_000, memory);
  expect(taken).toEqual([500_000]);
});

test("a range in parts is one request, for no other bytes", async () => {
  const { server, source } = await open();
  await readParts(source, 300_000, 400_000, {});
  expect(server.asked.map(({ range }) => range)).toEqual(["bytes=-16384", "bytes=300000-699999"]);
});

test("a source without parts is read as a whole", async () => {
  const parts = await readParts(memorySource(content), 100, 50, {});
  expect(parts.subarray(10, 20)).toEqual(content.subarray(110, 120));
  const short = readParts(memorySource(content, "short"), 999_990, 20, { field: "block" });
  await expect(short).rejects.toMatchObject({ code: "E_TRUNCATED", path: "short", field: "block" });
});

describe("a read in parts that fails", () => {
  test("is a typed error with the cause", async () => {
    const cause = new Error("no network");
    const source: ByteSource = { ...memorySource(content, "theirs"), readParts: () => Promise.reject(cause) };
    await expect(readParts(source, 0, 5, {})).rejects.toMatchObject({ code: "E_IO", path: "theirs", cause });
  });

  test("ends with the reason of its signal", async () => {
    const { source } = await open();
    const reason = new Error("enough");
    await expect(readParts(source, 0, 5, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
