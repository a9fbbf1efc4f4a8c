/**
 * FastHash, 64 bits. Kudu uses it for in-memory Bloom filter predicates, not in Bloom files.
 *
 * | bytes of the key | hashed by |
 * | --- | --- |
 * | each 8 | little-endian word, mixed alone, then into the hash |
 * | last 1 … 7 | the same, padded with zeros |
 * | none | as the four bytes `ee 7e ca 7d`, a special case of Kudu |
 */
import { loadTail, Word64 } from "./word64.js";

const PRIME = /* @__PURE__ */ new Word64(0x880355f2, 0x1e6d1965);
const MIX = /* @__PURE__ */ new Word64(0x2127599b, 0xf4325c37);
/** Length and word that stand for an empty key. */
const EMPTY_LENGTH = 4;
const EMPTY_WORD = 0x7dca7eee;

const word = /* @__PURE__ */ new Word64();
const result = /* @__PURE__ */ new Word64();

/** The hash of a key as an unsigned integer; `seed` is 0 to 2^32 - 1. */
export function fastHash64(key: Uint8Array, seed = 0): bigint {
  fastHash64Into(key, 0, key.length, result, seed);
  return result.toBigInt();
}

/** The hash of `bytes[start..end)` into `out`, without allocating. */
export function fastHash64Into(bytes: Uint8Array, start: number, end: number, out: Word64, seed = 0): void {
  const isEmpty = start === end;
  const wordsEnd = end - ((end - start) & 7);
  out
    .set(0, isEmpty ? EMPTY_LENGTH : end - start)
    .multiply(PRIME)
    .xor(word.set(0, seed));
  for (let position = start; position < wordsEnd; position += 8) {
    out.xor(mix(word.load(bytes, position))).multiply(PRIME);
  }
  if (isEmpty) {
    out.xor(mix(word.set(0, EMPTY_WORD))).multiply(PRIME);
  } else if (wordsEnd < end) {
    out.xor(mix(loadTail(bytes, wordsEnd, end, word))).multiply(PRIME);
  }
  mix(out);
}

function mix(value: Word64): Word64 {
  return value.xorShiftRight(23).multiply(MIX).xorShiftRight(47);
}
