/** Bytes from and to hexadecimal text, as in the specification. */

/** Ignores spaces and `|` between bytes. */
export function bytesOfText(text: string): Uint8Array {
  const digits = text.replace(/[^0-9a-fA-F]/g, "");
  return Uint8Array.from({ length: digits.length >> 1 }, (_, i) =>
    Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16),
  );
}

export function byteText(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

export function offsetText(offset: number): string {
  return offset.toString(16).padStart(4, "0");
}

/** The ASCII character of a byte, or a dot if it is not printable. */
export function characterText(byte: number): string {
  return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·";
}
