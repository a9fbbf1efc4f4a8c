/**
 * Maximum sizes that a file may state; readers reject larger sizes with `E_LIMIT`. Each limit bounds an allocation or
 * recursion that hostile bytes could cause. Defaults are Kudu's, where Kudu has a limit.
 */
export interface Limits {
  /** Uncompressed bytes of one block; Kudu's `--max_cfile_block_size`. Default 16 MiB. */
  readonly maxBlockSize: number;
  /** Stored bytes of one block, wrapper and checksum included, for files without a codec. Default 1 GiB. */
  readonly maxStoredBlockSize: number;
  /** Rows of one block (a run of nulls can be long). Default 2^27. */
  readonly maxBlockRows: number;
  /** Elements of one array block. Default 2^27. */
  readonly maxBlockElements: number;
  /** Levels of an index tree. Default 32. */
  readonly maxIndexDepth: number;
  /** Bytes of one index key. Default 1 MiB. */
  readonly maxKeyLength: number;
  /** Bytes of the protobuf of a header or footer. Default 64 KiB, as in Kudu. */
  readonly maxMetadataSize: number;
}

/** The default limits; sizes in bytes. */
export const DEFAULT_LIMITS: Limits = /* @__PURE__ */ Object.freeze({
  maxBlockSize: 16 * 1024 * 1024,
  maxStoredBlockSize: 1024 * 1024 * 1024,
  maxBlockRows: 2 ** 27,
  maxBlockElements: 2 ** 27,
  maxIndexDepth: 32,
  maxKeyLength: 1024 * 1024,
  maxMetadataSize: 64 * 1024,
});
