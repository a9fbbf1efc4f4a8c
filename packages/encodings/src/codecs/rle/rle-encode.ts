/** Encodes values as one RLE stream (docs/spec/cfile.md#18-rle-stream). */
import type { FixedValues } from "../../types/vector.js";
import { RleEncoder } from "./rle-encoder.js";

/**
 * Encodes `values` as one stream: numbers and bigints of at most `width` bits (1 to 64), or a typed array.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for values that do not fit
 */
export function rleEncode(values: FixedValues | readonly (number | bigint)[], width: number): Uint8Array {
  const encoder = new RleEncoder(width);
  if (ArrayBuffer.isView(values) && values.BYTES_PER_ELEMENT * 8 === width) {
    encoder.putAll(values);
  } else {
    for (const value of values) {
      encoder.put(value);
    }
  }
  return encoder.finish();
}
