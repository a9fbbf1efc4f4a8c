import { invalidArgument } from "./error/error.js";

/** Lowercase hexadecimal text, two digits per byte. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) {
    text += (byte < 16 ? "0" : "") + byte.toString(16);
  }
  return text;
}

/**
 * The bytes of hexadecimal text, which may contain whitespace.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for any other text
 */
export function fromHex(text: string): Uint8Array {
  const digits = text.replace(/\s+/g, "");
  if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits)) {
    throw invalidArgument("invalid hexadecimal text (must be an even number of digits 0-9, a-f)");
  }
  const bytes = new Uint8Array(digits.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = 16 * digitAt(digits, 2 * i) + digitAt(digits, 2 * i + 1);
  }
  return bytes;
}

/** The value of a digit. Letters have bit 6, and their low bits count from 1. */
function digitAt(digits: string, index: number): number {
  const code = digits.charCodeAt(index);
  return (code & 15) + 9 * (code >> 6);
}
