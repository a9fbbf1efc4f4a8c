import { CFileError } from "@cfile/bytes";
import { openCFile } from "@cfile/format";
import { type ByteSink, memorySink, memorySource } from "@cfile/io";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ChangeType,
  compareDeltaKeys,
  DELETE,
  type DeltaKind,
  MutationBuilder,
  UPDATE,
} from "../src/index.js";
import { concatDeltas, deltasWithin, sliceDeltas } from "../src/read.js";
import { DeltaFileWriter } from "../src/write.js";
import { allShown, deltaFile, type Entry, openBytes, SET, shown } from "./forge.js";

const NONE = new Uint8Array(0);

describe("appending", () => {
  it.each([
    [
      "redo",
      [
        [1, 5n],
        [0, 6n],
      ],
      "row 0 at 6",
    ],
    [
      "redo",
      [
        [1, 5n],
        [1, 4n],
      ],
      "row 1 at 4",
    ],
    [
      "undo",
      [
        [1, 5n],
        [1, 6n],
      ],
      "row 1 at 6",
    ],
    [
      "undo",
      [
        [1, 2n ** 33n],
        [1, 2n ** 33n + 1n],
      ],
      "row 1 at 8589934593",
    ],
    [
      "redo",
      [
        [1, 2n ** 33n],
        [1, 5n],
      ],
      "row 1 at 5",
    ],
  ] as const)(
    "to a %s file out of order fails, naming row and timestamp: %o",
    async (kind, entries, place) => {
      const sink = memorySink("target");
      const writer = new DeltaFileWriter(sink, { kind });
      const [first, second] = entries;
      await writer.append(first[0], first[1], DELETE);
      await expect(writer.append(second[0], second[1], DELETE)).rejects.toMatchObject({
        code: "E_INVALID_ARGUMENT",
        message: expect.stringContaining(place),
      });
      await expect(writer.append(9, 9n, DELETE)).rejects.toBeInstanceOf(CFileError);
      expect(() => sink.bytes()).toThrow(CFileError);
    },
  );

  it.each([
    [-1, 0n, DELETE, NONE],
    [2 ** 32, 0n, DELETE, NONE],
    [0, -1n, DELETE, NONE],
    [0, 2n ** 64n, DELETE, NONE],
    [0, 0n, UPDATE, NONE],
    [0, 0n, DELETE, SET],
    [0, 0n, UPDATE, Uint8Array.of(1)],
    [0, 0n, UPDATE, Uint8Array.of(1, 9, 0)],
  ] as const)("an invalid entry fails: %i, %i, %i", async (row, timestamp, type, mutations) => {
    const writer = new DeltaFileWriter(memorySink(), { kind: "redo" });
    await expect(writer.append(row, timestamp, type as ChangeType, mutations)).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
    });
  });

  it("rejects a batch whose arrays are too short", async () => {
    const batch = await (await openBytes(await deltaFile("redo", [[0, 1n, UPDATE]]))).deltasOf(0);
    for (const bad of [
      { ...batch, length: 2 },
      { ...batch, offsets: Int32Array.of(0, 400) },
      { ...batch, offsets: Int32Array.of(3, 1) },
      { ...batch, types: Uint8Array.of(7) },
    ]) {
      const writer = new DeltaFileWriter(memorySink(), { kind: "redo" });
      await expect(writer.appendBatch(bad)).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    }
  });
});

describe("a file", () => {
  it("without entries is not written", async () => {
    const sink = memorySink();
    await expect(new DeltaFileWriter(sink, { kind: "undo" }).finish()).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
    });
    expect(() => sink.bytes()).toThrow(CFileError);
  });

  it("without a kind is not written", () => {
    const options = JSON.parse('{ "kind": "both" }');
    expect(() => new DeltaFileWriter(memorySink(), options)).toThrow(CFileError);
  });

  it("that is aborted leaves nothing behind", async () => {
    let aborted = 0;
    const sink: ByteSink = { ...memorySink(), abort: async () => void aborted++ };
    {
      await using writer = new DeltaFileWriter(sink, { kind: "redo" });
      await writer.append(0, 1n, DELETE);
    }
    expect(aborted).toBe(1);
  });

  it("that is finished accepts no more entries", async () => {
    const writer = new DeltaFileWriter(memorySink(), { kind: "redo" });
    await writer.append(0, 1n, DELETE);
    expect(await writer.finish()).toMatchObject({ rows: 1, dataBlocks: 1 });
    expect(writer.entryCount).toBe(1);
    await expect(writer.append(1, 1n, DELETE)).rejects.toBeInstanceOf(CFileError);
    await expect(writer.finish()).rejects.toBeInstanceOf(CFileError);
  });

  it("is aborted when its sink fails", async () => {
    const sink: ByteSink = {
      ...memorySink("full"),
      write: async () => {
        throw new CFileError("E_IO", "no space");
      },
    };
    const writer = new DeltaFileWriter(sink, { kind: "redo" });
    await writer.append(0, 1n, DELETE);
    await expect(writer.finish()).rejects.toMatchObject({ code: "E_IO", path: "full" });
  });

  it("keeps the given column order, but rejects different statistics", async () => {
    const mutations = new MutationBuilder().set(1, null).set(2, null).finish();
    const entries: Entry[] = [[0, 3n, UPDATE, mutations]];
    const { statistics } = await openBytes(await deltaFile("redo", entries));
    expect([...statistics.updateCounts.keys()]).toEqual([2, 1]);
    const updateCounts = new Map([...statistics.updateCounts].reverse());
    const ordered = { ...statistics, updateCounts };
    const reader = await openBytes(await deltaFile("redo", entries, { statistics: ordered }));
    expect([...reader.statistics.updateCounts.keys()]).toEqual([1, 2]);
    await expect(
      deltaFile("redo", entries, { statistics: { ...statistics, deleteCount: 1 } }),
    ).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT", field: "delete_count" });
  });

  it("accepts the options of CFiles", async () => {
    const entries: Entry[] = Array.from({ length: 3000 }, (_, i) => [i, 1n, UPDATE]);
    const bytes = await deltaFile("redo", entries, {
      compression: "SNAPPY",
      blockSize: 600,
      indexBlockSize: 60,
      checksums: false,
    });
    const { footer, wrapping } = (await openBytes(bytes)).structure;
    expect([footer.compression, wrapping.checksums]).toEqual(["SNAPPY", false]);
    const layout = await (await openCFile(memorySource(bytes))).layout();
    expect(layout.validx?.levels).toBeGreaterThan(2);
  });
});

const entry = fc.tuple(
  fc.nat(60),
  fc.oneof(fc.bigInt({ min: 0n, max: 20n }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })),
  fc.array(fc.tuple(fc.nat(400), fc.option(fc.uint8Array({ maxLength: 40 }))), { maxLength: 4 }),
);

function entriesFrom(
  kind: DeltaKind,
  list: readonly (typeof entry extends fc.Arbitrary<infer T> ? T : never)[],
): Entry[] {
  const sorted = [...list].sort(([row, timestamp], [otherRow, otherTimestamp]) =>
    compareDeltaKeys(kind, { row, timestamp }, { row: otherRow, timestamp: otherTimestamp }),
  );
  return sorted.map(([row, timestamp, mutations]) => {
    const builder = new MutationBuilder();
    for (const [id, value] of mutations) {
      builder.set(id, value);
    }
    return [row, timestamp, mutations.length === 0 ? DELETE : UPDATE, builder.finish()];
  });
}

describe.each(["redo", "undo"] as const)("any entries in %s order", (kind) => {
  it("round-trip from batches of any size and are valid", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { minLength: 1, maxLength: 120 }),
        fc.integer({ min: 1, max: 50 }),
        async (list, size) => {
          const entries = entriesFrom(kind, list);
          const bytes = await deltaFile(kind, entries, { blockSize: 512 });
          const reader = await openBytes(bytes);
          const batches = [];
          for await (const batch of reader.entries()) {
            batches.push(batch);
          }
          const all = concatDeltas(batches);
          expect(shown(all)).toEqual(
            entries.map(([row, at, type, mutations]) =>
              `${row}@${at} ${type} ${Buffer.from(mutations ?? NONE).toString("hex")}`.trim(),
            ),
          );
          const sink = memorySink();
          const writer = new DeltaFileWriter(sink, { kind, blockSize: 512 });
          for (let from = 0; from < all.length; from += size) {
            await writer.appendBatch(sliceDeltas(all, from, Math.min(all.length, from + size)));
          }
          await writer.finish();
          expect(Buffer.compare(sink.bytes(), bytes)).toBe(0);
          const report = await reader.verify({ kind, rowCount: 61 });
          expect(report.problems.filter(({ field }) => field !== "change type")).toEqual([]);
          const range = { from: 5n, to: 2n ** 40n };
          expect(await allShown(reader, { timestamps: range })).toEqual(shown(deltasWithin(all, range)));
          for (const row of [0, 7, 60]) {
            const wanted = entries.filter(([other]) => other === row).length;
            expect((await reader.deltasOf(row)).length).toBe(wanted);
          }
        },
      ),
      { seed: 8, numRuns: 60 },
    );
  });
});
