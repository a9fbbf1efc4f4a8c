/**
 * Mutates bytes whose fields are numbers of known widths. Words in both byte orders, varints and single bytes
 * get values that break readers; ranges are cut, copied, swapped, duplicated and cleared.
 */
import type { Mutation } from "./harness.js";
import type { Random } from "./random.js";

const WORDS = [
  0,
  1,
  2,
  7,
  8,
  127,
  128,
  255,
  256,
  65535,
  65536,
  2 ** 24,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 2,
  2 ** 32 - 1,
];
const BYTES = [0, 1, 2, 127, 128, 129, 254, 255];
/** Varints of up to 32 and 64 bits, and unterminated ones. */
const VARINTS: readonly (readonly number[])[] = [
  [0],
  [127],
  [128, 0],
  [255, 255, 3],
  [255, 255, 255, 255, 7],
  [128, 128, 128, 128, 8],
  [255, 255, 255, 255, 15],
  [255, 255, 255, 255, 31],
  [255, 255, 255, 255, 255, 255, 255, 15],
  [255, 255, 255, 255, 255, 255, 255, 255, 255, 1],
  [255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1],
];
/** Most counts and lengths are near the start or the end. */
const EDGE = 24;

/** @param from, to range to damage; all bytes by default */
export function mutateFields(
  original: Uint8Array,
  random: Random,
  from = 0,
  to: number = original.length,
): Mutation {
  let bytes: Uint8Array = original.slice();
  let end = to;
  const steps: string[] = [];
  for (let left = 1 + random.below(3); left > 0 && end > from; left--) {
    const kind = random.below(16);
    if (kind < 11) {
      steps.push(setField(bytes, from, end, kind, random));
    } else if (kind < 14) {
      steps.push(moveStretch(bytes, from, end, kind, random));
    } else {
      const changed = changeLength(bytes, from, end, kind, random);
      end += changed.bytes.length - bytes.length;
      ({ bytes } = changed);
      steps.push(...changed.steps);
    }
  }
  return { bytes, steps };
}

function place(from: number, to: number, random: Random): number {
  const near = random.below(Math.min(to - from, EDGE));
  switch (random.below(4)) {
    case 0:
      return to - 1 - near;
    case 1:
      return from + random.below(to - from);
    default:
      return from + near;
  }
}

function setField(bytes: Uint8Array, from: number, to: number, kind: number, random: Random): string {
  const at = place(from, to, random);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (kind < 5 && at + 4 <= to) {
    const littleEndian = kind < 4;
    const before = view.getUint32(at, littleEndian);
    const value = random.pick([...WORDS, before + 1, before - 1, before * 2, to - from, to - from + 1]) >>> 0;
    view.setUint32(at, value, littleEndian);
    return `u32${littleEndian ? "le" : "be"} ${at} is ${value}`;
  }
  if (kind < 7) {
    const varint = random.pick(VARINTS);
    bytes.set(varint.slice(0, to - at), at);
    return `varint ${at} is ${varint.join(" ")}`;
  }
  if (kind < 8) {
    const bit = random.below(8);
    bytes[at] = (bytes[at] as number) ^ (1 << bit);
    return `bit ${bit} of ${at}`;
  }
  const before = bytes[at] as number;
  bytes[at] = random.pick([...BYTES, before + 1, before - 1, random.below(256)]) & 255;
  return `byte ${at} is ${bytes[at]}`;
}

function moveStretch(bytes: Uint8Array, from: number, to: number, kind: number, random: Random): string {
  const length = 1 + random.below(Math.min(32, to - from));
  const one = from + random.below(to - from - length + 1);
  const two = from + random.below(to - from - length + 1);
  const first = bytes.slice(one, one + length);
  const second = bytes.slice(two, two + length);
  bytes.set(first, two);
  if (kind === 11) {
    bytes.set(second, one);
    return `swapped ${length} bytes at ${one} and ${two}`;
  }
  if (kind === 12) {
    bytes.fill(random.pick([0, 255]), one, one + length);
    return `moved ${length} bytes from ${one} to ${two}`;
  }
  return `copied ${length} bytes from ${one} to ${two}`;
}

function changeLength(bytes: Uint8Array, from: number, to: number, kind: number, random: Random): Mutation {
  const at = from + random.below(to - from);
  if (kind === 14) {
    const upTo = random.below(2) === 0 ? to : Math.min(to, at + 1 + random.below(16));
    return { bytes: joined(bytes.subarray(0, at), bytes.subarray(upTo)), steps: [`cut ${at} to ${upTo}`] };
  }
  const length = 1 + random.below(Math.min(64, to - at));
  return {
    bytes: joined(bytes.subarray(0, at + length), bytes.subarray(at)),
    steps: [`duplicated ${length} bytes at ${at}`],
  };
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const out = new Uint8Array(first.length + second.length);
  out.set(first);
  out.set(second, first.length);
  return out;
}
