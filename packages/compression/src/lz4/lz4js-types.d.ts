declare module "lz4js" {
  /** Returns the position after the last byte written. Checks nothing. */
  export function decompressBlock(
    src: Uint8Array,
    dst: Uint8Array,
    srcStart: number,
    srcLength: number,
    dstStart: number,
  ): number;
}
