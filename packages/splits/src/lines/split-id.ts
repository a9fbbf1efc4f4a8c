/** The ID of a split: a digest of its fields, independent of their order. */
import { toHex } from "@cfile/bytes";

const ID_BYTES = 16;

export async function splitId(content: unknown): Promise<string> {
  return (await digest(canonicalJson(content))).slice(0, 2 * ID_BYTES);
}

/** The hexadecimal SHA-256 of a text. */
export async function digest(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return toHex(new Uint8Array(hash));
}

/** JSON with the fields of each object sorted by name. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, field: unknown) =>
    typeof field === "object" && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([left], [right]) => (left < right ? -1 : 1)))
      : field,
  );
}
