import { describe, expect, it } from "vitest";
import { RleDecoder } from "../src/codecs/rle/rle-decoder.js";
import { resolveEncoding } from "../src/index.js";
import { rleEncode } from "../src/rle.js";
import { loadBlockBuilder } from "../src/write.js";

describe("the stored bytes of values", () => {
  it("are empty without values, also at the end", () => {
    const bytes = rleEncode([1, 1, 1, 0, 1, 0], 1);
    const decoder = new RleDecoder(bytes, 0, bytes.length, 1);
    expect(decoder.span(0)).toMatchObject({ start: 0, end: 0 });
    decoder.skip(6);
    const { start, end } = decoder.span(0);
    expect(start).toBeLessThanOrEqual(end);
    expect(decoder.position).toBe(6);
  });
});

describe("without a table, the encodings of Kudu", () => {
  it("resolve AUTO and build blocks", async () => {
    expect(resolveEncoding("INT32", "AUTO_ENCODING")).toBe("BIT_SHUFFLE");
    expect(resolveEncoding("BOOL", "PREFIX_ENCODING")).toBeUndefined();
    expect(typeof (await loadBlockBuilder("INT32", "RLE"))).toBe("function");
  });
});
