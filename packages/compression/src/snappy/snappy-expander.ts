import type { DecodeKernels } from "@cfile/kernels";
import type { Expander } from "../codec.js";
import { snappyDecompress } from "./snappy-decode.js";

/** Raw Snappy streams. */
export function snappyExpander(kernels: DecodeKernels): Expander {
  return { type: "SNAPPY", decompress: kernels.snappyDecompress(snappyDecompress) };
}
