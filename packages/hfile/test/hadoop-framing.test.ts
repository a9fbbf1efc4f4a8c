import { ByteReader, concatBytes } from "@cfile/bytes";
import { expect, test } from "vitest";
import { compressFramed, decompressFramed } from "../src/blocks/hadoop-framing.js";

test.each([
  [0, []],
  [1, [1]],
  [65_536, [65_536]],
  [65_537, [65_536, 1]],
  [200_000, [65_536, 65_536, 65_536, 3392]],
] as const)("frames a body of %i bytes in groups of one chunk each", (length, groups) => {
  const body = Uint8Array.from({ length }, (_, i) => i * i);
  // A fake codec that doubles the length.
  const framed = compressFramed(body, (group) => concatBytes([new Uint8Array(group.length), group]));
  const reader = new ByteReader(framed);
  for (const group of groups) {
    expect(reader.u32be("group length")).toBe(group);
    expect(reader.u32be("chunk length")).toBe(2 * group);
    reader.skip(2 * group, "chunk");
  }
  expect(reader.remaining).toBe(0);
  const output = new Uint8Array(length);
  decompressFramed(framed, output, (chunk, room) => {
    room.set(chunk.subarray(chunk.length / 2));
    return chunk.length / 2;
  });
  expect(Buffer.compare(output, body)).toBe(0);
});
