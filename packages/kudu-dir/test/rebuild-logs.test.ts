/** How write-ahead logs confirm or exclude the row sets of delta files. */
import { DELETE, REINSERT, UPDATE } from "@cfile/deltafile";
import { describe, expect, it } from "vitest";
import { type KnownTable, type RebuiltDir, tableOfColumns } from "../src/index.js";
import { entriesOf, filesWith, inserted, type Logged, OTHER_TABLET } from "./rebuild-log-files.js";
import { TABLET } from "./single-table.js";
import { WrittenBlocks } from "./written-blocks.js";
import {
  INSERT,
  INVALID,
  DELETE as LOGGED_DELETE,
  UPDATE as LOGGED_UPDATE,
  SCHEMA,
  SCHEMA_MESSAGE,
  type Step,
  segmentBytes,
  type Target,
} from "./written-log.js";

/** The row set that the log names. */
const OLD: Target = { rsId: 5n, dmsId: 0n };
const NEW: Target = { rsId: 6n, dmsId: 0n };

const timeOf = (index: number): bigint => BigInt(index) << 20n;

const update = (id: number, n: number, target: Target | undefined = OLD): Logged => ({
  steps: [[LOGGED_UPDATE, id, n]],
  target,
});

/** Two row sets of three rows with different keys, and REDO files that fit both. */
async function twoRowSets(changes: Parameters<WrittenBlocks["deltas"]>[1]) {
  const written = new WrittenBlocks();
  const first = await written.rowSet(
    SCHEMA,
    [1, 2, 3].map((id) => [id, 0]),
  );
  const second = await written.rowSet(
    SCHEMA,
    [11, 12, 13].map((id) => [id, 0]),
  );
  written.skip();
  written.skip();
  const redo = await written.deltas("redo", changes);
  return { written, first, second, redo };
}

/** Owner and evidence of a delta file, or the row sets that it may belong to. */
function ownerOf({ rowSets, ambiguous }: RebuiltDir, delta: bigint) {
  return {
    owners: rowSets.flatMap(({ id, files }) =>
      files.filter(({ block }) => block.id === delta).map(({ role, evidence }) => ({ id, role, evidence })),
    ),
    candidates: ambiguous
      .filter(({ blocks }) => blocks.some(({ id }) => id === delta))
      .flatMap((one) => one.candidates),
  };
}

const LOGGED = "the log has writes with these times and keys";

describe("a delta file that fits two row sets", () => {
  const changes = [{ row: 1, time: timeOf(2), type: UPDATE, cells: { 11: 9 } }] as const;

  it.each([
    { title: "belongs to the one whose key was written", writes: [inserted, update(2, 9)], isFirst: true },
    {
      title: "stays open if the write was not committed",
      writes: [inserted, { ...update(2, 9), target: undefined }],
      isFirst: false,
    },
    { title: "stays open if the log ends before", writes: [inserted], isFirst: false },
    { title: "stays open if the log has no operations", writes: [], isFirst: false },
  ])("$title", async ({ writes, isFirst }) => {
    const { written, first, second, redo } = await twoRowSets(changes);
    const files = filesWith([segmentBytes({ tabletId: TABLET }, entriesOf(writes))]);
    const rebuilt = await written.rebuild({}, files);
    expect(rebuilt.tablets.map(({ id, rowSets }) => [id, rowSets.length])).toEqual([[TABLET, 2]]);
    expect(ownerOf(rebuilt, redo)).toEqual(
      isFirst
        ? { owners: [{ id: first.key, role: "redo", evidence: LOGGED }], candidates: [] }
        : { owners: [], candidates: [first.key, second.key] },
    );
  });

  it.each([
    { title: "header of the first segment is damaged", broken: [0], time: 4, isRead: true, isFirst: false },
    { title: "header of the second segment is damaged", broken: [1], time: 2, isRead: true, isFirst: true },
    { title: "headers are all damaged", broken: [0, 1], time: 2, isRead: false, isFirst: false },
    {
      title: "first segment was deleted after its writes were flushed",
      gone: true,
      time: 4,
      isRead: true,
      isFirst: true,
    },
    {
      title: "first segment was deleted, and it had the write",
      gone: true,
      time: 2,
      isRead: true,
      isFirst: false,
    },
  ])("whose log is not whole: the $title", async ({ broken = [], gone = false, time, isRead, isFirst }) => {
    const { written, first, second, redo } = await twoRowSets([
      { row: 1, time: timeOf(time), type: UPDATE, cells: { 11: 9 } },
    ]);
    const segments = [
      segmentBytes({ tabletId: TABLET, closed: true }, entriesOf([inserted, update(2, 9)])),
      segmentBytes({ tabletId: TABLET, sequence: 2 }, entriesOf([update(3, 8), update(2, 9)], 3)),
    ].map((bytes, i) => (broken.includes(i) ? bytes.map((byte, at) => (at < 8 ? 0x55 : byte)) : bytes));
    const files = filesWith(segments);
    if (gone) {
      files.delete(`ts/wal/wals/${TABLET}/wal-000000001`);
    }
    const rebuilt = await written.rebuild({}, files);
    expect(rebuilt.tablets.map(({ id }) => id).includes(TABLET)).toBe(isRead);
    expect(ownerOf(rebuilt, redo)).toEqual(
      isFirst
        ? { owners: [{ id: first.key, role: "redo", evidence: LOGGED }], candidates: [] }
        : { owners: [], candidates: [first.key, second.key] },
    );
  });

  it.each([
    { title: "inserts", last: INSERT, isFirst: true },
    { title: "deletes", last: LOGGED_DELETE, isFirst: false },
  ])("with a row that is inserted again, whose log $title it", async ({ last, isFirst }) => {
    const { written, first, redo } = await twoRowSets([
      { row: 1, time: timeOf(2), type: DELETE },
      { row: 1, time: timeOf(3), type: REINSERT, cells: { 11: 4 } },
    ]);
    const step: Step = last === INSERT ? [INSERT, 2, 4] : [last, 2];
    const writes = [
      inserted,
      { steps: [[LOGGED_DELETE, 2]], target: OLD },
      { steps: [step], target: OLD },
    ] as const;
    const rebuilt = await written.rebuild(
      {},
      filesWith([segmentBytes({ tabletId: TABLET }, entriesOf(writes))]),
    );
    const { owners } = ownerOf(rebuilt, redo);
    expect(owners).toEqual(isFirst ? [{ id: first.key, role: "redo", evidence: LOGGED }] : []);
  });

  it("is compared by its first entries", async () => {
    const written = new WrittenBlocks();
    const rows = Array.from({ length: 300 }, (_, i) => i);
    const first = await written.rowSet(
      SCHEMA,
      rows.map((id) => [id, 0]),
    );
    await written.rowSet(
      SCHEMA,
      rows.map((id) => [1000 + id, 0]),
    );
    written.skip();
    const redo = await written.deltas(
      "redo",
      rows.map((row) => ({ row, time: timeOf(2), type: UPDATE, cells: { 11: row } })),
    );
    const writes = [
      { steps: rows.map((id) => [INSERT, id, 0] as const), target: { mrsId: 0n } },
      { steps: rows.map((id) => [LOGGED_UPDATE, id, id] as const), target: OLD },
    ];
    const rebuilt = await written.rebuild(
      {},
      filesWith([segmentBytes({ tabletId: TABLET }, entriesOf(writes))]),
    );
    expect(ownerOf(rebuilt, redo).owners).toEqual([{ id: first.key, role: "redo", evidence: LOGGED }]);
  });
});

describe("a log with an operation that cannot be read", () => {
  const bytes = (...all: number[]) => Uint8Array.from(all);

  it.each([
    { title: "before the write", at: 2, time: 3, isFirst: false },
    { title: "as the write", at: 2, time: 2, isFirst: false },
    { title: "behind the write", at: 3, time: 2, isFirst: true },
  ])("contradicts nothing from there on: $title", async ({ at, time, isFirst }) => {
    const { written, first, second, redo } = await twoRowSets([
      { row: 1, time: timeOf(time), type: UPDATE, cells: { 11: 9 } },
    ]);
    const writes = [inserted, update(2, 9), update(2, 9)].map((one, i) =>
      i + 1 === at ? { ...one, steps: [[INVALID, 2, 9]] as const } : one,
    );
    // The second row set is in a tablet without a log, which neither confirms nor excludes it.
    const known: KnownTable = {
      ...(await tableOfColumns("t", SCHEMA.columns)),
      ...{ origin: "catalog", schema: SCHEMA, message: { schema: SCHEMA_MESSAGE, version: 0 } },
      tablets: [
        { id: TABLET, keyStart: bytes(), keyEnd: bytes(0x80, 0, 0, 10) },
        { id: OTHER_TABLET, keyStart: bytes(0x80, 0, 0, 10), keyEnd: bytes() },
      ].map(({ id, ...range }) => ({
        ...{ id, servers: [], message: undefined },
        partition: { hashBuckets: [], ...range },
      })),
    };
    const files = filesWith([segmentBytes({ tabletId: TABLET }, entriesOf(writes))]);
    const rebuilt = await written.rebuild({ tables: [known] }, files);
    expect(rebuilt.rowSets.map(({ places }) => places.map(({ tablet }) => tablet))).toEqual([
      [TABLET],
      [OTHER_TABLET],
    ]);
    expect(ownerOf(rebuilt, redo)).toEqual(
      isFirst
        ? { owners: [{ id: first.key, role: "redo", evidence: LOGGED }], candidates: [] }
        : { owners: [], candidates: [first.key, second.key] },
    );
  });
});

describe("two row sets with the same keys, of a compaction that did not finish", () => {
  it.each([
    { title: "the same row set", target: [OLD], isOld: true },
    { title: "another row set", target: [NEW], isOld: false },
  ])("get a delta file whose writes name $title as those of an earlier file", async ({ target, isOld }) => {
    const written = new WrittenBlocks();
    const rows = [1, 2, 3].map((id) => [id, 0]);
    const old = await written.rowSet(SCHEMA, rows);
    written.skip();
    written.skip();
    const early = await written.deltas("redo", [{ row: 1, time: timeOf(2), type: UPDATE, cells: { 11: 9 } }]);
    const made = await written.rowSet(SCHEMA, rows);
    written.skip();
    written.skip();
    const late = await written.deltas("redo", [{ row: 1, time: timeOf(3), type: UPDATE, cells: { 11: 8 } }]);
    const writes = [inserted, update(2, 9), update(2, 8, target[0])];
    const rebuilt = await written.rebuild(
      {},
      filesWith([segmentBytes({ tabletId: TABLET }, entriesOf(writes))]),
    );
    expect(ownerOf(rebuilt, early).owners).toMatchObject([{ id: old.key, role: "redo" }]);
    expect(ownerOf(rebuilt, late)).toEqual(
      isOld
        ? {
            owners: [
              { id: old.key, role: "redo", evidence: "the log names the same row set as for other files" },
            ],
            candidates: [],
          }
        : { owners: [], candidates: [old.key, made.key] },
    );
  });
});
