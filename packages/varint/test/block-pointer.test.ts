import { ByteBuilder, ByteReader, fromHex, toHex } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import { readBlockPointer, writeBlockPointer } from "../src/index.js";

describe("block pointer", () => {
  it.each([
    [1000, 70, "e80746"],
    [16, 300, "10ac02"],
    [0, 0, "0000"],
    [Number.MAX_SAFE_INTEGER, 0xffffffff, "ffffffffffffff0fffffffff0f"],
  ])("writes and reads offset %d, size %d", (offset, size, hex) => {
    const out = new ByteBuilder();
    writeBlockPointer(out, offset, size);
    expect(toHex(out.finish())).toBe(hex);
    expect(readBlockPointer(new ByteReader(fromHex(hex)))).toEqual({ offset, size });
  });

  it("names the missing or invalid part in errors", () => {
    expect(() => readBlockPointer(new ByteReader(fromHex("e8")), "root")).toThrow(
      expect.objectContaining({ code: "E_TRUNCATED", field: "root offset" }),
    );
    expect(() => readBlockPointer(new ByteReader(fromHex("e807")))).toThrow(
      expect.objectContaining({ code: "E_TRUNCATED", field: "block pointer size", offset: 2 }),
    );
    expect(() => readBlockPointer(new ByteReader(fromHex("ffffffffffffff1f00")))).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "block pointer offset" }),
    );
  });

  it.each([
    [-1, 0],
    [0, -1],
    [2 ** 53, 0],
    [0, 2 ** 32],
  ])("refuses to write offset %d, size %d", (offset, size) => {
    expect(() => writeBlockPointer(new ByteBuilder(), offset, size)).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
    );
  });
});
