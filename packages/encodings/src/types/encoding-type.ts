import { CFileError } from "@cfile/bytes";
import { DATA_TYPES, type DataType, type PhysicalType } from "./data-type.js";

/**
 * Encodings, their numbers in the footer (docs/spec/cfile.md#22-encodingtype), and which of them each physical type has.
 */
export const ENCODING_TYPES = /* @__PURE__ */ Object.freeze({
  AUTO_ENCODING: 0,
  PLAIN_ENCODING: 1,
  PREFIX_ENCODING: 2,
  GROUP_VARINT: 3,
  RLE: 4,
  DICT_ENCODING: 5,
  BIT_SHUFFLE: 6,
});

/** Name of an encoding, as Kudu spells it. */
export type EncodingType = keyof typeof ENCODING_TYPES;

/** The encoding with this footer number, or `undefined`. */
export function encodingTypeFromId(id: number): EncodingType | undefined {
  return (Object.keys(ENCODING_TYPES) as EncodingType[]).find((name) => ENCODING_TYPES[name] === id);
}

/** Encodings of a physical type, its default first. */
export function encodingsOf(physical: PhysicalType): readonly EncodingType[] {
  switch (physical) {
    case "BOOL":
      return ["RLE", "PLAIN_ENCODING"];
    case "BINARY":
      return ["DICT_ENCODING", "PLAIN_ENCODING", "PREFIX_ENCODING"];
    case "FLOAT":
    case "DOUBLE":
    case "INT128":
      return ["BIT_SHUFFLE", "PLAIN_ENCODING"];
    default:
      return ["BIT_SHUFFLE", "PLAIN_ENCODING", "RLE"];
  }
}

/**
 * What a footer stores for a requested encoding: AUTO becomes the default of the type. `undefined` when the
 * type does not have the encoding.
 */
export function resolveEncoding(type: DataType, requested: EncodingType): EncodingType | undefined {
  const supported = encodingsOf(DATA_TYPES[type].physical);
  if (requested === "AUTO_ENCODING") {
    return supported[0];
  }
  return supported.includes(requested) ? requested : undefined;
}

export function unsupportedEncoding(type: DataType, encoding: EncodingType): CFileError {
  const supported = encodingsOf(DATA_TYPES[type].physical).join(", ");
  return new CFileError("E_UNSUPPORTED", `${type} blocks have no ${encoding}; they have ${supported}`, {
    field: "encoding",
    actual: encoding,
  });
}
