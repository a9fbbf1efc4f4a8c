/** Names of encodings and compressions on the command line: short ones, and the footer's own in any case. */
import type { EncodingType } from "@cfile/encodings";
import { ENCODING_TYPES } from "@cfile/encodings";
import type { CompressionType } from "cfile";
import { UsageError } from "../program/exit-code.js";

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

/** For help texts. */
export const ENCODING_NAMES: string = /* @__PURE__ */ Object.keys(ENCODINGS).join("|");
export const COMPRESSION_NAMES: string = /* @__PURE__ */ Object.keys(COMPRESSIONS).join("|");

/** @throws UsageError for a name that is none */
export function encodingOfName(name: string): EncodingType {
  return look(name, "encoding", ENCODINGS, Object.keys(ENCODING_TYPES) as EncodingType[]);
}

/** @throws UsageError for a name that is none */
export function compressionOfName(name: string): CompressionType {
  return look(name, "compression", COMPRESSIONS, Object.values(COMPRESSIONS));
}

function look<T extends string>(
  name: string,
  what: string,
  short: Readonly<Record<string, T>>,
  stored: readonly T[],
): T {
  const key = name.toLowerCase();
  const found = Object.hasOwn(short, key) ? short[key] : stored.find((type) => type.toLowerCase() === key);
  if (found === undefined) {
    throw new UsageError(`"${name}" is no ${what}; there are ${Object.keys(short).join(", ")}`);
  }
  return found;
}

/** The short name of an encoding or compression, for tables. */
export function shortName(type: EncodingType | CompressionType): string {
  const entry = [...Object.entries(ENCODINGS), ...Object.entries(COMPRESSIONS)].find(
    ([, value]) => value === type,
  );
  return entry?.[0] ?? type;
}
