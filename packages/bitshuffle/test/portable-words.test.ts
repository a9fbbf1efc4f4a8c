import { ByteBuilder, MemoryArena } from "@cfile/bytes";
import { randomNumbers } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { portableShuffle } from "../src/encode.js";
import { ChunkStream, portableBitshuffle } from "../src/index.js";

describe("32-bit words", () => {
  it.each([
    [1, 200],
    [2, 60_000],
    [4, 2 ** 31 - 1],
  ])("are written with %i bytes each, and read again in several chunks", (size, limit) => {
    const random = randomNumbers(size);
    const count = 10_000;
    const words = Uint32Array.from({ length: count }, () => random(limit));
    const out = new ByteBuilder();
    expect(portableShuffle.encodeWords(new Uint8Array(words.buffer), count, out)).toBe(size);
    const bytes = out.finish();
    const stream = new ChunkStream(bytes, 0, bytes.length, size, count);
    const { codes, largest } = portableBitshuffle.decodeWords(stream, new MemoryArena());
    expect([...codes]).toEqual([...words]);
    expect(largest).toBe(Math.max(...words));
    const elements = new Uint8Array(size * count);
    portableBitshuffle.decodeAll(stream, elements);
    const narrow = size === 1 ? Uint8Array : size === 2 ? Uint16Array : Uint32Array;
    expect([...new narrow(elements.buffer)]).toEqual([...words]);
  });

  it.each([1, 2, 4, 8])("of %i bytes that are all the same are read again", (size) => {
    const count = 512;
    for (const value of [0, 0x01, 0xff]) {
      const elements = new Uint8Array(size * count);
      for (let i = 0; i < count; i++) {
        // Only the upper half is constant in the second round.
        elements[i * size] = value === 1 ? i : value;
        elements[i * size + size - 1] = value;
      }
      const out = new ByteBuilder();
      portableShuffle.encode(elements, size, count, out);
      const bytes = out.finish();
      const read = new Uint8Array(elements.length);
      new ChunkStream(bytes, 0, bytes.length, size, count).decodeChunks(read);
      expect([...read]).toEqual([...elements]);
    }
  });
});
