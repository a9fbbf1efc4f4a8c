/** Changes of a log, applied to a table: changes that do not match the schema or the rows, and large ones. */
import { randomBytes } from "node:crypto";
import { type CFileError, isCFileError } from "@cfile/bytes";
import { UPDATE as CHANGED, type ChangeType, DELETE as DELETED, MutationBuilder } from "@cfile/deltafile";
import { encodeRowKey, openRowSet, TabletReader } from "@cfile/rowset";
import { describe, expect, it } from "vitest";
import { type KuduDirOptions, openKuduCluster, openKuduDir } from "../src/index.js";
import { keyOf } from "../src/log/apply-operations.js";
import { LogFlush, type RepeatableLog } from "../src/log/log-flush.js";
import type { Replicate } from "../src/log/log-messages.js";
import { overlayOf } from "../src/log/log-overlay.js";
import { replayOperations, type UnflushedOperation } from "../src/log/log-replay.js";
import { loggedTablets } from "../src/log/log-segments.js";
import { flushed, inMemory } from "../src/log/memory-row.js";
import type { LoggedOperation } from "../src/log/operation-list.js";
import { encodeStoredKey } from "../src/log/stored-cells.js";
import type { OverlaidRowSet } from "../src/log/stores-by-key.js";
import type { TabletLedger } from "../src/recover.js";
import { collectRows } from "./json-rows.js";
import { kuduColumn } from "./kudu-column.js";
import { treeOf } from "./servers.js";
import {
  batch,
  commit,
  DELETE,
  done,
  EMPTY_TABLET,
  INSERT,
  INVALID,
  rowsOf,
  SCHEMA,
  type Step,
  segmentBytes,
  serverWithLog,
  UPDATE,
  write,
} from "./written-log.js";

const MEMORY = { mrsId: 0n, rowSetId: -1n, dmsId: -1n, transaction: -1n };
const RESULT = { skipped: false, failed: false, stores: [MEMORY] };
const CLIENT = { columns: SCHEMA.columns.map((column, id) => ({ ...column, id })) };

/** An operation with its commit, if it has one. */
function logged(
  index: number,
  steps: readonly Step[],
  { results = steps.map(() => RESULT), transaction, time = index, isCommitted = true }: LoggedOptions = {},
): LoggedOperation {
  const id = { term: 1n, index: BigInt(index) };
  const replicate: Replicate = {
    id,
    timestamp: BigInt(time),
    operation: "WRITE_OP",
    write: {
      schema: CLIENT,
      rows: rowsOf(steps),
      indirect: new Uint8Array(0),
      transaction,
      autoIncrement: undefined,
    },
    schema: undefined,
    config: undefined,
  };
  const done = { id, operation: "WRITE_OP", results };
  return { replicate, path: "wal", offset: 100 * index, commit: isCommitted ? done : undefined };
}

interface LoggedOptions {
  readonly results?: readonly (typeof RESULT)[];
  readonly transaction?: bigint;
  readonly time?: number;
  readonly isCommitted?: boolean;
}

describe("replayed operations", () => {
  const replay = (operations: readonly LoggedOperation[]) => {
    const problems: CFileError[] = [];
    const { operations: found, ...rest } = replayOperations(
      operations,
      { schema: SCHEMA, counts: () => false },
      problems,
    );
    return { times: found.map(({ timestamp }) => Number(timestamp)), ...rest, problems };
  };

  it("end before one that cannot be parsed, and no change of that one counts", () => {
    const operations = [
      logged(1, [[INSERT, 1, 1]]),
      logged(2, [
        [INSERT, 2, 1],
        [INVALID, 3, 1],
      ]),
      logged(3, [[INSERT, 4, 1]]),
    ];
    expect(replay(operations)).toMatchObject({
      times: [1],
      problems: [{ code: "E_CORRUPT", field: "row operation", path: "wal", offset: 200 }],
    });
  });

  it.each([
    ["a changed one", [RESULT, RESULT]],
    [
      "only failed ones",
      [
        { ...RESULT, failed: true, skipped: true },
        { ...RESULT, failed: true, skipped: true },
      ],
    ],
    ["none", []],
  ])("whose number is not that of the results are a problem: %s", (_name, results) => {
    const { problems, times } = replay([logged(1, [[INSERT, 1, 1]], { results })]);
    expect(times).toEqual([]);
    expect(problems).toMatchObject([
      { code: "E_CORRUPT", field: "ops", reason: expect.stringContaining("operation 1: ") },
    ]);
  });

  it("without a result in the middle are a problem", () => {
    const { problems } = replay([
      logged(
        1,
        [
          [INSERT, 1, 1],
          [INSERT, 2, 1],
        ],
        { results: [RESULT] },
      ),
    ]);
    expect(problems).toMatchObject([
      { field: "ops", reason: "operation 1: 2 row operations have 1 results" },
    ]);
  });

  it("count those without a commit, and those of transactions", () => {
    const steps: Step[] = [
      [INSERT, 1, 1],
      [INSERT, 2, 1],
    ];
    const operations = [
      logged(1, steps, { transaction: 5n }),
      logged(2, steps, { isCommitted: false }),
      logged(3, steps, { isCommitted: false, transaction: 5n }),
    ];
    expect(replay(operations)).toMatchObject({ times: [], transactional: 2, doubtful: 4, problems: [] });
  });

  it("have the latest time, in whichever order", () => {
    expect(replay([logged(1, [[INSERT, 1, 1]], { time: 9 }), logged(2, [[INSERT, 2, 1]])]).lastWrite).toBe(
      9n,
    );
  });
});

/** A change of the row with the key, in the given store. */
function change(
  kind: UnflushedOperation["operation"]["kind"],
  cells: Readonly<Record<string, number>>,
  stores: UnflushedOperation["stores"] = [MEMORY],
): UnflushedOperation {
  const bytes = new Map(Object.entries(cells).map(([name, n]) => [name, Uint8Array.of(n, 0, 0, 0)]));
  return {
    timestamp: 5n,
    operation: { kind, cells: bytes },
    schema: SCHEMA,
    stores,
    autoIncrement: undefined,
  };
}

async function rowSetOf(operations: readonly UnflushedOperation[]): Promise<OverlaidRowSet> {
  const [files] = (await overlayOf(operations, SCHEMA, [], flushed)).rowSets;
  if (files === undefined) {
    throw new Error("no rows");
  }
  const openWith: OverlaidRowSet["openWith"] = (own) => openRowSet(own, SCHEMA);
  return { id: 3n, files: async () => files, open: () => openWith(files), openWith };
}

describe("changes", () => {
  const inRowSet = [{ ...MEMORY, mrsId: -1n, rowSetId: 3n }];

  it.each<[string, UnflushedOperation, object]>([
    [
      "of a row that the row set does not have",
      change("update", { id: 2, n: 1 }, inRowSet),
      { field: "mutated_stores" },
    ],
    [
      "of a row in memory that was not inserted",
      change("update", { id: 2, n: 1 }),
      { field: "mutated_stores" },
    ],
    ["of a column that the schema does not have", change("insert", { id: 2, other: 1 }), { field: "schema" }],
    ["without a key", change("insert", { n: 1 }), { field: "rows" }],
  ])("%s are refused", async (_name, operation, error) => {
    const rowSet = await rowSetOf([change("insert", { id: 1, n: 1 })]);
    await expect(overlayOf([operation], SCHEMA, [rowSet], inMemory)).rejects.toMatchObject({
      code: "E_CORRUPT",
      ...error,
    });
  });

  it("of a key that is nowhere are nothing, if no commit says where they went", async () => {
    const { rowSets, redo, unknownKeys } = await overlayOf(
      [{ ...change("update", { id: 2, n: 1 }), stores: undefined }],
      SCHEMA,
      [],
      inMemory,
    );
    expect([rowSets, redo.size, unknownKeys]).toEqual([[], 0, []]);
  });

  it("of dropped columns alone leave no trace in a flushed row", () => {
    const mutations = new MutationBuilder().set(99, Uint8Array.of(1)).finish();
    const cells = new Map([[10, Uint8Array.of(1)]]);
    const row = {
      insertedAt: 1n,
      cells,
      changes: [{ timestamp: 2n, type: CHANGED as ChangeType, mutations }],
    };
    const stored = flushed(row, new Map([[10, null]]));
    expect(stored).toEqual({
      cells,
      undo: [{ timestamp: 1n, type: DELETED, mutations: new Uint8Array(0) }],
      redo: [],
    });
  });
});

describe("the key of stored cells", () => {
  it.each([
    ["INT8", Uint8Array.of(0xff), -1],
    ["UINT8", Uint8Array.of(0xff), 255],
    ["INT32", Uint8Array.of(1, 0, 0, 0x80), -2147483647],
    ["UINT32", Uint8Array.of(1, 0, 0, 0x80), 2147483649],
    ["UINT64", Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0x80), 9223372036854775809n],
    ["STRING", Uint8Array.of(0x61, 0), "a\0"],
  ] as const)("of type %s is that of the value, alone and before another column", (type, cell, value) => {
    const columns = [kuduColumn(1, "a", { type, isKey: true }), kuduColumn(2, "b", { isKey: true })];
    const alone = columns.slice(0, 1);
    expect(encodeStoredKey(alone, [cell])).toEqual(encodeRowKey({ columns: alone }, [value]));
    expect(encodeStoredKey(columns, [cell, Uint8Array.of(2)])).toEqual(encodeRowKey({ columns }, [value, 2]));
  });

  it("is refused for cells of another width, and for types without an order", () => {
    const int = [kuduColumn(1, "a", { type: "INT32", isKey: true })];
    const refusal = (action: () => unknown): unknown => {
      try {
        return action();
      } catch (error) {
        return isCFileError(error) ? error.code : error;
      }
    };
    expect(refusal(() => encodeStoredKey(int, [Uint8Array.of(1, 2)]))).toMatch(/^E_(?:CORRUPT|TRUNCATED)$/);
    const float = [kuduColumn(1, "a", { type: "FLOAT", isKey: true })];
    expect(refusal(() => encodeStoredKey(float, [new Uint8Array(4)]))).toMatch(
      /^E_(?:INVALID_ARGUMENT|UNSUPPORTED)$/,
    );
    expect(refusal(() => keyOf(change("insert", {})))).toBe("E_CORRUPT");
  });
});

describe("a flushed log", () => {
  const log = (
    operations: readonly LoggedOperation[],
    schema = SCHEMA,
    found: readonly CFileError[] = [],
  ): RepeatableLog => ({
    schema,
    counts: () => false,
    async *read(problems) {
      yield* operations;
      problems.push(...found);
    },
  });

  it("with a problem is refused", async () => {
    const operations = [
      logged(1, [
        [INSERT, 1, 1],
        [INVALID, 1, 1],
      ]),
    ];
    await expect(LogFlush.of(log(operations))).rejects.toMatchObject({
      code: "E_CORRUPT",
      field: "row operation",
    });
  });

  it("has no row set of rows that were never visible", async () => {
    const flush = await LogFlush.of(
      log([
        logged(1, [
          [INSERT, 1, 1],
          [DELETE, 1],
        ]),
      ]),
    );
    const rowSets = [];
    for await (const one of flush.rowSets(SCHEMA, [])) {
      rowSets.push(one);
    }
    expect(rowSets).toEqual([]);
    expect([flush.operations, flush.redo.size]).toEqual([2, 0]);
  });

  it("with many keys in little memory is divided evenly, and complete", async () => {
    const count = 10_000;
    const all = Array.from({ length: count / 10 }, (_, i) =>
      logged(
        i + 1,
        Array.from({ length: 10 }, (_step, j): Step => [INSERT, ((10 * i + j) * 7919) % count, j]),
      ),
    );
    // Repeats each key, so that most sampled keys occur twice.
    const again = all.map((_, i) =>
      logged(
        2000 + i,
        Array.from({ length: 10 }, (_step, j): Step => [UPDATE, ((10 * i + j) * 7919) % count, 5]),
      ),
    );
    const flush = await LogFlush.of(log([...all, ...again]), 1_000_000);
    const readers = [];
    for await (const { files } of flush.rowSets(SCHEMA, [])) {
      readers.push(await openRowSet(files, SCHEMA));
    }
    const rows = await collectRows(new TabletReader(SCHEMA, readers).scan());
    expect(rows).toEqual(Array.from({ length: count }, (_, id) => [id, 5]));
  });

  it("is divided into row sets of the size that servers write", async () => {
    const schema = {
      columns: [
        kuduColumn(10, "id", { isKey: true, type: "INT32" }),
        kuduColumn(11, "text", { type: "BINARY" }),
      ],
    };
    const size = 100_000;
    const operations = Array.from({ length: 450 }, (_, i): LoggedOperation => {
      const one = logged(i + 1, [[INSERT, i, 1]]);
      const rows = new Uint8Array(2 + 4 + 16);
      rows.set([INSERT, 0b11]);
      new DataView(rows.buffer).setUint32(2, i, true);
      new DataView(rows.buffer).setUint32(14, size, true);
      const indirect = randomBytes(size);
      const own = {
        schema: { columns: schema.columns.map((column, id) => ({ ...column, id })) },
        rows,
        indirect,
      };
      const { write: before } = one.replicate;
      return before === undefined
        ? one
        : { ...one, replicate: { ...one.replicate, write: { ...before, ...own } } };
    });
    const flush = await LogFlush.of(log(operations, schema), 4 << 20);
    const counts: number[] = [];
    for await (const { liveRows } of flush.rowSets(schema, [])) {
      counts.push(liveRows);
    }
    expect(counts.length).toBeGreaterThan(1);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(450);
  });
});

describe("the log of a tablet", () => {
  const id = EMPTY_TABLET;
  const tabletOf = async (segments: readonly Uint8Array[], options: KuduDirOptions = {}) => {
    const dir = await openKuduDir(treeOf(serverWithLog(id, segments)), options);
    return dir.tablet(id);
  };
  const first = segmentBytes({ tabletId: id, closed: true }, [
    ...done(1, [[INSERT, 1, 1]]),
    ...done(2, [[INSERT, 2, 1]]),
  ]);
  const second = segmentBytes({ tabletId: id, sequence: 2 }, done(3, [[INSERT, 3, 1]]));

  it("is read as it is, or up to where another reader saw it end", async () => {
    const tablet = await tabletOf([first, second]);
    expect(await collectRows(tablet.scan({ withLog: true }))).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
    expect(await tablet.logEnd()).toEqual({ 1: 4, 2: 2 });
    for (const [end, rows] of [
      [{ 1: 4 }, 2],
      [{ 1: 2 }, 1],
      [{ 1: 4, 2: 2 }, 3],
      [{ 1: 4, 2: 99 }, 3],
    ] as const) {
      const until = await tabletOf([first, second], { logEnds: { [id]: end } });
      expect(await collectRows(until.scan({ withLog: true }))).toHaveLength(rows);
    }
  });

  it("stops after a first segment that cannot be read", async () => {
    const tablet = await tabletOf([first.slice().fill(0, 0, 4), second]);
    const error = { code: "E_CORRUPT", field: "magic" };
    await expect(tablet.flushLog()).rejects.toMatchObject(error);
    await expect(collectRows(tablet.scan({ withLog: true }))).rejects.toMatchObject(error);
    expect(await tablet.unflushed()).toMatchObject({ operations: [], problems: [error] });
    expect(await tablet.logProblems()).toMatchObject([error]);
    expect((await tablet.logOperations()).operations).toHaveLength(1);
  });

  it("is compared as a whole only if it is short, complete, and without transactions", async () => {
    const whole = await tabletOf([first, second]);
    expect(await whole.wholeLog(1 << 20)).toHaveLength(1);
    expect(await whole.wholeLog(10)).toBeUndefined();
    const failed = segmentBytes({ tabletId: id }, [
      batch(
        write(1, [
          [INSERT, 1, 1],
          [INSERT, 1, 2],
        ]),
      ),
      batch(commit(1, [{ mrsId: 0n }, "failed"])),
    ]);
    expect(await (await tabletOf([failed])).wholeLog(1 << 20)).toHaveLength(1);
    const steps: Step[] = [[INSERT, 1, 1]];
    for (const batches of [
      [batch(write(1, steps, { txnId: 3n })), batch(commit(1, [{ mrsId: 0n }]))],
      [batch(write(1, steps))],
      done(5, steps),
      [
        batch(
          write(1, [
            [INSERT, 1, 1],
            [INVALID, 2, 1],
          ]),
        ),
        batch(commit(1, [{ mrsId: 0n }, { mrsId: 0n }])),
      ],
    ]) {
      expect(
        await (await tabletOf([segmentBytes({ tabletId: id }, batches)])).wholeLog(1 << 20),
      ).toBeUndefined();
    }
    expect(await (await tabletOf([])).wholeLog(1 << 20)).toBeUndefined();
  });

  const ledgerOf = async (batches: readonly Uint8Array[]) => {
    const files = serverWithLog(id, [segmentBytes({ tabletId: id }, batches)]);
    await using cluster = await openKuduCluster(treeOf(files));
    const ledgers: TabletLedger[] = [];
    const tablet = await cluster.tablet(id);
    const onLedger = (ledger: TabletLedger): void => void ledgers.push(ledger);
    const rows = await collectRows(tablet.recover({}, () => undefined, onLedger));
    return { rows, ledger: ledgers[0] };
  };

  it("with an operation that cannot be parsed is not recovered in a cluster: rows would be missing", async () => {
    const stores = [{ mrsId: 0n }, { mrsId: 0n }];
    const invalid = [
      batch(
        write(2, [
          [INSERT, 3, 1],
          [INVALID, 2, 1],
        ]),
      ),
      batch(commit(2, stores)),
    ];
    await expect(ledgerOf([...done(1, [[INSERT, 1, 1]]), ...invalid])).rejects.toMatchObject({
      ...{ code: "E_CORRUPT", field: "row operation", reason: expect.stringContaining("operation 2: ") },
    });
  });

  it("in which no entry is a message is recovered in a cluster as one that lacks everything", async () => {
    const { rows, ledger } = await ledgerOf([Uint8Array.of(0x0f)]);
    expect(rows).toEqual([]);
    expect(ledger).toMatchObject({ complete: false, snapshot: "earlier" });
  });

  it("with operations that failed is recovered in a cluster without them", async () => {
    const failing = [
      batch(
        write(1, [
          [INSERT, 1, 1],
          [INSERT, 1, 2],
        ]),
      ),
      batch(commit(1, [{ mrsId: 0n }, "failed"])),
    ];
    const { rows, ledger } = await ledgerOf(failing);
    expect(rows).toEqual([[1, 1]]);
    expect(ledger?.lost).toEqual([]);
  });

  it("is found by the folders of tablets alone", async () => {
    const files = serverWithLog(id, [first]);
    files.set("ts/wal/wals/lost+found/file", new Uint8Array(1));
    files.set(`ts/wal/wals/${"c".repeat(32)}`, new Uint8Array(1));
    await using dir = await openKuduDir(treeOf(files));
    const tablets = await loggedTablets(dir.roots.logFolders);
    expect(tablets).toContain(id);
    expect(tablets).toHaveLength((await dir.tablets()).length);
  });
});
