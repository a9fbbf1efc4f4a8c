import type { BlockLocation, Limits } from "@cfile/bytes";

/** `posidx`: keys are row ordinals. `validx`: keys are encoded values. */
export type IndexKind = "posidx" | "validx";

/**
 * The end of the ordered prefix of the key `bytes[start..end)`, at most `end`. Keys of delta files consist of row and timestamp, and
 * ascend only by row.
 */
export type OrderedKeyEnd = (bytes: Uint8Array, start: number, end: number) => number;

/** The ordered prefix of `key`; without an `orderedEnd`, the whole key. */
export function orderedPart(key: Uint8Array, orderedEnd: OrderedKeyEnd | undefined): Uint8Array {
  return orderedEnd === undefined ? key : key.subarray(0, orderedEnd(key, 0, key.length));
}

/** Location of an index tree, and how to read its blocks. */
export interface IndexTreeOptions {
  /** Location of the root, from the file's footer. */
  readonly root: BlockLocation;
  /** Reads the content of an index block, with the checksum verified and removed, decompressed. */
  readonly load: (
    pointer: BlockLocation,
    signal: AbortSignal | undefined,
  ) => Uint8Array | Promise<Uint8Array>;
  /** Reads several index blocks at once, for walks over slow sources. Default: blocks are read one by one. */
  readonly loadMany?:
    | ((
        pointers: readonly BlockLocation[],
        signal: AbortSignal | undefined,
      ) => Promise<readonly Uint8Array[]>)
    | undefined;
  readonly kind: IndexKind;
  /** For keys with an ordered prefix; searches then take such a prefix. */
  readonly orderedKeyEnd?: OrderedKeyEnd | undefined;
  /** Maximum depth and key length. */
  readonly limits?: Pick<Limits, "maxIndexDepth" | "maxKeyLength"> | undefined;
  /** Whether an index or data block may be at this location; called before a pointer is followed or returned. */
  readonly isBlockAllowed?: ((offset: number, size: number) => boolean) | undefined;
  /** Memory for parsed index blocks, in bytes. Default 16 MiB. */
  readonly cacheBytes?: number | undefined;
  /** Name of the file in errors. */
  readonly path?: string | undefined;
}

/** Options of one search or walk. */
export interface IndexReadOptions {
  readonly signal?: AbortSignal | undefined;
}
