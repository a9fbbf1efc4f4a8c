/** Words of 32 or 64 bits over the same memory as decimals, as libraries want them. */
import type { FixedValues } from "@cfile/encodings";
import { bytesOf } from "@cfile/encodings/batches";

export function words32(values: FixedValues): Uint32Array {
  const { buffer, byteOffset, byteLength } = aligned(values, 4);
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

export function words64(values: FixedValues): BigUint64Array {
  const { buffer, byteOffset, byteLength } = aligned(values, 8);
  return new BigUint64Array(buffer, byteOffset, byteLength / 8);
}

/** Values of 128 bits are bytes, which may begin anywhere; where they cannot be words they are copied. */
function aligned(values: FixedValues, width: number): Uint8Array {
  const bytes = bytesOf(values);
  return bytes.byteOffset % width === 0 ? bytes : bytes.slice();
}
