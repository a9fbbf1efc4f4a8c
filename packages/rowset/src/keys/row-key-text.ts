/** Keys as text, for error messages. */
import { isCFileError, toHex } from "@cfile/bytes";
import { decodeCompositeKey } from "@cfile/encodings/keys";
import { keyColumns, type RowSetSchema } from "../schema/schema.js";

const MAX_SHOWN = 60;

/** A key as `(7, "abc", 0x00ff)`: text for STRING and VARCHAR, hexadecimal for BINARY and for an invalid key. */
export function describeKey(schema: RowSetSchema, key: Uint8Array): string {
  const types = keyColumns(schema).map(({ type }) => type);
  try {
    const shown = decodeCompositeKey(types, key).map((value, i) => {
      if (!(value instanceof Uint8Array)) {
        return String(value);
      }
      const isText = types[i] !== "BINARY";
      return shorten(isText ? JSON.stringify(new TextDecoder().decode(value)) : `0x${toHex(value)}`);
    });
    return shown.length === 1 ? (shown[0] ?? "") : `(${shown.join(", ")})`;
  } catch (error) {
    if (!isCFileError(error)) {
      throw error;
    }
    return shorten(`0x${toHex(key)}`);
  }
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text;
}
