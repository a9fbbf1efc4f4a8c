/**
 * The dictionary of Brotli (RFC 7932, 8): words of 4 to 24 bytes, by length and number, and 121 transforms, which change a word
 * and put text around it.
 */
import { fromHex, utf8Bytes } from "@cfile/bytes";
import { inflateExactly, WINDOW_BITS } from "../zlib/inflate.js";

/** Binary logarithm of the number of words, for each length, starting with 0. */
const WORD_BITS = [
  0, 0, 0, 0, 10, 10, 11, 11, 10, 10, 10, 10, 10, 9, 9, 8, 7, 7, 8, 7, 7, 6, 6, 5, 5,
] as const;
/** Total length of all words. */
const WORD_BYTES = 122_784;

/**
 * Transforms, separated by `|`: the text around a word (`~`), and its change. `=` leaves the word unchanged, `^` capitalizes its first
 * letter, `*` all letters; `+n` and `-n` omit its first or last `n` bytes.
 */
const TRANSFORMS: readonly string[] = (
  "~=|~= | ~= |~+1|~^ |~= the | ~=|s ~= |~= of |~^|~= and |~+2|~-1|, ~= |~=, | ~^ |~= in |~= to |" +
  'e ~= |~="|~=.|~=">|~=\n|~-3|~=]|~= for |~+3|~-2|~= a |~= that | ~^|~=. |.~=| ~=, |~+4|~= with |' +
  "~='|~= from |~= by |~+5|~+6| the ~=|~-4|~=. The |~*|~= on |~= as |~= is |~-7|~-1ing |~=\n\t|~=:|" +
  ' ~=. |~=ed |~+9|~+7|~-6|~=(|~^, |~-8|~= at |~=ly | the ~= of |~-5|~-9| ~^, |~^"|.~=(|~* |~^">|' +
  '~=="| ~=.|.com/~=| the ~= of the |~^\'|~=. This |~=,|.~= |~^(|~^.|~= not | ~=="|~=er | ~* |~=al |' +
  " ~*|~=='|~*\"|~^. | ~=(|~=ful | ~^. |~=ive |~=less |~*'|~=est | ~^.|~*\">| ~=='|~^,|~=ize |~*.|" +
  '\u00a0~=| ~=,|~^="|~*="|~=ous |~*, |~^=\'| ~^,| ~*="| ~*, |~*,|~*(|~*. | ~*.|~*=\'| ~*. | ~^="| ~*=\'|' +
  " ~^='"
).split("|");

/** A change of a word, and the text around it. */
interface Transform {
  readonly prefix: Uint8Array;
  readonly kind: string;
  readonly suffix: Uint8Array;
}

/** The words of the dictionary. */
export class BrotliDictionary {
  private readonly words: Uint8Array;
  private readonly starts: readonly number[];
  private readonly transforms: readonly Transform[];

  constructor(words: Uint8Array) {
    this.words = words;
    let start = 0;
    this.starts = WORD_BITS.map((bits, length) => {
      const first = start;
      start += bits === 0 ? 0 : length << bits;
      return first;
    });
    this.transforms = TRANSFORMS.map((text) => {
      const [prefix, rest] = text.split("~") as [string, string];
      const kindEnd = /^[+-]/.test(rest) ? 2 : 1;
      return {
        prefix: utf8Bytes(prefix),
        kind: rest.slice(0, kindEnd),
        suffix: utf8Bytes(rest.slice(kindEnd)),
      };
    });
  }

  /**
   * Appends the changed word of a reference to `output`; bytes beyond its end are lost.
   *
   * @returns the end; `undefined` for an unknown reference
   */
  append(length: number, reference: number, output: Uint8Array, position: number): number | undefined {
    const bits = WORD_BITS[length] ?? 0;
    const transform = this.transforms[reference >>> bits];
    if (bits === 0 || transform === undefined) {
      return undefined;
    }
    const { prefix, kind, suffix } = transform;
    const at = (this.starts[length] as number) + length * (reference & ((1 << bits) - 1));
    const word = changed(this.words.slice(at, at + length), kind);
    for (const part of [prefix, word, suffix]) {
      output.set(part.subarray(0, Math.max(0, output.length - position)), Math.min(position, output.length));
      position += part.length;
    }
    return position;
  }
}

/** @param word may be changed */
function changed(word: Uint8Array, kind: string): Uint8Array {
  const count = Number(kind.slice(1));
  switch (kind[0]) {
    case "^":
      capitalize(word, 0);
      return word;
    case "*":
      for (let at = 0; at < word.length; ) {
        at += capitalize(word, at);
      }
      return word;
    case "+":
      return word.subarray(count);
    case "-":
      return word.subarray(0, Math.max(0, word.length - count));
    default:
      return word;
  }
}

/** Makes a character a capital, if it is a Latin, Greek or Cyrillic letter. @returns its bytes */
function capitalize(word: Uint8Array, at: number): number {
  const byte = word[at] as number;
  if (byte < 0xc0) {
    word[at] = byte >= 97 && byte <= 122 ? byte ^ 32 : byte;
    return 1;
  }
  const [width, bits] = byte < 0xe0 ? [2, 32] : [3, 5];
  const last = at + width - 1;
  // Beyond the end of the word, this has no effect.
  word[last] = (word[last] as number) ^ bits;
  return width;
}

let loading: Promise<BrotliDictionary> | undefined;

/** The dictionary, which is loaded once. @throws what the import throws when the code cannot be fetched */
export function loadDictionary(): Promise<BrotliDictionary> {
  loading ??= import("./brotli-words.js").then(
    ({ BROTLI_WORDS }) => {
      const words = new Uint8Array(WORD_BYTES);
      inflateExactly(fromHex(BROTLI_WORDS), words, WINDOW_BITS, "Brotli dictionary");
      return new BrotliDictionary(words);
    },
    (error) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}
