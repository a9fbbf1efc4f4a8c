/** A row set with all kinds of files, small enough to be mutated ten thousand times. */
import { MemoryDirectory } from "@cfile/io";
import type { RowSetSchema } from "@cfile/rowset";
import { createTableStore, openTableStore } from "@cfile/rowset/store";

export const SMALL_SCHEMA: RowSetSchema = {
  columns: [
    { id: 1, name: "a", type: "INT32", nullable: false, array: false, isKey: true },
    { id: 2, name: "b", type: "STRING", nullable: false, array: false, isKey: true },
    { id: 3, name: "n", type: "INT64", nullable: true, array: false, isKey: false, compression: "LZ4" },
    { id: 4, name: "s", type: "STRING", nullable: true, array: false, isKey: false },
    { id: 5, name: "l", type: "INT16", nullable: true, array: true, isKey: false },
  ],
};

export interface SmallRowSet {
  readonly manifest: Uint8Array;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

let made: Promise<SmallRowSet> | undefined;

export function smallRowSet(): Promise<SmallRowSet> {
  made ??= makeRowSet();
  return made;
}

async function makeRowSet(): Promise<SmallRowSet> {
  const directory = new MemoryDirectory("row set");
  {
    await using creation = await createTableStore(directory, SMALL_SCHEMA, { timestamp: 10n });
    await creation.appendRows(
      Array.from({ length: 60 }, (_, i) => [
        i >> 2,
        `b${i & 3}`,
        i % 7 === 0 ? null : BigInt(i),
        `s${i}`,
        [i],
      ]),
    );
    await creation.finish();
  }
  {
    await using handle = await openTableStore(directory);
    await handle.update([{ a: 2, b: "b1", s: null }], 20n);
    await handle.delete([[3, "b0"]], 30n);
    await handle.compact();
    await handle.upsert([[2, "b2", 5n, "later", null]], 40n);
    await handle.insert([[99, "new", null, null, [1, 2]]], 50n);
  }
  const files = directory.snapshot();
  return { files, manifest: files.get("rowset.json") ?? new Uint8Array(0) };
}
