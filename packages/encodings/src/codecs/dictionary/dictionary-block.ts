/**
 * Dictionary blocks (docs/spec/cfile.md#56-dictionary).
 *
 * | offset | width | meaning |
 * | --- | --- | --- |
 * | 0 | 4 | u32le mode: 1 = codes, 2 = plain |
 * | 4 | rest | mode 1: bitshuffle block of UINT32 codes; mode 2: plain binary block |
 *
 * A code is an index into the file's one dictionary: a plain binary block of words in the order of first use.
 */
import { ByteReader, corrupt } from "@cfile/bytes";
import { badCode } from "../../batch/binary-values.js";
import { seekBytes } from "../../keys/seek-target.js";
import { badField } from "../../types/checks.js";
import { type BinaryVector, bytesOf } from "../../types/vector.js";
import { type BitshuffleBlock, openBitshuffleBlock } from "../bitshuffle/bitshuffle-block.js";
import type { BlockDecoder, DecodeContext } from "../block-codec.js";
import { openPlainBinaryBlock } from "../plain/plain-binary-block.js";

export const MODE_LENGTH = 4;
export const MODE_CODES = 1;
export const MODE_PLAIN = 2;

/**
 * The words of a dictionary block, by codeword.
 *
 * @throws {CFileError} `E_TRUNCATED` or `E_CORRUPT` for malformed bytes
 */
export function openDictionaryWords(
  bytes: Uint8Array,
  { kernels }: Pick<DecodeContext, "kernels"> = {},
): BinaryVector {
  const block = openPlainBinaryBlock(bytes, 0, { kernels });
  return block.decode(0, block.count);
}

/**
 * Opens a dictionary block. In code mode it decodes to dictionary vectors over `context.dictionary`, in plain mode
 * to binary vectors.
 *
 * @throws {CFileError} `E_TRUNCATED` or `E_CORRUPT` for malformed bytes, or when the block requires a
 *   dictionary that the context lacks
 */
export function openDictionaryBlock(bytes: Uint8Array, context: DecodeContext = {}): BlockDecoder {
  const mode = new ByteReader(bytes).u32le("mode");
  if (mode === MODE_PLAIN) {
    return openPlainBinaryBlock(bytes, MODE_LENGTH, context);
  }
  if (mode !== MODE_CODES) {
    throw badField("mode", 0, mode, "1 (codes) or 2 (plain)");
  }
  if (context.dictionary === undefined) {
    throw corrupt("a block of codes requires a dictionary", { offset: 0, field: "dictionary" });
  }
  return openCodeBlock(openBitshuffleBlock("UINT32", bytes, MODE_LENGTH, context), context.dictionary);
}

function openCodeBlock(block: BitshuffleBlock, dictionary: BinaryVector): BlockDecoder {
  const { count, ordinal } = block;
  return {
    ordinal,
    count,
    decode: (from, to) => ({
      kind: "dictionary",
      length: to - from,
      codes: decodeCodes(block, dictionary, from, to),
      dictionary,
    }),
    check() {
      decodeCodes(block, dictionary, 0, count);
    },
    /** Compares words, not codes: values ascend, the dictionary need not. */
    seek(target) {
      const codeAt = (i: number): number => decodeCodes(block, dictionary, i, i + 1)[0] as number;
      return seekBytes(dictionary, count, target, codeAt);
    },
  };
}

function decodeCodes(block: BitshuffleBlock, dictionary: BinaryVector, from: number, to: number): Int32Array {
  const bytes = bytesOf(block.decode(from, to).values);
  const codes = new Int32Array(bytes.buffer, bytes.byteOffset, to - from);
  const { length } = dictionary;
  const largest = block.largestCode();
  if ((largest === undefined || largest >= length) && !areBelow(codes, length)) {
    const value = codes.findIndex((code) => code >>> 0 >= length);
    throw badCode(`value ${from + value}`, (codes[value] as number) >>> 0, length, MODE_LENGTH);
  }
  return codes;
}

/** Whether all codes are from 0 to `words - 1`, without a branch per code. */
function areBelow(codes: Int32Array, words: number): boolean {
  const last = words - 1;
  let outside = 0;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] as number;
    outside |= code | (last - code);
  }
  return outside >= 0;
}
