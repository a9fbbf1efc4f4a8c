/**
 * The hot loops of pages that are written. As of the other kernels, every method may decline with `undefined`, and the portable
 * way then gives the same.
 */
export interface PageKernels {
  /** CRC-32, as zlib has it, of `bytes`. */
  crc32(bytes: Uint8Array): number | undefined;
  /** The least and the greatest of integers of `width` bytes: 1, 2, 4 or 8. There is at least one. */
  integerBounds(
    values: Uint8Array,
    width: number,
    isUnsigned: boolean,
  ): { readonly least: bigint; readonly greatest: bigint } | undefined;
  /** Whether no byte is above 127. */
  isAscii(bytes: Uint8Array): boolean | undefined;
  /** Strings `from` to `to`, each behind its length in four bytes; valid until the next call. */
  lengthPrefixed(offsets: Int32Array, data: Uint8Array, from: number, to: number): Uint8Array | undefined;
  /** The numbers of the least and the greatest of strings `from` to `to`, of which there is at least one, in the order of their bytes. */
  stringBounds(
    offsets: Int32Array,
    data: Uint8Array,
    from: number,
    to: number,
  ): { readonly least: number; readonly greatest: number } | undefined;
}
