/** Compressible and incompressible bytes, the same in every run. */
import { randomBytes, randomNumbers } from "@cfile-tools/testkit";

const WORDS = ["the", "kudu", "tablet", "row", "of", "column", "and", "block", "a", "0000"];

const SAMPLE_KINDS = {
  zeros: (length: number) => new Uint8Array(length),
  noise: (length: number) => randomBytes(length, randomNumbers(1)),
  /** One byte in 16 is not zero. */
  sparse: (length: number) => {
    const next = randomNumbers(2);
    return new Uint8Array(length).map(() => (next(16) === 0 ? next(256) : 0));
  },
  /** Only four values, for many short matches. */
  narrow: (length: number) => {
    const next = randomNumbers(3);
    return new Uint8Array(length).map(() => next(4));
  },
  counter: (length: number) => new Uint8Array(length).map((_, i) => (i & 3 ? i >>> (8 * (i & 3)) : i >>> 2)),
  text: (length: number) => {
    const next = randomNumbers(4);
    let text = "";
    while (text.length < length) {
      text += `${WORDS[next(WORDS.length)]} `;
    }
    return new TextEncoder().encode(text.slice(0, length));
  },
  /** Noise that repeats after 65534 to 65537 bytes: around the maximum distance. */
  farRepeats: (length: number) => {
    const next = randomNumbers(5);
    const bytes = randomBytes(length, next);
    for (let at = 65534, i = 0; at + 40 <= length; at += 3001, i++) {
      const from = at - 65534 - (i % 4);
      if (from >= 0) {
        bytes.copyWithin(at, from, from + 20 + (i % 16));
      }
    }
    return bytes;
  },
  /** Sections of all of the above. */
  mixed: (length: number) => {
    const next = randomNumbers(6);
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; ) {
      const end = Math.min(length, at + 1 + next(700));
      const period = 1 + next(70);
      const way = next(4);
      for (let i = at; i < end; i++) {
        bytes[i] =
          way === 0
            ? next(256)
            : way === 1
              ? 7
              : i < period || way === 2
                ? next(2)
                : (bytes[i - period] ?? 0);
      }
      at = end;
    }
    return bytes;
  },
} as const satisfies Record<string, (length: number) => Uint8Array>;

export type SampleKind = keyof typeof SAMPLE_KINDS;

export const sampleKinds = Object.keys(SAMPLE_KINDS) as SampleKind[];

export function sample(kind: SampleKind, length: number): Uint8Array {
  return SAMPLE_KINDS[kind](length);
}
