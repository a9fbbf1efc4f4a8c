import { fromHex, toHex } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import { decodePositionalKey, encodePositionalKey } from "../src/index.js";

describe("a positional key", () => {
  it.each([
    [0, "00000000"],
    [3, "00000003"],
    [0x01020304, "01020304"],
    [0x80000000, "80000000"],
    [0xffffffff, "ffffffff"],
  ])("of row %d is %s", (ordinal, hex) => {
    expect(toHex(encodePositionalKey(ordinal))).toBe(hex);
    expect(decodePositionalKey(fromHex(hex))).toBe(ordinal);
  });

  it.each([-1, 0.5, 2 ** 32, Number.NaN])("cannot be encoded from %d", (ordinal) => {
    expect(() => encodePositionalKey(ordinal)).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT", field: "ordinal" }),
    );
  });

  it.each(["", "000000", "0000000000"])("cannot be decoded from %j, which does not have 4 bytes", (hex) => {
    expect(() => decodePositionalKey(fromHex(hex))).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "positional key" }),
    );
  });
});
