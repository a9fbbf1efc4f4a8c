/**
 * The hash functions of HBase's Bloom filters (docs/spec/hbase-table.md#83-question): signed 32-bit hashes of `bytes[0..length)`, with
 * a seed.
 */

/** Hash functions by their number in the file. */
export const BLOOM_HASHES = /* @__PURE__ */ Object.freeze([jenkins, murmur2, murmur3]);

/** Computes a hash of `bytes[0..length)`. */
export type BloomHash = (bytes: Uint8Array, length: number, seed: number) => number;

const MURMUR2_MULTIPLIER = 0x5bd1e995;

/** MurmurHash2, 32 bit, whose last one to three bytes are signed, unlike in the published function. */
function murmur2(bytes: Uint8Array, length: number, seed: number): number {
  let hash = seed ^ length;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    let word = wordAt(bytes, at);
    word = Math.imul(word, MURMUR2_MULTIPLIER);
    word ^= word >>> 24;
    hash = Math.imul(hash, MURMUR2_MULTIPLIER) ^ Math.imul(word, MURMUR2_MULTIPLIER);
  }
  if (at < length) {
    for (let i = length - 1; i >= at; i--) {
      hash ^= (((bytes[i] as number) << 24) >> 24) << (8 * (i - at));
    }
    hash = Math.imul(hash, MURMUR2_MULTIPLIER);
  }
  hash ^= hash >>> 13;
  hash = Math.imul(hash, MURMUR2_MULTIPLIER);
  return hash ^ (hash >>> 15);
}

/** MurmurHash3 for x86, 32 bit. */
function murmur3(bytes: Uint8Array, length: number, seed: number): number {
  let hash = seed;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    hash ^= scrambled(wordAt(bytes, at));
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  if (at < length) {
    let tail = 0;
    for (let i = length - 1; i >= at; i--) {
      tail = (tail << 8) | (bytes[i] as number);
    }
    hash ^= scrambled(tail);
  }
  hash ^= length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

function scrambled(word: number): number {
  const product = Math.imul(word, 0xcc9e2d51);
  return Math.imul((product << 15) | (product >>> 17), 0x1b873593);
}

/** Bob Jenkins' lookup3 `hashlittle`. */
function jenkins(bytes: Uint8Array, length: number, seed: number): number {
  let a = (0xdeadbeef + length + seed) | 0;
  let b = a;
  let c = a;
  let at = 0;
  for (; length - at > 12; at += 12) {
    a = (a + wordAt(bytes, at)) | 0;
    b = (b + wordAt(bytes, at + 4)) | 0;
    c = (c + wordAt(bytes, at + 8)) | 0;
    a = ((a - c) | 0) ^ rotated(c, 4);
    c = (c + b) | 0;
    b = ((b - a) | 0) ^ rotated(a, 6);
    a = (a + c) | 0;
    c = ((c - b) | 0) ^ rotated(b, 8);
    b = (b + a) | 0;
    a = ((a - c) | 0) ^ rotated(c, 16);
    c = (c + b) | 0;
    b = ((b - a) | 0) ^ rotated(a, 19);
    a = (a + c) | 0;
    c = ((c - b) | 0) ^ rotated(b, 4);
    b = (b + a) | 0;
  }
  if (at === length) {
    return c;
  }
  a = (a + tailWord(bytes, at, length)) | 0;
  b = (b + tailWord(bytes, at + 4, length)) | 0;
  c = (c + tailWord(bytes, at + 8, length)) | 0;
  c = ((c ^ b) - rotated(b, 14)) | 0;
  a = ((a ^ c) - rotated(c, 11)) | 0;
  b = ((b ^ a) - rotated(a, 25)) | 0;
  c = ((c ^ b) - rotated(b, 16)) | 0;
  a = ((a ^ c) - rotated(c, 4)) | 0;
  b = ((b ^ a) - rotated(a, 14)) | 0;
  return ((c ^ b) - rotated(b, 24)) | 0;
}

function rotated(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** The little-endian word at `at`. Its four bytes must be within `bytes`. */
function wordAt(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}

/** The little-endian word at `at`, with zeros from `end` on. */
function tailWord(bytes: Uint8Array, at: number, end: number): number {
  let word = 0;
  for (let i = Math.min(at + 4, end) - 1; i >= at; i--) {
    word = (word << 8) | (bytes[i] as number);
  }
  return word;
}
