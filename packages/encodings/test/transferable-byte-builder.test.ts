import { describe, expect, test } from "vitest";
import { TransferableByteBuilder } from "../src/codecs/transferable-byte-builder.js";

const bytesOf = (length: number, first: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => i + first);

describe("memory handed to the caller", () => {
  test("is not reused, has spare bytes at the end and little waste", () => {
    const builder = new TransferableByteBuilder();
    const given = [9000, 9000, 9100, 9050, 20_000, 100, 9000].map((length, i) => {
      builder.append(bytesOf(length, i));
      return builder.transfer(4);
    });
    expect(new Set(given.map(({ buffer }) => buffer)).size).toBe(given.length);
    for (const [i, bytes] of given.entries()) {
      expect(bytes).toEqual(bytesOf(bytes.length, i));
      const behind = bytes.buffer.byteLength - bytes.byteOffset - bytes.length;
      expect(behind).toBeGreaterThanOrEqual(4);
      expect(behind).toBeLessThanOrEqual(4 + Math.ceil((bytes.length + 4) / 32));
      // Writing to it must not affect later content.
      new Uint8Array(bytes.buffer).fill(0xff);
    }
    builder.u32le(7);
    expect([...builder.take(false)]).toEqual([7, 0, 0, 0]);
  });

  test("may be empty", () => {
    expect(new TransferableByteBuilder().transfer(0).length).toBe(0);
    const bytes = new TransferableByteBuilder().transfer(4);
    expect([bytes.length, bytes.buffer.byteLength]).toEqual([0, 4]);
  });
});
