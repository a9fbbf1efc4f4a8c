import { isCFileError } from "@cfile/bytes";
import { portableDecoders } from "@cfile/kernels";
import { readGolden } from "@cfile-tools/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseContainerFile, parseSuperblock } from "../src/catalog.js";
import type { DirProblem } from "../src/check.js";
import { checkKuduDir, openKuduDir, type UnreadablePart } from "../src/index.js";
import { packedSegmentParser, parseLogSegment } from "../src/log/log-segment.js";
import { parseLogEntries } from "../src/log.js";
import { collectRows } from "./json-rows.js";
import { serverFiles, treeOf } from "./servers.js";

const journal = readGolden("lbm/container.metadata");
const superblockFile = readGolden("tablet-container/superblock");
const superblock = parseContainerFile(superblockFile, "superblock").records[0] ?? new Uint8Array(0);

/** Runs an action that may fail, but only with a `CFileError`. */
function attempt(action: () => unknown): void {
  try {
    action();
  } catch (error) {
    expect(isCFileError(error), String(error)).toBe(true);
  }
}

function flipped(bytes: Uint8Array, at: number, mask: number): Uint8Array {
  const copy = bytes.slice();
  copy[at % copy.length] = (copy[at % copy.length] ?? 0) ^ mask;
  return copy;
}

const flips = fc.record({ at: fc.nat(), mask: fc.integer({ min: 1, max: 255 }) });
const settings = { seed: 11, numRuns: 400 };

describe("a protobuf container file", () => {
  it("that is cut anywhere has its complete records and a torn end", () => {
    const whole = parseContainerFile(journal, "journal");
    expect(whole.records.length).toBeGreaterThan(4);
    const first = whole.offsets[0] ?? 0;
    for (let length = first; length < journal.length; length++) {
      const cut = parseContainerFile(journal.subarray(0, length), "journal");
      expect(cut.damage).toBeUndefined();
      expect(cut.records).toEqual(whole.records.slice(0, cut.records.length));
      expect(cut.torn).toBe(cut.end < length);
    }
    for (let length = 0; length < 16; length++) {
      expect(() => parseContainerFile(journal.subarray(0, length), "journal")).toThrow(
        expect.objectContaining({ path: "journal" }),
      );
    }
  });

  it("that continues with zeros is torn, not damaged", () => {
    const bytes = new Uint8Array(journal.length + 100);
    bytes.set(journal);
    expect(parseContainerFile(bytes, "journal")).toMatchObject({
      torn: true,
      damage: undefined,
      end: journal.length,
    });
  });

  it("reports every flipped bit", () => {
    const whole = parseContainerFile(journal, "journal");
    fc.assert(
      fc.property(flips, ({ at, mask }) => {
        attempt(() => {
          const { damage, records, torn } = parseContainerFile(flipped(journal, at, mask), "journal");
          expect(damage !== undefined || torn).toBe(true);
          expect(records).toEqual(whole.records.slice(0, records.length));
        });
      }),
      settings,
    );
  });

  it("of version 1 has no torn end", () => {
    const header = Uint8Array.from([...journal.subarray(0, 8), 1, 0, 0, 0]);
    expect(parseContainerFile(header, "old")).toMatchObject({ version: 1, records: [], damage: undefined });
    const broken = Uint8Array.from([...header, 9, 0, 0, 0, 1]);
    expect(parseContainerFile(broken, "old").damage).toMatchObject({ code: "E_TRUNCATED", path: "old" });
  });
});

describe("invalid messages", () => {
  it("give a CFileError or a value", () => {
    const segment = goldenLogSegment();
    const entries = parseLogSegment(segment, "wal").entries.map(({ data }) => data);
    const largest = entries.reduce((most, data) => (data.length > most.length ? data : most));
    fc.assert(
      fc.property(flips, fc.nat(), ({ at, mask }, cut) => {
        attempt(() => parseSuperblock(flipped(superblock, at, mask)));
        attempt(() => parseSuperblock(superblock.subarray(0, cut % superblock.length)));
        attempt(() => parseLogEntries(flipped(largest, at, mask)));
        attempt(() => parseLogEntries(largest.subarray(0, cut % largest.length)));
        attempt(() => parseLogSegment(flipped(segment, at, mask), "wal"));
      }),
      settings,
    );
  });
});

function goldenLogSegment(): Uint8Array {
  const [segment] = [...serverFiles("file")].filter(([path]) => path.includes("/wals/"));
  return segment?.[1] ?? new Uint8Array(0);
}

describe("a segment of a log", () => {
  it("is read up to its torn entry", () => {
    const segment = goldenLogSegment();
    const whole = parseLogSegment(segment, "wal");
    expect(whole).toMatchObject({ torn: undefined, damage: undefined, closed: false });
    const offsets = whole.entries.map(({ offset }) => offset);
    for (let length = offsets.at(-2) ?? 0; length < segment.length; length += 61) {
      const cut = parseLogSegment(segment.subarray(0, length), "wal");
      expect(cut.damage).toBeUndefined();
      expect(cut.entries).toEqual(whole.entries.slice(0, cut.entries.length));
    }
    const preallocated = new Uint8Array(segment.length + 1000);
    preallocated.set(segment);
    expect(parseLogSegment(preallocated, "wal")).toMatchObject({ torn: undefined, damage: undefined });
  });

  it("reports damage in the middle", () => {
    const segment = goldenLogSegment();
    const { entries } = parseLogSegment(segment, "wal");
    const broken = parseLogSegment(flipped(segment, (entries[2]?.offset ?? 0) + 20, 1), "wal");
    expect(broken.entries.length).toBe(2);
    expect(broken.damage).toMatchObject({ code: "E_CHECKSUM", path: "wal" });
  });

  it("that is kept compressed has the same messages and problems", () => {
    const parsePacked = packedSegmentParser(portableDecoders);
    const segment = goldenLogSegment();
    expect(parseLogSegment(segment, "wal").entries.length).toBeGreaterThan(2);
    for (let at = 0; at < segment.length; at += 97) {
      const damaged = flipped(segment, at, 1);
      expect(attempted(() => parsePacked(damaged, "wal"))).toEqual(
        attempted(() => parseLogSegment(damaged, "wal")),
      );
    }
  });
});

/** The result of an action, or its error. */
function attempted(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}

describe("incomplete directories", () => {
  const tabletId = "9c43c7bb4c0d438fab0e3b45108ffcac";

  it("report blocks of the other disk and read the rest", async () => {
    const files = [...serverFiles("log")].filter(([path]) => !path.startsWith("ts/data2/"));
    await using dir = await openKuduDir(treeOf(new Map(files)));
    let readable = 0;
    let unreadable = 0;
    for (const tablet of await dir.tablets()) {
      const { missing } = await tablet.size();
      const left: UnreadablePart[] = [];
      const rows = await collectRows(tablet.scan({ onUnreadable: (part) => left.push(part) }));
      unreadable += left.length;
      readable += tablet.rowSets.length - left.length;
      for (const { error, tablet: id } of left) {
        expect(id).toBe(tablet.id);
        expect(error).toMatchObject({ code: "E_BLOCK_MISSING" });
        expect(missing.map((block) => `block ${block}`)).toContain(error.path);
      }
      if (left.length > 0) {
        await expect(collectRows(tablet.scan())).rejects.toMatchObject({ code: "E_BLOCK_MISSING" });
      } else {
        expect(rows.length).toBe(tablet.liveRowCount);
      }
    }
    expect(unreadable).toBeGreaterThan(0);
    const { missing, ok } = await checkKuduDir(dir);
    expect(ok).toBe(false);
    expect(missing.length).toBeGreaterThan(0);
    expect(readable + unreadable).toBe(40);
  });

  it("read columns whose blocks exist, and the latest snapshot without UNDO files", async () => {
    const files = serverFiles("file");
    const path = (id: bigint): string => {
      const name = `${id}`.padStart(16, "0");
      return [...files.keys()].find((key) => key.endsWith(`/${name}`)) ?? "?";
    };
    await using whole = await openKuduDir(treeOf(files));
    const tablet = await whole.tablet("small");
    const all = await collectRows(tablet.scan());
    for (const { columns, undo, bloom } of tablet.superblock.rowSets) {
      for (const id of [columns.get(2) ?? 0n, ...undo, bloom ?? 0n]) {
        expect(files.delete(path(id))).toBe(true);
      }
    }
    await using dir = await openKuduDir(treeOf(files));
    const damaged = await dir.tablet("small");
    expect(await collectRows(damaged.scan({ columns: ["id", "n"] }))).toEqual(
      all.map((row) => row.slice(0, 2)),
    );
    expect((await damaged.get([Number(all[0]?.[0])], { columns: ["id"] }))?.cells).toEqual([all[0]?.[0]]);
    await expect(collectRows(damaged.scan())).rejects.toMatchObject({
      code: "E_BLOCK_MISSING",
      field: "column 2",
    });
    const asOf = 7353263102589775872n;
    await expect(
      collectRows(damaged.scan({ columns: ["id"], asOf, partialHistory: true })),
    ).rejects.toMatchObject({ code: "E_BLOCK_MISSING", field: "undo" });
  });

  it("have blocks but no tablets if the metadata is lost", async () => {
    const files = [...serverFiles("log")].filter(([path]) => path.startsWith("ts/data1/"));
    await using dir = await openKuduDir(treeOf(new Map(files)));
    expect(await dir.tablets()).toEqual([]);
    expect((await dir.blocks.list()).length).toBeGreaterThan(100);
    await expect(dir.tablet("history")).rejects.toMatchObject({ code: "E_NOT_FOUND" });
  });

  it("have the other tablets if a superblock is damaged", async () => {
    const files = serverFiles("log");
    const path = `ts/wal/tablet-meta/${tabletId}`;
    const bytes = files.get(path) ?? new Uint8Array(0);
    files.set(path, flipped(bytes, bytes.length - 20, 4));
    await using dir = await openKuduDir(treeOf(files));
    expect((await dir.tablets()).length).toBe(22);
    await expect(dir.tablet(tabletId)).rejects.toMatchObject({ code: "E_CHECKSUM", path: `server/${path}` });
    expect(await dir.problems()).toEqual([expect.objectContaining({ path: `server/${path}` })]);
  });

  it("have no table that is read without a tablet whose superblock is damaged, unless callers accept that", async () => {
    const files = serverFiles("log");
    const path = `ts/wal/tablet-meta/${tabletId}`;
    const bytes = files.get(path) ?? new Uint8Array(0);
    files.set(path, flipped(bytes, bytes.length - 20, 4));
    await using dir = await openKuduDir(treeOf(files));
    const table = await dir.table("altered");
    expect(table.missing).toMatchObject([{ id: tabletId, error: { code: "E_CHECKSUM" } }]);
    const refused = expect.objectContaining({ code: "E_CHECKSUM", path: `server/${path}` });
    await expect(collectRows(table.scan())).rejects.toEqual(refused);
    await expect(collectRows(table.diff(0n, 1n))).rejects.toEqual(refused);
    await expect(table.get([-1n])).rejects.toEqual(refused);
    const left: UnreadablePart[] = [];
    const rows = await collectRows(table.scan({ onUnreadable: (part) => left.push(part) }));
    expect(rows.length).toBeGreaterThan(0);
    expect(left).toMatchObject([{ tablet: tabletId, rowSet: undefined, error: { code: "E_CHECKSUM" } }]);
  });

  it("are checked bit by bit", async () => {
    const files = serverFiles("log");
    await using whole = await openKuduDir(treeOf(files));
    const { path, offset } = await whole.block(337n);
    const key = path.slice("server/".length);
    files.set(key, flipped(files.get(key) ?? new Uint8Array(0), offset + 40, 1));
    await using dir = await openKuduDir(treeOf(files));
    const problems: DirProblem[] = [];
    const { ok } = await checkKuduDir(dir, { onProblem: (problem) => problems.push(problem) });
    expect(ok).toBe(false);
    expect(problems[0]).toMatchObject({ tablet: tabletId, table: "history", code: "E_CHECKSUM" });
    expect(problems[0]?.path).toContain("block 337");
  });

  it("are read once if given twice", async () => {
    const files = serverFiles("log");
    const once = treeOf(files);
    await using same = await openKuduDir([once, once]);
    expect((await same.blocks.list()).length).toBe(694);
    expect(await same.problems()).toEqual([]);
    for (const [path, bytes] of [...files]) {
      files.set(path.replace(/^ts\/data1/, "copy/data1"), bytes);
    }
    await using copied = await openKuduDir(treeOf(files));
    expect((await copied.blocks.list()).length).toBe(694);
    expect(await copied.problems()).toEqual([expect.objectContaining({ field: "uuid" })]);
  });

  it("are rejected if they belong to several servers or none", async () => {
    const files = serverFiles("log");
    for (const [path, bytes] of serverFiles("file")) {
      files.set(`other/${path}`, bytes);
    }
    await expect(openKuduDir(treeOf(files))).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    await expect(openKuduDir(treeOf(new Map([["a/b", new Uint8Array(3)]])))).rejects.toMatchObject({
      code: "E_NOT_FOUND",
    });
  });
});

describe("an encrypted server", () => {
  it("reports a wrong key", async () => {
    await using dir = await openKuduDir(treeOf(serverFiles("encrypted")), { serverKey: "00".repeat(16) });
    await expect(dir.tablet("small")).rejects.toMatchObject({ code: "E_UNSUPPORTED", field: "server_key" });
    await expect(openKuduDir(treeOf(serverFiles("encrypted")), { serverKey: "0011" })).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
    });
  });

  it("requires the key if the instance file does not have it", async () => {
    const files = [...serverFiles("encrypted")].filter(([path]) => !path.endsWith("/instance"));
    const tree = treeOf(new Map(files));
    await using dir = await openKuduDir(tree);
    await expect(dir.tablet("small")).rejects.toMatchObject({ code: "E_UNSUPPORTED", field: "server_key" });
    // The key of the sample, wrapped with the default provider's mask.
    const wrapped = "3010cd9164b2d77806acea27bfe5c0e7";
    const serverKey = Uint8Array.from(Buffer.from(wrapped, "hex"), (byte) => byte ^ 0x2a);
    await using opened = await openKuduDir(tree, { serverKey });
    expect((await collectRows((await opened.tablet("small")).scan())).length).toBeGreaterThan(10);
  });
});

describe("a snapshot that is gone", () => {
  it("is not read from the remaining history", async () => {
    await using dir = await openKuduDir(treeOf(serverFiles("log")));
    const tablet = await dir.tablet("short_history");
    const start = await tablet.historyStart();
    const last = (await tablet.unflushed())?.lastWrite ?? 0n;
    expect(last).toBeLessThan(start);
    await expect(collectRows(tablet.scan({ asOf: last }))).rejects.toMatchObject({
      code: "E_HISTORY_GONE",
      field: "asOf",
    });
    await expect(collectRows(tablet.diff(last, last + 1n))).rejects.toMatchObject({ field: "from" });
    await expect(tablet.get([-50000], { asOf: last })).rejects.toMatchObject({ field: "asOf" });
    expect((await collectRows(tablet.scan({ asOf: last, partialHistory: true }))).length).toBe(63);
    expect((await collectRows(tablet.scan({ asOf: last + 1n }))).length).toBe(63);
  });
});
