import { type DecodeKernels, portableDecoders } from "@cfile/kernels";
import type { Codec, Expander } from "./codec.js";

/**
 * The built-in expander of a type; its loops are portable unless `kernels` choose others. Its code is loaded now: a page that meets no zlib does
 * without the library for it.
 *
 * @throws what the import throws when the code cannot be fetched
 */
export async function loadExpander(
  type: Codec["type"],
  kernels: DecodeKernels = portableDecoders,
): Promise<Expander> {
  switch (type) {
    case "LZ4":
      return (await import("./lz4/lz4-expander.js")).lz4Expander(kernels);
    case "SNAPPY":
      return (await import("./snappy/snappy-expander.js")).snappyExpander(kernels);
    case "ZLIB":
      return (await import("./zlib/zlib-expander.js")).zlibExpander();
  }
}
