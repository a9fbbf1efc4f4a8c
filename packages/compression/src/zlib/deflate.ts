/** Compresses zlib streams with pako: level 6, window 15, memory level 8. Its legacy hash makes the output byte-identical to zlib's. */
import { deflate } from "pako";
import { WINDOW_BITS } from "./inflate.js";

/** Compresses `input` to a zlib stream in new memory. */
export function zlibCompress(input: Uint8Array): Uint8Array {
  return deflate(input, { level: 6, windowBits: WINDOW_BITS, memLevel: 8, legacyHash: true });
}
