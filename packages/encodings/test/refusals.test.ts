/** Input that encoders and decoders refuse, and sizes at which they take a different path. */
import { ByteBuilder } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import { writeCountHeader } from "../src/codecs/headers/count-header.js";
import { rleType } from "../src/codecs/rle/rle-block.js";
import { encodeIntegerKey } from "../src/keys/key.js";
import { textsOfStrings } from "../src/types/text-cells.js";
import { createBlockBuilder, openBlock } from "./loaded-encodings.js";
import { vectorOfCells } from "./random-values.js";
import { cellsOf } from "./vectors.js";

it.each(["FLOAT", "DOUBLE", "INT128", "BINARY"] as const)("%s has no RLE encoding", (physical) => {
  expect(() => rleType(physical)).toThrow(
    expect.objectContaining({ code: "E_UNSUPPORTED", field: "encoding" }),
  );
});

it.each([-1, 0.5, 2 ** 32])("a block of %d values has no header", (count) => {
  expect(() => writeCountHeader(new ByteBuilder(), count, 0)).toThrow(
    expect.objectContaining({ code: "E_INVALID_ARGUMENT", field: "value count" }),
  );
});

it.each([
  ["INT32", 8],
  ["STRING", 4],
] as const)("%s has no integer key of %d bytes", (type, length) => {
  expect(() => encodeIntegerKey(type, 1, new Uint8Array(length))).toThrow(
    expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
  );
});

describe("a bitshuffle block of several chunks", () => {
  it("is decoded at once when more than a chunk is requested, and chunk by chunk otherwise", () => {
    const cells = Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 100_003);
    const builder = createBlockBuilder("INT32", "BIT_SHUFFLE", { blockSize: 1 << 20 });
    builder.add(vectorOfCells("INT32", cells), 0, cells.length);
    const bytes = builder.finish(0);
    expect(cellsOf(openBlock("INT32", "BIT_SHUFFLE", bytes).decode(0, 20_000))).toEqual(cells);
    const block = openBlock("INT32", "BIT_SHUFFLE", bytes);
    expect(cellsOf(block.decode(9_000, 9_010))).toEqual(cells.slice(9_000, 9_010));
    expect(cellsOf(block.decode(0, 20_000))).toEqual(cells);
  });
});

it("text of more than 16 MiB is decoded row by row", () => {
  const half = 9 << 20;
  const data = new Uint8Array(2 * half).fill(0x61);
  const [first, second] = textsOfStrings({
    kind: "binary",
    length: 2,
    offsets: Int32Array.of(0, half, 2 * half),
    data,
  });
  expect([first?.length, second?.length]).toEqual([half, half]);
  expect(second?.endsWith("aaa")).toBe(true);
});
