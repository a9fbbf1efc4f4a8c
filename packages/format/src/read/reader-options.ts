/** What a reader can be told, and what it answers. */
import type { CacheBudget, Limits, MemoryArena, WorkOptions } from "@cfile/bytes";
import type { CodecSet } from "@cfile/compression";
import type { DecodingTable } from "@cfile/encodings";
import type { Conditions } from "@cfile/encodings/conditions";
import type { KernelChoice } from "@cfile/kernels";

/** How a file is opened: what is believed of it, what is verified, what is kept in memory. */
export interface OpenOptions {
  /** What the file may claim; see `Limits` of `@cfile/bytes`. Missing ones have their default. */
  readonly limits?: Partial<Limits> | undefined;
  /** Codecs to expand blocks with. Default: the built-in LZ4, Snappy and zlib. */
  readonly codecs?: CodecSet | undefined;
  /** Encodings that blocks may have. Default: `ENCODINGS`, those of Kudu. */
  readonly encodings?: DecodingTable | undefined;
  /**
   * Which version of the hot loops is used: `"simd"` (WebAssembly), `"portable"` (TypeScript), or `"auto"`, SIMD where the
   * machine has it. All give the same values and errors. Default `"auto"`.
   */
  readonly kernels?: KernelChoice | undefined;
  /** Whether checksums are compared, where the file has them. Default `true`. */
  readonly verifyChecksums?: boolean | undefined;
  /**
   * Whether the header is read (and checked) when the file is opened, or when its beginning is read for another reason or
   * `loadHeader` asks for it. Default: `"later"` over a network, where it would be one more request, else `"read"`.
   */
  readonly header?: "read" | "later" | undefined;
  /** Bytes of opened data blocks kept for `get` and `find`, or a budget shared with other files. Default 64 MiB. */
  readonly cacheBytes?: number | CacheBudget | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A half-open range; a missing bound is the column's end on that side. */
export interface Range<T> {
  readonly from?: T | undefined;
  readonly to?: T | undefined;
}

/** How much a scan reads before it is asked for. */
export interface ReadAhead {
  /** Bytes that are on their way or waiting at most. Default: 1 MiB, over a network 24 MiB. */
  readonly bytes?: number | undefined;
  /** Reads that run at the same time, beside the one whose blocks are decoded. Default: 1, over a network 6. */
  readonly requests?: number | undefined;
}

/** `onProgress` is called after each data block, with the rows given out. */
export interface ScanOptions extends WorkOptions {
  /** Rows `from` (inclusive) to `to` (exclusive). Default: all. */
  readonly rows?: Range<number> | undefined;
  /**
   * Only rows whose value fulfils this, or all of these. A value index is used where there is one, and the words of a dictionary are
   * tested once. Batches then hold rows that may not follow each other: see `rows` of a batch.
   */
  readonly where?: Conditions | undefined;
  /** Rows after which the scan ends. Default: all. */
  readonly limit?: number | undefined;
  /** Most rows of a batch. Batches never span blocks, so many are smaller. Default 131072. */
  readonly batchRows?: number | undefined;
  /** Whether strings of a dictionary come as the strings themselves, not as codes. Default `false`. */
  readonly expandDictionaries?: boolean | undefined;
  /**
   * Memory for one batch at a time: a batch, its arrays and everything cut from them, is then valid only until the next one is
   * asked for. Spares new memory for each block, which costs more than most decoding; scans one after the other, of other files
   * too, can share an arena. Default: each batch has memory of its own, which callers may keep.
   */
  readonly arena?: MemoryArena | undefined;
  /** How far a scan reads ahead of its consumer. */
  readonly readAhead?: ReadAhead | undefined;
  /**
   * Called after each data block with the row behind it, also where the scan ends inside that block.
   *
   * @internal
   */
  readonly onBlock?: ((nextRow: number) => void) | undefined;
}

/** Where a search ended: the first row whose value is at or after the one asked for. */
export interface FoundRow {
  readonly row: number;
  /** Whether that row's value is the one asked for. */
  readonly exact: boolean;
}
