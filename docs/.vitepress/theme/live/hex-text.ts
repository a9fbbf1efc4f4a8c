/** Bytes as the specification writes them, and back. */

/** Blanks and `|` between bytes are for the eye. */
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

/** The character of a byte, a dot for what has none. */
export function characterText(byte: number): string {
  return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·";
}
