/**
 * What a file may claim before a reader refuses it (`E_LIMIT`). Each limit bounds an allocation or a
 * recursion that hostile bytes could otherwise ask for; the defaults are Kudu's where Kudu has one.
 */
export interface Limits {
  /** Uncompressed bytes of one block; Kudu's `--max_cfile_block_size`. Default 16 MiB. */
  readonly maxBlockSize: number;
  /** On-disk bytes of one block, wrapper and checksum included, for files without a codec. Default 1 GiB. */
  readonly maxStoredBlockSize: number;
  /** Rows of one block (a run of nulls can be long). Default 2^27. */
  readonly maxBlockRows: number;
  /** Elements of one array block. Default 2^27. */
  readonly maxBlockElements: number;
  /** Levels of an index tree. Default 32. */
  readonly maxIndexDepth: number;
  /** Bytes of one index key. Default 1 MiB. */
  readonly maxKeyLength: number;
  /** Bytes of the header's or footer's protobuf; Kudu's value. Default 64 KiB. */
  readonly maxMetadataSize: number;
}

/** What files may claim unless a reader is told otherwise; sizes in bytes. */
export const DEFAULT_LIMITS: Limits = /* @__PURE__ */ Object.freeze({
  maxBlockSize: 16 * 1024 * 1024,
  maxStoredBlockSize: 1024 * 1024 * 1024,
  maxBlockRows: 2 ** 27,
  maxBlockElements: 2 ** 27,
  maxIndexDepth: 32,
  maxKeyLength: 1024 * 1024,
  maxMetadataSize: 64 * 1024,
});
