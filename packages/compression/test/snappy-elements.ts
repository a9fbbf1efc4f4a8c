/** Parses and assembles the elements of Snappy streams. */
import { concatBytes } from "@cfile/bytes";

export interface SnappyElement {
  readonly kind: "literals" | "copy1" | "copy2" | "copy4";
  /** Position in the uncompressed content. */
  readonly start: number;
  readonly length: number;
  readonly distance: number;
}

/** The uncompressed length a stream starts with, and its elements. For valid streams only. */
export function snappyElements(stream: Uint8Array): { length: number; elements: SnappyElement[] } {
  let at = 0;
  let length = 0;
  for (let shift = 0, byte = 0x80; byte >= 0x80; shift += 7) {
    byte = stream[at++] ?? 0;
    length += (byte & 0x7f) * 2 ** shift;
  }
  const elements: SnappyElement[] = [];
  const little = (width: number): number => {
    let value = 0;
    for (let i = 0; i < width; i++) {
      value += (stream[at++] ?? 0) * 256 ** i;
    }
    return value;
  };
  let start = 0;
  while (at < stream.length) {
    const tag = stream[at++] ?? 0;
    const upper = tag >> 2;
    let element: SnappyElement;
    if ((tag & 3) === 0) {
      element = {
        kind: "literals",
        start,
        length: 1 + (upper < 60 ? upper : little(upper - 59)),
        distance: 0,
      };
      at += element.length;
    } else if ((tag & 3) === 1) {
      element = { kind: "copy1", start, length: 4 + (upper & 7), distance: 256 * (tag >> 5) + little(1) };
    } else {
      const wide = (tag & 3) === 3;
      element = { kind: wide ? "copy4" : "copy2", start, length: 1 + upper, distance: little(wide ? 4 : 2) };
    }
    elements.push(element);
    start += element.length;
  }
  return { length, elements };
}

const little = (value: number, width: number): number[] =>
  Array.from({ length: width }, (_, i) => Math.floor(value / 256 ** i) % 256);

/** A stream for `length` bytes, assembled from these parts. */
export function snappyStream(length: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const prefix: number[] = [];
  let rest = length;
  for (; rest > 127; rest = Math.floor(rest / 128)) {
    prefix.push((rest % 128) + 128);
  }
  return concatBytes([Uint8Array.of(...prefix, rest), ...parts]);
}

/** Literals whose length is in the tag (`width` 0) or in the `width` bytes after it. */
export function literals(bytes: Uint8Array, width = 0): Uint8Array {
  const length = bytes.length - 1;
  const tag = width === 0 ? length << 2 : (59 + width) << 2;
  return concatBytes([Uint8Array.of(tag, ...little(length, width)), bytes]);
}

export const copy1 = (length: number, distance: number): Uint8Array =>
  Uint8Array.of(1 | ((length - 4) << 2) | ((distance >> 8) << 5), distance & 255);

export const copy2 = (length: number, distance: number): Uint8Array =>
  Uint8Array.of(2 | ((length - 1) << 2), ...little(distance, 2));

export const copy4 = (length: number, distance: number): Uint8Array =>
  Uint8Array.of(3 | ((length - 1) << 2), ...little(distance, 4));
