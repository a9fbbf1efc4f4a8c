/**
 * Contexts of literals and distances (RFC 7932, 7): the data before a symbol and the type of its block select its prefix code. A
 * literal's context comes from the two bytes before it in one of four ways.
 */
import type { BrotliBits } from "./brotli-bits.js";
import { readCount } from "./brotli-block-types.js";
import { readPrefixCode } from "./brotli-prefix-code.js";

const MODE_UTF8 = 2;
const MODE_SIGNED = 3;
/** A quarter of the context of each character, starting with the space, as hexadecimal digits. Letters and digits share contexts. */
const TEXT_CONTEXTS =
  "2343353467338393bbbbbbbbbb886a73" +
  "3cdddcdddcdddddcdddddcddddd63733" +
  "3efffefffefffffefffffefffff63730";

/** Contexts by the last byte (at 512 * mode) and by the byte before it (256 further); a literal's context is the bitwise or of both. */
export const LITERAL_CONTEXTS: Uint8Array = /* @__PURE__ */ literalContexts();

function literalContexts(): Uint8Array {
  const contexts = new Uint8Array(4 * 512);
  for (let byte = 0; byte < 256; byte++) {
    contexts[byte] = byte & 63;
    contexts[512 + byte] = byte >>> 2;
    contexts[512 * MODE_UTF8 + byte] = textContext(byte);
    contexts[512 * MODE_UTF8 + 256 + byte] = earlierTextContext(byte);
    contexts[512 * MODE_SIGNED + byte] = signedContext(byte) << 3;
    contexts[512 * MODE_SIGNED + 256 + byte] = signedContext(byte);
  }
  return contexts;
}

function textContext(byte: number): number {
  if (byte >= 128) {
    return (byte >= 192 ? 2 : 0) + (byte & 1);
  }
  const isSpace = byte === 9 || byte === 10 || byte === 13;
  return byte < 32 ? (isSpace ? 4 : 0) : 4 * Number.parseInt(TEXT_CONTEXTS.charAt(byte - 32), 16);
}

function earlierTextContext(byte: number): number {
  const character = String.fromCharCode(byte);
  if (byte >= 224 || /[\dA-Z]/.test(character)) {
    return 2;
  }
  return byte <= 32 || byte >= 127 ? 0 : /[a-z]/.test(character) ? 3 : 1;
}

/** The context of a byte by its magnitude as a signed number. */
function signedContext(byte: number): number {
  const isNegative = byte >= 128;
  const magnitude = isNegative ? 255 - byte : byte;
  const kind = magnitude === 0 ? 0 : magnitude < 16 ? 1 : magnitude < 64 ? 2 : 3;
  return isNegative ? 7 - kind : kind;
}

/** Numbers of prefix codes by context. */
export interface ContextMap {
  readonly trees: number;
  readonly map: Uint8Array;
}

/** @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT` */
export function readContextMap(bits: BrotliBits, length: number): ContextMap {
  const trees = readCount(bits);
  const map = new Uint8Array(length);
  if (trees === 1) {
    return { trees, map };
  }
  const longestRun = bits.read(1) === 0 ? 0 : bits.read(4) + 1;
  const code = readPrefixCode(bits, trees + longestRun);
  for (let at = 0; at < length; ) {
    const symbol = code.read(bits);
    if (symbol === 0 || symbol > longestRun) {
      map[at++] = symbol === 0 ? 0 : symbol - longestRun;
    } else {
      at += (1 << symbol) + bits.read(symbol);
      if (at > length) {
        throw bits.malformed("context map");
      }
    }
  }
  if (bits.read(1) === 1) {
    moveToFront(map);
  }
  return { trees, map };
}

/** Replaces each number with the entry of a list at this index, which moves to the front of the list. */
function moveToFront(map: Uint8Array): void {
  const list = Uint8Array.from({ length: 256 }, (_, i) => i);
  for (let i = 0; i < map.length; i++) {
    const place = map[i] as number;
    const value = list[place] as number;
    list.copyWithin(1, 0, place);
    list[0] = value;
    map[i] = value;
  }
}
