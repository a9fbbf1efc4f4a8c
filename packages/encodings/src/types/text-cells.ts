/** Strings as JavaScript strings. Ill-formed UTF-8 becomes U+FFFD. */
import { getBit } from "@cfile/bytes";
import type { BinaryVector, DictionaryVector } from "./vector.js";

/** Above this size, one string for all of `data` is not worth its memory. */
const MAX_BULK_TEXT = 1 << 24;
/** ASCII of up to this many bytes is converted here, which is faster than calling a decoder. */
const SHORT_TEXT = 32;
/** Stands for ill-formed bytes. */
const ILL_FORMED = "\ufffd";

type Texts = (string | null)[];

/** The words of each dictionary that were read so far, by codeword: the batches of a file share its dictionary. */
const knownWords: WeakMap<BinaryVector, (string | undefined)[]> = /* @__PURE__ */ new WeakMap();

/** Reads words by codeword. Each word is decoded once, and all its rows share the string. */
export function wordReader(dictionary: BinaryVector): (code: number) => string {
  let known = knownWords.get(dictionary);
  if (known === undefined) {
    known = new Array<string | undefined>(dictionary.length);
    knownWords.set(dictionary, known);
  }
  const words = known;
  const { data, offsets } = dictionary;
  return (code) => {
    const word = words[code];
    if (word !== undefined) {
      return word;
    }
    const text = textOf(data, offsets[code] as number, offsets[code + 1] as number);
    words[code] = text;
    return text;
  };
}

/** All rows of a dictionary vector; `validity` has a 0 for each null. */
export function textsOfWords({ codes, dictionary, length }: DictionaryVector, validity?: Uint8Array): Texts {
  const word = wordReader(dictionary);
  const texts = new Array<string | null>(length);
  for (let i = 0; i < length; i++) {
    texts[i] = validity !== undefined && !getBit(validity, i) ? null : word(codes[i] as number);
  }
  return texts;
}

/** All rows of a vector of strings; `validity` has a 0 for each null. They are slices of one text where possible. */
export function textsOfStrings({ offsets, data, length }: BinaryVector, validity?: Uint8Array): Texts {
  const start = offsets[0] as number;
  const end = offsets[length] as number;
  const whole = end - start <= MAX_BULK_TEXT ? textDecoder().decode(data.subarray(start, end)) : ILL_FORMED;
  // As many characters as bytes: each byte is one character.
  const isNarrow = whole.length === end - start;
  const isSliced = isNarrow || !whole.includes(ILL_FORMED);
  const texts = new Array<string | null>(length);
  let from = start;
  let at = 0;
  for (let i = 0; i < length; i++) {
    const to = offsets[i + 1] as number;
    const next = isNarrow ? to - start : isSliced ? at + utf16Length(data, from, to) : 0;
    if (validity !== undefined && !getBit(validity, i)) {
      texts[i] = null;
    } else if (isNarrow || (isSliced && !isInside(data, from) && !isInside(data, to))) {
      texts[i] = whole.slice(at, next);
    } else {
      texts[i] = textOf(data, from, to);
    }
    from = to;
    at = next;
  }
  return texts;
}

/** The length of well-formed UTF-8 as UTF-16: bytes 10xxxxxx continue a character, 11110xxx start a surrogate pair. */
function utf16Length(bytes: Uint8Array, start: number, end: number): number {
  let length = 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number;
    length += (byte & 0xc0) === 0x80 ? 0 : byte < 0xf0 ? 1 : 2;
  }
  return length;
}

/** Whether a position is inside a character. */
function isInside(bytes: Uint8Array, position: number): boolean {
  return ((bytes[position] ?? 0) & 0xc0) === 0x80;
}

let sharedDecoder: TextDecoder | undefined;

function textDecoder(): TextDecoder {
  sharedDecoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
  return sharedDecoder;
}

/** `bytes[start..end)` as text. */
export function textOf(bytes: Uint8Array, start: number, end: number): string {
  if (end - start > SHORT_TEXT || !isAscii(bytes, start, end)) {
    return textDecoder().decode(bytes.subarray(start, end));
  }
  let text = "";
  let i = start;
  for (; i + 4 <= end; i += 4) {
    text += String.fromCharCode(
      bytes[i] as number,
      bytes[i + 1] as number,
      bytes[i + 2] as number,
      bytes[i + 3] as number,
    );
  }
  for (; i < end; i++) {
    text += String.fromCharCode(bytes[i] as number);
  }
  return text;
}

function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    if ((bytes[i] as number) > 0x7f) {
      return false;
    }
  }
  return true;
}
