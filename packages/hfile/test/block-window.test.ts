/** Which requests are sent for data blocks that are read in order. */
import { DEFAULT_LIMITS } from "@cfile/bytes";
import { type ByteRange, memorySource } from "@cfile/io";
import { describe, expect, it } from "vitest";
import { BlockLoader } from "../src/blocks/block-loader.js";
import { BlockWindow, type BlockWindowOptions } from "../src/blocks/block-window.js";
import { IndexNode } from "../src/index/index-node.js";

const KIB = 1024;
const BLOCK = 16 * KIB;

interface Layout {
  readonly count: number;
  /** Bytes before a block. */
  readonly gapBefore: (entry: number) => number;
  readonly maxStoredBlockSize?: number;
  /** Where reads fail. */
  readonly damaged?: number;
  readonly missingBytes?: number;
}

function windowOn(layout: Layout, options: BlockWindowOptions) {
  const { count, gapBefore, damaged = -1, missingBytes = 0 } = layout;
  const node = new IndexNode(new Uint8Array(0), count);
  let end = 0;
  for (let i = 0; i < count; i++) {
    end += gapBefore(i);
    node.offsets[i] = end;
    node.sizes[i] = BLOCK;
    end += BLOCK;
  }
  end -= missingBytes;
  const bytes = Uint8Array.from({ length: end }, (_, i) => (i >> 9) + 3 * (i >> 17));
  const memory = memorySource(bytes, "blocks");
  const requests: ByteRange[] = [];
  const source = {
    ...memory,
    name: "blocks",
    size: () => Promise.resolve(end),
    read: async (offset: number, length: number) => {
      requests.push({ offset, length });
      if (damaged >= offset && damaged < offset + length) {
        throw new RangeError("damaged");
      }
      return bytes.slice(offset, offset + length);
    },
  };
  const limits = { ...DEFAULT_LIMITS, maxStoredBlockSize: layout.maxStoredBlockSize ?? 1 << 30 };
  const window = new BlockWindow(
    new BlockLoader(source, { codec: "NONE", checksums: true, limits, end }),
    options,
  );
  const read = async (entry: number, last = count - 1): Promise<void> => {
    const { offset, size } = node.location(entry);
    expect(await window.read(node, entry, last, {})).toEqual(bytes.subarray(offset, offset + size));
  };
  return { read, requests, lengths: () => requests.map(({ length }) => length / KIB) };
}

const adjacent = () => 0;
/** As in a file of HBase with a Bloom filter. */
const someBetween = (entry: number) => (entry % 5 === 4 ? 2 * KIB : 0);

describe("requests for blocks in order", () => {
  it.each([
    ["adjacent", adjacent],
    ["with other blocks between them", someBetween],
  ])("grow for blocks that are %s", async (_name, gapBefore) => {
    const { read, lengths } = windowOn({ count: 300, gapBefore }, {});
    for (let entry = 0; entry < 300; entry++) {
      await read(entry);
    }
    expect(lengths()[0]).toBe(64);
    expect(lengths().length).toBeLessThan(11);
    expect(Math.max(...lengths())).toBeGreaterThan(1000);
    expect(Math.max(...lengths())).toBeLessThanOrEqual(1024);
  });

  it("do not span a large gap, and begin small after a jump", async () => {
    const gapBefore = (entry: number) => (entry === 40 ? 65 * KIB : 0);
    const { read, lengths } = windowOn({ count: 150, gapBefore }, {});
    for (let entry = 0; entry < 41; entry++) {
      await read(entry);
    }
    expect(lengths()).toEqual([64, 128, 256, 192, 1024]);
    for (const entry of [140, 3, 8]) {
      await read(entry);
    }
    expect(lengths().slice(5)).toEqual([64, 64, 64]);
  });

  it("are sent before their blocks are needed, once the second one was", async () => {
    const { read, requests, lengths } = windowOn({ count: 300, gapBefore: someBetween }, { isAhead: true });
    await read(0);
    await read(3);
    expect(lengths()).toEqual([64]);
    await read(4);
    expect(requests.length).toBe(3);
    for (let entry = 5; entry < 300; entry++) {
      await read(entry);
    }
    // No byte is read twice.
    requests.forEach(({ offset, length }, i) => {
      expect(offset + length).toBeLessThanOrEqual(requests[i + 1]?.offset ?? offset + length);
    });
    expect(requests.length).toBeLessThan(11);
  });

  it("end at the last entry", async () => {
    const { read, requests } = windowOn({ count: 100, gapBefore: adjacent }, { isAhead: true });
    for (let entry = 0; entry <= 12; entry++) {
      await read(entry, 12);
    }
    expect(requests).toEqual([
      { offset: 0, length: 4 * BLOCK },
      { offset: 4 * BLOCK, length: 8 * BLOCK },
      { offset: 12 * BLOCK, length: BLOCK },
    ]);
  });

  it("fail when their blocks are needed", async () => {
    const { read, requests } = windowOn(
      { count: 100, gapBefore: adjacent, damaged: 20 * BLOCK },
      { isAhead: true },
    );
    for (let entry = 0; entry < 12; entry++) {
      await read(entry);
    }
    expect(requests).toHaveLength(3);
    await expect(read(12)).rejects.toMatchObject({ code: "E_IO" });
  });

  it("are within the limit for a block, and within the file", async () => {
    const layout = { count: 20, gapBefore: adjacent, maxStoredBlockSize: 3 * BLOCK, missingBytes: 1 };
    const { read, requests } = windowOn(layout, { isAhead: true });
    for (let entry = 0; entry < 19; entry++) {
      await read(entry);
    }
    expect(Math.max(...requests.map(({ length }) => length))).toBe(3 * BLOCK);
    await expect(read(19)).rejects.toMatchObject({ code: "E_CORRUPT" });
  });
});
