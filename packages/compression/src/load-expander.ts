import { type DecodeKernels, portableDecoders } from "@cfile/kernels";
import type { Codec, Expander } from "./codec.js";

/**
 * Loads the built-in expander of a type. Its code is lazily loaded, so that a page without zlib files never fetches pako.
 *
 * @param kernels the loops to use. Default: portable loops
 * @throws what the import throws when the code cannot be fetched
 */
export async function loadExpander(
  type: Codec["type"],
  kernels: DecodeKernels = portableDecoders,
): Promise<Expander> {
  switch (type) {
    case "LZ4": {
      const { lz4Decompress } = await import("./lz4/lz4-decode.js");
      return { type, decompress: kernels.lz4Decompress(lz4Decompress) };
    }
    case "SNAPPY": {
      const { snappyDecompress } = await import("./snappy/snappy-decode.js");
      return { type, decompress: kernels.snappyDecompress(snappyDecompress) };
    }
    case "ZLIB": {
      const { zlibDecompress, zlibExpand } = await import("./zlib/zlib.js");
      return { type, decompress: zlibDecompress, expand: zlibExpand };
    }
  }
}
