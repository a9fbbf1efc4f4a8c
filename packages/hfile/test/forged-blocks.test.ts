/** Blocks and index entries that contradict each other, in files without checksums; and blocks of Bloom filters. */
import { ByteBuilder, concatBytes } from "@cfile/bytes";
import { memorySource } from "@cfile/io";
import { describe, expect, it } from "vitest";
import { DataBlocks } from "../src/blocks/data-blocks.js";
import { readBloomMeta } from "../src/file/bloom-meta.js";
import { HFILE_LIMITS, readFileStructure } from "../src/file/file-structure.js";
import { parseIndexNode } from "../src/index/index-node.js";
import { openHFile } from "../src/index.js";
import { recoverHFile } from "../src/recover.js";
import { goldenFiles } from "./golden.js";
import { numberedEntries, writeFile } from "./sorted-files.js";
import { storedBlocks } from "./stored-blocks.js";

const HEADER = 33;
const TRAILER = 4096;
const entries = numberedEntries(3000);
const bytes = await writeFile(entries, { checksums: "NULL", blockSize: 256, indexBlockSize: 128 });
const blocks = await storedBlocks(bytes);
const structure = await readFileStructure(memorySource(bytes));

/** A block without a body. */
function emptyBlock(magic: string): Uint8Array {
  const out = new ByteBuilder();
  out.append(new TextEncoder().encode(magic));
  out.append(new Uint8Array(8));
  out.append(new Uint8Array(8).fill(255));
  out.u8(0);
  out.u32be(16384);
  out.u32be(HEADER);
  return out.finish();
}

describe("a block that is read", () => {
  it("must be of a kind that belongs there", () => {
    const [{ offset, size } = { offset: 0, size: 0 }] = blocks;
    const location = { offset, size };
    expect(() => structure.loader.open(bytes.subarray(0, size), location, ["meta"])).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "block magic", expected: "meta", actual: "data" }),
    );
  });

  it("must have cells", () => {
    const data = new DataBlocks(structure, 0);
    const location = { offset: 0, size: HEADER };
    const entry = { location, node: structure.dataIndex, entry: 0 };
    const none = expect.objectContaining({ code: "E_CORRUPT", field: "cells", block: location });
    const block = emptyBlock("DATABLK*");
    expect(() => data.decode(block, entry)).toThrow(none);
    expect(() => data.walk(block, entry, () => expect.unreachable())).toThrow(none);
  });

  it("must have its rows in order, in lookups of many rows, too", async () => {
    const forged = bytes.slice();
    const [block] = blocks;
    // The last row of the first block.
    const at = Buffer.from(forged.buffer).lastIndexOf("key-", (block?.size ?? 0) - 1);
    forged.set(new TextEncoder().encode("aaa"), at);
    const reader = await openHFile(forged);
    const rows = entries.slice(0, 10).map(({ row }) => row);
    await expect(reader.getMany(rows)).rejects.toMatchObject({ code: "E_CORRUPT", block: { offset: 0 } });
  });
});

/** A node of the index: offsets of entries, then entries with a block's offset, its size and a key. */
function node(starts: readonly number[], ...keys: readonly (readonly number[])[]): Uint8Array {
  const out = new ByteBuilder();
  out.u32be(keys.length);
  for (const start of starts) {
    out.u32be(start);
  }
  for (const key of keys) {
    out.u32be(0);
    out.u32be(0);
    out.u32be(HEADER);
    out.append(Uint8Array.from(key));
  }
  return out.finish();
}

describe("a node of the index", () => {
  const KEY = [0, 1, 97];

  it("has entries that follow each other", () => {
    expect(parseIndexNode(node([0, 15, 30], KEY, KEY), HFILE_LIMITS).length).toBe(2);
  });

  it.each([
    ["without entries", node([0]), "index entry count"],
    ["whose first entry starts later", node([1, 16], KEY), "index entry start"],
    ["with an entry of a negative length", node([0, 11], KEY), "index entry start"],
    ["with bytes after the last entry", node([0, 15, 29], KEY, KEY), "index key"],
    ["with a key that is too short for its row", node([0, 14], [0, 1]), "index key"],
    ["with a key without row length", node([0, 13], [0]), "index key"],
  ])("is refused %s", (_, body, field) => {
    expect(() => parseIndexNode(body, HFILE_LIMITS)).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field }),
    );
  });
});

describe("verification", () => {
  it("reports index entries that point back", async () => {
    const [first, second] = blocks.filter(({ kind }) => kind === "leaf index");
    const target = first && parseIndexNode(first.body, HFILE_LIMITS);
    const entry = second && parseIndexNode(second.body, HFILE_LIMITS).keyStarts[0];
    const forged = bytes.slice();
    const at = (second?.offset ?? 0) + HEADER + (entry ?? 0) - 12;
    const view = new DataView(forged.buffer);
    view.setBigUint64(at, BigInt(target?.offset(1) ?? 0));
    view.setUint32(at + 8, target?.size(1) ?? 0);
    const { problems } = await (await openHFile(forged)).verify();
    expect(problems).toContainEqual(
      expect.objectContaining({ reason: expect.stringContaining("points back"), field: "block offset" }),
    );
  });

  it("reports a block that ends too near to the end for another one", async () => {
    const forged = bytes.slice();
    const size = bytes.length - TRAILER - 12;
    const view = new DataView(forged.buffer);
    view.setUint32(8, size - HEADER);
    view.setUint32(29, size);
    const { problems } = await (await openHFile(forged)).verify();
    const block = { offset: size, size: 12 };
    expect(problems).toContainEqual(expect.objectContaining({ code: "E_TRUNCATED", block }));
  });

  it("counts all problems, but keeps a thousand", async () => {
    const forged = bytes.slice();
    const text = Buffer.from(forged.buffer);
    let row = 0;
    for (const { kind, offset, size } of blocks) {
      for (let at = text.indexOf("key-", offset); kind === "data" && at > 0 && at < offset + size; row++) {
        forged[at] = row % 2 === 0 ? 0x78 : 0x61;
        at = text.indexOf("key-", at + 1);
      }
    }
    const { problems, problemCount } = await (await openHFile(forged)).verify();
    expect(problems.length).toBe(1000);
    expect(problemCount).toBeGreaterThan(1400);
  });
});

describe("recovery", () => {
  async function rowsOf(file: Uint8Array): Promise<{ rows: number; lost: readonly unknown[] }> {
    const recovered = await recoverHFile(file);
    let rows = 0;
    for await (const batch of recovered.batches()) {
      rows += batch.length;
    }
    return { rows, lost: recovered.lost };
  }

  it("finds all cells if the trailer is damaged", async () => {
    const forged = bytes.slice();
    forged[bytes.length - 1] = 9;
    expect(await rowsOf(forged)).toMatchObject({ rows: entries.length });
  });

  it("finds all cells in front of a trailer that is cut", async () => {
    const { loadOnOpenOffset } = structure.trailer;
    const { rows, lost } = await rowsOf(bytes.subarray(0, loadOnOpenOffset + 5));
    expect(rows).toBe(entries.length);
    expect(lost).toMatchObject([{ offset: loadOnOpenOffset, size: 5 }]);
  });
});

describe("recovery after a damaged block", () => {
  it("stops at the trailer, even if that is damaged", async () => {
    const file = await writeFile(entries, {});
    const last = (await storedBlocks(file)).at(-1);
    const { offset = 0, size = 0 } = last ?? {};
    file[file.length - 1] = 9;
    file[offset + HEADER + 20] = 99;
    const recovered = await recoverHFile(file);
    for await (const _ of recovered.batches()) {
      // Only the losses count.
    }
    expect(recovered.lost).toMatchObject([
      { offset, size, code: "E_CHECKSUM" },
      { offset: offset + size, size: TRAILER },
    ]);
  });

  it("searches for the next block if the stated size leaves no room for another", async () => {
    const forged = bytes.slice();
    const size = bytes.length - TRAILER - 5;
    const view = new DataView(forged.buffer);
    view.setUint32(8, size - HEADER);
    view.setUint32(29, size);
    const recovered = await recoverHFile(forged);
    let rows = 0;
    for await (const batch of recovered.batches()) {
      rows += batch.length;
    }
    const [first] = blocks;
    expect(recovered.lost).toMatchObject([{ offset: 0, size: first?.size }]);
    expect(rows).toBeGreaterThan(entries.length - 10);
  });
});

describe("the metadata of Bloom filters", () => {
  it("is found by its kind, or not at all", async () => {
    const found = new Set<string>();
    for (const golden of goldenFiles) {
      const reader = await openHFile(golden.bytes);
      const kinds = (await storedBlocks(golden.bytes)).map(({ kind }) => kind);
      for (const kind of ["general bloom meta", "delete family bloom meta"] as const) {
        const meta = reader.bloomMeta(kind);
        expect(meta !== undefined, golden.name).toBe(kinds.includes(kind));
        found.add(`${kind} ${meta !== undefined}`);
      }
    }
    expect([...found]).toContain("general bloom meta false");
  });

  it("may follow other blocks", () => {
    const after = [emptyBlock("BLMFMET2"), emptyBlock("DFBLMET2")];
    const afterFileInfo = { offset: 1000, bytes: concatBytes(after) };
    const file = { ...structure, afterFileInfo };
    expect(readBloomMeta(file, "delete family bloom meta")).toEqual(new Uint8Array(0));
    expect(
      readBloomMeta(
        { ...file, afterFileInfo: { offset: 0, bytes: after[1] ?? bytes } },
        "general bloom meta",
      ),
    ).toBeUndefined();
  });
});
