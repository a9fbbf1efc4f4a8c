import { CFileError } from "@cfile/bytes";
import { type ByteSource, memorySource } from "@cfile/io";
import { countBlockingReads, pathToGolden } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { DELETE, UPDATE } from "../src/index.js";
import { openDeltaFile } from "../src/read.js";
import {
  allShown,
  deltaFile,
  type Entry,
  forgedFile,
  NO_STATISTICS,
  openBytes,
  SET,
  shown,
} from "./forge.js";
import { goldenDeltaFile } from "./golden.js";

/** A source that counts its reads. */
function counted(bytes: Uint8Array): { source: ByteSource; reads: () => number } {
  const inner = memorySource(bytes, "deltas");
  let reads = 0;
  const read: ByteSource["read"] = (offset, length, options) => {
    reads++;
    return inner.read(offset, length, options);
  };
  return { source: { ...inner, read }, reads: () => reads };
}

/** Rows of 60 entries each, so that rows span blocks of 512 bytes, and several start in one. */
const entries = (kind: "redo" | "undo", rows: number, perRow = 60): Entry[] =>
  Array.from({ length: rows * perRow }, (_, i) => {
    const at = i % perRow;
    return [3 * Math.floor(i / perRow), BigInt(kind === "redo" ? 1 + at : perRow - at), UPDATE, SET];
  });

const text = (list: readonly Entry[]) => list.map(([row, at, type]) => `${row}@${at} ${type} 010207`);

describe.each(["redo", "undo"] as const)("a %s file whose rows span several blocks", (kind) => {
  const all = entries(kind, 20);

  it("finds each row through the index", async () => {
    const bytes = await deltaFile(kind, all, { blockSize: 512, indexBlockSize: 100 });
    const reader = await openBytes(bytes);
    expect(await allShown(reader)).toEqual(text(all));
    for (let row = 0; row < 62; row++) {
      expect(shown(await reader.deltasOf(row))).toEqual(text(all.filter(([other]) => other === row)));
      const rows = { from: row, to: row + 4 };
      const wanted = all.filter(([other]) => other >= rows.from && other < rows.to);
      expect(await allShown(reader, { rows })).toEqual(text(wanted));
    }
  });

  it("returns a range of a row's entries", async () => {
    const reader = await openBytes(await deltaFile(kind, all, { blockSize: 512 }));
    const timestamps = { from: 10n, to: 20n };
    const isWithin = ([row, at]: Entry) => row === 9 && at >= 10n && at < 20n;
    expect(shown(await reader.deltasOf(9, { timestamps }))).toEqual(text(all.filter(isWithin)));
  });
});

describe("entries of one row and timestamp", () => {
  it.each([0n, 1n, 2n ** 60n])("at %i keep their order, also across blocks", async (timestamp) => {
    const ties: Entry[] = Array.from({ length: 300 }, (_, i) => [
      7,
      timestamp,
      UPDATE,
      Uint8Array.of(i & 0x7f, 1),
    ]);
    for (const kind of ["redo", "undo"] as const) {
      const reader = await openBytes(await deltaFile(kind, [[6, 5n, DELETE], ...ties], { blockSize: 512 }));
      const batch = await reader.deltasOf(7);
      expect(Array.from({ length: batch.length }, (_, i) => batch.data[batch.offsets[i] as number])).toEqual(
        ties.map(([, , , mutations]) => mutations?.[0]),
      );
    }
  });
});

describe("a reader", () => {
  const file = goldenDeltaFile("delta_redo_nocomp_smallblocks");
  const row = file.deltas[500]?.row_idx ?? 0;

  it("reads only the end and the start of a file to open it", async () => {
    const { source, reads } = counted(file.bytes);
    await openDeltaFile(source);
    expect(reads()).toBeLessThanOrEqual(2);
  });

  it("passes the options for files to `openSource`", async () => {
    const blockingReads = countBlockingReads();
    const path = pathToGolden(`deltafile/${file.name}.cfile`);
    await openDeltaFile(path, { file: { blocking: true } });
    expect(blockingReads()).toBeGreaterThan(0);
  });

  it("reads an index block and a data block for a row, and nothing the second time", async () => {
    const { source, reads } = counted(file.bytes);
    const reader = await openDeltaFile(source);
    const before = reads();
    await reader.deltasOf(row);
    expect(reads() - before).toBeLessThanOrEqual(3);
    const warm = reads();
    await reader.deltasOf(row);
    await allShown(reader, { rows: { from: row, to: row + 1 } });
    expect(reads()).toBe(warm);
  });

  it("reads nothing once a scan has cached all blocks", async () => {
    const { source, reads } = counted(file.bytes);
    const reader = await openDeltaFile(source);
    const first = await allShown(reader);
    const warm = reads();
    expect(await allShown(reader)).toEqual(first);
    await reader.deltasOf(row);
    expect(reads()).toBe(warm);
  });

  it("reads blocks again without a cache", async () => {
    const { source, reads } = counted(file.bytes);
    const reader = await openDeltaFile(source, { cacheBytes: 0 });
    await reader.deltasOf(row);
    const once = reads();
    await reader.deltasOf(row);
    expect(reads()).toBeGreaterThan(once);
  });

  it("reads nothing when the statistics exclude the timestamps", async () => {
    const { source, reads } = counted(file.bytes);
    const reader = await openDeltaFile(source);
    const before = reads();
    const { minTimestamp, maxTimestamp } = reader.statistics;
    expect(await allShown(reader, { timestamps: { to: minTimestamp } })).toEqual([]);
    expect(await allShown(reader, { timestamps: { from: maxTimestamp + 1n } })).toEqual([]);
    expect((await reader.deltasOf(row, { timestamps: { to: minTimestamp } })).length).toBe(0);
    expect(await allShown(reader, { rows: { from: 5, to: 5 } })).toEqual([]);
    expect(reads()).toBe(before);
  });

  it("reads everything when the statistics are not trusted", async () => {
    const lying = { ...NO_STATISTICS, minTimestamp: 100n, maxTimestamp: 200n };
    const reader = await openBytes(await forgedFile(["010502"], lying));
    expect(await allShown(reader, { timestamps: { to: 50n } })).toEqual([]);
    expect(await allShown(reader, { timestamps: { to: 50n }, trustStatistics: false })).toEqual(["1@5 2"]);
  });

  it("stops when the signal is aborted", async () => {
    const reader = await openBytes(file.bytes);
    const controller = new AbortController();
    controller.abort(new TypeError("enough"));
    await expect(allShown(reader, { signal: controller.signal })).rejects.toThrow("enough");
    await expect(reader.deltasOf(row, { signal: controller.signal })).rejects.toThrow("enough");
  });

  it("closes the source", async () => {
    let closed = 0;
    const source = { ...memorySource(file.bytes), close: async () => void closed++ };
    {
      await using reader = await openDeltaFile(source);
      expect(reader.entryCount).toBe(1010);
    }
    expect(closed).toBe(1);
  });
});

describe("bounds", () => {
  it.each([
    { rows: { from: -1 } },
    { rows: { to: 1.5 } },
    { rows: { from: Number.NaN } },
    { timestamps: { from: -1n } },
    { timestamps: { to: 2n ** 64n } },
  ])("%o are rejected", async (options) => {
    const reader = await openBytes(await deltaFile("redo", [[1, 1n, DELETE]]));
    await expect(allShown(reader, options)).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
  });

  it("above all rows select no entries", async () => {
    const reader = await openBytes(await deltaFile("redo", [[0xffffffff, 1n, DELETE]]));
    expect(await allShown(reader, { rows: { to: 2 ** 40 } })).toEqual(["4294967295@1 2"]);
    expect(shown(await reader.deltasOf(0xffffffff))).toEqual(["4294967295@1 2"]);
    await expect(reader.deltasOf(2 ** 32)).rejects.toBeInstanceOf(CFileError);
  });
});
