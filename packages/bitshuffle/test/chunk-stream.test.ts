import { ByteBuilder, fromHex, isCFileError, toHex } from "@cfile/bytes";
import { randomNumbers } from "@cfile-tools/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeChunks } from "../src/encode.js";
import { ChunkStream, chunkElements } from "../src/index.js";
import { bitshuffleVectors } from "./golden.js";

function encoded(
  elements: Uint8Array,
  elementSize: number,
  count = elements.length / elementSize,
): Uint8Array {
  const out = new ByteBuilder();
  encodeChunks(elements, elementSize, count, out);
  return out.finish();
}

function decoded(bytes: Uint8Array, elementSize: number, count: number): Uint8Array {
  const output = new Uint8Array(elementSize * count);
  new ChunkStream(bytes, 0, bytes.length, elementSize, count).decodeChunks(output);
  return output;
}

/** Elements with counters, small values and noise. */
function sampleElements(elementSize: number, count: number): Uint8Array {
  const elements = new Uint8Array(elementSize * count);
  const random = randomNumbers(1);
  for (let i = 0; i < count; i++) {
    elements[i * elementSize] = i;
    elements[i * elementSize + elementSize - 1] = random(i < count / 2 ? 4 : 256);
  }
  return elements;
}

describe("a chunk stream", () => {
  it.each(bitshuffleVectors)("of $name matches Kudu's bytes in both directions", (vector) => {
    expect(toHex(encoded(vector.padded, vector.elementSize))).toBe(toHex(vector.compressed));
    expect(toHex(decoded(vector.compressed, vector.elementSize, vector.paddedCount))).toBe(
      toHex(vector.padded),
    );
  });

  it.each([
    ["INT32 1..5", 4, 8, "0000000e4f1506180001000450" + "0000000000", [1, 2, 3, 4, 5]],
    ["UINT32 1, 2, 300", 2, 8, "00000012f00101020404000400000400000000000000", [1, 2, 300]],
    ["UINT32 0, 1, 0, 2", 1, 8, "00000009800208000000000000", [0, 1, 0, 2]],
    [
      "INT64 0..15",
      8,
      16,
      "000000139faaaaccccf0f000ff0001005f500000000000",
      Array.from({ length: 16 }, (_, i) => i),
    ],
  ])("matches the specification's example %s", (_, elementSize, count, hex, values) => {
    const elements = new Uint8Array(elementSize * count);
    const view = new DataView(elements.buffer);
    for (const [i, value] of values.entries()) {
      if (elementSize === 1) {
        elements[i] = value;
      } else {
        view.setUint16(i * elementSize, value, true);
      }
    }
    expect(toHex(encoded(elements, elementSize))).toBe(hex);
    expect(toHex(decoded(fromHex(hex), elementSize, count))).toBe(toHex(elements));
  });

  it.each([
    [1, 8192],
    [2, 4096],
    [4, 2048],
    [8, 1024],
    [16, 512],
  ])("of %d-byte elements holds %d per chunk", (elementSize, elements) => {
    expect(chunkElements(elementSize)).toBe(elements);
    for (const count of [0, 8, elements - 8, elements, elements + 8, 3 * elements, 3 * elements + 24]) {
      const sample = sampleElements(elementSize, count);
      const bytes = encoded(sample, elementSize);
      const stream = new ChunkStream(bytes, 0, bytes.length, elementSize, count);
      expect(stream.chunkElements).toBe(elements);
      expect(stream.chunkCount).toBe(Math.ceil(count / elements));
      let total = 0;
      for (let i = 0; i < stream.chunkCount; i++) {
        total += stream.elementsIn(i);
      }
      expect(total).toBe(count);
      expect(Buffer.compare(decoded(bytes, elementSize, count), sample)).toBe(0);
    }
  });

  it("decodes single chunks in any order to any offset, and writes nothing else", () => {
    const sample = sampleElements(4, 5000);
    const stored = encoded(sample, 4);
    const bytes = new Uint8Array(stored.length + 7).fill(0xff);
    bytes.set(stored, 3);
    const stream = new ChunkStream(bytes, 3, 3 + stored.length, 4, 5000);
    for (const index of [2, 0, 1, 2]) {
      const size = 4 * stream.elementsIn(index);
      for (const start of [0, 1, 4]) {
        const output = new Uint8Array(start + size + 6).fill(0x5a);
        stream.decodeChunk(index, output, start);
        const expected = new Uint8Array(output.length).fill(0x5a);
        expected.set(sample.subarray(8192 * index, 8192 * index + size), start);
        expect(Buffer.compare(output, expected)).toBe(0);
      }
    }
  });

  it("returns streams of single chunks", () => {
    const sample = sampleElements(4, 5000);
    const stored = encoded(sample, 4);
    const bytes = new Uint8Array(stored.length + 7).fill(0xff);
    bytes.set(stored, 3);
    const stream = new ChunkStream(bytes, 3, 3 + stored.length, 4, 5000);
    for (const index of [2, 0, 1]) {
      const chunk = stream.chunk(index);
      const output = new Uint8Array(4 * stream.elementsIn(index));
      chunk.decodeChunks(output);
      expect([chunk.chunkCount, chunk.count]).toEqual([1, stream.elementsIn(index)]);
      expect(Buffer.compare(output, sample.subarray(8192 * index, 8192 * index + output.length))).toBe(0);
    }
  });

  it("is appended to the content of a builder", () => {
    const out = new ByteBuilder();
    out.u8(0x77);
    encodeChunks(sampleElements(2, 16), 2, 8, out);
    const bytes = out.finish();
    expect(bytes[0]).toBe(0x77);
    expect(toHex(bytes.slice(1))).toBe(toHex(encoded(sampleElements(2, 16).slice(0, 16), 2)));
  });

  it("round-trips any elements", () => {
    const column = fc
      .tuple(fc.constantFrom(1, 2, 4, 8, 16), fc.integer({ min: 0, max: 400 }), fc.constantFrom(1, 3, 255))
      .chain(([elementSize, groups, mask]) =>
        fc
          .uint8Array({
            minLength: 8 * groups * elementSize,
            maxLength: 8 * groups * elementSize,
            size: "max",
          })
          .map((bytes) => ({ elementSize, count: 8 * groups, elements: bytes.map((byte) => byte & mask) })),
      );
    fc.assert(
      fc.property(column, ({ elementSize, count, elements }) => {
        expect(Buffer.compare(decoded(encoded(elements, elementSize), elementSize, count), elements)).toBe(0);
      }),
      { numRuns: 60, seed: 2 },
    );
  });
});

describe("a bad chunk stream", () => {
  const good = encoded(sampleElements(4, 2048 + 64), 4);

  it.each([
    ["cut inside a length word", good.slice(0, 2), "E_CORRUPT"],
    ["cut inside a chunk", good.slice(0, -1), "E_TRUNCATED"],
    ["with an extra byte", Uint8Array.of(...good, 0), "E_CORRUPT"],
    ["without its last chunk", good.slice(0, 4 + new DataView(good.buffer).getUint32(0)), "E_TRUNCATED"],
    ["with a length beyond its end", Uint8Array.of(0xff, 0xff, 0xff, 0xff, ...good.slice(4)), "E_TRUNCATED"],
    ["with an extra chunk", Uint8Array.of(...good, 0, 0, 0, 1, 0), "E_CORRUPT"],
  ])("%s is rejected when opened", (_, bytes, code) => {
    expect(() => new ChunkStream(bytes, 0, bytes.length, 4, 2048 + 64)).toThrow(
      expect.objectContaining({ code }),
    );
  });

  it.each([
    ["fewer elements than expected", 2048 + 72, "E_CORRUPT"],
    ["more elements than expected", 2048 + 8, "E_CORRUPT"],
  ])("with %s is rejected when decoded", (_, count, code) => {
    expect(() => decoded(good, 4, count)).toThrow(expect.objectContaining({ code }));
  });

  it("is rejected before anything of the claimed size is allocated", () => {
    for (const count of [2 ** 32, 2 ** 32 - 8, 2048 * 1000]) {
      expect(() => new ChunkStream(good, 0, good.length, 4, count)).toThrow(
        expect.objectContaining({ code: "E_CORRUPT", field: "padded count", offset: 0 }),
      );
    }
    const manyChunks = new Uint8Array(1 << 20);
    expect(() => new ChunkStream(manyChunks, 0, manyChunks.length, 16, 2 ** 32)).toThrow(
      expect.objectContaining({ code: "E_CORRUPT" }),
    );
  });

  it("is reported with the offset of the bad sequence", () => {
    const bytes = fromHex("00000004" + "10aa0500"); // a distance of 5 after one byte
    expect(() => decoded(bytes, 1, 8)).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "LZ4 distance", offset: 6 }),
    );
  });

  it("is decoded or throws a CFileError at every truncation and for modified bytes", () => {
    const outcome = (bytes: Uint8Array, count: number): string => {
      try {
        return String(decoded(bytes, 4, count).length);
      } catch (error) {
        expect(isCFileError(error)).toBe(true);
        return "error";
      }
    };
    for (let length = 0; length < good.length; length++) {
      expect(outcome(good.slice(0, length), 2048 + 64)).toBe("error");
    }
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat({ max: good.length - 1 }), fc.integer({ min: 1, max: 255 })), {
          minLength: 1,
          maxLength: 4,
        }),
        (changes) => {
          const bytes = good.slice();
          for (const [at, difference] of changes) {
            bytes[at] = (bytes[at] ?? 0) ^ difference;
          }
          outcome(bytes, 2048 + 64);
        },
      ),
      { numRuns: 1000, seed: 3 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.integer({ min: 0, max: 20 }), (bytes, groups) => {
        outcome(bytes, 8 * groups);
      }),
      { numRuns: 1000, seed: 4 },
    );
  });

  it.each([
    ["an element size of 3", 0, 8, 3, 8],
    ["a count that is not a multiple of 8", 0, 8, 4, 9],
    ["a count above 2^32", 0, 8, 4, 2 ** 32 + 8],
    ["a range outside the bytes", 0, 9, 4, 8],
    ["a range that ends before it starts", 5, 4, 4, 0],
    ["a negative start", -1, 8, 4, 8],
  ])("cannot be opened with %s", (_, start, end, elementSize, count) => {
    expect(() => new ChunkStream(new Uint8Array(8), start, end, elementSize, count)).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
    );
  });

  it("rejects invalid chunk indexes, and arrays that are too short", () => {
    const stream = new ChunkStream(good, 0, good.length, 4, 2048 + 64);
    const invalid = expect.objectContaining({ code: "E_INVALID_ARGUMENT" });
    for (const index of [-1, 2, 0.5, Number.NaN]) {
      expect(() => stream.elementsIn(index)).toThrow(invalid);
      expect(() => stream.chunk(index)).toThrow(invalid);
      expect(() => stream.decodeChunk(index, new Uint8Array(8192), 0)).toThrow(invalid);
    }
    expect(() => stream.decodeChunk(0, new Uint8Array(8191), 0)).toThrow(invalid);
    expect(() => stream.decodeChunk(0, new Uint8Array(8192), 1)).toThrow(invalid);
    expect(() => stream.decodeChunks(new Uint8Array(8192))).toThrow(invalid);
    expect(() => encodeChunks(new Uint8Array(31), 4, 8, new ByteBuilder())).toThrow(invalid);
    expect(() => encodeChunks(new Uint8Array(32), 4, 7, new ByteBuilder())).toThrow(invalid);
    expect(() => encodeChunks(new Uint8Array(32), 5, 0, new ByteBuilder())).toThrow(invalid);
  });
});
