/** A write-ahead log that is damaged: reading with it throws, and the check reports it; a torn last entry is normal after a crash. */
import { readFileSync } from "node:fs";
import { corrupt } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import type { DirProblem } from "../src/check.js";
import { checkKuduDir, openKuduDir } from "../src/index.js";
import type { LogEntryOutline } from "../src/log/log-messages.js";
import { parseLogSegment } from "../src/log/log-segment.js";
import { logOutline } from "../src/log/readable-log.js";
import { parseLogEntries } from "../src/log.js";
import type { RowSetAccount } from "../src/recover.js";
import { collectRows } from "./json-rows.js";
import { serverFiles, treeOf } from "./servers.js";

const TABLET = "7d73b92d1ec149d485190aeeb51422bf";
const SEGMENT = `ts/wal/wals/${TABLET}/wal-000000001`;
const NEXT_SEGMENT = `ts/wal/wals/${TABLET}/wal-000000002`;

const original = serverFiles("log");
const segment = original.get(SEGMENT) ?? new Uint8Array(0);
const { entries } = parseLogSegment(segment, SEGMENT);
const last = entries.at(-1)?.offset ?? 0;
const lastWrite = entries.at(-2)?.offset ?? 0;
const middle = entries[Math.floor(entries.length / 2)]?.offset ?? 0;
const [_ = 0, secondWrite = 0, thirdWrite = 0] = entries
  .filter(({ data }) => parseLogEntries(data).some(({ replicate }) => replicate !== undefined))
  .map(({ offset }) => offset);

/** The server's files with other log segments. */
function withSegments(segments: readonly Uint8Array[]): Map<string, Uint8Array> {
  const files = new Map(original);
  segments.forEach((bytes, i) => void files.set(i === 0 ? SEGMENT : NEXT_SEGMENT, bytes));
  return files;
}

function flipped(at: number): Uint8Array {
  const bytes = segment.slice();
  bytes[at] = (bytes[at] ?? 0) ^ 0x10;
  return bytes;
}

function withZeros(from: number, to: number): Uint8Array {
  return segment.slice().fill(0, from, to);
}

/** The header of the next segment, without entries; its sequence number follows the tablet ID. */
function nextSegment(): Uint8Array {
  const length = new DataView(segment.buffer, segment.byteOffset).getUint32(8, true);
  const header = segment.slice(0, 12 + length);
  // tablet_id, 2 + 32 bytes, then sequence_number: tag 6, varint.
  const at = header.findIndex((byte, i) => i > 12 + 33 && byte === 0x30 && header[i + 1] === 1);
  header[at + 1] = 2;
  return header;
}

const cutOut = 16 + new DataView(segment.buffer, segment.byteOffset).getUint32(secondWrite, true);

const DAMAGED: readonly {
  name: string;
  segments: readonly Uint8Array[];
  rowsLeft: number;
  error: { readonly code: string; readonly path: unknown; readonly field: string; readonly offset?: number };
}[] = [
  {
    name: "zeros in place of its first bytes",
    segments: [Uint8Array.from(segment, (byte, at) => (at < 64 ? 0 : byte))],
    rowsLeft: 70,
    error: { code: "E_CORRUPT", path: SEGMENT, field: "magic" },
  },
  {
    name: "nothing but zeros",
    segments: [new Uint8Array(segment.length)],
    rowsLeft: 70,
    error: { code: "E_CORRUPT", path: SEGMENT, field: "segments" },
  },
  {
    name: "a flipped bit in the data of an entry in the middle",
    segments: [flipped(middle + 20)],
    rowsLeft: 70,
    error: { code: "E_CHECKSUM", path: SEGMENT, field: "entry checksum", offset: middle },
  },
  {
    name: "a flipped bit in the header of an entry in the middle",
    segments: [flipped(middle + 1)],
    rowsLeft: 70,
    error: { code: "E_CHECKSUM", path: SEGMENT, field: "entry header checksum", offset: middle },
  },
  {
    name: "a flipped bit in the data of its last entry",
    segments: [flipped(segment.length - 1)],
    rowsLeft: 81,
    error: { code: "E_CHECKSUM", path: SEGMENT, field: "entry checksum", offset: last },
  },
  {
    name: "a flipped bit in the header of its last entry",
    segments: [flipped(last + 1)],
    rowsLeft: 81,
    error: { code: "E_CHECKSUM", path: SEGMENT, field: "entry header checksum", offset: last },
  },
  {
    name: "a flipped bit in its last entry, and space for other entries behind it",
    segments: [Uint8Array.from([...flipped(last + 20), ...new Uint8Array(4096)])],
    rowsLeft: 81,
    error: { code: "E_CHECKSUM", path: SEGMENT, field: "entry checksum", offset: last },
  },
  {
    name: "an operation cut out",
    segments: [
      Uint8Array.from([...segment.subarray(0, secondWrite), ...segment.subarray(secondWrite + cutOut)]),
    ],
    rowsLeft: 70,
    error: { code: "E_CORRUPT", path: SEGMENT, field: "index", offset: thirdWrite - cutOut },
  },
  {
    name: "its last operation cut out, in front of its commit",
    segments: [Uint8Array.from([...segment.subarray(0, lastWrite), ...segment.subarray(last)])],
    rowsLeft: 81,
    error: { code: "E_CORRUPT", path: SEGMENT, field: "index", offset: lastWrite },
  },
  {
    name: "a segment that ends within an entry, with another one behind it",
    segments: [segment.subarray(0, last + 20), nextSegment()],
    rowsLeft: 81,
    error: { code: "E_TRUNCATED", path: SEGMENT, field: "entry", offset: last },
  },
  {
    name: "a segment without its footer, with another one behind it",
    segments: [segment, nextSegment()],
    rowsLeft: 83,
    error: { code: "E_TRUNCATED", path: SEGMENT, field: "footer" },
  },
  {
    name: "a flipped bit in the header of the segment",
    segments: [flipped(0)],
    rowsLeft: 70,
    error: { code: "E_CORRUPT", path: SEGMENT, field: "magic" },
  },
];

describe.each(DAMAGED)("a log with $name", ({ segments, error, rowsLeft }) => {
  const path = expect.stringContaining(error.path as string);

  it("makes all reads with the log throw", async () => {
    await using dir = await openKuduDir(treeOf(withSegments(segments)));
    const tablet = await dir.tablet(TABLET);
    const expected = expect.objectContaining({ ...error, path });
    await expect(collectRows(tablet.scan({ withLog: true }))).rejects.toEqual(expected);
    await expect(collectRows(tablet.scan({ withLog: true, order: "any" }))).rejects.toEqual(expected);
    const unreadable: unknown[] = [];
    const onUnreadable = (part: unknown): void => void unreadable.push(part);
    await expect(collectRows(tablet.scan({ withLog: true, onUnreadable }))).rejects.toEqual(expected);
    expect(unreadable).toEqual([]);
    await expect(tablet.get([1], { withLog: true })).rejects.toEqual(expected);
    expect((await collectRows(tablet.scan())).length).toBe(70);
  });

  it("is reported by the check", async () => {
    await using dir = await openKuduDir(treeOf(withSegments(segments)));
    const problems: DirProblem[] = [];
    const result = await checkKuduDir(dir, {
      tablets: [await dir.tablet(TABLET)],
      onProblem: (problem) => void problems.push(problem),
    });
    expect(result.ok).toBe(false);
    expect(problems).toContainEqual(
      expect.objectContaining({ ...error, path, tablet: TABLET, table: "unflushed", role: "log" }),
    );
  });

  it("is recovered up to the damage", async () => {
    await using dir = await openKuduDir(treeOf(withSegments(segments)));
    const tablet = await dir.tablet(TABLET);
    const accounts: RowSetAccount[] = [];
    const rows = await collectRows(
      tablet.recover({ withLog: true }, (account) => void accounts.push(account)),
    );
    expect(rows.length).toBe(rowsLeft);
    expect(accounts).toEqual([]);
  });
});

it("is not read if its last entry is damaged in an encrypted file", async () => {
  const id = "0b769417a44442429918881e3ec591b2";
  const path = `ts/wal/wals/${id}/wal-000000001`;
  const bad = new URL("../../../fixtures/bad/kudu-encrypted-log-last-entry.bin", import.meta.url);
  const files = new Map(serverFiles("encrypted")).set(path, new Uint8Array(readFileSync(bad)));
  await using dir = await openKuduDir(treeOf(files));
  const tablet = await dir.tablet(id);
  const error = { code: "E_CHECKSUM", field: "entry checksum", offset: 6020 };
  await expect(collectRows(tablet.scan({ withLog: true }))).rejects.toMatchObject(error);
  expect(await tablet.logProblems()).toMatchObject([error]);
});

it("has operations that others may have replaced where it is damaged, unless they are committed", async () => {
  const superblock = await (await openKuduDir(treeOf(original))).superblock(TABLET);
  const whole = parseLogSegment(segment, SEGMENT);
  const operation = (term: bigint, index: bigint): LogEntryOutline => ({
    replicate: { id: { term, index }, timestamp: index, config: undefined },
    commit: undefined,
  });
  const commit = (term: bigint, index: bigint): LogEntryOutline => ({
    replicate: undefined,
    commit: { id: { term, index } },
  });
  const outline = (seen: readonly LogEntryOutline[], behind: readonly LogEntryOutline[]) => {
    const damage = corrupt("damaged", { path: SEGMENT, field: "entry" });
    const behindDamage = [{ offset: 1, data: behind }];
    return logOutline([{ ...whole, entries: [{ offset: 0, data: seen }], behindDamage, damage }], superblock)
      .operations.filter(({ commit: known, mayBeReplaced }) => known === undefined && mayBeReplaced)
      .map(({ replicate: { id } }) => `${id.term}.${id.index}`);
  };
  const seen = [operation(1n, 1n), operation(1n, 2n), operation(1n, 3n)];
  expect(outline(seen, [operation(1n, 4n)])).toEqual([]);
  expect(outline(seen, [operation(2n, 4n)])).toEqual(["1.1", "1.2", "1.3"]);
  expect(outline([...seen, commit(1n, 2n)], [operation(2n, 4n)])).toEqual(["1.3"]);
  expect(outline(seen, [operation(2n, 4n), commit(1n, 3n)])).toEqual(["1.1", "1.2"]);
});

it("has no operations of a later term in front of damage that an operation of an earlier term follows", async () => {
  const superblock = await (await openKuduDir(treeOf(original))).superblock(TABLET);
  const operation = (term: bigint, index: bigint): LogEntryOutline => ({
    replicate: { id: { term, index }, timestamp: index, config: undefined },
    commit: undefined,
  });
  const outline = {
    ...parseLogSegment(segment, SEGMENT),
    entries: [
      { offset: 0, data: [operation(1n, 1n), operation(2n, 2n), operation(3n, 3n), operation(3n, 4n)] },
    ],
    // A leader of a still later term has replaced 3.3 and 3.4 by its own operations of the second term.
    behindDamage: [{ offset: 1, data: [operation(2n, 5n)] }],
    damage: corrupt("damaged", { path: SEGMENT, field: "entry" }),
  };
  const { operations } = logOutline([outline], superblock);
  expect(operations.map(({ replicate: { id } }) => `${id.term}.${id.index}`)).toEqual(["1.1", "2.2", "2.5"]);
});

describe("a log whose last entry is torn, as a crash leaves it", () => {
  const whole = 83;
  const torn: readonly { name: string; bytes: Uint8Array; isWhole?: true; next?: Uint8Array }[] = [
    { name: "cut within its header", bytes: segment.subarray(0, last + 7) },
    { name: "cut within its data", bytes: segment.subarray(0, segment.length - 1) },
    { name: "with zeros instead of its data", bytes: withZeros(last + 16, segment.length) },
    { name: "with zeros at its end", bytes: withZeros(segment.length - 9, segment.length) },
    {
      name: "with zeros instead of its header and data",
      bytes: withZeros(last, segment.length),
      isWhole: true,
    },
    {
      name: "with preallocated space behind it",
      bytes: Uint8Array.from([...segment, ...new Uint8Array(512)]),
      isWhole: true,
    },
    {
      name: "with a segment behind it that has no header yet",
      bytes: segment,
      isWhole: true,
      next: new Uint8Array(4096),
    },
    { name: "with an empty segment behind it", bytes: segment, isWhole: true, next: new Uint8Array(0) },
  ];

  it.each(torn)("$name, is read up to that entry", async ({ bytes, isWhole, next }) => {
    await using dir = await openKuduDir(treeOf(withSegments(next === undefined ? [bytes] : [bytes, next])));
    const tablet = await dir.tablet(TABLET);
    const rows = await collectRows(tablet.scan({ withLog: true }));
    expect(rows.length).toBeGreaterThan(70);
    expect(rows.length).toBeLessThanOrEqual(whole);
    const { ok, problemCount, tornLogs } = await checkKuduDir(dir, { tablets: [tablet] });
    expect({ ok, problemCount }).toEqual({ ok: true, problemCount: 0 });
    const place = { path: expect.stringContaining(SEGMENT), offset: last, tablet: TABLET, role: "log" };
    expect(tornLogs).toEqual(isWhole ? [] : [expect.objectContaining(place)]);
    expect((await tablet.unflushed())?.torn?.offset).toBe(isWhole ? undefined : last);
  });
});
