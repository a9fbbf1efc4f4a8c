/**
 * MurmurHash2, 64 bits (variant A). Kudu uses it for hash partitioning and in-memory predicates, not in Bloom files.
 *
 * | bytes of the key | hashed by |
 * | --- | --- |
 * | each 8 | little-endian word, mixed alone, then into the hash |
 * | last 1 … 7 | little-endian word padded with zeros, into the hash unmixed |
 */
import { loadTail, Word64 } from "./word64.js";

const PRIME = /* @__PURE__ */ new Word64(0xc6a4a793, 0x5bd1e995);

const word = /* @__PURE__ */ new Word64();
const result = /* @__PURE__ */ new Word64();

/** The hash of a key as an unsigned integer; `seed` is 0 to 2^32 - 1. */
export function murmur2Hash64(key: Uint8Array, seed = 0): bigint {
  murmur2Hash64Into(key, 0, key.length, result, seed);
  return result.toBigInt();
}

/** The hash of `bytes[start..end)` into `out`, without allocating. */
export function murmur2Hash64Into(
  bytes: Uint8Array,
  start: number,
  end: number,
  out: Word64,
  seed = 0,
): void {
  const wordsEnd = end - ((end - start) & 7);
  out
    .set(0, end - start)
    .multiply(PRIME)
    .xor(word.set(0, seed));
  for (let position = start; position < wordsEnd; position += 8) {
    word.load(bytes, position).multiply(PRIME).xorShiftRight(47).multiply(PRIME);
    out.xor(word).multiply(PRIME);
  }
  if (wordsEnd < end) {
    out.xor(loadTail(bytes, wordsEnd, end, word)).multiply(PRIME);
  }
  out.xorShiftRight(47).multiply(PRIME).xorShiftRight(47);
}
