/** Options and results of a reader. */
import type { CacheBudget, Limits, MemoryArena, WorkOptions } from "@cfile/bytes";
import type { CodecSet } from "@cfile/compression";
import type { DecodingTable } from "@cfile/encodings";
import type { Conditions } from "@cfile/encodings/conditions";
import type { KernelChoice } from "@cfile/kernels";
import type { BlockReadOptions } from "../blocks/block-reader.js";

/** Options for opening a file. */
export interface OpenOptions {
  /** Maximum sizes that the file may state; see `Limits` of `@cfile/bytes`. Omitted limits have their defaults. */
  readonly limits?: Partial<Limits> | undefined;
  /** Codecs to decompress blocks with. Default: the built-in LZ4, Snappy and zlib. */
  readonly codecs?: CodecSet | undefined;
  /** Supported encodings. Default: `ENCODINGS`, Kudu's. */
  readonly encodings?: DecodingTable | undefined;
  /**
   * Implementation of the hot loops: `"simd"` (WebAssembly), `"portable"` (TypeScript), or `"auto"`, SIMD if the machine
   * supports it. All return the same values and errors. Default `"auto"`.
   */
  readonly kernels?: KernelChoice | undefined;
  /** Whether to verify checksums, if the file has them. Default `true`. */
  readonly verifyChecksums?: boolean | undefined;
  /**
   * Whether to read and check the header when the file is opened, or later: with another read of the start of the file, or by
   * `loadHeader`. Default: `"later"` over a network, where it is one more request, else `"read"`.
   */
  readonly header?: "read" | "later" | undefined;
  /**
   * Bytes of opened data blocks cached for `get`, `find`, and scans with `cacheBlocks`, or a budget shared with other files.
   * Default 64 MiB.
   */
  readonly cacheBytes?: number | CacheBudget | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A half-open range; by default, it extends to the start and end of the column. */
export interface Range<T> {
  readonly from?: T | undefined;
  readonly to?: T | undefined;
}

/** Limits on how far a scan reads ahead. */
export interface ReadAhead {
  /** Maximum bytes in flight or waiting. Default: 1 MiB; 256 KiB if reads block the thread; over a network 24 MiB. */
  readonly bytes?: number | undefined;
  /** Concurrent reads, in addition to the one whose blocks are decoded. Default: 1; over a network 6. */
  readonly requests?: number | undefined;
}

/** `onProgress` is called after each data block and counts the rows returned. */
export interface ScanOptions extends WorkOptions {
  /** Rows `from` (inclusive) to `to` (exclusive). Default: all. */
  readonly rows?: Range<number> | undefined;
  /**
   * One or more conditions that all rows must meet. The scan uses the value index, if there is one, and tests each word of a
   * dictionary only once. The rows of a batch may then have gaps: see `rows` of a batch.
   */
  readonly where?: Conditions | undefined;
  /** Maximum number of rows. Default: all. */
  readonly limit?: number | undefined;
  /**
   * Maximum rows per batch. Batches never span blocks, so many are smaller. Default: 131072, and 16000 for strings and bytes, because V8
   * fills longer arrays of JavaScript values more slowly.
   */
  readonly batchRows?: number | undefined;
  /** Whether dictionary strings are returned as strings instead of codes. Default `false`. */
  readonly expandDictionaries?: boolean | undefined;
  /**
   * Memory to reuse for each batch: a batch, its arrays and all views of them are then valid only until the next batch is
   * requested. New memory per block costs more than most decoding. Consecutive scans, also of different files, can share an
   * arena. Default: new memory for each block. Batches of a block share its memory: copy arrays before you transfer them.
   */
  readonly arena?: MemoryArena | undefined;
  /**
   * Whether to keep blocks in the cache of `cacheBytes` and reuse them: for data that is scanned repeatedly. Blocks are kept
   * with their decoded values, whose memory batches share: do not transfer it. The first scan of a local file keeps nothing, so it
   * costs no memory if it is the only one. Default `false`.
   */
  readonly cacheBlocks?: boolean | undefined;
  /** How far the scan reads ahead. */
  readonly readAhead?: ReadAhead | undefined;
  /**
   * Called after each data block with the row after it, even if the scan ends inside that block.
   *
   * @internal
   */
  readonly onBlock?: ((nextRow: number) => void) | undefined;
}

/** Options of a search. */
export interface FindOptions extends BlockReadOptions {
  /**
   * Whether the second search in a block decodes all of it, and keeps the values: many searches become faster, and the values take memory.
   * Default `true`.
   */
  readonly keepDecoded?: boolean | undefined;
}

/** The result of a search: the first row whose value is at or after the requested one. */
export interface FoundRow {
  readonly row: number;
  /** Whether the row has the requested value. */
  readonly exact: boolean;
}
