import type { Expander } from "../codec.js";
import { zlibDecompress, zlibExpand } from "./zlib.js";

/** zlib streams. */
export function zlibExpander(): Expander {
  return { type: "ZLIB", decompress: zlibDecompress, expand: zlibExpand };
}
