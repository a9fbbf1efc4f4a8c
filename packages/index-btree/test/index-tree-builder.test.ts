import { type BlockLocation, crc32c, fromHex, toHex } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import { encodePositionalKey } from "../src/index.js";
import { IndexTreeBuilder } from "../src/write.js";
import { type GoldenIndex, goldenIndexes, goldenMultiLevelIndexes } from "./golden.js";
import { storedTree } from "./stored-tree.js";

/** Rebuilds the tree from its leaf entries, and checks the bytes, offset and order of every block. */
function rebuilt({ tree, root, indexBlockSize, blockAt }: GoldenIndex): number {
  const expected = tree.index_blocks.toSorted((a, b) => a.offset - b.offset);
  let written = 0;
  const builder = new IndexTreeBuilder({
    indexBlockSize,
    writeBlock: (bytes) => {
      const block = expected[written++];
      expect(block, "one block more than Kudu wrote").toBeDefined();
      const { offset = 0, size = 0 } = block ?? {};
      expect(toHex(bytes)).toBe(toHex(blockAt(offset, size)));
      return { offset, size };
    },
  });
  for (const { key, offset, size } of tree.entries) {
    expect(expected.filter((block) => block.offset < offset).length).toBe(written);
    builder.append(fromHex(key), { offset, size });
  }
  expect(builder.finish()).toEqual(root);
  expect(written).toBe(expected.length);
  return written;
}

describe("IndexTreeBuilder", () => {
  it.each(goldenMultiLevelIndexes.map((index) => [index.name, index.kind, index] as const))(
    "writes the index blocks of %s, %s, at Kudu's offsets",
    (_, __, index) => {
      rebuilt(index);
    },
  );

  it("writes the index blocks of all golden files, some of them with many levels", () => {
    expect(goldenIndexes.reduce((blocks, index) => blocks + rebuilt(index), 0)).toBeGreaterThan(800);
    expect(Math.max(...goldenIndexes.map(({ tree }) => tree.levels))).toBeGreaterThanOrEqual(6);
  });

  it("matches the specification's example", () => {
    // The file's bytes from 0x10 to the footer.
    const expected =
      "010000000000000000000000" +
      "6d61111a" +
      "010000000100000001000000" +
      "f2b6688e" +
      "010000000200000002000000" +
      "a2b80e37" +
      "0400000000101004000000012010040000000230100000000007000000" +
      "0e000000" +
      "0803100004000000" +
      "0c226904" +
      "010000000300000003000000" +
      "3d6f77a3" +
      "010000000400000004000000" +
      "f3d22e40" +
      "04000000036d1004000000047d1000000000070000000802100004000000" +
      "9d81d83a" +
      "0400000000402d04000000038d0122000000000700000008021001040000" +
      "00" +
      "01a9eedc";
    const file: Uint8Array[] = [];
    let position = 16;
    const write = (content: Uint8Array): BlockLocation => {
      const block = new Uint8Array(content.length + 4);
      block.set(content);
      new DataView(block.buffer).setUint32(content.length, crc32c(content), true);
      const offset = position;
      file.push(block);
      position += block.length;
      return { offset, size: block.length };
    };
    const builder = new IndexTreeBuilder({ indexBlockSize: 40, writeBlock: write });
    for (let row = 0; row < 5; row++) {
      const block = new Uint8Array(Uint32Array.of(1, row, row).buffer);
      builder.append(encodePositionalKey(row), write(block));
    }
    expect(builder.finish()).toEqual({ offset: 175, size: 35 });
    expect(Buffer.concat(file).toString("hex")).toBe(expected);
  });

  it("writes an empty leaf for a tree without entries", () => {
    const { store, root } = storedTree([], 100);
    expect(root).toEqual({ offset: 16, size: 8 });
    expect(toHex(store.load(root))).toBe("0800100004000000");
  });

  it("puts at least two entries into every full block, even with a tiny block size", async () => {
    const keys = Array.from({ length: 9 }, (_, i) => encodePositionalKey(i));
    const { store, root } = storedTree(keys, 0.5);
    const last = await store.tree(root).last();
    expect(toHex(last?.key ?? new Uint8Array(0))).toBe("00000008");
  });

  it("copies the caller's key", async () => {
    const key = fromHex("61");
    const { store, root } = storedTree([key], 100);
    key[0] = 0x62;
    expect(toHex((await store.tree(root).first())?.key ?? new Uint8Array(0))).toBe("61");
  });

  const builder = (options = {}): IndexTreeBuilder =>
    new IndexTreeBuilder({ indexBlockSize: 100, writeBlock: () => ({ offset: 16, size: 8 }), ...options });
  const pointer = { offset: 16, size: 100 };

  it("accepts repeated keys and rejects descending ones", () => {
    const tree = builder();
    tree.append(fromHex("61"), pointer);
    tree.append(fromHex("61"), pointer);
    for (const hex of ["60", ""]) {
      expect(() => tree.append(fromHex(hex), pointer)).toThrow(
        expect.objectContaining({ code: "E_INVALID_ARGUMENT", field: "key" }),
      );
    }
    tree.append(fromHex("6100"), pointer);
  });

  it("rejects keys that exceed the limit of readers", () => {
    const tree = builder({ limits: { maxKeyLength: 3 } });
    tree.append(fromHex("616263"), pointer);
    expect(() => tree.append(fromHex("61626364"), pointer)).toThrow(
      expect.objectContaining({ code: "E_LIMIT", field: "key", expected: 3, actual: 4 }),
    );
    expect(() => builder().append(new Uint8Array(2 ** 20 + 1), pointer)).toThrow(
      expect.objectContaining({ code: "E_LIMIT" }),
    );
  });

  it.each([0, -1, Number.NaN])("rejects an index block size of %d", (indexBlockSize) => {
    expect(() => builder({ indexBlockSize })).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT", field: "indexBlockSize" }),
    );
  });

  it("rejects calls after finish()", () => {
    const tree = builder();
    tree.finish();
    const invalid = expect.objectContaining({ code: "E_INVALID_ARGUMENT" });
    expect(() => tree.finish()).toThrow(invalid);
    expect(() => tree.append(fromHex("61"), pointer)).toThrow(invalid);
  });
});
