/** Encoded keys as text. */
import { isCFileError, toHex } from "@cfile/bytes";
import { clipped, isText, printable } from "@cfile/cell-text";
import type { DataType } from "@cfile/encodings";
import { decodeCompositeKey, type KeyValue } from "@cfile/encodings/keys";
import type { RowSetSchema } from "@cfile/rowset";

const MAX_KEY_CHARACTERS = 60;

/** The cells of an encoded key, or its bytes when the schema cannot decode it. */
export function keyText({ columns }: RowSetSchema, key: Uint8Array): string {
  const types = columns.filter(({ isKey }) => isKey).map(({ type }) => type);
  try {
    const cells = decodeCompositeKey(types, key).map((cell, i) => cellText(cell, types[i] ?? "BINARY"));
    return clipped(cells.join(", "), MAX_KEY_CHARACTERS);
  } catch (error) {
    if (!isCFileError(error)) {
      throw error;
    }
    return clipped(toHex(key), MAX_KEY_CHARACTERS);
  }
}

function cellText(cell: KeyValue, type: DataType): string {
  if (!(cell instanceof Uint8Array)) {
    return String(cell);
  }
  return isText(type) ? printable(new TextDecoder().decode(cell)) : toHex(cell);
}
