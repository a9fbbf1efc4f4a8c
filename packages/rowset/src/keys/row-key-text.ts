/** Keys as people read them, for errors. */
import { isCFileError, toHex } from "@cfile/bytes";
import { DATA_TYPES } from "@cfile/encodings";
import { decodeCompositeKey } from "@cfile/encodings/keys";
import { keyColumns } from "../schema/check-schema.js";
import type { RowSetSchema } from "../schema/schema.js";

const MAX_SHOWN = 60;

/** A key as `(7, "abc", 0x00ff)`: text for STRING and VARCHAR, hexadecimal for BINARY and for what is no key. */
export function describeKey(schema: RowSetSchema, key: Uint8Array): string {
  const columns = keyColumns(schema);
  try {
    const values = decodeCompositeKey(
      columns.map(({ type }) => type),
      key,
    );
    const shown = values.map((value, i) => {
      if (!(value instanceof Uint8Array)) {
        return String(value);
      }
      const type = columns[i]?.type ?? "BINARY";
      const isText = type !== "BINARY" && DATA_TYPES[type].physical === "BINARY";
      return shorten(isText ? JSON.stringify(new TextDecoder().decode(value)) : `0x${toHex(value)}`);
    });
    return shown.length === 1 ? (shown[0] ?? "") : `(${shown.join(", ")})`;
  } catch (error) {
    if (isCFileError(error)) {
      return shorten(`0x${toHex(key)}`);
    }
    throw error;
  }
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text;
}
