import { CFileError, fromHex } from "@cfile/bytes";
import { memorySource } from "@cfile/io";
import { describe, expect, it } from "vitest";
import { DELETE, REINSERT, UPDATE } from "../src/index.js";
import { guessDeltaKind, openDeltaFile } from "../src/read.js";
import { deltaFile, forgedFile, NO_STATISTICS, openBytes, SET } from "./forge.js";
import { goldenDeltaFile } from "./golden.js";

const deletes = (count: number, from: bigint, to: bigint) => ({
  ...NO_STATISTICS,
  minTimestamp: from,
  maxTimestamp: to,
  deleteCount: count,
});

describe("verifying finds", () => {
  it("timestamps in the order of the other kind", async () => {
    const reader = await openBytes(
      await deltaFile("redo", [
        [3, 1n, UPDATE],
        [3, 2n, UPDATE],
      ]),
    );
    expect((await reader.verify({ kind: "redo" })).ok).toBe(true);
    expect((await reader.verify()).ok).toBe(true);
    expect((await reader.verify({ kind: "undo" })).problems).toMatchObject([
      { code: "E_CORRUPT", field: "timestamp", entry: 1, row: 3, timestamp: 2n },
    ]);
  });

  it("rows that are missing from the base data", async () => {
    const reader = await openBytes(
      await deltaFile("redo", [
        [3, 1n, DELETE],
        [9, 2n, DELETE],
      ]),
    );
    expect((await reader.verify({ rowCount: 10 })).ok).toBe(true);
    expect((await reader.verify({ rowCount: 9 })).problems).toMatchObject([
      { field: "row", entry: 1, row: 9 },
    ]);
  });

  it("changes that contradict the previous one", async () => {
    const file = await deltaFile("redo", [
      [3, 1n, DELETE],
      [3, 2n, UPDATE],
      [3, 3n, REINSERT],
    ]);
    const { problems } = await (await openBytes(file)).verify({ kind: "redo" });
    expect(problems).toMatchObject([
      { field: "change type", row: 3, timestamp: 2n, reason: "UPDATE of a deleted row" },
      { field: "change type", row: 3, timestamp: 3n, reason: "REINSERT of a live row" },
    ]);
  });

  it("statistics that differ from the entries", async () => {
    const sound = await openBytes(await forgedFile(["000102", "010502"], deletes(2, 1n, 5n)));
    expect((await sound.verify()).ok).toBe(true);
    const wrong = await openBytes(await forgedFile(["000102", "010502"], deletes(3, 2n, 5n)));
    expect((await wrong.verify()).problems).toMatchObject([
      { field: "min_timestamp", expected: "1", actual: "2" },
      { field: "delete_count", expected: "2", actual: "3" },
    ]);
  });

  it("values that do not fit their columns", async () => {
    const mutations = fromHex("010207 0200 03020a 090100");
    const reader = await openBytes(await deltaFile("redo", [[0, 1n, UPDATE, mutations.subarray(0, 8)]]));
    const columns = [
      { id: 1, type: "INT16" },
      { id: 2, type: "STRING" },
      { id: 3, type: "INT8", array: true },
    ] as const;
    expect((await reader.verify({ columns })).problems).toMatchObject([
      { code: "E_CORRUPT", field: "column 1", row: 0 },
      { code: "E_CORRUPT", field: "column 2", row: 0 },
      { code: "E_TRUNCATED", field: "column 3", row: 0 },
    ]);
  });

  it("a damaged block, and continues after it", async () => {
    const { bytes, validx, deltas } = goldenDeltaFile("delta_redo_nocomp_smallblocks");
    const bad = bytes.slice();
    const block = validx[3] ?? { offset: 0, size: 0 };
    bad[block.offset + 40] = 0x55;
    const report = await (await openBytes(bad)).verify({ kind: "redo" });
    const listed = report.problems.filter(({ field }) => field !== "change type");
    expect(listed).toMatchObject([{ code: "E_CHECKSUM", block: { offset: block.offset } }]);
    expect(report.entries).toBeGreaterThan(deltas.length - 100);
    expect(report.entries).toBeLessThan(deltas.length);
  });

  it("no more problems than requested, but counts all", async () => {
    const reader = await openBytes(
      await deltaFile(
        "redo",
        Array.from({ length: 50 }, (_, i) => [i, 1n, DELETE]),
      ),
    );
    const report = await reader.verify({ rowCount: 0, maxProblems: 3 });
    expect([report.ok, report.problems.length, report.problemCount]).toEqual([false, 3, 50]);
  });

  it("nothing when the source fails: the failure is thrown", async () => {
    const { bytes } = goldenDeltaFile("delta_redo_small");
    const inner = memorySource(bytes);
    let broken = false;
    const read: typeof inner.read = async (...range) => {
      if (broken) {
        throw new CFileError("E_IO", "gone");
      }
      return inner.read(...range);
    };
    const reader = await openDeltaFile({ ...inner, read });
    broken = true;
    await expect(reader.verify()).rejects.toMatchObject({ code: "E_IO" });
  });
});

describe("guessing the kind", () => {
  it.each([
    [
      "ascending timestamps",
      [
        [0, 1n, UPDATE],
        [0, 2n, UPDATE],
      ],
      { kind: "redo", reason: "timestamps" },
    ],
    [
      "descending timestamps",
      [
        [0, 2n, UPDATE],
        [0, 1n, UPDATE],
      ],
      { kind: "undo", reason: "timestamps" },
    ],
    [
      "a DELETE of each row",
      [
        [0, 2n, DELETE],
        [1, 1n, DELETE],
      ],
      { kind: "undo", reason: "deletes" },
    ],
    [
      "a DELETE of some rows",
      [
        [0, 2n, DELETE],
        [2, 1n, DELETE],
      ],
      undefined,
    ],
    [
      "one timestamp a row",
      [
        [0, 2n, UPDATE],
        [0, 2n, UPDATE],
        [1, 1n, DELETE],
      ],
      undefined,
    ],
  ] as const)("from %s", async (_what, entries, guess) => {
    const kind = guess?.kind ?? "redo";
    expect(await guessDeltaKind(await openBytes(await deltaFile(kind, entries)))).toEqual(guess);
  });

  it("from the first entry of a block and the last one of the previous block", async () => {
    const long = new Uint8Array([1, 0x83, 8, ...new Uint8Array(1026)]);
    const file = await deltaFile(
      "undo",
      [
        [0, 2n, UPDATE, long],
        [0, 1n, UPDATE, SET],
      ],
      { blockSize: 512 },
    );
    expect(await guessDeltaKind(await openBytes(file))).toEqual({ kind: "undo", reason: "timestamps" });
  });
});
