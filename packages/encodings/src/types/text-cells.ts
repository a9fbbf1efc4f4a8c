/** Strings as JavaScript strings. Ill-formed UTF-8 becomes U+FFFD. */
import { getBit } from "@cfile/bytes";
import type { BinaryVector, DictionaryVector } from "./vector.js";

/** Above this size, one string for all of `data` is not worth its memory. */
const MAX_BULK_TEXT = 1 << 24;
/** ASCII of up to this many bytes is converted here, which is faster than calling a decoder. */
const SHORT_TEXT = 32;

type Texts = (string | null)[];

type Words = (string | undefined)[];

/** The words decoded so far of each dictionary: the batches of a file share its dictionary. */
const decodedWords: WeakMap<BinaryVector, Words> = /* @__PURE__ */ new WeakMap();

function wordsOf(dictionary: BinaryVector): Words {
  let words = decodedWords.get(dictionary);
  if (words === undefined) {
    words = new Array<string | undefined>(dictionary.length).fill(undefined);
    decodedWords.set(dictionary, words);
  }
  return words;
}

/** Decodes a word at its first use. */
function wordOf(words: Words, { data, offsets }: BinaryVector, code: number): string {
  words[code] ??= textOf(data, offsets[code] as number, offsets[code + 1] as number);
  return words[code];
}

/** Reads words by codeword. Each word is decoded once, and all its rows share the string. */
export function wordReader(dictionary: BinaryVector): (code: number) => string {
  const words = wordsOf(dictionary);
  return (code) => wordOf(words, dictionary, code);
}

/** All rows of a dictionary vector; `validity` has a 0 for each null. */
export function textsOfWords({ codes, dictionary, length }: DictionaryVector, validity?: Uint8Array): Texts {
  const words = wordsOf(dictionary);
  const cells = knownWords(words, codes, length);
  for (let i = 0; validity !== undefined && i < length; i++) {
    if (!getBit(validity, i)) {
      cells[i] = null;
    }
  }
  for (let i = cells.indexOf(undefined); i >= 0; i = cells.indexOf(undefined, i + 1)) {
    cells[i] = wordOf(words, dictionary, codes[i] as number);
  }
  return cells as Texts;
}

/** The decoded words of all rows, `undefined` for the others. */
function knownWords(words: Words, codes: Int32Array, length: number): (string | null | undefined)[] {
  const cells = new Array<string | null | undefined>(length);
  let i = 0;
  // Four rows per iteration, because the engine's own work per iteration takes almost as long as a row.
  for (; i + 4 <= length; i += 4) {
    cells[i] = words[codes[i] as number];
    cells[i + 1] = words[codes[i + 1] as number];
    cells[i + 2] = words[codes[i + 2] as number];
    cells[i + 3] = words[codes[i + 3] as number];
  }
  for (; i < length; i++) {
    cells[i] = words[codes[i] as number];
  }
  return cells;
}

/** All rows of a vector of strings; `validity` has a 0 for each null. */
export function textsOfStrings({ offsets, data, length }: BinaryVector, validity?: Uint8Array): Texts {
  const start = offsets[0] as number;
  const end = offsets[length] as number;
  const whole = end - start <= MAX_BULK_TEXT ? textDecoder().decode(data.subarray(start, end)) : "";
  // As many characters as bytes: each byte is one character, and all rows are slices of one string.
  const isAscii = whole.length === end - start;
  const cells = new Array<string | null>(length);
  for (let i = 0, from = start; i < length; i++) {
    const to = offsets[i + 1] as number;
    let cell: string | null = null;
    if (validity === undefined || getBit(validity, i)) {
      cell = isAscii ? whole.slice(from - start, to - start) : textOf(data, from, to);
    }
    cells[i] = cell;
    from = to;
  }
  return cells;
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
