/** Crashes after every single directory operation; what was not synced is lost, kept, or partly kept. */

import type { CellValue } from "@cfile/encodings";
import { type DirectoryOperation, MemoryDirectory } from "@cfile/io";
import { expectSame } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import type { RowSetSchema } from "../src/index.js";
import { createTableStore, openTableStore, type TableStore } from "../src/store.js";

const schema: RowSetSchema = {
  columns: [
    { id: 1, name: "k", type: "INT32", nullable: false, array: false, isKey: true },
    { id: 2, name: "v", type: "STRING", nullable: true, array: false, isKey: false },
  ],
};

type Files = ReadonlyMap<string, Uint8Array>;

/**
 * The files that a crash after these operations may leave. Bytes are safe once their file is closed, names once they are synced. For other
 * names, `survives` says which operations reached the disk.
 */
function filesAfterCrash(
  before: Files,
  operations: readonly DirectoryOperation[],
  survives: (unsynced: number) => boolean,
): Files {
  const files = new Map(before);
  const contents = new Map<string, Uint8Array>();
  let unsynced: (() => void)[] = [];
  const name = (file: string, to: string): void => {
    const content = contents.get(file) ?? new Uint8Array(0);
    contents.set(to, content);
    unsynced.push(() => {
      if (file !== to) {
        files.delete(file);
      }
      files.set(to, content);
    });
  };
  for (const operation of operations) {
    switch (operation.kind) {
      case "create":
        contents.set(operation.file, Uint8Array.of(0x6b));
        name(operation.file, operation.file);
        break;
      case "write":
        break;
      case "close":
        contents.set(operation.file, operation.content);
        name(operation.file, operation.file);
        break;
      case "rename":
        contents.set(
          operation.file,
          contents.get(operation.file) ?? before.get(operation.file) ?? new Uint8Array(0),
        );
        name(operation.file, operation.to);
        break;
      case "remove":
        unsynced.push(() => files.delete(operation.file));
        break;
      case "sync":
        for (const apply of unsynced) {
          apply();
        }
        unsynced = [];
        break;
    }
  }
  unsynced.forEach((apply, i) => {
    if (survives(i)) {
      apply();
    }
  });
  return files;
}

/** Returns whether files with these names and contents were seen before. */
function identities(): { readonly isNew: (files: Files) => boolean } {
  const numbers = new Map<Uint8Array, number>();
  const seen = new Set<string>();
  const numberOf = (content: Uint8Array): number => {
    const number = numbers.get(content) ?? numbers.size;
    numbers.set(content, number);
    return number;
  };
  return {
    isNew: (files) => {
      const name = [...files].map(([file, content]) => `${file} ${numberOf(content)}`).sort();
      const size = seen.size;
      return seen.add(name.join()).size > size;
    },
  };
}

async function rowsOf(directory: MemoryDirectory): Promise<CellValue[][] | undefined> {
  let handle: TableStore;
  try {
    handle = await openTableStore(directory);
  } catch (error) {
    expect(error).toMatchObject({ code: "E_NOT_FOUND" });
    expect(await directory.list()).not.toContain("rowset.json");
    return undefined;
  }
  // Compaction changes files, but no rows.
  const rows: CellValue[][] = [handle.files.map((files) => files.length)];
  for (const asOf of [2n ** 64n - 1n, 15n, 25n, 35n]) {
    if (asOf >= handle.historyStart) {
      for await (const batch of handle.scan({ asOf })) {
        for (let i = 0; i < batch.length; i++) {
          rows.push([asOf, ...batch.columns.map((cells) => cells.get(i) ?? null)]);
        }
      }
    }
  }
  await handle.close();
  return rows;
}

const numbers = Array.from({ length: 1600 }, (_, i) => (i * 7919) % 1600);

async function fill(directory: MemoryDirectory, sorted: boolean): Promise<void> {
  const keys = sorted ? numbers.toSorted((left, right) => left - right) : numbers;
  await using writer = await createTableStore(directory, schema, {
    sorted,
    memoryBytes: 65536,
    timestamp: 10n,
  });
  for (let i = 0; i < keys.length; i += 500) {
    await writer.appendRows(keys.slice(i, i + 500).map((k) => ({ k, v: `value ${k % 17}` })));
  }
  await writer.finish();
}

async function changed(
  directory: MemoryDirectory,
  change: (handle: TableStore) => Promise<unknown>,
): Promise<void> {
  await using handle = await openTableStore(directory);
  await change(handle);
}

const small = async (directory: MemoryDirectory): Promise<void> => {
  await using writer = await createTableStore(directory, schema, { timestamp: 10n });
  await writer.appendRows([1, 2, 3, 4].map((k) => [k, `first ${k}`]));
  await writer.finish();
};
const changedTwice = async (directory: MemoryDirectory): Promise<void> => {
  await small(directory);
  await changed(directory, async (handle) => {
    await handle.update([{ k: 2, v: "second" }], 20n);
    await handle.delete([[3]], 20n);
    await handle.upsert(
      [
        [3, "again"],
        [4, "third"],
        [9, "new"],
      ],
      30n,
    );
  });
};

interface Step {
  readonly name: string;
  readonly prepare: (directory: MemoryDirectory) => Promise<void>;
  readonly act: (directory: MemoryDirectory) => Promise<void>;
}

const steps: readonly Step[] = [
  { name: "creating, rows sorted", prepare: async () => {}, act: (directory) => fill(directory, true) },
  {
    name: "creating, with spilled runs",
    prepare: async () => {},
    act: (directory) => fill(directory, false),
  },
  {
    name: "updating",
    prepare: small,
    act: (directory) =>
      changed(directory, (handle) =>
        handle.update(
          [
            { k: 1, v: null },
            { k: 4, v: "x" },
          ],
          20n,
        ),
      ),
  },
  {
    name: "deleting",
    prepare: small,
    act: (directory) => changed(directory, (handle) => handle.delete([[2]], 20n)),
  },
  {
    name: "upserting",
    prepare: changedTwice,
    act: (directory) =>
      changed(directory, (handle) =>
        handle.upsert(
          [
            [1, "a"],
            [3, "b"],
            [7, "c"],
          ],
          30n,
        ),
      ),
  },
  {
    name: "compacting",
    prepare: changedTwice,
    act: (directory) => changed(directory, (handle) => handle.compact()),
  },
  {
    name: "dropping history",
    prepare: async (directory) => {
      await changedTwice(directory);
      await changed(directory, (handle) => handle.compact());
    },
    act: (directory) => changed(directory, (handle) => handle.dropHistoryBefore(25n)),
  },
];

describe.each(steps)("$name", ({ prepare, act }) => {
  const record = async (): Promise<{ before: Files; operations: DirectoryOperation[]; after: Files }> => {
    const first = new MemoryDirectory("first");
    await prepare(first);
    const operations: DirectoryOperation[] = [];
    const directory = new MemoryDirectory("recorded", {
      files: first.snapshot(),
      onOperation: (operation) => {
        operations.push(operation);
      },
    });
    await act(directory);
    return { before: first.snapshot(), operations, after: directory.snapshot() };
  };

  it("leaves the old or the new state after any crash, and nothing else after the next write", async () => {
    const { before, operations, after } = await record();
    const old = await rowsOf(new MemoryDirectory("old", { files: before }));
    const changedRows = await rowsOf(new MemoryDirectory("new", { files: after }));
    expect(changedRows).not.toEqual(old);
    const seen = new Set<string>();
    const variants: ((unsynced: number) => boolean)[] = [
      () => false,
      () => true,
      (unsynced) => unsynced % 2 === 0,
      (unsynced) => unsynced % 2 === 1,
    ];
    const identity = identities();
    for (let stop = 0; stop <= operations.length; stop++) {
      for (const survives of variants) {
        const files = filesAfterCrash(before, operations.slice(0, stop), survives);
        // Many crashes leave identical files.
        if (!identity.isNew(files)) {
          continue;
        }
        const directory = new MemoryDirectory("after the crash", { files });
        const rows = await rowsOf(directory);
        const isOld = JSON.stringify(rows, plain) === JSON.stringify(old, plain);
        seen.add(isOld ? "old" : "new");
        expectSame(rows, isOld ? old : changedRows);
        if (rows !== undefined) {
          await changed(directory, (handle) => handle.upsert([[100, "after"]], 40n));
          const handle = await openTableStore(directory);
          const named = handle.files.flat().map(({ file }) => file);
          expectSame([...(await directory.list())].sort(), [...named, "rowset.json"].sort());
        }
      }
    }
    expect(seen).toEqual(new Set(["old", "new"]));
  });

  it("leaves the old or the new state when the directory fails, and can continue", async () => {
    const { before, operations, after } = await record();
    const old = await rowsOf(new MemoryDirectory("old", { files: before }));
    const changedRows = await rowsOf(new MemoryDirectory("new", { files: after }));
    for (let failing = 0; failing < operations.length; failing++) {
      let count = 0;
      const directory = new MemoryDirectory("failing", {
        files: before,
        onOperation: () => {
          if (count++ === failing) {
            throw new Error("the disk failed");
          }
        },
      });
      const isRefused = await act(directory).then(
        () => false,
        () => true,
      );
      const rows = await rowsOf(directory);
      expect(rows).toEqual(
        isRefused && JSON.stringify(rows, plain) === JSON.stringify(old, plain) ? old : changedRows,
      );
      if (rows === undefined) {
        expect([...(await directory.list())]).toEqual([]);
      }
    }
  });
});

function plain(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
