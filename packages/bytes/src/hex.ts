import { invalidArgument } from "./error.js";

/** Lower-case hexadecimal text of the bytes, two digits each. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) {
    text += (byte < 16 ? "0" : "") + byte.toString(16);
  }
  return text;
}

/** The bytes of hexadecimal text, which may contain white space. Throws `E_INVALID_ARGUMENT`. */
export function fromHex(text: string): Uint8Array {
  const digits = text.replace(/\s+/g, "");
  if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits)) {
    throw invalidArgument("not hexadecimal text: an even number of digits 0-9, a-f is expected");
  }
  const bytes = new Uint8Array(digits.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16);
  }
  return bytes;
}
