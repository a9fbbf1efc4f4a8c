/** The words of a dictionary under construction, found by their bytes. */
export interface WordTable {
  /**
   * The codewords of strings from `from` on: of a good many, not always up to `to`. Words that are new enter the table, unless
   * the dictionary is full or there is no room for more codes.
   *
   * @param held the words so far: the table learns what it does not hold
   * @returns `undefined` for strings that do not lie in `data` and for what is too large: the caller looks them up itself. The
   *   arrays are valid until the next call
   */
  findCodes(
    strings: WordStrings,
    from: number,
    to: number,
    room: number,
    held: HeldWords,
  ): FoundCodes | undefined;
  /** Gives its memory to the next one; to be called once, at the end. */
  release(): void;
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
