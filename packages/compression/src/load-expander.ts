import type { DecodeKernels } from "@cfile/kernels";
import type { Codec, Expander } from "./codec.js";

/**
 * The built-in expander of a type, with `kernels` for what they have. Its code is loaded now: a page that meets no zlib does
 * without the library for it.
 *
 * @throws what the import throws when the code cannot be fetched
 */
export async function loadExpander(type: Codec["type"], kernels?: DecodeKernels): Promise<Expander> {
  switch (type) {
    case "LZ4":
      return (await import("./lz4/lz4-expander.js")).lz4Expander(kernels);
    case "SNAPPY":
      return (await import("./snappy/snappy-expander.js")).snappyExpander(kernels);
    case "ZLIB":
      return (await import("./zlib/zlib-expander.js")).zlibExpander();
  }
}
