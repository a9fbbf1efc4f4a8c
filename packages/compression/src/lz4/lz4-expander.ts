import type { DecodeKernels } from "@cfile/kernels";
import type { Expander } from "../codec.js";
import { lz4DecompressBlock } from "./lz4-decode.js";

/** Raw LZ4 blocks. */
export function lz4Expander(kernels: DecodeKernels): Expander {
  return { type: "LZ4", decompress: kernels.lz4Decompress(lz4Decompress) };
}

function lz4Decompress(input: Uint8Array, output: Uint8Array): void {
  lz4DecompressBlock(input, 0, input.length, output, 0, output.length);
}
