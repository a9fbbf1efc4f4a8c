/** The generated decoders with our runtime, beside protobufjs with its own. */
import { readFileSync } from "node:fs";
import { isCFileError } from "@cfile/bytes";
import protobuf from "protobufjs";
import { describe, expect, it } from "vitest";
import { cfile } from "../src/generated/decode-cfile-proto.js";
import { goldenBytes, goldenNames } from "./golden.js";

const schema = protobuf.parse(readFileSync(new URL("../proto/cfile.proto", import.meta.url), "utf8")).root;
const byReflection = schema.lookupType("cfile.format.Footer");

/** What protobufjs makes of the bytes by reflection; `undefined` when it refuses them. */
function byProtobufjs(bytes: Uint8Array): unknown {
  try {
    return plain(byReflection.toObject(byReflection.decode(bytes), { longs: String, arrays: true }));
  } catch {
    return undefined;
  }
}

function byOurRuntime(bytes: Uint8Array): unknown {
  try {
    return plain(cfile.format.Footer.decode(bytes));
  } catch (error) {
    // The generated code has some errors of its own.
    expect(isCFileError(error) || /out of range|missing end group|max depth/.test(String(error))).toBe(true);
    return undefined;
  }
}

/** The same content in one form: bytes as hexadecimal digits, 64-bit integers as text, no bytes of unknown fields. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner) => {
      if (key === "$unknowns") {
        return undefined;
      }
      if (inner instanceof Uint8Array) {
        return Buffer.from(inner).toString("hex");
      }
      if (key === "offset" || key === "numValues") {
        return String(inner);
      }
      return inner?.type === "Buffer" ? Buffer.from(inner.data).toString("hex") : inner;
    }),
  );
}

/** The footer's message of a golden file. */
function footerOf(file: Uint8Array): Uint8Array {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const length = view.getUint32(file.length - 4, true);
  return file.subarray(file.length - 12 - length, file.length - 12);
}

/** Numbers that look random and are the same in every run. */
function randoms(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe("footers", () => {
  const footers = goldenNames.map((name) => footerOf(goldenBytes(name)));

  it("are those that protobufjs decodes, of every golden file", () => {
    expect(footers.length).toBeGreaterThan(500);
    for (const footer of footers) {
      expect(byOurRuntime(footer)).toEqual(byProtobufjs(footer));
      expect(byOurRuntime(footer)).toBeDefined();
    }
  });

  it("are so, or are refused by both, with bytes changed, cut off, put in and put together", () => {
    const random = randoms(7);
    let refused = 0;
    for (let run = 0; run < 20_000; run++) {
      const footer = footers[random(footers.length)] as Uint8Array;
      const other = footers[random(footers.length)] as Uint8Array;
      const at = random(footer.length);
      const bytes = [
        () => footer.with(at, random(256)),
        () => footer.subarray(0, at),
        () => Uint8Array.from([...footer.subarray(0, at), random(256), ...footer.subarray(at)]),
        () => Uint8Array.from([...footer, ...other]),
        () => Uint8Array.from([...footer, ...Array.from({ length: random(12) }, () => random(256))]),
        // A group, or what begins like one.
        () => Uint8Array.from([...footer, 0x9b, 0x06, 8, random(256), 0x9c, random(8)]),
      ][random(6)]?.() as Uint8Array;
      const expected = byProtobufjs(bytes);
      refused += expected === undefined ? 1 : 0;
      expect(byOurRuntime(bytes), Buffer.from(bytes).toString("hex")).toEqual(expected);
    }
    expect(refused).toBeGreaterThan(1000);
  });

  it.each([
    ["a group within a group", [0x9b, 0x06, 0xa3, 0x06, 0xa4, 0x06, 0x9c, 0x06], true],
    ["the end of another group", [0x9b, 0x06, 0xa4, 0x06], false],
    ["a group without end", [0x9b, 0x06, 0x08, 0x01], false],
    [
      "groups 200 deep",
      [...Array<number[]>(200).fill([0x9b, 0x06]), ...Array<number[]>(200).fill([0x9c, 0x06])].flat(),
      false,
    ],
    ["field number 0", [0x00, 0x01], false],
    ["a tag of 33 bits", [0x98, 0x80, 0x80, 0x80, 0x10, 0x01], false],
    ["a length of 2^31", [0x9a, 0x06, 0x80, 0x80, 0x80, 0x80, 0x08], false],
    ["fixed 32 and 64 bits", [0x9d, 0x06, 1, 2, 3, 4, 0x99, 0x06, 1, 2, 3, 4, 5, 6, 7, 8], true],
    ["wire type 6", [0x9e, 0x06], false],
    ["an int64 of all bits", [0x18, ...Array<number>(9).fill(0xff), 0x01], true],
    ["an int32 of ten bytes", [0x08, ...Array<number>(9).fill(0xff), 0x01], true],
    ["a bool of two bytes", [0x40, 0x80, 0x01], true],
    ["eleven bytes of a varint", [0x18, ...Array<number>(10).fill(0xff), 0x01], false],
  ] as const)("with %s behind them are taken or refused as by protobufjs", (_, tail, isTaken) => {
    const bytes = Uint8Array.from([...(footers[0] as Uint8Array), ...tail]);
    expect(byOurRuntime(bytes)).toEqual(byProtobufjs(bytes));
    expect(byOurRuntime(bytes) !== undefined).toBe(isTaken);
  });
});
