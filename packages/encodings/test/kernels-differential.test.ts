/**
 * Compares SIMD kernels with portable code, through everything that uses them: golden blocks, whole, in parts and damaged, must give
 * the same values or the same error, and any values must give the same blocks.
 *
 * `KERNEL_FUZZ_RUNS` is the number of damaged blocks for each kind of block (default 300), `KERNEL_FUZZ_SEED` the first seed.
 */

import { fromHex, isCFileError, MemoryArena, toHex } from "@cfile/bytes";
import { chooseKernels } from "@cfile/kernels/encode";
import { checked, randomNumbers } from "@cfile-tools/testkit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gatherVector, scatterVector } from "../src/headers.js";
import type { DecodeContext } from "../src/index.js";
import { DATA_TYPES, isDictionaryBuilder } from "../src/index.js";
import {
  type GoldenBlock,
  type GoldenBlocks,
  goldenBlockNames,
  loadGoldenBlocks,
  vectorBytes,
  vectorFromGolden,
  wordsFromGolden,
} from "./golden.js";
import { createBlockBuilder, openBlock } from "./loaded-encodings.js";

const RUNS = Number(process.env["KERNEL_FUZZ_RUNS"] ?? 300);
const SEED = Number(process.env["KERNEL_FUZZ_SEED"] ?? 1);
const kernels = chooseKernels("simd");

test("this machine supports the SIMD kernels", () => {
  expect(kernels).toBeDefined();
});

const files = [
  ...new Map(
    goldenBlockNames()
      .map(loadGoldenBlocks)
      .map((file) => [`${DATA_TYPES[file.type].physical} ${file.encoding}`, file]),
  ),
];

type Version = Pick<DecodeContext, "kernels">;

/** The outcome of decoding a range of a block: its values as text, or the error's code and field. */
function outcome(
  file: GoldenBlocks,
  golden: GoldenBlock,
  bytes: Uint8Array,
  version: Version,
  part: number,
): string {
  const dictionary = file.encoding === "DICT_ENCODING" ? wordsFromGolden(golden.values) : undefined;
  try {
    const context = { ...version, dictionary, maxDecodedBytes: 1 << 20 };
    const block = openBlock(file.type, file.encoding, bytes, context);
    const from = Math.floor(block.count * part);
    const vector = block.decode(from, block.count);
    const offsets =
      vector.kind === "binary" ? [...vector.offsets].map((at) => at - (vector.offsets[0] ?? 0)) : [];
    return `${block.ordinal} ${vector.length} ${toHex(vectorBytes(vector))} ${offsets}`;
  } catch (error) {
    if (!isCFileError(error)) {
      throw error;
    }
    return `${error.code} ${error.field ?? ""}`;
  }
}

/** One to three fields set to values that writers do not produce. */
function damage(bytes: Uint8Array, next: (limit: number) => number): Uint8Array {
  const damaged = bytes.slice(0, next(8) === 0 ? next(bytes.length + 1) : bytes.length);
  for (let i = next(3); i >= 0 && damaged.length > 0; i--) {
    const at = next(damaged.length);
    const kind = next(5);
    if (kind === 0) {
      damaged[at] = next(256);
    } else if (kind === 1) {
      damaged[at] = (damaged[at] as number) ^ (1 << next(8));
    } else if (kind === 2) {
      damaged.fill([0, 0xff, 0x7f, 0x80][next(4)] as number, at, at + 4);
    } else if (kind === 3) {
      damaged[at] = (damaged[at] as number) + (next(2) === 0 ? 1 : -1);
    } else {
      damaged.copyWithin(at, next(damaged.length), next(damaged.length));
    }
  }
  return damaged;
}

describe("SIMD and portable decoders agree", () => {
  test.each(files)("%s: whole and in parts", (_, file) => {
    for (const golden of file.cases) {
      const bytes = fromHex(golden.hex);
      for (const part of [0, 0.1, 0.5, 0.9, 1]) {
        expect(outcome(file, golden, bytes, { kernels }, part)).toBe(outcome(file, golden, bytes, {}, part));
      }
    }
  });

  test.each(files)("%s: damaged", (name, file) => {
    const next = randomNumbers(SEED * 7919);
    checked(RUNS);
    for (let run = 0; run < RUNS; run++) {
      const golden = file.cases[next(file.cases.length)] as GoldenBlock;
      const bytes = damage(fromHex(golden.hex), next);
      const part = [0, 0, 0.3][next(3)] as number;
      const simd = outcome(file, golden, bytes, { kernels }, part);
      const portable = outcome(file, golden, bytes, {}, part);
      if (simd !== portable) {
        expect.fail(`${name}, seed ${SEED}, run ${run}: ${toHex(bytes)}: ${simd} and ${portable}`);
      }
    }
  });
});

describe("SIMD and portable builders agree", () => {
  test.each(files)("%s", (_, file) => {
    for (const golden of file.cases) {
      const vector = vectorFromGolden(file.type, golden.values);
      const blocks = [{ kernels }, {}].map((version) => {
        const options = { ...version, blockSize: 512, restartInterval: file.block_restart_interval };
        const builder = createBlockBuilder(file.type, file.encoding, options);
        const hex: string[] = [];
        for (let from = 0; from < vector.length; ) {
          from += builder.add(vector, from, Math.min(vector.length, from + 100));
          if (builder.full) {
            hex.push(toHex(builder.finish(from)));
          }
        }
        return [...hex, toHex(builder.finish(9))];
      });
      expect(blocks[0]).toEqual(blocks[1]);
    }
  });

  test("prefix blocks of any strings, added in any portions", () => {
    const word = fc
      .tuple(fc.constantFrom("", "a", "shared-"), fc.string({ maxLength: 300 }))
      .map((two) => two.join(""));
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 1, max: 20 }),
        (words, interval) => {
          const vector = vectorFromGolden(
            "STRING",
            words.map((text) => toHex(new TextEncoder().encode(text))),
          );
          const blocks = [{ kernels }, {}].map((version) => {
            const options = { ...version, blockSize: 4000, restartInterval: interval };
            const builder = createBlockBuilder("STRING", "PREFIX_ENCODING", options);
            const hex: string[] = [];
            for (let from = 0; from < vector.length; ) {
              from += builder.add(vector, from, Math.min(vector.length, from + 97));
              if (builder.full) {
                hex.push(toHex(builder.finish(from)));
              }
            }
            return [...hex, toHex(builder.finish(9))];
          });
          expect(blocks[0]).toEqual(blocks[1]);
          for (const hex of blocks[0] ?? []) {
            const decoded = [{ kernels }, {}].map((version) => {
              const block = openBlock("STRING", "PREFIX_ENCODING", fromHex(hex), version);
              return toHex(vectorBytes(block.decode(0, block.count)));
            });
            expect(decoded[0]).toBe(decoded[1]);
          }
        },
      ),
      { seed: 5, numRuns: 60 },
    );
  });

  test.each(["PLAIN_ENCODING", "DICT_ENCODING"] as const)(
    "%s of any strings, added in any portions",
    (encoding) => {
      const word = fc.oneof(
        fc.string({ maxLength: 2 }),
        fc
          .tuple(fc.constantFrom("", "a", "shared-prefix-"), fc.string({ maxLength: 40 }))
          .map((two) => two.join("")),
      );
      fc.assert(
        fc.property(
          fc.array(word, { minLength: 1, maxLength: 600 }),
          fc.constantFrom(512, 2000, 1 << 18),
          fc.constantFrom(64, 97, 600),
          fc.boolean(),
          (words, blockSize, portion, whole) => {
            const vector = vectorFromGolden(
              "STRING",
              words.map((text) => toHex(new TextEncoder().encode(text))),
            );
            const [simd, portable] = [{ kernels }, {}].map((version) => {
              const builder = createBlockBuilder("STRING", encoding, { ...version, blockSize });
              const hex: string[] = [];
              // Adds the strings twice; the second time, they are in the dictionary.
              for (let from = 0; from < 2 * vector.length; ) {
                const start = from % vector.length;
                from += builder.add(vector, start, Math.min(vector.length, start + portion), whole);
                if (builder.full) {
                  hex.push(toHex(builder.finish(from)));
                }
              }
              hex.push(toHex(builder.finish(9)));
              return isDictionaryBuilder(builder) ? [...hex, toHex(builder.finishDictionary())] : hex;
            });
            expect(simd).toEqual(portable);
          },
        ),
        { seed: 6, numRuns: 80 },
      );
    },
  );
});

describe("SIMD and portable gather agree", () => {
  test.each(["INT8", "INT16", "INT32", "DOUBLE", "INT128"] as const)("%s", (type) => {
    const next = randomNumbers(SEED + 1);
    const memory = new MemoryArena();
    for (let run = 0; run < 50; run++) {
      const rows = 1 + next(200);
      const validity = Uint8Array.from({ length: 26 }, () => [0, 255, next(256)][next(3)] as number);
      const values = Array.from({ length: rows }, () => (type === "DOUBLE" ? next(1000) / 3 : next(100)));
      const vector = vectorFromGolden(type, values);
      const from = next(rows);
      const [simd, portable] = [{ kernels, memory }, {}].map((version) => {
        const gathered = gatherVector(vector, validity, from, rows, version);
        return toHex(vectorBytes(gathered));
      });
      memory.recycle();
      expect(simd).toBe(portable);
    }
  });
});

describe("SIMD and portable scatter agree", () => {
  test.each(["INT8", "INT16", "INT32", "DOUBLE", "INT128"] as const)("%s", (type) => {
    const next = randomNumbers(SEED);
    for (let run = 0; run < 50; run++) {
      const rows = 1 + next(200);
      const validity = Uint8Array.from({ length: 26 }, () => [0, 255, next(256)][next(3)] as number);
      let present = 0;
      for (let row = 0; row < rows; row++) {
        present += ((validity[row >> 3] as number) >> (row & 7)) & 1;
      }
      const values = Array.from({ length: present }, () => (type === "DOUBLE" ? next(1000) / 3 : next(100)));
      const vector = vectorFromGolden(type, values);
      const [simd, portable] = [{ kernels }, {}].map((version) => {
        const spread = scatterVector(vector, validity, rows, version);
        return toHex(vectorBytes(spread));
      });
      expect(simd).toBe(portable);
    }
  });
});
