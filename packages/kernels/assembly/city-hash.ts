// CityHash64 in Kudu's version (docs/spec/bloomfile.md#41-cityhash64); the TypeScript version is in `@cfile/bloomfile`.

const K0: u64 = 0xa5b85c5e198ed849;
const K1: u64 = 0x8d58ac26afe12e47;
const K2: u64 = 0xc47b6e9e3a970ed3;
const K3: u64 = 0xc70f6907e782aa0b;
const FINISH: u64 = 0xc6a4a7935bd1e995;

// @ts-expect-error: decorator
@inline
function shiftMix(word: u64): u64 {
  return word ^ (word >> 47);
}

// @ts-expect-error: decorator
@inline
function finish(u: u64, v: u64): u64 {
  const a = shiftMix((u ^ v) * FINISH);
  return shiftMix((a ^ u) * FINISH) * FINISH;
}

// @ts-expect-error: decorator
@inline
function hashUpTo16(at: usize, length: usize): u64 {
  const end = at + length;
  if (length > 8) {
    const last = load<u64>(end - 8);
    return finish(load<u64>(at), rotr<u64>(last + length, length)) ^ last;
  }
  if (length >= 4) {
    return finish(((<u64>load<u32>(at)) << 3) + length, load<u32>(end - 4));
  }
  if (length > 0) {
    const y = <u64>load<u8>(at) + ((<u64>load<u8>(at + (length >> 1))) << 8);
    const z = <u64>length + ((<u64>load<u8>(end - 1)) << 2);
    return shiftMix((y * K2) ^ (z * K3)) * K2;
  }
  return K2;
}

function hash17To32(at: usize, length: usize): u64 {
  const end = at + length;
  const a = load<u64>(at) * K1;
  const b = load<u64>(at, 8);
  const c = load<u64>(end - 8) * K2;
  const d = load<u64>(end - 16) * K0;
  return finish(rotr<u64>(a - b, 43) + rotr<u64>(c, 30) + d, a + rotr<u64>(b ^ K3, 20) - c + length);
}

function hash33To64(at: usize, length: usize): u64 {
  const end = at + length;
  let z = load<u64>(at, 24);
  let a = load<u64>(at) + (<u64>length + load<u64>(end - 16)) * K0;
  let b = rotr<u64>(a + z, 52);
  let c = rotr<u64>(a, 37);
  a += load<u64>(at, 8);
  c += rotr<u64>(a, 7);
  a += load<u64>(at, 16);
  const v1 = a + z;
  const v2 = b + rotr<u64>(a, 31) + c;
  a = load<u64>(at, 16) + load<u64>(end - 32);
  z += load<u64>(end - 8);
  b = rotr<u64>(a + z, 52);
  c = rotr<u64>(a, 37);
  a += load<u64>(end - 24);
  c += rotr<u64>(a, 7);
  a += load<u64>(end - 16);
  const w1 = a + z;
  const w2 = b + rotr<u64>(a, 31) + c;
  const r = shiftMix((v1 + w2) * K2 + (w1 + v2) * K0);
  return shiftMix(r * K0 + v2) * K2;
}

// The result of `weakHash`: two words of the state of a long key.
let first: u64 = 0;
let second: u64 = 0;

function weakHash(at: usize, seed1: u64, seed2: u64): void {
  let a = seed1 + load<u64>(at);
  const start = a;
  const last = load<u64>(at, 24);
  const b = rotr<u64>(seed2 + a + last, 51);
  a += load<u64>(at, 8) + load<u64>(at, 16);
  first = a + last;
  second = b + rotr<u64>(a, 23) + start;
}

function hashLong(at: usize, length: usize): u64 {
  const end = at + length;
  let x = load<u64>(end - 40);
  let y = load<u64>(end - 16) + load<u64>(end - 56);
  let z = finish(load<u64>(end - 48) + length, load<u64>(end - 24));
  weakHash(end - 64, length, z);
  let v1 = first;
  let v2 = second;
  weakHash(end - 32, y + K1, x);
  let w1 = first;
  let w2 = second;
  x = x * K1 + load<u64>(at);
  const blocksEnd = at + ((length - 1) & ~63);
  for (let block = at; block < blocksEnd; block += 64) {
    x = rotr<u64>(x + y + v1 + load<u64>(block, 8), 37) * K1;
    y = rotr<u64>(y + v2 + load<u64>(block, 48), 42) * K1;
    x ^= w2;
    y += v1 + load<u64>(block, 40);
    z = rotr<u64>(z + w1, 33) * K1;
    weakHash(block, v2 * K1, x + w1);
    v1 = first;
    v2 = second;
    weakHash(block + 32, z + w2, y + load<u64>(block, 16));
    w1 = first;
    w2 = second;
    const swapped = x;
    x = z;
    z = swapped;
  }
  return finish(finish(v1, w1) + shiftMix(y) * K1 + z, finish(v2, w2) + x);
}

/** The hash of `length` bytes. */
// @ts-expect-error: decorator
@inline
export function cityHash64(at: usize, length: usize): u64 {
  return length <= 16
    ? hashUpTo16(at, length)
    : length <= 32
      ? hash17To32(at, length)
      : length <= 64
        ? hash33To64(at, length)
        : hashLong(at, length);
}
