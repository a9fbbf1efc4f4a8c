declare module "lz4js" {
  /** Returns the length of the block, 0 when it found no match at all. */
  export function compressBlock(
    src: Uint8Array,
    dst: Uint8Array,
    srcStart: number,
    srcLength: number,
    hashTable: Uint32Array,
  ): number;
}

declare module "snappyjs" {
  export function compress(input: Uint8Array): Uint8Array;
  export function uncompress(input: Uint8Array): Uint8Array;
}
