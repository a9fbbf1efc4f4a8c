/**
 * Cuts the power at random operations of random changes of a table store, on random disks, and makes random operations fail. Either the
 * rows before the change or those after it must remain, and the store must take another write.
 */

import { isCFileError } from "@cfile/bytes";
import { type DirectoryOperation, MemoryDirectory } from "@cfile/io";
import type { RowSetSchema } from "@cfile/rowset";
import { createTableStore, openTableStore, type TableStore } from "@cfile/rowset/store";
import { randomNumbers } from "@cfile-tools/testkit/random";
import { afterCut, type Next } from "./cut-directory.js";
import type { Files } from "./simulated-disk.js";

export interface CutStores {
  /** Power cuts per kind of change. */
  readonly cuts: Readonly<Record<string, number>>;
  /** Number of failed operations in all changes. */
  readonly failures: number;
  /** Numbers of cuts and failures after which the rows from before or after the change remained. */
  readonly outcomes: { before: number; after: number };
  readonly faults: readonly string[];
}

type Change = (directory: MemoryDirectory, next: Next) => Promise<unknown>;

const SCHEMA: RowSetSchema = {
  columns: [
    { id: 1, name: "k", type: "INT32", nullable: false, array: false, isKey: true },
    { id: 2, name: "v", type: "STRING", nullable: true, array: false, isKey: false },
  ],
};
const KEYS = 300;
const SEEDS = 2 ** 31;
/** Power cuts per recorded change. */
const CUTS_PER_CHANGE = 25;
/** Failing operations per recorded change. */
const FAILURES_PER_CHANGE = 5;

const value = (next: Next): string | null => (next(9) === 0 ? null : `value ${next(40)}`);

function someKeys(next: Next, count: number): number[] {
  return [...new Set(Array.from({ length: count }, () => next(KEYS)))].sort((a, b) => a - b);
}

async function changed(
  directory: MemoryDirectory,
  change: (store: TableStore, now: bigint) => Promise<unknown>,
): Promise<void> {
  await using store = await openTableStore(directory);
  await change(store, store.lastTimestamp + 1n);
}

async function create(directory: MemoryDirectory, next: Next, sorted: boolean): Promise<void> {
  const count = sorted ? 1 + next(KEYS) : 700 + next(900);
  const keys = Array.from({ length: count }, (_, i) => (sorted ? i : (i * 7919) % count));
  await using writer = await createTableStore(directory, SCHEMA, {
    sorted,
    memoryBytes: 65536,
    timestamp: 1n,
  });
  for (let from = 0; from < count; from += 500) {
    await writer.appendRows(keys.slice(from, from + 500).map((k) => ({ k, v: value(next) })));
  }
  await writer.finish();
}

const upsert: Change = (directory, next) =>
  changed(directory, (store, now) =>
    store.upsert(
      someKeys(next, 1 + next(40)).map((k) => [k, value(next)]),
      now,
    ),
  );
const update: Change = (directory, next) =>
  changed(directory, async (store, now) => {
    const keys = await existing(store);
    const some = [...new Set(Array.from({ length: 1 + next(20) }, () => keys[next(keys.length)] ?? 0))];
    return store.update(
      some.sort((a, b) => a - b).map((k) => ({ k, v: value(next) })),
      now,
    );
  });
const remove: Change = (directory, next) =>
  changed(directory, async (store, now) => {
    const keys = await existing(store);
    return store.delete([[keys[next(keys.length)] ?? 0]], now);
  });
const compact: Change = (directory) => changed(directory, (store) => store.compact());
const dropHistory: Change = (directory) =>
  changed(directory, (store, now) => store.dropHistoryBefore(now - 1n));

async function existing(store: TableStore): Promise<number[]> {
  const keys: number[] = [];
  for await (const { columns } of store.scan({ columns: ["k"] })) {
    keys.push(...(columns[0]?.toArray() ?? []).map(Number));
  }
  return keys;
}

/** A table with a few changes. */
async function history(directory: MemoryDirectory, next: Next): Promise<void> {
  await create(directory, next, true);
  for (let left = 1 + next(4); left > 0; left--) {
    await ([upsert, update, remove, compact][next(4)] ?? upsert)(directory, next);
  }
  await upsert(directory, next);
}

const CHANGES: Readonly<Record<string, { prepare: Change; act: Change }>> = {
  "creating, rows sorted": {
    prepare: async () => {},
    act: (directory, next) => create(directory, next, true),
  },
  "creating, with spilled runs": {
    prepare: async () => {},
    act: (directory, next) => create(directory, next, false),
  },
  updating: { prepare: history, act: update },
  deleting: { prepare: history, act: remove },
  upserting: { prepare: history, act: upsert },
  compacting: { prepare: history, act: compact },
  "dropping history": {
    prepare: async (directory, next) => {
      await history(directory, next);
      await compact(directory, next);
    },
    act: dropHistory,
  },
};

/** All rows of all snapshots; "none" without a table. */
async function rowsOf(directory: MemoryDirectory): Promise<string> {
  if (!(await directory.list()).includes("rowset.json")) {
    return "none";
  }
  await using store = await openTableStore(directory);
  const lines: string[] = [`${store.rowSets.length} row sets, history from ${store.historyStart}`];
  for (let asOf = store.historyStart; asOf <= store.lastTimestamp + 1n; asOf++) {
    for await (const { columns, length } of store.scan({ asOf })) {
      for (let i = 0; i < length; i++) {
        lines.push([asOf, ...columns.map((column) => column.get(i))].join("|"));
      }
    }
  }
  return lines.join("\n");
}

interface Report {
  readonly outcomes: CutStores["outcomes"];
  readonly faults: string[];
}

interface States {
  readonly old: string;
  readonly fresh: string;
}

/** The rows must be those before or after the change, and the store must take another write. */
async function judge(
  directory: MemoryDirectory,
  { old, fresh }: States,
  isFinished: boolean,
  next: Next,
  { outcomes }: Report,
): Promise<void> {
  const left = await rowsOf(directory);
  if (left !== old && left !== fresh) {
    throw new RangeError("other rows than before and after");
  }
  if (isFinished && left !== fresh) {
    throw new RangeError("a finished change is lost");
  }
  outcomes[left === fresh ? "after" : "before"]++;
  if (left === "none") {
    await create(directory, next, true);
  } else {
    await upsert(directory, next);
  }
  await using store = await openTableStore(directory);
  const named = ["rowset.json", ...store.files.flat().map(({ file }) => file)].sort().join();
  if ([...(await directory.list())].sort().join() !== named) {
    throw new RangeError("files are left over after the next write");
  }
}

async function cutChange(
  name: string,
  { prepare, act }: { prepare: Change; act: Change },
  count: number,
  next: Next,
  report: Report,
): Promise<void> {
  const first = new MemoryDirectory("first");
  await prepare(first, next);
  const before = first.snapshot();
  const operations: DirectoryOperation[] = [];
  const recorded = new MemoryDirectory("recorded", {
    files: before,
    onOperation: (operation) => {
      operations.push(operation);
    },
  });
  const seed = next(SEEDS);
  await act(recorded, randomNumbers(seed));
  const states = { old: await rowsOf(first), fresh: await rowsOf(recorded) };
  for (let cut = 0; cut < count; cut++) {
    const at = next(operations.length + 1);
    const files = afterCut(before, operations.slice(0, at), next, true);
    try {
      const left = new MemoryDirectory("left", { files });
      await judge(left, states, at === operations.length, next, report);
    } catch (error) {
      report.faults.push(`${name}, after ${at} of ${operations.length} operations: ${error}`);
    }
  }
  for (let failure = 0; failure < FAILURES_PER_CHANGE; failure++) {
    const at = next(operations.length);
    try {
      const { files, isFinished } = await failing(
        before,
        (directory) => act(directory, randomNumbers(seed)),
        at,
      );
      await judge(new MemoryDirectory("left", { files }), states, isFinished, next, report);
    } catch (error) {
      report.faults.push(`${name}, operation ${at} of ${operations.length} fails: ${error}`);
    }
  }
}

/** The files that remain when one operation fails. */
async function failing(
  before: Files,
  act: (directory: MemoryDirectory) => Promise<unknown>,
  at: number,
): Promise<{ files: Files; isFinished: boolean }> {
  let left = at;
  const failure = new Error("the disk failed");
  const directory = new MemoryDirectory("failing", {
    files: before,
    onOperation: () => {
      if (left-- === 0) {
        throw failure;
      }
    },
  });
  const isFinished = await act(directory).then(
    () => true,
    (error: unknown) => {
      if (error !== failure && !isCFileError(error)) {
        throw error;
      }
      return false;
    },
  );
  return { files: directory.snapshot(), isFinished };
}

/** @param count power cuts per kind of change */
export async function cutTableStores(seed: number, count: number): Promise<CutStores> {
  const report: Report = { outcomes: { before: 0, after: 0 }, faults: [] };
  let failures = 0;
  const cuts: Record<string, number> = {};
  for (const [i, [name, change]] of Object.entries(CHANGES).entries()) {
    const next = randomNumbers(seed + i);
    for (let done = 0; done < count; done += CUTS_PER_CHANGE) {
      await cutChange(name, change, Math.min(CUTS_PER_CHANGE, count - done), next, report);
      failures += FAILURES_PER_CHANGE;
    }
    cuts[name] = count;
  }
  return { cuts, failures, ...report };
}
