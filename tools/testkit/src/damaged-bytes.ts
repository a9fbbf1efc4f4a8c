/** Damages bytes, and remembers which ranges of them are undamaged. */

/** A damaged file and its undamaged ranges: `[from, to, shift]`, with offsets in the original. */
export interface Damaged {
  readonly bytes: Uint8Array;
  readonly intact: readonly (readonly [from: number, to: number, shift: number])[];
}

export function overwrite(bytes: Uint8Array, from: number, to: number, fill: (i: number) => number): Damaged {
  const copy = bytes.slice();
  for (let i = from; i < to; i++) {
    copy[i] = fill(i);
  }
  return {
    bytes: copy,
    intact: [
      [0, from, 0],
      [to, bytes.length, 0],
    ],
  };
}

export function flippedBit(bytes: Uint8Array, bit: number): Damaged {
  const at = bit >> 3;
  return overwrite(bytes, at, at + 1, () => (bytes[at] as number) ^ (1 << (bit & 7)));
}

export function cut(bytes: Uint8Array, length: number): Damaged {
  return { bytes: bytes.slice(0, length), intact: [[0, length, 0]] };
}

export function remove(bytes: Uint8Array, from: number, to: number): Damaged {
  const copy = new Uint8Array(bytes.length - (to - from));
  copy.set(bytes.subarray(0, from));
  copy.set(bytes.subarray(to), from);
  return {
    bytes: copy,
    intact: [
      [0, from, 0],
      [to, bytes.length, from - to],
    ],
  };
}

export function insert(bytes: Uint8Array, at: number, foreign: Uint8Array): Damaged {
  const copy = new Uint8Array(bytes.length + foreign.length);
  copy.set(bytes.subarray(0, at));
  copy.set(foreign, at);
  copy.set(bytes.subarray(at), at + foreign.length);
  return {
    bytes: copy,
    intact: [
      [0, at, 0],
      [at, bytes.length, foreign.length],
    ],
  };
}

/** Offset in the damaged file of a range of the original file; `undefined` unless the whole range is undamaged. */
export function offsetIn(
  damaged: Damaged,
  { offset, size }: { offset: number; size: number },
): number | undefined {
  const part = damaged.intact.find(([from, to]) => offset >= from && offset + size <= to);
  return part && offset + part[2];
}
