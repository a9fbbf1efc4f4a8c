/**
 * The hot loops of row sets: keys, Bloom filters, delta files. As of the other kernels, every method may decline with `undefined`,
 * and the portable way then gives the same, or the error that says what is wrong.
 */
export interface RowKernels {
  /**
   * Asks for keys `from` to `to` in a Bloom filter and writes 1 (maybe) or 0 (absent) for each to `answers`, from `at` on.
   *
   * @returns how many are absent
   */
  bloomProbe(
    filter: { readonly bits: Uint8Array; readonly hashCount: number },
    keys: KeyColumn,
    from: number,
    to: number,
    answers: Uint8Array,
    at: number,
  ): number | undefined;
  /**
   * Integers of `width` bytes (1, 2, 4 or 8) as keys: the most significant byte first, and that xor `flip`.
   *
   * @param target where they go, as many bytes as `values` has
   * @returns the first that is not above the one before it; as many as there are when all are
   */
  integerKeys(values: Uint8Array, width: number, flip: number, target: Uint8Array): number | undefined;
  /** The first of integers of `width` bytes (1, 2, 4 or 8) that is below the one before it; as many as there are when none is. */
  integerDescent(values: Uint8Array, width: number, isUnsigned: boolean): number | undefined;
  /** The first of `count` strings that is not above the one before it; `count` when all are. */
  firstDescent(offsets: Int32Array, data: Uint8Array, count: number): number | undefined;
  /** Bits that are set. */
  countOnes(bytes: Uint8Array): number | undefined;
  /**
   * Takes the `count` values of a block of a delta file apart. Declines whatever no writer makes.
   *
   * @param isBorrowed whether what is given is valid only until the next call. Default `false`
   */
  deltaEntries(
    offsets: Int32Array,
    data: Uint8Array,
    count: number,
    isBorrowed?: boolean,
  ): DecodedDeltas | undefined;
}

/** Keys in one piece of memory: all of `width` bytes, or as `offsets` say. */
export interface KeyColumn {
  readonly data: Uint8Array;
  readonly offsets: Int32Array | Uint32Array | undefined;
  readonly width: number;
}

/** Entries of a delta file. */
export interface DecodedDeltas {
  readonly rows: Uint32Array;
  readonly timestamps: BigUint64Array;
  /** 1 UPDATE, 2 DELETE, 3 REINSERT. */
  readonly types: Uint8Array;
  /** Mutations of entry `i` are `data[offsets[i]..offsets[i + 1])`. */
  readonly offsets: Int32Array;
  readonly data: Uint8Array;
  /** Whether each row has but one entry. */
  readonly isSingle: boolean;
  readonly deletes: number;
  readonly reinserts: number;
  readonly minTimestamp: bigint;
  readonly maxTimestamp: bigint;
  /** The first entry whose key stands in a longer form than needed; -1 when none does. */
  readonly overlong: number;
}
