/** The words of a dictionary under construction, found by their bytes. */

/** Finds the codewords of strings; new words enter the dictionary. */
export interface WordLookup {
  readonly store: WordStore;
  /**
   * Puts the codewords of strings `from` to `to` to `target`: of as many as there is room for, and none from the first new word on
   * that meets a full dictionary.
   *
   * @returns how many
   */
  lookUp(strings: WordStrings, from: number, to: number, target: CodeTarget): number;
  /** Gives memory back; to be called once, at the end. */
  release(): void;
}

/** Where codewords go. */
export interface CodeTarget {
  readonly codes: Uint32Array;
  readonly room: number;
  /** Whether words enter a full dictionary, too. */
  readonly isWhole: boolean;
}

/** The words so far. */
export interface WordStore {
  /** The words so far, valid until the next one is added. */
  held(): HeldWords;
  /** Adds a word that is known to be new. */
  append(data: Uint8Array, start: number, end: number): void;
}

/** Strings back to back, as Arrow keeps them. */
export interface WordStrings {
  /** String i is bytes `offsets[i]` to `offsets[i + 1]`. */
  readonly offsets: Int32Array;
  readonly data: Uint8Array;
}

/** A plain binary block of words that differ. */
export interface HeldWords extends WordStrings {
  readonly count: number;
  /** Bytes of all words and of their offsets. */
  readonly valueBytes: number;
  /** The block takes no more words when `12 + ceil(count / 4) + valueBytes` exceeds this. */
  readonly blockSize: number;
}

/** Codes of strings in a dictionary, and which of the strings are new in it. */
export interface FoundCodes {
  readonly codes: Uint32Array;
  /** Positions, counted from `from`, of the strings that are new words; in order. */
  readonly fresh: Uint32Array;
  /** Whether no code can be added: there is no room, or a new word met a full dictionary. */
  readonly isFull: boolean;
}
