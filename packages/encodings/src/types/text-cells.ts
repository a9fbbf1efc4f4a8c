/** Strings as JavaScript strings. Ill-formed UTF-8 becomes U+FFFD. */
import type { BinaryVector, DictionaryVector } from "./vector.js";

/** Above this size, one string for all of `data` is not worth its memory. */
const MAX_BULK_TEXT = 1 << 24;
/** ASCII of up to this many bytes is converted here, which is faster than calling a decoder. */
const SHORT_TEXT = 32;

/** The words of each dictionary as texts: the batches of a file share its dictionary. */
const dictionaryTexts: WeakMap<BinaryVector, string[]> = /* @__PURE__ */ new WeakMap();

/** All words of a dictionary, decoded at the first call. */
export function wordTexts(dictionary: BinaryVector): readonly string[] {
  let words = dictionaryTexts.get(dictionary);
  if (words === undefined) {
    words = textsOfStrings(dictionary);
    dictionaryTexts.set(dictionary, words);
  }
  return words;
}

/** All rows of a dictionary vector. Rows with the same word share one string. */
export function textsOfWords({ codes, dictionary, length }: DictionaryVector): string[] {
  const words = wordTexts(dictionary);
  const cells = new Array<string>(length);
  let i = 0;
  // Four rows per iteration, because the engine's own work per iteration takes almost as long as a row.
  for (; i + 4 <= length; i += 4) {
    cells[i] = words[codes[i] as number] as string;
    cells[i + 1] = words[codes[i + 1] as number] as string;
    cells[i + 2] = words[codes[i + 2] as number] as string;
    cells[i + 3] = words[codes[i + 3] as number] as string;
  }
  for (; i < length; i++) {
    cells[i] = words[codes[i] as number] as string;
  }
  return cells;
}

/** All rows of a vector of strings. */
export function textsOfStrings({ offsets, data, length }: BinaryVector): string[] {
  const start = offsets[0] as number;
  const end = offsets[length] as number;
  const whole = end - start <= MAX_BULK_TEXT ? textDecoder().decode(data.subarray(start, end)) : "";
  // As many characters as bytes: each byte is one character, and all rows are slices of one string.
  const isAscii = whole.length === end - start;
  const cells = new Array<string>(length);
  for (let i = 0, from = start; i < length; i++) {
    const to = offsets[i + 1] as number;
    cells[i] = isAscii ? whole.slice(from - start, to - start) : textOf(data, from, to);
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
