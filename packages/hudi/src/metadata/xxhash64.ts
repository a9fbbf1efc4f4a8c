/** xxHash64 (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md), for names in keys of the metadata table. */

const P1 = 0x9e3779b185ebca87n;
const P2 = 0xc2b2ae3d27d4eb4fn;
const P3 = 0x165667b19e3779f9n;
const P4 = 0x85ebca77c2b2ae63n;
const P5 = 0x27d4eb2f165667c5n;

const wrap = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotate = (value: bigint, bits: bigint): bigint => wrap(value << bits) | (value >> (64n - bits));
const round = (lane: bigint, input: bigint): bigint => wrap(rotate(wrap(lane + input * P2), 31n) * P1);
const merge = (hash: bigint, lane: bigint): bigint => wrap((hash ^ round(0n, lane)) * P1 + P4);

/** The 64-bit hash of bytes. */
export function xxHash64(bytes: Uint8Array, seed: bigint): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  let hash: bigint;
  if (bytes.length >= 32) {
    const lanes = [wrap(seed + P1 + P2), wrap(seed + P2), wrap(seed), wrap(seed - P1)];
    for (; at + 32 <= bytes.length; at += 32) {
      for (let i = 0; i < 4; i++) {
        lanes[i] = round(lanes[i] as bigint, view.getBigUint64(at + 8 * i, true));
      }
    }
    const bits = [1n, 7n, 12n, 18n];
    hash = wrap(lanes.reduce((sum, lane, i) => sum + rotate(lane, bits[i] as bigint), 0n));
    for (const lane of lanes) {
      hash = merge(hash, lane);
    }
  } else {
    hash = wrap(seed + P5);
  }
  hash = wrap(hash + BigInt(bytes.length));
  for (; at + 8 <= bytes.length; at += 8) {
    hash = wrap(rotate(hash ^ round(0n, view.getBigUint64(at, true)), 27n) * P1 + P4);
  }
  if (at + 4 <= bytes.length) {
    hash = wrap(rotate(hash ^ wrap(BigInt(view.getUint32(at, true)) * P1), 23n) * P2 + P3);
    at += 4;
  }
  for (; at < bytes.length; at++) {
    hash = wrap(rotate(hash ^ wrap(BigInt(bytes[at] as number) * P5), 11n) * P1);
  }
  hash = wrap((hash ^ (hash >> 33n)) * P2);
  hash = wrap((hash ^ (hash >> 29n)) * P3);
  return hash ^ (hash >> 32n);
}
