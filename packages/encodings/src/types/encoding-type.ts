/** Encodings and their numbers in the footer (docs/spec/cfile.md#22-encodingtype). */
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
