/** Node's zlib compared with pako: the same bytes, and the same kinds of error. */
import { builtinModule, isCFileError } from "@cfile/bytes";
import { describe, expect, test } from "vitest";
import { zlibCompress } from "../src/zlib/deflate.js";
import { inflateExactly, WINDOW_BITS } from "../src/zlib/inflate.js";
import { zlibExpand } from "../src/zlib/zlib.js";

const LENGTH = 40_000;
const content = Uint8Array.from({ length: LENGTH }, (_, i) => ((i * 7919) % 251) ^ (i >> 9));
const stream = zlibCompress(content);

/** The error's code; `undefined` for the correct bytes. */
function outcome(inflate: () => Uint8Array | undefined): string | undefined {
  try {
    expect(inflate()).toEqual(content);
    return undefined;
  } catch (error) {
    if (isCFileError(error)) {
      return error.code;
    }
    throw error;
  }
}

function both(input: Uint8Array, length = LENGTH): readonly [string | undefined, string | undefined] {
  const portable = (): Uint8Array => {
    const output = new Uint8Array(length);
    inflateExactly(input, output, WINDOW_BITS, "zlib stream");
    return output;
  };
  return [outcome(() => zlibExpand(input, length)), outcome(portable)];
}

describe("decompression by Node's own zlib", () => {
  test("is available", () => {
    expect(builtinModule<{ readonly "node:zlib": object }, "node:zlib">("node:zlib")).toBeDefined();
    expect(both(stream)).toEqual([undefined, undefined]);
  });

  test("reports the same errors as pako for wrong lengths, trailing bytes, truncation and flipped bits", () => {
    const damaged = [
      Uint8Array.of(...stream, 0),
      ...Array.from({ length: 60 }, (_, i) => stream.subarray(0, Math.floor((i / 60) * stream.length))),
      ...Array.from({ length: 400 }, (_, i) => {
        const copy = stream.slice();
        const at = Math.floor((i / 400) * copy.length);
        copy[at] = (copy[at] as number) ^ (1 << (i & 7));
        return copy;
      }),
    ];
    for (const [i, input] of damaged.entries()) {
      const [native, portable] = both(input);
      expect(native, `input ${i}`).toBe(portable);
    }
    for (const length of [LENGTH - 1, LENGTH + 1, 20_000, 100_000]) {
      expect(both(stream, length)).toEqual(["E_CORRUPT", "E_CORRUPT"]);
    }
  });

  test("leaves short streams to pako", () => {
    expect(zlibExpand(zlibCompress(content.subarray(0, 100)), 100)).toBeUndefined();
  });

  test("refuses a stream that requires a dictionary, as pako does", () => {
    // The flag of a preset dictionary, and its checksum.
    const needy = Uint8Array.of(0x78, 0xbb, 0, 0, 0, 1, ...stream.subarray(2));
    expect(both(needy)).toEqual(["E_CORRUPT", "E_CORRUPT"]);
  });
});
