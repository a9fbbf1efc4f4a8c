/** Operations of a log, read all at once, one by one, or as far as possible. */
import { CFileError, corrupt, isCFileError } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import { type LogSegment, parseLogSegment } from "../src/log/log-segment.js";
import { loggedOperations, operationsInTurn } from "../src/log/logged-operations.js";
import { batchOutline, logOutline, readableLog } from "../src/log/readable-log.js";
import { batch, commit, done, INSERT, SCHEMA, SCHEMA_MESSAGE, segmentBytes, write } from "./written-log.js";

const TABLET = { tabletId: "t", schema: SCHEMA, schemaVersion: 0 };
const MEMORY = { mrsId: 0n };

interface Part {
  readonly batches: readonly Uint8Array[];
  readonly sequence?: number;
  readonly closed?: boolean;
  readonly tabletId?: string;
}

function segment({ batches, sequence = 1, closed = false, tabletId = "t" }: Part): LogSegment {
  return parseLogSegment(segmentBytes({ tabletId, sequence, closed }, batches), `wal-${sequence}`);
}

const insert = (index: number, term = 1): Uint8Array => batch(write(index, [[INSERT, index, 7]], { term }));
const commitOf = (index: number, term = 1): Uint8Array => batch(commit(index, [MEMORY], term));
const names = (
  operations: readonly {
    readonly replicate: { readonly id: { term: bigint; index: bigint } };
    commit: unknown;
  }[],
) =>
  operations.map(
    ({ replicate: { id }, commit: known }) => `${id.term}.${id.index}${known === undefined ? "?" : ""}`,
  );
const placeOf = ({ code, field, path }: CFileError): string => `${code} ${field} ${path}`;

async function* inTurn<T>(items: readonly T[]): AsyncGenerator<T, void, void> {
  yield* items;
}

/** The results of the three ways of reading. */
async function readAll(segments: readonly (LogSegment | CFileError)[]) {
  const found: CFileError[] = [];
  const operations = [];
  for await (const one of operationsInTurn(inTurn(segments), TABLET, found)) {
    operations.push(one);
  }
  const readable = readableLog(segments, TABLET);
  return {
    operations: names(operations),
    problems: found.map(placeOf),
    readable: names(readable.operations),
    isWhole: readable.isWhole,
  };
}

const ioError = new CFileError("E_CORRUPT", "no segment", { path: "wal-1", field: "magic" });
const FIRST = [...done(1, [[INSERT, 1, 7]]), ...done(2, [[INSERT, 2, 7]])];
const NEXT = done(3, [[INSERT, 3, 7]]);

describe("operations", () => {
  it.each<[string, readonly (LogSegment | CFileError)[], Awaited<ReturnType<typeof readAll>>]>([
    [
      "of several segments are complete",
      [segment({ batches: FIRST, closed: true }), segment({ batches: NEXT, sequence: 2 })],
      { operations: ["1.1", "1.2", "1.3"], problems: [], readable: ["1.1", "1.2", "1.3"], isWhole: true },
    ],
    [
      "of a new leader replace those without a commit",
      [segment({ batches: [...FIRST, insert(3), insert(4), insert(3, 2), commitOf(3, 2)] })],
      { operations: ["1.1", "1.2", "2.3"], problems: [], readable: ["1.1", "1.2", "2.3"], isWhole: true },
    ],
    [
      "do not take commits of another term, or of operations that are not there",
      [segment({ batches: [insert(1), commitOf(1, 3), commitOf(9), insert(2)] })],
      { operations: ["1.1?", "1.2?"], problems: [], readable: ["1.1?", "1.2?"], isWhole: false },
    ],
    [
      "end before a segment that cannot be read",
      [ioError, segment({ batches: NEXT, sequence: 2 })],
      { operations: [], problems: ["E_CORRUPT magic wal-1"], readable: ["1.3"], isWhole: false },
    ],
    [
      "end before a segment that is missing",
      [segment({ batches: FIRST, closed: true }), segment({ batches: NEXT, sequence: 3 })],
      {
        operations: ["1.1", "1.2"],
        problems: ["E_CORRUPT sequence_number wal-3"],
        readable: ["1.1", "1.2", "1.3"],
        isWhole: false,
      },
    ],
    [
      "end before a segment of another tablet",
      [segment({ batches: FIRST, closed: true }), segment({ batches: NEXT, sequence: 2, tabletId: "other" })],
      {
        operations: ["1.1", "1.2"],
        problems: ["E_CORRUPT tablet_id wal-2"],
        readable: ["1.1", "1.2", "1.3"],
        isWhole: false,
      },
    ],
    [
      "end behind a segment without a footer that another one follows",
      [segment({ batches: FIRST }), segment({ batches: NEXT, sequence: 2 })],
      {
        operations: ["1.1", "1.2"],
        problems: ["E_TRUNCATED footer wal-1"],
        readable: ["1.1", "1.2", "1.3"],
        isWhole: false,
      },
    ],
    [
      "end before one that is missing",
      [segment({ batches: [...FIRST, insert(4), commitOf(4), insert(5), commitOf(2)] })],
      {
        operations: ["1.1", "1.2"],
        problems: ["E_CORRUPT index wal-1"],
        readable: ["1.1", "1.2", "1.4", "1.5?"],
        isWhole: false,
      },
    ],
    [
      "end at an entry that is no message, and go on behind it; only the first problem is reported",
      [segment({ batches: [...FIRST, Uint8Array.of(0x0f), Uint8Array.of(0x0f), ...NEXT] })],
      {
        operations: ["1.1", "1.2"],
        problems: ["E_CORRUPT LogEntryBatchPB tag wal-1"],
        readable: ["1.1", "1.2", "1.3"],
        isWhole: false,
      },
    ],
    [
      "end at damage",
      [{ ...segment({ batches: FIRST }), damage: ioError, behindDamage: segment({ batches: NEXT }).entries }],
      {
        operations: ["1.1", "1.2"],
        problems: ["E_CORRUPT magic wal-1"],
        readable: ["1.1", "1.2", "1.3"],
        isWhole: false,
      },
    ],
  ])("%s", async (_name, segments, expected) => {
    expect(await readAll(segments)).toEqual(expected);
    // Reading all at once gives the same result.
    const problems: CFileError[] = [];
    const valid = segments.filter((one): one is LogSegment => !isCFileError(one));
    if (valid.length === segments.length) {
      expect(names(loggedOperations(valid, TABLET, problems))).toEqual(expected.operations);
      expect(problems.map(placeOf)).toEqual(expected.problems);
    }
  });

  it("that replace a committed one are a problem, if they are read one after the other", async () => {
    const segments = [segment({ batches: [...FIRST, insert(2, 2)] })];
    expect(await readAll(segments)).toMatchObject({
      operations: ["1.1", "1.2"],
      problems: ["E_CORRUPT index wal-1"],
    });
  });

  it("find their commits across a gap of indexes", () => {
    const batches = [
      insert(1),
      insert(2),
      insert(7),
      insert(8),
      commitOf(2),
      commitOf(1),
      commitOf(5),
      commitOf(8),
    ];
    expect(names(readableLog([segment({ batches })], TABLET).operations)).toEqual([
      "1.1",
      "1.2",
      "1.7?",
      "1.8",
    ]);
  });
});

describe("an outline", () => {
  const operation = (index: number, term: number) => batchOutline(insert(index, term));
  const bad = batchOutline(Uint8Array.of(0x0f));

  it("has operations of earlier terms that may be replaced, at each damage", () => {
    expect(isCFileError(bad)).toBe(true);
    const whole = segment({ batches: [] });
    const entries = [operation(1, 1), operation(2, 1), bad, operation(3, 2), bad, operation(4, 3)];
    const outline = {
      ...whole,
      entries: entries.map((data, offset) => ({ offset, data })),
      behindDamage: [],
    };
    const { operations, problems } = logOutline([outline], TABLET);
    expect(names(operations)).toEqual(["1.1?", "1.2?", "2.3?", "3.4?"]);
    expect(operations.map(({ mayBeReplaced = false }) => mayBeReplaced)).toEqual([true, true, true, false]);
    expect(problems).toHaveLength(1);
  });

  it("of a log whose first segment cannot be read is not begun, and has no schema", () => {
    const outline = {
      ...segment({ batches: [] }),
      entries: [{ offset: 0, data: operation(1, 1) }],
      behindDamage: [],
    };
    expect(logOutline([outline], TABLET)).toMatchObject({ isBegun: true, isWhole: true, schema: SCHEMA });
    expect(logOutline([corrupt("no segment"), outline], TABLET)).toMatchObject({
      ...{ isBegun: false, isWhole: false, schema: undefined },
    });
    expect(logOutline([], TABLET)).toMatchObject({ isBegun: false, isWhole: false, schema: undefined });
  });

  it("has no schema if the header contradicts the superblock", () => {
    const [id, n] = SCHEMA_MESSAGE.columns;
    const columns = [{ ...id, isKey: false }, n].flatMap((one) =>
      one?.name === undefined ? [] : [{ ...one, name: one.name, type: one.type ?? 0 }],
    );
    const bytes = segmentBytes({ tabletId: "t", schema: { columns } }, FIRST);
    const { schema, problems } = readableLog([parseLogSegment(bytes, "wal-1")], TABLET);
    expect([schema, problems.map(placeOf)]).toEqual([undefined, ["E_CORRUPT schema wal-1"]]);
  });
});

describe("a commit without its operation behind all others", () => {
  const committed = [segment({ batches: [...done(1, [[INSERT, 1, 7]]), commitOf(2)] })];
  const open = [segment({ batches: [insert(1), commitOf(2)] })];
  const alone = [segment({ batches: [commitOf(2)] })];

  it.each([
    ["is a problem if its changes are not flushed", committed, -1n, ["E_CORRUPT index wal-1"]],
    ["is a problem behind an operation without a commit", open, -1n, ["E_CORRUPT index wal-1"]],
    ["is ignored if its changes are flushed", committed, 0n, []],
    ["is ignored if the log has no operation: all are flushed", alone, -1n, []],
  ])("%s", async (_, segments, lastDurableMrsId, expected) => {
    const superblock = { ...TABLET, lastDurableMrsId, rowSets: [] };
    const atOnce: CFileError[] = [];
    loggedOperations(segments, superblock, atOnce);
    expect(atOnce.map(placeOf)).toEqual(expected);
    const found: CFileError[] = [];
    const operations = [];
    for await (const one of operationsInTurn(inTurn(segments), superblock, found)) {
      operations.push(one);
    }
    expect(operations.length).toBe(segments === alone ? 0 : 1);
    expect(found.map(placeOf)).toEqual(expected);
  });
});
