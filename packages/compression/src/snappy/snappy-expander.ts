import type { DecodeKernels } from "@cfile/kernels";
import type { Expander } from "../codec.js";
import { snappyDecompress } from "./snappy-decode.js";

/** Raw Snappy streams. */
export function snappyExpander(kernels: DecodeKernels | undefined): Expander {
  return {
    type: "SNAPPY",
    decompress:
      kernels === undefined
        ? snappyDecompress
        : (input, output) => {
            if (!kernels.snappyDecompress(input, output)) {
              snappyDecompress(input, output);
            }
          },
  };
}
