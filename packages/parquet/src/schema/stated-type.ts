/**
 * Types without an equivalent in Parquet are recorded in the file's key-value metadata under `cfile.types`: a JSON object of type names
 * by column. A recorded type applies if its values have the same bytes.
 */
import type { DataType } from "@cfile/encodings";
import { DATA_TYPES } from "@cfile/encodings";
import type { LeafKind } from "./leaf-kind.js";
import type { Leaf } from "./leaf-schema.js";

export const TYPES_KEY = "cfile.types";

/** The kind of a leaf's values, with the type that the file's metadata states. */
export function statedType(
  keyValues: ReadonlyMap<string, string>,
  kind: LeafKind,
  { name, type, element }: Leaf,
): LeafKind {
  const stated = typeNamed(keyValues.get(TYPES_KEY), name);
  if (stated === undefined || stated === kind.type) {
    return kind;
  }
  if (stated === "INT128" && type === "FIXED_LEN_BYTE_ARRAY" && element.type_length === 16) {
    return { type: stated, change: "big-endian" };
  }
  const isSame = kind.change === "none" && DATA_TYPES[stated].physical === DATA_TYPES[kind.type].physical;
  return isSame ? { ...kind, type: stated } : kind;
}

function typeNamed(json = "{}", name: string): DataType | undefined {
  try {
    const found = Object.entries(Object(JSON.parse(json))).find(([key]) => key === name);
    return Object.keys(DATA_TYPES).find((known): known is DataType => known === found?.[1]);
  } catch {
    // Written by another program.
    return undefined;
  }
}
