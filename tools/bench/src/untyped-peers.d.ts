declare module "lz4js" {
  /** Returns the position after the last byte written. */
  export function decompressBlock(
    src: Uint8Array,
    dst: Uint8Array,
    srcStart: number,
    srcLength: number,
    dstStart: number,
  ): number;
}

declare module "snappyjs" {
  export function compress(input: Uint8Array): Uint8Array;
  export function uncompress(input: Uint8Array): Uint8Array;
}
