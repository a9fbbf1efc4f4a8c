/**
 * The compression types of a CFile (docs/spec/cfile.md#23-compressiontype) and what a codec has to do.
 */

export type CompressionType = "NO_COMPRESSION" | "SNAPPY" | "LZ4" | "ZLIB";

/** The numbers that stand for the types in a footer. 0 (the default) is never stored. */
export const COMPRESSION_TYPES: Readonly<Record<CompressionType, number>> = /* @__PURE__ */ Object.freeze({
  NO_COMPRESSION: 1,
  SNAPPY: 2,
  LZ4: 3,
  ZLIB: 4,
});

/** The type with this number, `undefined` if there is none. */
export function compressionTypeFromId(id: number): CompressionType | undefined {
  switch (id) {
    case 1:
      return "NO_COMPRESSION";
    case 2:
      return "SNAPPY";
    case 3:
      return "LZ4";
    case 4:
      return "ZLIB";
    default:
      return undefined;
  }
}

/** Decompresses whole blocks. The uncompressed size is stored by the caller (docs/spec/cfile.md#6-compression-wrapper). */
export interface Expander {
  readonly type: Exclude<CompressionType, "NO_COMPRESSION">;
  /**
   * Fills `output` exactly with what `input` expands to and uses up all of `input`. Nothing outside `output`
   * is written; after an error its content is undefined.
   *
   * @throws CFileError `E_TRUNCATED` when the input ends too early, `E_CORRUPT` for anything else that is wrong,
   *   with the offset in `input` where known
   */
  decompress(input: Uint8Array, output: Uint8Array): void;
  /**
   * What `input` expands to, exactly `length` bytes, in memory of its own; `undefined` where `decompress` is to do it. For
   * codecs that make memory in any case.
   *
   * @throws CFileError as `decompress`
   */
  expand?(input: Uint8Array, length: number): Uint8Array | undefined;
}

/** Compresses whole blocks, too. */
export interface Codec extends Expander {
  /** The compressed stream, in memory of its own; it may be longer than the input. */
  compress(input: Uint8Array): Uint8Array;
}

/** One codec per compressed type; passed to readers and writers, which never look for codecs elsewhere. */
export type CodecSet = Readonly<Record<Codec["type"], Codec>>;
