/** Keys of which only the beginning ascends: of delta files, whose keys are row and timestamp, it is the row. */

/** Where the part of the key `bytes[start..end)` ends that ascends from entry to entry; at most `end`. */
export type OrderedKeyEnd = (bytes: Uint8Array, start: number, end: number) => number;

/** The part of `key` that ascends: all of it without an `orderedEnd`. */
export function orderedPart(key: Uint8Array, orderedEnd: OrderedKeyEnd | undefined): Uint8Array {
  return orderedEnd === undefined ? key : key.subarray(0, orderedEnd(key, 0, key.length));
}
