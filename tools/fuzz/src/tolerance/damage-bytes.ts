/** Damages the bytes of one file, as a failing disk or an interrupted copy does. Checksums are not corrected. */
import type { Random } from "../random.js";

export const BYTE_DAMAGE = ["bit", "byte", "zeros", "cut", "cut in front", "a stretch twice"] as const;
export type ByteDamage = (typeof BYTE_DAMAGE)[number];

const STRETCH = 512;

/** The damaged bytes; `undefined` if this damage would not change them. */
export function damageBytes(bytes: Uint8Array, kind: ByteDamage, random: Random): Uint8Array | undefined {
  const at = random.below(bytes.length);
  const to = Math.min(bytes.length, at + 1 + random.below(STRETCH));
  const out = damaged(bytes, kind, at, to, random);
  return Buffer.compare(out, bytes) === 0 ? undefined : out;
}

function damaged(bytes: Uint8Array, kind: ByteDamage, at: number, to: number, random: Random): Uint8Array {
  const copy = bytes.slice();
  switch (kind) {
    case "bit":
      copy[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      return copy;
    case "byte":
      copy[at] = random.below(256);
      return copy;
    case "zeros":
      return copy.fill(0, at, to);
    case "cut":
      return bytes.slice(0, at);
    case "cut in front":
      return bytes.slice(at);
    case "a stretch twice": {
      const out = new Uint8Array(bytes.length + to - at);
      out.set(bytes.subarray(0, to));
      out.set(bytes.subarray(at), to);
      return out;
    }
  }
}
