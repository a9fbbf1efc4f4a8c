/** Whether a page can belong to a column, by its header alone. */
import { leafWidth } from "../pages/leaf-values.js";
import type { PageHeader } from "../pages/page-header.js";
import type { Leaf } from "../schema/leaf-schema.js";

/** Types of encodings that apply only to some types; all other encodings apply to all types. */
const TYPES: Readonly<Record<string, readonly Leaf["type"][]>> = /* @__PURE__ */ Object.freeze({
  RLE: ["BOOLEAN"],
  BIT_PACKED: [],
  DELTA_BINARY_PACKED: ["INT32", "INT64"],
  DELTA_LENGTH_BYTE_ARRAY: ["BYTE_ARRAY"],
  DELTA_BYTE_ARRAY: ["BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"],
  BYTE_STREAM_SPLIT: ["INT32", "INT64", "FLOAT", "DOUBLE", "FIXED_LEN_BYTE_ARRAY"],
});
/** Bytes of a page's minimum and maximum, each. */
const BOUND_BYTES: Readonly<Partial<Record<Leaf["type"], number>>> = /* @__PURE__ */ Object.freeze({
  INT32: 4,
  FLOAT: 4,
  INT64: 8,
  DOUBLE: 8,
});
const ENCODINGS_OF_WORDS: readonly string[] = ["PLAIN", "PLAIN_DICTIONARY"];

/** Whether the values of the page are codes of a dictionary. */
export function isCoded({ encoding }: PageHeader): boolean {
  return encoding === "PLAIN_DICTIONARY" || encoding === "RLE_DICTIONARY";
}

/** Whether a page that fits the column consists only of values of a fixed width. */
export function isExact({ kind, encoding }: PageHeader, leaf: Leaf): boolean {
  const isPlain = encoding === "PLAIN" || encoding === "BYTE_STREAM_SPLIT";
  const hasLevels = leaf.maxDefinition > 0 || leaf.maxRepetition > 0;
  return kind !== "dictionary" && isPlain && !hasLevels && leafWidth(leaf) !== undefined;
}

/** Whether encoding, levels, size and bounds of the page are possible for the column. */
export function mayFit(header: PageHeader, leaf: Leaf): boolean {
  const { kind, encoding, uncompressedSize: size, valueCount: count } = header;
  const width = leafWidth(leaf);
  if (kind === "dictionary") {
    const isSized = width === undefined ? size >= 4 * count : size === width * count;
    return width !== 0 && ENCODINGS_OF_WORDS.includes(encoding) && (isSized || count === 0);
  }
  if (TYPES[encoding]?.includes(leaf.type) === false || (isCoded(header) && width === 0)) {
    return false;
  }
  const stated = BOUND_BYTES[leaf.type];
  const { least, most } = header.bounds ?? {};
  if (stated !== undefined && [least, most].some((bound) => bound !== undefined && bound.length !== stated)) {
    return false;
  }
  const levelBytes = levelBytesOf(header, leaf);
  if (levelBytes === undefined) {
    return false;
  }
  if (encoding !== "PLAIN" && encoding !== "BYTE_STREAM_SPLIT") {
    return size >= levelBytes.least;
  }
  // Writers of nested columns differ in what they count as a null.
  const nulls = leaf.maxDefinition === 0 ? 0 : leaf.maxRepetition === 0 ? header.nullCount : undefined;
  const values = count - (nulls ?? 0);
  const isCounted = nulls !== undefined;
  const bytes = width === 0 ? Math.ceil(values / 8) : (width ?? 4) * values;
  const room = size - levelBytes.least;
  if (width === undefined) {
    return isCounted ? room >= bytes : room >= 0;
  }
  return isCounted ? (levelBytes.isExact ? room === bytes : room >= bytes) : room >= 0;
}

/** Bytes of the levels; `undefined` if the page has levels that the column lacks, or lacks levels of the column. */
function levelBytesOf(
  header: PageHeader,
  { maxDefinition, maxRepetition }: Leaf,
): { readonly least: number; readonly isExact: boolean } | undefined {
  if (header.valueCount === 0) {
    return { least: 0, isExact: false };
  }
  if (header.kind === "data-v2") {
    const { definitionBytes, repetitionBytes, rowCount, valueCount } = header;
    const isPossible =
      (maxDefinition === 0 ? header.nullCount === 0 : definitionBytes > 0) &&
      (maxRepetition === 0 ? rowCount === valueCount : repetitionBytes > 0);
    return isPossible ? { least: definitionBytes + repetitionBytes, isExact: true } : undefined;
  }
  const has = (maximum: number, encoding: string): number => (maximum === 0 ? 0 : encoding === "RLE" ? 5 : 1);
  const least = has(maxDefinition, header.definitionEncoding) + has(maxRepetition, header.repetitionEncoding);
  return { least, isExact: maxDefinition === 0 && maxRepetition === 0 };
}
