/** The compression types of a CFile (docs/spec/cfile.md#23-compressiontype), and the interface of a codec. */

import type { BlockMemory } from "@cfile/bytes";

/** The numbers of the types in a footer. 0 (the default) is never stored. */
export const COMPRESSION_TYPES = /* @__PURE__ */ Object.freeze({
  NO_COMPRESSION: 1,
  SNAPPY: 2,
  LZ4: 3,
  ZLIB: 4,
});

/** The name of a compression type. */
export type CompressionType = keyof typeof COMPRESSION_TYPES;

/** The type with this number, or `undefined`. */
export function compressionTypeFromId(id: number): CompressionType | undefined {
  const types: readonly CompressionType[] = ["NO_COMPRESSION", "SNAPPY", "LZ4", "ZLIB"];
  return types[id - 1];
}

/** Decompresses whole blocks. The caller stores the uncompressed size (docs/spec/cfile.md#6-compression-wrapper). */
export interface Expander {
  readonly type: Exclude<CompressionType, "NO_COMPRESSION">;
  /**
   * Decompresses all of `input` into exactly `output`, and writes nothing outside it. After an error the content of
   * `output` is undefined.
   *
   * @throws {CFileError} `E_TRUNCATED` when the input ends too early, `E_CORRUPT` when it is malformed or too long, with the
   *   offset in `input` where known
   */
  decompress(input: Uint8Array, output: Uint8Array): void;
  /**
   * Decompresses `input` to new memory of exactly `length` bytes; `undefined` means that the caller must use `decompress`. For
   * codecs that always allocate.
   *
   * @throws {CFileError} like `decompress`
   */
  expand?(input: Uint8Array, length: number): Uint8Array | undefined;
}

/** Compresses and decompresses whole blocks. */
export interface Codec extends Expander {
  /**
   * The compressed stream; it may be longer than the input.
   *
   * @param memory for it, which codecs may ignore. Default: new memory
   */
  compress(input: Uint8Array, memory?: BlockMemory): Uint8Array;
}

/** One codec per compressed type, for readers and writers. */
export type CodecSet = Readonly<Record<Codec["type"], Codec>>;
