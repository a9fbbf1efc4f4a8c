/** Names of types, encodings and compressions on the command line: short names, and the names of the footer, in upper or lower case. */
import { DATA_TYPES, type DataType, ENCODING_TYPES, type EncodingType } from "@cfile/encodings";
import type { CompressionType } from "cfile";
import { invalidValue } from "../program/option.js";

const ENCODINGS: Readonly<Record<string, EncodingType>> = {
  auto: "AUTO_ENCODING",
  plain: "PLAIN_ENCODING",
  rle: "RLE",
  dict: "DICT_ENCODING",
  prefix: "PREFIX_ENCODING",
  bitshuffle: "BIT_SHUFFLE",
};

const COMPRESSIONS: Readonly<Record<string, CompressionType>> = {
  none: "NO_COMPRESSION",
  snappy: "SNAPPY",
  lz4: "LZ4",
  zlib: "ZLIB",
};

export const ENCODING_NAMES: readonly string[] = /* @__PURE__ */ Object.keys(ENCODINGS);
export const COMPRESSION_NAMES: readonly string[] = /* @__PURE__ */ Object.keys(COMPRESSIONS);

/** @throws UsageError for an unknown name */
export function encodingOfName(name: string, option = "--encoding"): EncodingType {
  return typeOfName(option, name, ENCODINGS, Object.keys(ENCODING_TYPES) as EncodingType[]);
}

/** @throws UsageError for an unknown name */
export function compressionOfName(name: string, option = "--compression"): CompressionType {
  return typeOfName(option, name, COMPRESSIONS, Object.values(COMPRESSIONS));
}

/** @throws UsageError for an unknown name */
export function dataTypeOfName(option: string, name: string): DataType {
  const types = Object.keys(DATA_TYPES) as DataType[];
  return typeOfName(option, name, Object.fromEntries(types.map((type) => [type.toLowerCase(), type])), []);
}

function typeOfName<T extends string>(
  option: string,
  name: string,
  short: Readonly<Record<string, T>>,
  stored: readonly T[],
): T {
  const key = name.toLowerCase();
  const found = Object.hasOwn(short, key) ? short[key] : stored.find((type) => type.toLowerCase() === key);
  if (found === undefined) {
    throw invalidValue(option, name, `must be one of ${Object.keys(short).join(", ")}`);
  }
  return found;
}

/** The short name of an encoding or compression, for tables. */
export function shortName(type: EncodingType | CompressionType): string {
  const entry = Object.entries({ ...ENCODINGS, ...COMPRESSIONS }).find(([, value]) => value === type);
  return entry?.[0] ?? type;
}
