import type { BlockLocation, Limits } from "@cfile/bytes";
import type { OrderedKeyEnd } from "./ordered-key.js";

/** `posidx`: keys are row ordinals. `validx`: keys are encoded values. */
export type IndexKind = "posidx" | "validx";

/** Where an index tree is and how its blocks are read. */
export interface IndexTreeOptions {
  /** Where the root is, from the file's footer. */
  readonly root: BlockLocation;
  /** Reads an index block: its content, checksum verified and removed, decompressed. */
  readonly load: (
    pointer: BlockLocation,
    signal: AbortSignal | undefined,
  ) => Uint8Array | Promise<Uint8Array>;
  /**
   * Reads several index blocks at once, for who goes from one to the next where a read is dear. Without it each is read when it
   * is reached.
   */
  readonly loadMany?:
    | ((
        pointers: readonly BlockLocation[],
        signal: AbortSignal | undefined,
      ) => Promise<readonly Uint8Array[]>)
    | undefined;
  readonly kind: IndexKind;
  /** For keys of which only the beginning ascends; searches then ask for a beginning alone. */
  readonly orderedKeyEnd?: OrderedKeyEnd | undefined;
  /** Bounds of depth and key length. */
  readonly limits?: Pick<Limits, "maxIndexDepth" | "maxKeyLength"> | undefined;
  /** Whether a block, index or data, may lie there; asked before a pointer is followed or handed out. */
  readonly isBlockAllowed?: ((offset: number, size: number) => boolean) | undefined;
  /** Memory for parsed index blocks, in bytes. Default 16 MiB. */
  readonly cacheBytes?: number | undefined;
  /** Name of the file, for errors. */
  readonly path?: string | undefined;
}

/** Options of one search or walk. */
export interface IndexReadOptions {
  readonly signal?: AbortSignal | undefined;
}
