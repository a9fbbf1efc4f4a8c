/** Damaged golden blocks must yield values or a `CFileError`, without using much memory. */

import { fromHex } from "@cfile/bytes";
import { checked, expectRefusal, randomNumbers } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import type { DecodeContext } from "../src/index.js";
import { DATA_TYPES, type Vector } from "../src/index.js";
import {
  type GoldenBlock,
  type GoldenBlocks,
  goldenBlockNames,
  loadGoldenBlocks,
  wordsFromGolden,
} from "./golden.js";
import { openBlock } from "./loaded-encodings.js";

/** Limit passed to the decoders, and maximum allocation of a call: the limit, copies, and the size of the block. */
const MAX_DECODED_BYTES = 1 << 20;
const MAX_ALLOCATED = 4 << 20;

/** Blocks of each physical type; logical types of the same physical type have the same bytes. */
const files = [
  ...new Map(
    goldenBlockNames()
      .map(loadGoldenBlocks)
      .map((file) => [`${DATA_TYPES[file.type].physical} ${file.encoding}`, file]),
  ),
].map(([name, file]) => ({ name, file }));

function contextOf({ encoding }: GoldenBlocks, { values }: GoldenBlock): DecodeContext {
  return {
    maxDecodedBytes: MAX_DECODED_BYTES,
    dictionary: encoding === "DICT_ENCODING" ? wordsFromGolden(values) : undefined,
  };
}

function requireWhole(vector: Vector, length: number): void {
  if (vector.length !== length) {
    expect.fail(`${vector.length} values, ${length} were asked for`);
  }
  if (vector.kind === "binary" && (vector.offsets[length] as number) > vector.data.length) {
    expect.fail("a value behind the data");
  }
}

/** Runs `action`; its error must be a CFileError that points into the block. */
function survive(bytes: Uint8Array, action: () => void): boolean {
  try {
    action();
    checked(1);
    return true;
  } catch (error) {
    expectRefusal(error, bytes.length);
    return false;
  }
}

/** Calls all methods of a block. */
function exercise(file: GoldenBlocks, bytes: Uint8Array, context: DecodeContext): void {
  const open = () => openBlock(file.type, file.encoding, bytes, context);
  const before = process.memoryUsage().arrayBuffers;
  const opened = survive(bytes, () => void open());
  if (opened) {
    const block = open();
    const { count } = block;
    survive(bytes, () => requireWhole(block.decode(0, count), count));
    survive(bytes, () => open().check());
    survive(bytes, () => requireWhole(block.decode(count >> 1, count), count - (count >> 1)));
    survive(bytes, () => requireWhole(open().decode(0, Math.min(3, count)), Math.min(3, count)));
    survive(bytes, () => {
      const { position } = open().seek(DATA_TYPES[file.type].physical === "BINARY" ? fromHex("6b") : 7);
      if (!(position >= 0 && position <= count)) {
        expect.fail(`position ${position} of ${count}`);
      }
    });
  }
  const allocated = process.memoryUsage().arrayBuffers - before;
  if (allocated > MAX_ALLOCATED) {
    expect.fail(`${allocated} bytes were allocated for a block of ${bytes.length}`);
  }
}

describe.each(files)("$name", ({ file }) => {
  it("yields values or an error when truncated anywhere", () => {
    for (const block of file.cases) {
      const bytes = fromHex(block.hex);
      const context = contextOf(file, block);
      // All lengths of short blocks; for long blocks, lengths in the header or near the end, and every seventh.
      for (let length = 0; length < bytes.length; length++) {
        if (length < 64 || length > bytes.length - 64 || length % 7 === 0) {
          const cut = bytes.subarray(0, length);
          survive(cut, () => {
            const opened = openBlock(file.type, file.encoding, cut, context);
            requireWhole(opened.decode(0, opened.count), opened.count);
          });
        }
      }
    }
  });

  it("yields values or an error when random bytes change", () => {
    const random = randomNumbers(file.cases.length);
    for (const block of file.cases) {
      const bytes = fromHex(block.hex);
      const context = contextOf(file, block);
      for (let i = 0; i < 100; i++) {
        const damaged = bytes.slice();
        for (let flips = 1 + random(3); flips > 0; flips--) {
          // Half of the damage is in the header, which has the counts.
          const at = random(random(2) === 0 ? Math.min(24, bytes.length) : bytes.length);
          damaged[at] = random(4) === 0 ? 0xff : random(256);
        }
        exercise(file, damaged, context);
      }
    }
  });

  it("yields values or an error when any bit of its first bytes flips", () => {
    const block = file.cases[4] as GoldenBlock;
    const context = contextOf(file, block);
    const bytes = fromHex(block.hex);
    for (let bit = 0; bit < 8 * Math.min(40, bytes.length); bit++) {
      const damaged = bytes.slice();
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
      exercise(file, damaged, context);
    }
  });

  it("yields values or an error when bytes are appended", () => {
    for (const block of file.cases) {
      for (const tail of ["00", "ff", "00000000", "0000000000000000"]) {
        exercise(file, fromHex(block.hex + tail), contextOf(file, block));
      }
    }
  });

  it("yields values or an error for random bytes", () => {
    const random = randomNumbers(77);
    const context = contextOf(file, file.cases[6] as GoldenBlock);
    for (let i = 0; i < 200; i++) {
      exercise(
        file,
        Uint8Array.from({ length: random(60) }, () => (random(3) === 0 ? random(3) : random(256))),
        context,
      );
    }
  });
});
