/** Big-endian two's complement, the form of decimals. */

/** The integer in any number of bytes; 0 for none. */
export function signedInteger(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) {
    value = (value << 8n) | BigInt(byte);
  }
  return BigInt.asIntN(8 * bytes.length, value);
}
