import { isCFileError } from "@cfile/bytes";
import {
  cut,
  type Damaged,
  flippedBit,
  insert,
  overwrite,
  randomNumbers,
  remove,
} from "@cfile-tools/testkit";
import { describe, expect, test } from "vitest";
import { fileKindOf, parseFooter } from "../src/index.js";
import { RecoverableFile } from "../src/recover.js";
import { expectedBlocks, findFaults, footerOptions, type Subject, scanDamaged, subject } from "./damage.js";
import { goldenBytes, goldenFile, goldenNames } from "./golden.js";

/** Multiplies the number of cases of a quick run. */
const FACTOR = Number(process.env["RECOVER_RUNS"] ?? 1);
const LARGEST = 40_000;

const names = goldenNames.filter((name) => {
  const bytes = goldenBytes(name);
  const length = new DataView(bytes.buffer).getUint32(bytes.length - 4, true);
  const footer = parseFooter(bytes.subarray(bytes.length - 12 - length, bytes.length - 12));
  return bytes.length <= LARGEST && fileKindOf(footer) === "column" && goldenFile(name).layout !== null;
});
const checksummed = names.filter((name) => goldenFile(name).checksums);

async function faultsOf(file: Subject, damaged: Damaged, guess = false): Promise<string[]> {
  const options = guess ? { type: file.golden.type } : footerOptions(file.golden);
  const found = await scanDamaged(damaged, options);
  return findFaults(file, found, damaged, expectedBlocks(file, damaged));
}

const patterns: Readonly<Record<string, (file: Subject, next: (limit: number) => number) => Damaged>> = {
  "a bit of a data block": ({ bytes, blocks }, next) => {
    const block = blocks[next(blocks.length)];
    return block === undefined
      ? cut(bytes, bytes.length)
      : flippedBit(bytes, 8 * block.offset + next(8 * block.size));
  },
  "a bit between header and footer": ({ bytes, headerEnd, footerStart }, next) =>
    flippedBit(bytes, 8 * headerEnd + next(8 * (footerStart - headerEnd))),
  "a bit anywhere": ({ bytes }, next) => flippedBit(bytes, next(8 * bytes.length)),
  "a range of zeros": ({ bytes, footerStart }, next) => {
    const from = next(footerStart);
    return overwrite(bytes, from, Math.min(footerStart, from + 1 + next(2000)), () => 0);
  },
  "a range of noise": ({ bytes, footerStart }, next) => {
    const from = next(footerStart);
    return overwrite(bytes, from, Math.min(footerStart, from + 1 + next(2000)), () => next(256));
  },
  "the footer": ({ bytes, footerStart }, next) =>
    overwrite(bytes, footerStart, bytes.length, () => next(256)),
  "header and footer": ({ bytes, footerStart, headerEnd }, next) => {
    const first = overwrite(bytes, 0, headerEnd, () => next(256));
    const both = overwrite(first.bytes, footerStart, bytes.length, () => next(256));
    return { bytes: both.bytes, intact: [[headerEnd, footerStart, 0]] };
  },
  truncation: ({ bytes }, next) => cut(bytes, next(bytes.length)),
  "truncation inside the blocks": ({ bytes, headerEnd, footerStart }, next) =>
    cut(bytes, headerEnd + next(footerStart - headerEnd)),
  "foreign bytes before the file": ({ bytes }, next) =>
    insert(
      bytes,
      0,
      Uint8Array.from({ length: 1 + next(300) }, () => next(256)),
    ),
  "foreign bytes after the file": ({ bytes }, next) =>
    insert(
      bytes,
      bytes.length,
      Uint8Array.from({ length: 1 + next(300) }, () => next(256)),
    ),
  "foreign bytes inside the file": ({ bytes, footerStart }, next) =>
    insert(
      bytes,
      next(footerStart),
      Uint8Array.from({ length: 1 + next(300) }, () => next(256)),
    ),
  "missing bytes": ({ bytes, footerStart }, next) => {
    const from = next(footerStart);
    return remove(bytes, from, Math.min(footerStart, from + 1 + next(500)));
  },
  "a missing start": ({ bytes, footerStart }, next) => remove(bytes, 0, 1 + next(footerStart - 1)),
};

describe("a damaged file with checksums", () => {
  test.each(Object.keys(patterns))("is recovered to exactly its undamaged blocks: %s", async (pattern) => {
    const damage = patterns[pattern];
    const next = randomNumbers(pattern.length);
    const faults: string[] = [];
    const runs = 75 * FACTOR;
    for (let run = 0; run < runs; run++) {
      const name = checksummed[next(checksummed.length)] as string;
      const file = await subject(name);
      const damaged = damage?.(file, next);
      const found = damaged && (await faultsOf(file, damaged));
      faults.push(...(found ?? ["no damage"]).map((fault) => `${name}: ${fault}`));
    }
    expect(faults).toEqual([]);
  });

  test("without a footer is recovered with correct guesses, or requires options", async () => {
    let guessed = 0;
    const next = randomNumbers(99);
    for (let run = 0; run < 150 * FACTOR; run++) {
      const name = checksummed[next(checksummed.length)] as string;
      const file = await subject(name);
      const damaged = overwrite(file.bytes, file.footerStart, file.bytes.length, () => 0);
      try {
        expect(await faultsOf(file, damaged, true), name).toEqual([]);
        guessed++;
      } catch (error) {
        expect(isCFileError(error, "E_INVALID_ARGUMENT"), `${name}: ${error}`).toBe(true);
      }
    }
    expect(guessed).toBeGreaterThan(75 * FACTOR);
  });

  const small = checksummed.filter((name) => goldenBytes(name).length <= 130);

  test.each(small.filter((_, i) => i % Math.max(1, Math.floor(24 / FACTOR)) === 0))(
    "is recovered with any single bit flipped: %s",
    async (name) => {
      const file = await subject(name);
      const faults: string[] = [];
      for (let bit = 0; bit < 8 * file.bytes.length; bit++) {
        const damaged = flippedBit(file.bytes, bit);
        faults.push(...(await faultsOf(file, damaged)).map((fault) => `bit ${bit}: ${fault}`));
        const unaided = await scanDamaged(damaged, {}).catch((error: unknown) => error);
        if (isCFileError(unaided)) {
          expect(unaided.code, `bit ${bit}`).toBe("E_INVALID_ARGUMENT");
          expect(bit).toBeGreaterThanOrEqual(8 * file.footerStart);
        } else if (unaided instanceof RecoverableFile) {
          faults.push(...(await findFaults(file, unaided, damaged, expectedBlocks(file, damaged))));
        } else {
          throw unaided;
        }
      }
      expect(faults).toEqual([]);
    },
  );

  test("is recovered without blocks of another file", async () => {
    const [one, two] = [await subject("idx_posidx_only_int32"), await subject("enc_int32_plain_n1000")];
    const before = insert(one.bytes, 0, two.bytes);
    expect(await findFaults(one, await scanDamaged(before, {}), before, one.blocks)).toEqual([]);
    const inside = insert(one.bytes, one.blocks[3]?.offset ?? 0, two.bytes);
    expect(await findFaults(one, await scanDamaged(inside, {}), inside, one.blocks)).toEqual([]);
  });
});

describe("a damaged file without checksums", () => {
  const plain = names.filter((name) => !goldenFile(name).checksums);

  test("is recovered with index and footer; its rows are marked as unverified", async () => {
    expect(plain.length).toBeGreaterThan(20);
    const next = randomNumbers(5);
    for (let run = 0; run < 100 * FACTOR; run++) {
      const name = plain[next(plain.length)] as string;
      const file = await subject(name);
      const block = file.blocks[next(file.blocks.length)];
      if (block !== undefined) {
        const damaged = overwrite(file.bytes, block.offset, block.offset + block.size, () => 0xff);
        expect(await faultsOf(file, damaged), name).toEqual([]);
      }
    }
  });

  test("and without footer and index is recovered by walking uncompressed blocks", async () => {
    const faults: string[] = [];
    let tried = 0;
    for (const name of plain.filter((each) => goldenFile(each).compression === "NO_COMPRESSION")) {
      const file = await subject(name);
      const last = file.blocks.at(-1);
      if (last !== undefined && !file.blocks.some(({ codes }) => codes)) {
        tried++;
        const damaged = cut(file.bytes, last.offset + last.size);
        faults.push(...(await faultsOf(file, damaged)).map((fault) => `${name}: ${fault}`));
      }
    }
    expect(tried).toBeGreaterThan(15);
    expect(faults).toEqual([]);
  });

  test("throws only CFileErrors", async () => {
    const next = randomNumbers(77);
    for (let run = 0; run < 400 * FACTOR; run++) {
      const name = plain[next(plain.length)] as string;
      const file = await subject(name);
      const pattern = Object.values(patterns)[next(Object.keys(patterns).length)];
      const damaged = pattern?.(file, next);
      try {
        const found =
          damaged && (await scanDamaged(damaged, next(2) === 0 ? {} : footerOptions(file.golden)));
        for await (const { batch } of found?.entries() ?? []) {
          batch?.toArray();
        }
      } catch (error) {
        expect(isCFileError(error), `${name}, run ${run}: ${error}`).toBe(true);
      }
    }
  });
});
