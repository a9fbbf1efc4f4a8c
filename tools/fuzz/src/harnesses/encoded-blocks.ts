/** The encodings of blocks, alone and after null and array headers. */
import { DEFAULT_LIMITS, isCFileError } from "@cfile/bytes";
import type { DataType, EncodingType } from "@cfile/encodings";
import { openDictionaryWords } from "@cfile/encodings/dictionary";
import {
  encodeArrayBlock,
  encodeNullableBlock,
  parseArrayBlock,
  parseNullableBlock,
} from "@cfile/encodings/headers";
import { rleDecode, rleEncode } from "@cfile/encodings/rle";
import { loadEncodings } from "@cfile/encodings/write";
import { loadDataBlockOpener } from "@cfile/format";
import type { KernelChoice } from "@cfile/kernels";
import { chooseKernels } from "@cfile/kernels/encode";
import { defineHarness } from "../define-harness.js";
import { goldenJson, goldenNames } from "../files/golden-data.js";
import { goldenFiles } from "../files/golden-file.js";
import type { Harness, Subject } from "../harness.js";
import { mutateFields } from "../mutate-fields.js";

interface BlockFile {
  readonly type: DataType;
  readonly encoding: EncodingType;
  readonly cases: readonly { readonly count: number; readonly hex: string }[];
}

interface BlockSubject extends Subject {
  readonly type: DataType;
  readonly encoding: EncodingType;
  readonly count: number;
}

/** Maximum size of a block: larger blocks take longer without testing more. */
const LARGEST = 600;
const MAX_DECODED = 1 << 20;
const MAX_ROWS = 1 << 16;
const { openBlock } = await loadEncodings();
const limits = { ...DEFAULT_LIMITS, maxBlockRows: MAX_ROWS, maxBlockElements: MAX_ROWS };
const openers = new Map<string, ReturnType<typeof loadDataBlockOpener>>();

/** Cached, because loading modules takes longer than reading a block. */
function openerOf(kind: Parameters<typeof loadDataBlockOpener>[0]): ReturnType<typeof loadDataBlockOpener> {
  const name = Object.values(kind).join(" ");
  const known = openers.get(name) ?? loadDataBlockOpener(kind);
  openers.set(name, known);
  return known;
}

/** The dictionary for the codes of a mutated block. */
const dictionary = {
  kind: "binary",
  length: 40,
  offsets: Int32Array.from({ length: 41 }, (_, i) => 2 * i),
  data: new Uint8Array(80).fill(97),
} as const;

function blockSubjects(): BlockSubject[] {
  return goldenNames("blocks/", ".json")
    .filter((name) => name.includes("block_"))
    .flatMap((name) => {
      const { type, encoding, cases } = goldenJson<BlockFile>(name);
      return cases
        .filter(({ hex }) => hex.length <= 2 * LARGEST)
        .map(({ hex, count }) => ({
          name: `${type} ${encoding} of ${count}`,
          bytes: new Uint8Array(Buffer.from(hex, "hex")),
          type,
          encoding,
          count,
        }));
    });
}

const encodedBlocks = defineHarness({
  name: "encoded blocks",
  share: 2000,
  load: blockSubjects,
  mutate: (subject, random) => mutateFields(subject.bytes, random),
  act: (bytes, { type, encoding }, random) => {
    const kernels = chooseKernels(random.below(2) === 0 ? "portable" : "simd");
    const block = openBlock(type, encoding, bytes, { dictionary, maxDecodedBytes: MAX_DECODED, kernels });
    const count = Math.min(block.count, MAX_ROWS);
    if (random.below(2) === 0) {
      block.check();
    }
    const from = random.below(count + 1);
    block.decode(from, count);
    block.decode(0, count);
  },
});

const bothKernels = defineHarness({
  name: "encoded blocks, portable and SIMD alike",
  share: 500,
  load: blockSubjects,
  mutate: (subject, random) => mutateFields(subject.bytes, random),
  act: async (bytes, { type, encoding }) => {
    const kind = { type, encoding, nullable: false, array: false };
    const openDataBlock = await openerOf(kind);
    const outcomeOf = (version: KernelChoice): string => {
      const kernels = chooseKernels(version);
      try {
        const block = openDataBlock(bytes, { ...kind, dictionary, kernels }, limits);
        return block.decode(0, Math.min(block.rows, MAX_ROWS)).toArray({ strings: "bytes" }).join(" ");
      } catch (error) {
        if (isCFileError(error)) {
          return "refused";
        }
        throw error;
      }
    };
    const [portable, simd] = [outcomeOf("portable"), outcomeOf("simd")];
    if (portable !== simd) {
      throw new RangeError(`portable: ${portable.slice(0, 200)}; SIMD: ${simd.slice(0, 200)}`);
    }
  },
});

/** Golden blocks after generated headers: every third row is null. */
function headedSubjects(): (BlockSubject & { readonly array: boolean })[] {
  return blockSubjects().flatMap((subject) => {
    const { bytes, count, name } = subject;
    if (count === 0) {
      return [];
    }
    const rows = Array.from({ length: count + (count >> 1) }, (_, i) => (i % 3 === 2 ? 0 : 1));
    const bitmap = rleEncode(rows, 1);
    const ones = rleEncode(new Array<number>(count).fill(1), 1);
    const nullable = encodeNullableBlock(rows.length, bitmap, bytes);
    const parts = {
      elements: count,
      rows: rows.length,
      elementValidity: ones,
      elementCounts: rleEncode(rows, 16),
      rowValidity: bitmap,
    };
    return [
      { ...subject, name: `${name}, nullable`, bytes: nullable.slice(), array: false },
      { ...subject, name: `${name}, arrays`, bytes: encodeArrayBlock(parts, bytes).slice(), array: true },
    ];
  });
}

const headedBlocks = defineHarness({
  name: "null and array headers",
  share: 900,
  load: headedSubjects,
  mutate: (subject, random) => mutateFields(subject.bytes, random),
  act: async (bytes, { type, encoding, array }, random) => {
    if (random.below(4) === 0) {
      return (array ? parseArrayBlock : parseNullableBlock)(bytes, limits);
    }
    const kind = { type, encoding, nullable: true, array };
    const openDataBlock = await openerOf(kind);
    const block = openDataBlock(bytes, { ...kind, dictionary }, limits);
    const rows = Math.min(block.rows, MAX_ROWS);
    block.decode(0, rows);
    block.check();
    return rows;
  },
});

const dictionaries = defineHarness({
  name: "dictionary blocks",
  share: 300,
  load: async () => {
    const found: Subject[] = [];
    for (const { name, bytes, footer } of await goldenFiles(20_000)) {
      const plain = (footer.compression ?? "NO_COMPRESSION") === "NO_COMPRESSION";
      if (footer.dictionary !== undefined && plain) {
        const { offset, size } = footer.dictionary;
        found.push({ name, bytes: bytes.slice(offset, offset + size - 4) });
      }
    }
    return found.filter(({ bytes }) => bytes.length <= 4 * LARGEST);
  },
  mutate: (subject, random) => mutateFields(subject.bytes, random),
  act: (bytes) => openDictionaryWords(bytes),
});

interface RleCase {
  readonly bit_width: number;
  readonly hex: string;
  readonly values?: readonly unknown[];
}

const rle = defineHarness({
  name: "RLE and bit-packed streams",
  share: 900,
  load: () =>
    goldenNames("blocks/", ".json")
      .filter((name) => name.includes("rle_"))
      .filter((name) => !name.includes("block_"))
      .flatMap((name) =>
        goldenJson<readonly RleCase[]>(name)
          .filter(({ hex }) => hex.length > 0 && hex.length < 2 * LARGEST)
          .map(({ bit_width, hex, values }, i) => ({
            name: `${name} ${i}`,
            bytes: new Uint8Array(Buffer.from(hex, "hex")),
            width: bit_width,
            count: values?.length ?? 64,
          })),
      ),
  mutate: (subject, random) => mutateFields(subject.bytes, random),
  act: (bytes, { width, count }, random) =>
    rleDecode(
      bytes,
      random.below(8) === 0 ? 1 + random.below(64) : width,
      count + random.pick([0, 0, 0, 1, -1, 1000]),
    ),
});

export const ENCODED_BLOCKS: readonly Harness[] = [
  encodedBlocks,
  bothKernels,
  headedBlocks,
  dictionaries,
  rle,
];
