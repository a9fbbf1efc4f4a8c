/** Files with a valid container but invalid entries. */
import { fromHex, toHex } from "@cfile/bytes";
import { openCFile } from "@cfile/format";
import { CFileContainerWriter } from "@cfile/format/write";
import { memorySink, memorySource } from "@cfile/io";
import { chooseRowKernels } from "@cfile/kernels/rows";
import { describe, expect, it } from "vitest";
import { DELETE, encodeDeltaKey, REINSERT, UPDATE } from "../src/index.js";
import { decodeDeltaBlock } from "../src/read/delta-block.js";
import { openDeltaFile } from "../src/read.js";
import { recoverDeltaFile } from "../src/recover.js";
import { allShown, deltaFile, forgedFile, NO_STATISTICS, openBytes } from "./forge.js";

const entry = (row: number, timestamp: bigint, change: string): string =>
  toHex(encodeDeltaKey({ row, timestamp })) + change;

/** An UPDATE that fills a block of the smallest size. */
const wide = (row: number, timestamp: bigint, column = 1): string =>
  entry(row, timestamp, `01${toHex(Uint8Array.of(column))}cd08${"07".repeat(1100)}`);

const blocksOf = (entries: readonly string[], statistics = NO_STATISTICS): Promise<Uint8Array> =>
  forgedFile(entries, statistics, { blockSize: 1 });

describe("a block", () => {
  it("without entries is refused", () => {
    const empty = fromHex("00000000 00000000 0c000000");
    expect(() => decodeDeltaBlock(empty, undefined, undefined, chooseRowKernels("portable"))).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "count" }),
    );
  });

  it("with rows before those of the block before is refused by scans and reported by verification", async () => {
    const reader = await openBytes(await blocksOf([entry(5, 1n, "02"), wide(20, 1n), wide(9, 1n)]));
    await expect(allShown(reader)).rejects.toMatchObject({ code: "E_CORRUPT", field: "row" });
    const { problems } = await reader.verify({ kind: "redo" });
    expect(problems).toContainEqual(
      expect.objectContaining({ code: "E_CORRUPT", field: "row", row: 9, reason: "row 9 follows row 20" }),
    );
  });
});

it.each(["portable", "simd"] as const)(
  "keys in a longer form than necessary are read: %s",
  async (kernels) => {
    // Rows 5 and 6 in four bytes each.
    const bytes = await forgedFile(["fa0000050102", "fa0000060102"]);
    const reader = await openDeltaFile(memorySource(bytes), { kernels });
    expect(await allShown(reader)).toEqual(["5@1 2", "6@1 2"]);
    const { problems } = await reader.verify();
    expect(problems.filter(({ field }) => field === "delta key")).toMatchObject([{ row: 5, entry: 0 }]);
  },
);

it("verification counts the entries of blocks before a damaged index block, and reports damaged ones among them", async () => {
  const rows = Array.from({ length: 60 }, (_, i) => wide(i, 1n));
  const bytes = await forgedFile(rows, NO_STATISTICS, { blockSize: 1, indexBlockSize: 64 });
  const { validx } = await (await openCFile(memorySource(bytes))).layout();
  const leaves = validx?.indexBlocks.filter(({ leaf }) => leaf) ?? [];
  const third = leaves[2]?.offset ?? 0;
  bytes[third] = (bytes[third] as number) ^ 1;
  const whole = await (await openBytes(bytes)).verify();
  expect(whole.problems).toMatchObject([{ code: "E_CHECKSUM", block: { offset: third } }]);
  const [first] = validx?.entries ?? [];
  bytes[(first?.offset ?? 0) + 20] = 9;
  const report = await (await openBytes(bytes)).verify();
  expect(report.problems).toMatchObject([{ block: { offset: third } }, { block: { offset: first?.offset } }]);
  expect(report.entries).toBe(whole.entries - 1);
  expect(report.entries).toBeGreaterThan(0);
});

it("verification reports a block with more entries than the footer counts", async () => {
  const whole = await forgedFile([entry(1, 1n, "02"), entry(2, 1n, "02")]);
  const file = await openCFile(memorySource(whole));
  const [block = { offset: 0, size: 0, key: new Uint8Array() }] = (await file.layout()).validx?.entries ?? [];
  const sink = memorySink();
  const { footer } = file.structure;
  const writer = new CFileContainerWriter(sink, {
    ...{ type: "BINARY", encoding: "PLAIN_ENCODING", posidx: false, validx: true, optimizeIndexKeys: false },
    footerMetadata: footer.metadata,
  });
  await writer.finish(() => {
    // The block without its checksum.
    const bytes = whole.subarray(block.offset, block.offset + block.size - 4);
    writer.appendRawBlock({ bytes, firstRow: 0, firstKey: block.key, lastKey: block.key });
    return { rows: 1 };
  });
  const { problems } = await (await openBytes(sink.bytes())).verify();
  expect(problems).toContainEqual(
    expect.objectContaining({ code: "E_CORRUPT", field: "ordinal", expected: 1, actual: 2 }),
  );
});

it("a file without entries has no statistics to compare", async () => {
  const reader = await openBytes(await forgedFile([]));
  expect(await reader.verify()).toMatchObject({ ok: true, entries: 0 });
});

it("more blocks than are read at a time are scanned in order", async () => {
  const rows = Array.from({ length: 600 }, (_, i) => i);
  const reader = await openBytes(await blocksOf(rows.map((row) => wide(row, 1n))));
  const shown = await allShown(reader);
  expect(shown.map((line) => line.split(" ")[0])).toEqual(rows.map((row) => `${row}@1`));
});

it("timestamps that ascend in an undo file and descend in a redo file are problems", async () => {
  const file = await deltaFile("undo", [
    [3, 2n, UPDATE],
    [3, 1n, UPDATE],
  ]);
  const { problems } = await (await openBytes(file)).verify({ kind: "redo" });
  expect(problems).toMatchObject([
    { field: "timestamp", reason: "timestamp before that of the previous entry of the row", row: 3 },
  ]);
});

describe("recovery", () => {
  const recovered = async (bytes: Uint8Array, kind?: "redo" | "undo") => {
    const sink = memorySink();
    const { ledger } = await recoverDeltaFile(memorySource(bytes), sink, { kind });
    return { ledger, entries: await allShown(await openBytes(sink.bytes())) };
  };

  it("leaves out consecutive changes that contradict the ones before", async () => {
    const file = await deltaFile("redo", [
      [3, 1n, DELETE],
      [3, 2n, UPDATE],
      [3, 3n, REINSERT],
      [4, 1n, DELETE],
    ]);
    const { ledger, entries } = await recovered(file);
    expect(entries).toEqual(["3@1 2", "4@1 2"]);
    expect(ledger.leftOut).toMatchObject([
      { row: 3, timestamp: 2n, reason: "UPDATE of a deleted row" },
      { row: 3, timestamp: 3n, reason: "follows an entry that is left out" },
    ]);
  });

  it.each([
    ["row", [wide(9, 1n), wide(7, 1n)]],
    ["timestamp", [wide(9, 2n), wide(9, 1n)]],
  ])("loses a block that goes back in its %s", async (field, entries) => {
    const { ledger, entries: kept } = await recovered(await blocksOf(entries), "redo");
    expect(kept).toHaveLength(1);
    expect(ledger.blocks).toMatchObject([{ state: "kept" }, { state: "lost", problem: { field } }]);
  });

  it("counts the changes of a column that is lost as a whole", async () => {
    const updateCounts = new Map([
      [1, 1],
      [2, 1],
    ]);
    const bytes = await blocksOf([wide(1, 1n), wide(2, 1n, 2)], { ...NO_STATISTICS, updateCounts });
    // A byte of the second value.
    bytes[2000] = 8;
    const { ledger } = await recovered(bytes);
    expect(ledger.lostChanges?.updates).toEqual(new Map([[2, 1]]));
  });

  it("finds nothing in a file without blocks", async () => {
    const sink = memorySink();
    const options = { checksums: true, compression: "NO_COMPRESSION" } as const;
    await expect(recoverDeltaFile(memorySource(new Uint8Array(100)), sink, options)).rejects.toMatchObject({
      code: "E_CORRUPT",
    });
  });
});
