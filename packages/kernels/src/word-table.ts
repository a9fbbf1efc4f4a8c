/** Finds the words of a dictionary under construction by their bytes. */

/** Finds the codewords of strings, and adds new words to the dictionary. */
export interface WordLookup {
  readonly store: WordStore;
  /**
   * Writes the codewords of strings `from` to `to` to `target`, until it is full or a new word does not fit the dictionary.
   *
   * @returns the number of codewords
   */
  lookUp(strings: WordStrings, from: number, to: number, target: CodeTarget): number;
  /** Releases memory. Call it once, at the end. */
  release(): void;
}

/** The destination of codewords. */
export interface CodeTarget {
  readonly codes: Uint32Array;
  /** Maximum number of codewords. */
  readonly room: number;
  /** Whether new words are also added to a full dictionary. */
  readonly isWhole: boolean;
}

/** The words of a dictionary under construction. */
export interface WordStore {
  /** The words so far, valid until the next one is added. */
  held(): HeldWords;
  /** Adds the word `data[start..end)`, which must be new. */
  append(data: Uint8Array, start: number, end: number): void;
}

/** Strings back to back, in Arrow's layout. */
export interface WordStrings {
  /** String `i` is bytes `offsets[i]` to `offsets[i + 1]`. */
  readonly offsets: Int32Array;
  readonly data: Uint8Array;
}

/** A plain binary block of distinct words. */
export interface HeldWords extends WordStrings {
  readonly count: number;
  /** Bytes of all words and of their offsets. */
  readonly valueBytes: number;
  /** The block is full when `12 + ceil(count / 4) + valueBytes` exceeds this. */
  readonly blockSize: number;
}
