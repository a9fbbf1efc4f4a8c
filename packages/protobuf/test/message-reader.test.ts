import protobuf from "protobufjs";
import { describe, expect, it } from "vitest";
import { MessageReader } from "../src/message-reader.js";
import { MessageWriter } from "../src/message-writer.js";

const theirs = protobuf
  .parse(
    `syntax = "proto2"; message Known { optional int64 big = 1; optional int32 small = 2; optional bool yes = 3; }`,
  )
  .root.lookupType("Known");

interface Known {
  big?: bigint;
  small?: number;
  yes?: boolean;
}

function ours(bytes: Uint8Array): Known {
  const reader = new MessageReader(bytes, "known");
  const known: Known = {};
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) {
      known.big = reader.int64("big");
    } else if (field === 2) {
      known.small = reader.int32("small");
    } else if (field === 3) {
      known.yes = reader.bool("yes");
    } else {
      reader.skip();
    }
  }
  return known;
}

function attempt(act: () => unknown): unknown {
  try {
    return act();
  } catch {
    return "rejected";
  }
}

const ones = Array<number>(9).fill(0xff);
const open = Array<number[]>(200).fill([0x9b, 0x06]).flat();
const close = Array<number[]>(200).fill([0x9c, 0x06]).flat();

describe("MessageReader", () => {
  it.each([
    ["a nested group", [0x9b, 0x06, 0xa3, 0x06, 0xa4, 0x06, 0x9c, 0x06], {}],
    ["the end of a different group", [0x9b, 0x06, 0xa4, 0x06], "rejected"],
    ["a group without an end", [0x9b, 0x06, 0x08, 0x01], "rejected"],
    ["the end of a group that did not start", [0x9c, 0x06], "rejected"],
    ["groups nested 200 deep", [...open, ...close], "rejected"],
    ["field number 0", [0x00, 0x01], "rejected"],
    ["a tag of 33 bits", [0x98, 0x80, 0x80, 0x80, 0x10, 0x01], "rejected"],
    ["a tag of six bytes", [0x98, 0x80, 0x80, 0x80, 0x80, 0x00, 0x01], "rejected"],
    ["a length of 2^31", [0x9a, 0x06, 0x80, 0x80, 0x80, 0x80, 0x08], "rejected"],
    ["a length beyond the end", [0x9a, 0x06, 0x02, 0x00], "rejected"],
    ["fixed 32 and 64 bits", [0x9d, 0x06, 1, 2, 3, 4, 0x99, 0x06, 1, 2, 3, 4, 5, 6, 7, 8], {}],
    ["wire type 6", [0x9e, 0x06], "rejected"],
    ["an int64 with all bits set", [0x08, ...ones, 0x01], { big: -1n }],
    ["the largest int64", [0x08, ...ones.slice(1), 0x7f], { big: 2n ** 63n - 1n }],
    ["bits above 64", [0x08, ...ones, 0x7f], { big: -1n }],
    ["an int32 of ten bytes", [0x10, ...ones, 0x01], { small: -1 }],
    ["an int32 of five bytes", [0x10, 0x80, 0x80, 0x80, 0x80, 0x08], { small: -(2 ** 31) }],
    ["a bool of two bytes", [0x18, 0x80, 0x01], { yes: true }],
    ["a bool with only the highest bit set", [0x18, ...Array<number>(9).fill(0x80), 0x01], { yes: true }],
    ["a varint of eleven bytes", [0x08, ...ones, 0xff, 0x01], "rejected"],
    ["a field that occurs twice", [0x10, 0x01, 0x10, 0x02], { small: 2 }],
  ])("reads or rejects %s like protobufjs", (_, tail, expected) => {
    const bytes = Uint8Array.from(tail);
    expect(attempt(() => ours(bytes))).toEqual(expected);
    expect(attempt(() => theirs.toObject(theirs.decode(bytes), { longs: BigInt }))).toEqual(expected);
  });

  it.each([
    ["with an unexpected wire type", [0x0a, 0x00], "E_CORRUPT", "big"],
    ["with more bits than its type", [0x10, 0x80, 0x80, 0x80, 0x80, 0x10], "E_CORRUPT", "small"],
    ["that is truncated", [0x08, 0x01, 0x10, 0x80], "E_TRUNCATED", "small"],
    ["with a length beyond the end", [0x22, 0x05, 0x00], "E_TRUNCATED", "known field"],
    ["with an invalid tag", [0x08, 0x01, 0x3f], "E_CORRUPT", "known tag"],
  ])("rejects a field %s, with its name and offset", (_, bytes, code, field) => {
    expect(() => ours(Uint8Array.from(bytes))).toThrow(
      expect.objectContaining({ code, field, offset: expect.any(Number) }),
    );
  });

  it("reports offsets in nested messages from the start of the outermost message", () => {
    const reader = new MessageReader(Uint8Array.of(0x08, 0x01, 0x12, 0x02, 0x08, 0x80), "outer");
    reader.next();
    reader.skip();
    reader.next();
    const inner = reader.message("inner");
    inner.next();
    expect(() => inner.int32("value")).toThrow(
      expect.objectContaining({ code: "E_TRUNCATED", field: "value", offset: 5 }),
    );
  });

  it("reads repeated values that are packed or not, and reports the field of another wire type", () => {
    const values: number[] = [];
    const reader = new MessageReader(Uint8Array.of(0x08, 0x07, 0x0a, 0x02, 0x08, 0x09), "outer");
    for (let field = reader.next(); field !== 0; field = reader.next()) {
      reader.int32s("values", values);
    }
    expect(values).toEqual([7, 8, 9]);
    const group = new MessageReader(Uint8Array.of(0x0b, 0x0c), "outer");
    group.next();
    const inGroup = expect.objectContaining({
      code: "E_CORRUPT",
      message: expect.stringContaining("wire type 3"),
    });
    expect(() => group.int32("value")).toThrow(inGroup);
    const fixed = new MessageReader(Uint8Array.of(0x0d, 1, 2, 3, 4), "outer");
    fixed.next();
    const mismatch = { code: "E_CORRUPT", field: "value", message: expect.stringContaining("found 5") };
    expect(() => fixed.int32("value")).toThrow(expect.objectContaining(mismatch));
  });

  it("rejects an unsigned value of 33 bits, and a message without a required field", () => {
    const reader = new MessageReader(Uint8Array.of(0x08, 0xff, 0xff, 0xff, 0xff, 0x0f), "outer");
    reader.next();
    expect(reader.uint32("value")).toBe(2 ** 32 - 1);
    const wide = new MessageReader(Uint8Array.of(0x08, 0x80, 0x80, 0x80, 0x80, 0x10), "outer");
    wide.next();
    expect(() => wide.uint32("value")).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "value" }),
    );
    expect(reader.required(3, "value")).toBe(3);
    expect(() => reader.required(undefined, "value")).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "value" }),
    );
  });

  it("reads counts exactly or rejects them", () => {
    for (const value of [0n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 64n - 1n]) {
      const writer = new MessageWriter();
      writer.uint64(1, value);
      const reader = new MessageReader(writer.finish(), "outer");
      reader.next();
      const read = attempt(() => reader.count("count"));
      expect(read).toBe(value < 2n ** 53n ? Number(value) : "rejected");
    }
  });

  it("returns the previous value of a repeated field instead of a new view if it has the same bytes", () => {
    const values = [[1, 2], [1, 2], [1, 3], [1], [], [], [1, 2]];
    const message = Uint8Array.from(values.flatMap((value) => [0x0a, value.length, ...value]));
    const reader = new MessageReader(message, "known");
    const views: Uint8Array[] = [];
    while (reader.next() !== 0) {
      views.push(reader.bytes("values", views.at(-1)));
    }
    expect(views.map((view) => [...view])).toEqual(values);
    expect(views.map((view, i) => view === views[i - 1])).toEqual([
      false,
      true,
      false,
      false,
      false,
      true,
      false,
    ]);
  });
});
