import type { DecodeKernels } from "@cfile/kernels";
import type { Expander } from "../codec.js";
import { lz4DecompressBlock } from "./lz4-decode.js";

function decompress(input: Uint8Array, output: Uint8Array): void {
  lz4DecompressBlock(input, 0, input.length, output, 0, output.length);
}

/** Raw LZ4 blocks. */
export function lz4Expander(kernels: DecodeKernels | undefined): Expander {
  return {
    type: "LZ4",
    decompress:
      kernels === undefined
        ? decompress
        : (input, output) => {
            if (!kernels.lz4Decompress(input, 0, input.length, output, 0, output.length)) {
              decompress(input, output);
            }
          },
  };
}
