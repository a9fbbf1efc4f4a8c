/** Big-endian two's complement, the format of decimals. */

/** The integer in any number of bytes; 0 without bytes. */
export function signedInteger(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) {
    value = (value << 8n) | BigInt(byte);
  }
  return BigInt.asIntN(8 * bytes.length, value);
}
