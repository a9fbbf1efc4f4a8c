/**
 * CityHash64 in Kudu's version (docs/spec/bloomfile.md#41-cityhash64). Constants and steps differ from the public releases,
 * so other libraries' CityHash64 gives other hashes.
 *
 * | bytes of the key | hashed by |
 * | --- | --- |
 * | 0 … 16 | one finalizer over the first and last words, which overlap |
 * | 17 … 32 | four words, one finalizer |
 * | 33 … 64 | two halves of four words each |
 * | 65 or more | 56 bytes of state over blocks of 64 bytes, initialized from the last 64 |
 *
 * Only one hash is computed at a time, so all calls share the same words.
 */
import { load32, Word64 } from "./word64.js";

const K0 = /* @__PURE__ */ new Word64(0xa5b85c5e, 0x198ed849);
const K1 = /* @__PURE__ */ new Word64(0x8d58ac26, 0xafe12e47);
const K2 = /* @__PURE__ */ new Word64(0xc47b6e9e, 0x3a970ed3);
const K3 = /* @__PURE__ */ new Word64(0xc70f6907, 0xe782aa0b);
const FINISH = /* @__PURE__ */ new Word64(0xc6a4a793, 0x5bd1e995);

const a = /* @__PURE__ */ new Word64();
const b = /* @__PURE__ */ new Word64();
const c = /* @__PURE__ */ new Word64();
const d = /* @__PURE__ */ new Word64();
const x = /* @__PURE__ */ new Word64();
const y = /* @__PURE__ */ new Word64();
const z = /* @__PURE__ */ new Word64();
const v1 = /* @__PURE__ */ new Word64();
const v2 = /* @__PURE__ */ new Word64();
const w1 = /* @__PURE__ */ new Word64();
const w2 = /* @__PURE__ */ new Word64();
const result = /* @__PURE__ */ new Word64();

/** The hash of a key as an unsigned integer. */
export function cityHash64(key: Uint8Array): bigint {
  cityHash64Into(key, 0, key.length, result);
  return result.toBigInt();
}

/** The hash of `bytes[start..end)` into `out`, without allocating. */
export function cityHash64Into(bytes: Uint8Array, start: number, end: number, out: Word64): void {
  const length = end - start;
  if (length <= 16) {
    hashUpTo16(bytes, start, length, out);
  } else if (length <= 32) {
    hash17To32(bytes, start, length, out);
  } else if (length <= 64) {
    hash33To64(bytes, start, length, out);
  } else {
    hashLong(bytes, start, length, out);
  }
}

function hashUpTo16(bytes: Uint8Array, start: number, length: number, out: Word64): void {
  const end = start + length;
  if (length > 8) {
    b.load(bytes, end - 8);
    c.copy(b).addNumber(length).rotateRight(length);
    finish(a.load(bytes, start), c, out);
    out.xor(b);
  } else if (length >= 4) {
    const first = load32(bytes, start);
    a.set(first >>> 29, first << 3).addNumber(length);
    finish(a, b.set(0, load32(bytes, end - 4)), out);
  } else if (length > 0) {
    const first = bytes[start] as number;
    const middle = bytes[start + (length >> 1)] as number;
    const last = bytes[end - 1] as number;
    a.set(0, length + (last << 2)).multiply(K3);
    out.set(0, first + (middle << 8)).multiply(K2);
    out.xor(a).xorShiftRight(47).multiply(K2);
  } else {
    out.copy(K2);
  }
}

function hash17To32(bytes: Uint8Array, start: number, length: number, out: Word64): void {
  const end = start + length;
  a.load(bytes, start).multiply(K1);
  b.load(bytes, start + 8);
  c.load(bytes, end - 8).multiply(K2);
  d.load(bytes, end - 16).multiply(K0);
  x.copy(a).subtract(b).rotateRight(43);
  x.add(y.copy(c).rotateRight(30)).add(d);
  b.xor(K3).rotateRight(20);
  a.add(b).subtract(c).addNumber(length);
  finish(x, a, out);
}

function hash33To64(bytes: Uint8Array, start: number, length: number, out: Word64): void {
  const end = start + length;
  z.load(bytes, start + 24);
  a.load(bytes, end - 16)
    .addNumber(length)
    .multiply(K0);
  a.add(b.load(bytes, start));
  mixHalf(bytes, start, v1, v2);
  a.load(bytes, start + 16).add(b.load(bytes, end - 32));
  z.add(b.load(bytes, end - 8));
  mixHalf(bytes, end - 32, w1, w2);
  v1.add(w2).multiply(K2);
  w1.add(v2).multiply(K0);
  out.copy(v1).add(w1).xorShiftRight(47);
  out.multiply(K0).add(v2).xorShiftRight(47).multiply(K2);
}

/** One half of a key of 33 to 64 bytes; takes the state from `a` and `z`, and reads words 8 and 16 bytes after `position`. */
function mixHalf(bytes: Uint8Array, position: number, first: Word64, second: Word64): void {
  b.copy(a).add(z).rotateRight(52);
  c.copy(a).rotateRight(37);
  a.add(d.load(bytes, position + 8));
  c.add(d.copy(a).rotateRight(7));
  a.add(d.load(bytes, position + 16));
  first.copy(a).add(z);
  second.copy(a).rotateRight(31).add(b).add(c);
}

function hashLong(bytes: Uint8Array, start: number, length: number, out: Word64): void {
  const end = start + length;
  x.load(bytes, end - 40);
  y.load(bytes, end - 16).add(a.load(bytes, end - 56));
  c.load(bytes, end - 48).addNumber(length);
  finish(c, b.load(bytes, end - 24), z);
  a.set(0, length);
  b.copy(z);
  weakHash(bytes, end - 64, v1, v2);
  a.copy(y).add(K1);
  b.copy(x);
  weakHash(bytes, end - 32, w1, w2);
  x.multiply(K1).add(a.load(bytes, start));
  const blocksEnd = start + ((length - 1) & ~63);
  for (let block = start; block < blocksEnd; block += 64) {
    mixBlock(bytes, block);
  }
  finish(v1, w1, a);
  c.copy(y).xorShiftRight(47).multiply(K1);
  a.add(c).add(z);
  finish(v2, w2, b);
  finish(a, b.add(x), out);
}

/** Mixes 64 bytes into the state of a long key. */
function mixBlock(bytes: Uint8Array, block: number): void {
  x.add(y)
    .add(v1)
    .add(a.load(bytes, block + 8));
  x.rotateRight(37).multiply(K1);
  y.add(v2).add(a.load(bytes, block + 48));
  y.rotateRight(42).multiply(K1);
  x.xor(w2);
  y.add(v1).add(a.load(bytes, block + 40));
  z.add(w1).rotateRight(33).multiply(K1);
  a.copy(v2).multiply(K1);
  b.copy(x).add(w1);
  weakHash(bytes, block, v1, v2);
  a.copy(z).add(w2);
  b.load(bytes, block + 16).add(y);
  weakHash(bytes, block + 32, w1, w2);
  d.copy(x);
  x.copy(z);
  z.copy(d);
}

/** Hashes 32 bytes with the seeds in `a` and `b`, which it overwrites, into two words. */
function weakHash(bytes: Uint8Array, position: number, first: Word64, second: Word64): void {
  a.add(d.load(bytes, position));
  second.copy(a);
  a.add(d.load(bytes, position + 8)).add(d.load(bytes, position + 16));
  b.add(second)
    .add(d.load(bytes, position + 24))
    .rotateRight(51);
  b.add(c.copy(a).rotateRight(23));
  first.copy(a).add(d);
  second.add(b);
}

/** The finalizer. `out` may be neither `u` nor `v`. */
function finish(u: Word64, v: Word64, out: Word64): void {
  out.copy(u).xor(v).multiply(FINISH).xorShiftRight(47);
  out.xor(u).multiply(FINISH).xorShiftRight(47).multiply(FINISH);
}
