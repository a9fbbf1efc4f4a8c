import { CFileError } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import { IndexTree } from "../src/index.js";
import { IndexTreeBuilder } from "../src/write.js";
import { BlockStore } from "./stored-tree.js";

/** For two-byte keys: an ascending group number, and a member number in any order. */
const orderedKeyEnd = (_bytes: Uint8Array, start: number, end: number): number => Math.min(start + 1, end);

const keys = Array.from({ length: 300 }, (_, i) => Uint8Array.of(i >>> 2, 255 - i));

function build(entries: readonly Uint8Array[]) {
  const store = new BlockStore();
  const builder = new IndexTreeBuilder({
    indexBlockSize: 100,
    writeBlock: (bytes) => store.put(bytes),
    orderedKeyEnd,
  });
  for (const [i, key] of entries.entries()) {
    builder.append(key, { offset: 16 + i, size: 1 });
  }
  return { root: builder.finish(), store };
}

describe("keys that ascend only by their prefix", () => {
  it("are found by their prefix: the last entry before it", async () => {
    const { root, store } = build(keys);
    const tree = new IndexTree({ root, kind: "validx", load: (at) => store.load(at), orderedKeyEnd });
    for (let group = 1; group < 75; group++) {
      const cursor = await tree.seekAtOrBefore(Uint8Array.of(group));
      expect(cursor?.pointer.offset).toBe(16 + 4 * group - 1);
    }
    expect(await tree.seekAtOrBefore(Uint8Array.of(0))).toBeUndefined();
  });

  it("are rejected without orderedKeyEnd, and when the prefixes descend", async () => {
    const { root, store } = build(keys);
    const strict = new IndexTree({ root, kind: "validx", load: (at) => store.load(at) });
    await expect(strict.first()).rejects.toMatchObject({ code: "E_CORRUPT", field: "key" });
    expect(() => build([Uint8Array.of(2, 0), Uint8Array.of(1, 9)])).toThrow(CFileError);
  });
});
