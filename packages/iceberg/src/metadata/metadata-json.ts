/** JSON of table metadata. Snapshot IDs of other writers have 63 bits, more than a JavaScript number keeps exactly. */
import { corrupt } from "@cfile/bytes";

/** Marks an integer that was too long for a number. */
const MARK = "\u0000";
const MARKED = new RegExp(`^${MARK}-?\\d{16,19}$`);

/** A value of JSON; integers of at least 16 digits are marked text, which {@link metadataText} writes as numbers. */
export type MetadataJson =
  | null
  | boolean
  | number
  | string
  | readonly MetadataJson[]
  | { readonly [key: string]: MetadataJson };

/** @throws {CFileError} `E_CORRUPT` for text that is not JSON */
export function parseMetadata(text: string): MetadataJson {
  let isText = false;
  // A pattern for whole strings would overflow the stack for strings of several megabytes.
  const marked = text.replace(/\\.|"|-?\d[\d.eE+-]*/g, (token) => {
    isText = token === '"' ? !isText : isText;
    return !isText && /^-?\d{16,}$/.test(token) ? `"\\u0000${token}"` : token;
  });
  try {
    return JSON.parse(marked);
  } catch (cause) {
    throw corrupt("table metadata is not valid JSON", { field: "metadata", cause });
  }
}

export function metadataText(json: MetadataJson): string {
  return JSON.stringify(json, undefined, 2).replace(/"\\u0000(-?\d+)"/g, "$1");
}

/** An integer of the metadata; `undefined` for everything else. */
export function integerOf(json: MetadataJson | undefined): bigint | undefined {
  if (typeof json === "number" && Number.isSafeInteger(json)) {
    return BigInt(json);
  }
  return typeof json === "string" && MARKED.test(json) ? BigInt(json.slice(MARK.length)) : undefined;
}

/** An integer for the metadata. */
export function integerJson(value: bigint): MetadataJson {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : `${MARK}${value}`;
}
