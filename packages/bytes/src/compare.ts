/**
 * Compares byte strings as in keys, dictionaries and indexes: unsigned bytes, a prefix before longer strings
 * (docs/spec/cfile.md#72-keys). Negative, zero or positive like a sort callback.
 */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  return compareRange(left, 0, left.length, right);
}

/** {@link compareBytes} of `left[start..end)` and `right`, without a view. */
export function compareRange(left: Uint8Array, start: number, end: number, right: Uint8Array): number {
  const shared = Math.min(end - start, right.length);
  for (let i = 0; i < shared; i++) {
    const difference = (left[start + i] as number) - (right[i] as number);
    if (difference !== 0) {
      return difference;
    }
  }
  return end - start - right.length;
}

/** {@link compareBytes} of `data[leftStart..leftEnd)` and `data[rightStart..rightEnd)`, without views. */
export function compareWithin(
  data: Uint8Array,
  leftStart: number,
  leftEnd: number,
  rightStart: number,
  rightEnd: number,
): number {
  const shared = Math.min(leftEnd - leftStart, rightEnd - rightStart);
  for (let i = 0; i < shared; i++) {
    const difference = (data[leftStart + i] as number) - (data[rightStart + i] as number);
    if (difference !== 0) {
      return difference;
    }
  }
  return leftEnd - leftStart - (rightEnd - rightStart);
}

/** Whether two byte strings are equal. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && compareBytes(left, right) === 0;
}

/** Compares `target` with all strings that have the prefix `bytes[start..start + length)`: 0 if `target` also has it. */
export function compareToPrefix(
  target: Uint8Array,
  bytes: Uint8Array,
  start: number,
  length: number,
): number {
  for (let i = 0; i < length; i++) {
    const difference = (target[i] ?? -1) - (bytes[start + i] as number);
    if (difference !== 0) {
      return difference;
    }
  }
  return 0;
}

/**
 * The first four of `bytes[start..end)` as a big-endian number, padded with zeros. Different heads determine the order of two byte
 * strings; if the heads are equal, the order is still unknown.
 */
export function keyHead(bytes: Uint8Array, start: number, end: number): number {
  let head = 0;
  for (let i = start; i < start + 4; i++) {
    head = (head << 8) | (i < end ? (bytes[i] as number) : 0);
  }
  return head >>> 0;
}

/** Length of the longest common prefix. */
export function commonPrefixLength(left: Uint8Array, right: Uint8Array): number {
  const shared = Math.min(left.length, right.length);
  let i = 0;
  while (i < shared && left[i] === right[i]) {
    i++;
  }
  return i;
}
