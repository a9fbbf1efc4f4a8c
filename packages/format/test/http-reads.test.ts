import { MemoryArena } from "@cfile/bytes";
import { batchFromValues } from "@cfile/encodings/batches";
import { memorySink, memorySource } from "@cfile/io";
import { withCoalescing } from "@cfile/io/decorators";
import { httpSource } from "@cfile/io/http";
import { serveFiles } from "@cfile-tools/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import { openCFile } from "../src/index.js";
import { CFileWriter, type WriterOptions } from "../src/write.js";

const ROWS = 10_000_000;
const KIB = 1024;

async function fileOf(
  rows: number,
  cellAt: (row: number) => number,
  options: Partial<WriterOptions> = {},
): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new CFileWriter(sink, { type: "INT32", posidx: true, validx: true, ...options });
  for (let from = 0; from < rows; from += 1_000_000) {
    const values = Int32Array.from({ length: Math.min(1_000_000, rows - from) }, (_, i) => cellAt(from + i));
    await writer.append(batchFromValues({ type: "INT32", nullable: false }, values));
  }
  await writer.finish();
  return sink.bytes();
}

/** Sorted values with gaps. */
const cellAt = (row: number): number => 3 * row + (row % 7 === 0 ? 1 : 0);

const NAME = "c.cfile";

/** Serves one file, and counts requests and bytes. */
async function serve(body: Uint8Array, latency = 0) {
  const { url, files, served, parallel } = await serveFiles({ [NAME]: { body } }, { latency });
  return {
    url: url + NAME,
    served,
    parallel,
    bytes: () => served.reduce((sum, { bytes }) => sum + bytes, 0),
    replace: (other: Uint8Array, etag: string) => files.set(NAME, { body: other, etag }),
  };
}

let large: Uint8Array;
/** A file with many levels of small index blocks. */
let deep: Uint8Array;
const DEEP_ROWS = 2_000_000;

beforeAll(async () => {
  large = await fileOf(ROWS, cellAt, { encoding: "BIT_SHUFFLE", compression: "LZ4" });
  deep = await fileOf(DEEP_ROWS, cellAt, {
    encoding: "PLAIN_ENCODING",
    blockSize: 4 * KIB,
    indexBlockSize: 512,
  });
}, 60_000);

async function levels(bytes: Uint8Array): Promise<number> {
  const reader = await openCFile(memorySource(bytes));
  const { posidx } = await reader.layout();
  return posidx?.levels ?? 0;
}

describe(`a file of ${ROWS} rows`, () => {
  test("is opened and returns its first rows with 2 requests", async () => {
    const server = await serve(large);
    const reader = await openCFile(httpSource(server.url));
    for await (const batch of reader.scan({ rows: { to: 10 } })) {
      expect(batch.toArray()).toEqual(Array.from({ length: 10 }, (_, i) => cellAt(i)));
    }
    expect(server.served.length).toBeLessThanOrEqual(2);
    expect(server.bytes()).toBeLessThanOrEqual(128 * KIB);
  });

  test("is opened with 1 request; each lookup of a row or value takes at most one more", async () => {
    const server = await serve(large);
    const reader = await openCFile(httpSource(server.url));
    const opened = server.served.length;
    expect(opened).toBe(1);
    expect(server.bytes()).toBeLessThanOrEqual(16 * KIB);
    expect(await reader.get(5_123_456)).toBe(cellAt(5_123_456));
    expect(server.served.length - opened).toBe(1);
    expect(await reader.get(8_000_000)).toBe(cellAt(8_000_000));
    expect(server.served.length - opened).toBe(2);
    expect(await reader.find(cellAt(3_333_333))).toEqual({ row: 3_333_333, exact: true });
    expect(server.served.length - opened).toBe(3);
    expect(await reader.find(cellAt(3_333_334))).toEqual({ row: 3_333_334, exact: true });
    expect(server.served.length - opened).toBe(3);
  });

  test("returns 1000 scattered rows with at most 20 requests", async () => {
    const rows = Array.from({ length: 1000 }, (_, i) => (i * 7_654_321) % ROWS);
    const expected = rows.map(cellAt);
    const server = await serve(large);
    const reader = await openCFile(httpSource(server.url));
    expect(await reader.getMany(rows)).toEqual(expected);
    const many = server.served.length;
    expect(many).toBeLessThanOrEqual(20);

    const other = await serve(large);
    const coalesced = await openCFile(withCoalescing(httpSource(other.url)));
    expect(await Promise.all(rows.map((row) => coalesced.get(row)))).toEqual(expected);
    console.info(`1000 lookups: getMany ${many} requests, get with withCoalescing ${other.served.length}`);
    expect(other.served.length).toBeLessThanOrEqual(20);
  });

  test("is scanned in order with parallel requests, each byte once", async () => {
    const server = await serve(large, 25);
    const reader = await openCFile(httpSource(server.url));
    let next = 0;
    for await (const batch of reader.scan({ arena: new MemoryArena() })) {
      expect(batch.firstRow).toBe(next);
      expect(batch.get(0)).toBe(cellAt(next));
      next += batch.length;
    }
    expect(next).toBe(ROWS);
    expect(server.bytes()).toBeLessThan(large.length + 128 * KIB);
    expect(server.parallel()).toBeGreaterThan(1);
    expect(server.parallel()).toBeLessThanOrEqual(6);
  });
});

/** A row of a neighboring block that both indexes reach through the same leaf blocks. */
async function neighborOf(row: number): Promise<number> {
  const { posidx, validx } = await (await openCFile(memorySource(deep))).layout();
  const leafOf = (index: typeof posidx, entry: number): number => {
    let end = 0;
    return (index?.indexBlocks ?? [])
      .filter(({ leaf }) => leaf)
      .findIndex(({ entries }) => {
        end += entries;
        return entry < end;
      });
  };
  const firstRows = (posidx?.entries ?? []).map(({ key }) => Buffer.from(key).readUInt32BE(0));
  const entry = firstRows.findLastIndex((first) => first <= row);
  for (const other of [entry - 1, entry + 1]) {
    if ([posidx, validx].every((index) => leafOf(index, other) === leafOf(index, entry))) {
      return (firstRows[other] ?? 0) + 5;
    }
  }
  throw new RangeError(`block ${entry} has no neighbor`);
}

describe("a file with many index levels", () => {
  test("is searched with one request per level and one for the block; neighboring rows take one request", async () => {
    const depth = await levels(deep);
    expect(depth).toBeGreaterThanOrEqual(3);
    const server = await serve(deep);
    const reader = await openCFile(httpSource(server.url));
    let before = server.served.length;
    expect(before).toBe(1);
    expect(await reader.get(1_000_000)).toBe(cellAt(1_000_000));
    expect(server.served.length).toBeLessThanOrEqual(depth + 1);
    before = server.served.length;
    const neighbor = await neighborOf(1_000_000);
    expect(await reader.get(neighbor)).toBe(cellAt(neighbor));
    expect(server.served.length - before).toBe(1);
    before = server.served.length;
    expect(await reader.find(cellAt(600_000) + 1)).toEqual({ row: 600_001, exact: false });
    expect(server.served.length - before).toBeLessThanOrEqual(depth);
    before = server.served.length;
    const other = await neighborOf(600_000);
    expect(await reader.find(cellAt(other))).toEqual({ row: other, exact: true });
    expect(server.served.length - before).toBe(1);
  });

  test("lists its data blocks with parallel requests, at most one per index block", async () => {
    const server = await serve(deep, 5);
    const reader = await openCFile(httpSource(server.url));
    const blocks = await reader.listDataBlocks();
    const local = await openCFile(memorySource(deep));
    expect(blocks).toEqual(await local.listDataBlocks());
    const firstRows = blocks.map(({ firstRow }) => firstRow);
    expect(firstRows[0]).toBe(0);
    for (const [i, { firstRow = -1 }] of blocks.slice(0, 50).entries()) {
      expect((await local.dataBlockOf(firstRow)).rows).toBe((firstRows[i + 1] ?? local.rowCount) - firstRow);
    }
    const { posidx } = await (await openCFile(memorySource(deep))).layout();
    expect(server.served.length).toBeLessThanOrEqual((posidx?.indexBlocks.length ?? 0) + 1);
    expect(server.parallel()).toBeGreaterThan(4);
  });
});

describe("a scan over the network", () => {
  test.each([1, 2, 6])("sends at most %d requests ahead", async (requests) => {
    const server = await serve(deep, 2);
    const reader = await openCFile(httpSource(server.url));
    let rows = 0;
    for await (const batch of reader.scan({ readAhead: { requests, bytes: requests * 256 * KIB } })) {
      rows += batch.length;
    }
    expect(rows).toBe(DEEP_ROWS);
    // Index blocks are read additionally.
    expect(server.parallel()).toBeLessThanOrEqual(requests + 9);
  });

  test("stops reading when the iteration ends", async () => {
    const server = await serve(deep, 20);
    const reader = await openCFile(httpSource(server.url));
    for await (const batch of reader.scan()) {
      expect(batch.firstRow).toBe(0);
      break;
    }
    // Responses to earlier requests still arrive.
    await new Promise((resolve) => setTimeout(resolve, 40));
    const { length } = server.served;
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(server.served.length).toBe(length);
    expect(server.bytes()).toBeLessThan(deep.length / 2);
  });

  test("fails with the reason of an abort, and the reader stays usable", async () => {
    const server = await serve(deep, 10);
    const reader = await openCFile(httpSource(server.url));
    const controller = new AbortController();
    const scanning = (async () => {
      for await (const batch of reader.scan({ signal: controller.signal })) {
        if (batch.firstRow > 0) {
          controller.abort("enough");
        }
      }
    })();
    await expect(scanning).rejects.toBe("enough");
    expect(await reader.get(1_999_999)).toBe(cellAt(1_999_999));
  });

  test("fails when the file is replaced during the scan, and returns no row of the new file", async () => {
    const server = await serve(deep);
    const reader = await openCFile(httpSource(server.url));
    const other = await fileOf(DEEP_ROWS, (row) => -row - 1, {
      encoding: "PLAIN_ENCODING",
      blockSize: 4 * KIB,
      validx: false,
    });
    const scanning = (async () => {
      for await (const batch of reader.scan({ readAhead: { requests: 1, bytes: 64 * KIB } })) {
        expect(batch.get(0)).toBe(cellAt(batch.firstRow));
        if (batch.firstRow > 100_000) {
          server.replace(other, '"2"');
        }
      }
    })();
    await expect(scanning).rejects.toMatchObject({ code: "E_SOURCE_CHANGED", path: server.url });
    expect(await (await openCFile(httpSource(server.url))).get(5)).toBe(-6);
  });

  test.each([{ requests: -1 }, { requests: 1.5 }, { bytes: Number.NaN }])(
    "rejects readAhead %o",
    async (readAhead) => {
      const reader = await openCFile(memorySource(deep));
      await expect(reader.scan({ readAhead }).next()).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    },
  );
});

describe("the header of a file on a web server", () => {
  test("is not requested when the file is opened, and is read with the first block", async () => {
    const server = await serve(deep);
    const reader = await openCFile(httpSource(server.url, { headBytes: 0 }));
    expect(() => reader.headerMetadata).toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT" }));
    expect(await reader.get(1_999_999)).toBe(cellAt(1_999_999));
    expect(() => reader.headerMetadata).toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT" }));
    const before = server.served.length;
    expect(await reader.get(1)).toBe(cellAt(1));
    expect(reader.headerMetadata).toEqual([]);
    expect(server.served.slice(before).filter(({ range }) => range?.startsWith("bytes=0-"))).toHaveLength(1);
  });

  test("is read once, on demand, with one request", async () => {
    const server = await serve(deep);
    const reader = await openCFile(httpSource(server.url));
    await reader.loadHeader();
    await reader.loadHeader();
    expect(reader.headerMetadata).toEqual([]);
    expect(server.served.length).toBe(2);
    expect((await openCFile(httpSource(server.url), { header: "read" })).headerMetadata).toEqual([]);
  });

  test("is rejected when it reaches into the first block", async () => {
    const damaged = deep.slice();
    damaged[9] = 0xff;
    const reader = await openCFile(httpSource((await serve(damaged)).url));
    await expect(reader.get(0)).rejects.toMatchObject({ code: "E_CORRUPT", field: "block pointer" });
    await expect(reader.verify()).rejects.toMatchObject({ code: "E_CHECKSUM" });
  });

  test("is checked when the first block is read, and by verify", async () => {
    const damaged = deep.slice();
    damaged[10] = 0xff;
    const server = await serve(damaged);
    const reader = await openCFile(httpSource(server.url));
    expect(await reader.get(1_999_999)).toBe(cellAt(1_999_999));
    await expect(reader.get(0)).rejects.toMatchObject({ code: "E_LIMIT", field: "header length" });
    await expect(reader.scan().next()).rejects.toMatchObject({ code: "E_LIMIT", field: "header length" });
    await expect(reader.verify()).rejects.toMatchObject({ code: "E_LIMIT", field: "header length" });
  });
});

describe("a small file", () => {
  test.each([0, 1, 100])("of %d rows is read with one request", async (rows) => {
    const server = await serve(await fileOf(rows, cellAt));
    const reader = await openCFile(httpSource(server.url));
    expect((await reader.toArray()).length).toBe(rows);
    expect(server.served.length).toBe(1);
  });
});
