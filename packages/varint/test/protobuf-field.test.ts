import { ByteReader, CFileError } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import { skipProtobufField } from "../src/index.js";

function skip(tag: number, bytes: readonly number[]): number {
  const reader = new ByteReader(Uint8Array.from(bytes));
  skipProtobufField(reader, tag, 0, "message");
  return reader.position;
}

describe("skipping an unknown protobuf field", () => {
  it.each([
    [0x08, [0xff, 0x01, 9], 2],
    [0x09, [1, 2, 3, 4, 5, 6, 7, 8, 9], 8],
    [0x0a, [2, 7, 7, 7], 3],
    [0x0d, [1, 2, 3, 4, 5], 4],
  ])("tag %i", (tag, bytes, end) => {
    expect(skip(tag, bytes)).toBe(end);
  });

  it.each([
    [0x0b, [0]],
    [0x0c, [0]],
    [0x0f, [0]],
    [0x00, [0]],
    [0x09, [1, 2, 3]],
    [0x0a, [5, 1]],
    [0x0a, []],
    [0x08, [0x80]],
  ])("tag %i followed by %j is an error", (tag, bytes) => {
    expect(() => skip(tag, bytes)).toThrow(CFileError);
  });
});
