/** Stored values as text, for notes. */
import { toHex } from "@cfile/bytes";
import { DATA_TYPES, type DataType, physicalWidth } from "@cfile/encodings";
import { decodeKey } from "@cfile/encodings/keys";

/** Maximum number of bytes shown per value. */
const MAX_BYTES = 64;

/** A fixed-width value, from its little-endian bytes. */
export function fixedText(type: DataType, bytes: Uint8Array): string {
  const { physical } = DATA_TYPES[type];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (physical === "FLOAT") {
    return String(view.getFloat32(0, true));
  }
  if (physical === "DOUBLE") {
    return String(view.getFloat64(0, true));
  }
  const bits = 8 * bytes.length;
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) {
    value = (value << 8n) | BigInt(bytes[i] as number);
  }
  return String(physical.startsWith("U") ? value : BigInt.asIntN(bits, value));
}

/** The bytes as text in quotes if they are printable UTF-8, else as hexadecimal digits. */
export function binaryText(bytes: Uint8Array): string {
  const shown = bytes.subarray(0, MAX_BYTES);
  const rest = bytes.length > shown.length ? "…" : "";
  const text = new TextDecoder().decode(shown);
  return /[\p{Cc}\uFFFD]/u.test(text) ? `0x${toHex(shown)}${rest}` : JSON.stringify(text + rest);
}

/** The value that a key of a value index encodes; shortened keys (separating keys) in hexadecimal. */
export function keyText(type: DataType, key: Uint8Array): string {
  const { physical, isKey } = DATA_TYPES[type];
  if (physical === "BINARY") {
    return binaryText(key);
  }
  return isKey && key.length === physicalWidth(physical) ? String(decodeKey(type, key)) : `0x${toHex(key)}`;
}
