/** Bounds and order of the values of a page, as numbers that keep their order: the first bytes of strings, rounded 64-bit integers. */
import type { LeafValues } from "../pages/leaf-values.js";
import type { Leaf } from "../schema/leaf-schema.js";

/** Bounds of values, and whether they ascend. */
export interface Span {
  readonly least: number;
  readonly most: number;
  readonly isAscending: boolean;
}

/** Bytes of a string that fit into a number. */
const PREFIX_BYTES = 6;

/** `undefined` without values, or if they have no order. */
export function spanOf(values: LeafValues, type: Leaf["type"]): Span | undefined {
  const numberAt = readerOf(values, type);
  if (numberAt === undefined || values.length === 0) {
    return undefined;
  }
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  let isAscending = true;
  let before = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) {
    const value = numberAt(i);
    if (Number.isNaN(value)) {
      return undefined;
    }
    isAscending &&= value >= before;
    before = value;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return { least, most, isAscending };
}

function readerOf(values: LeafValues, type: Leaf["type"]): ((index: number) => number) | undefined {
  if (values.kind === "codes") {
    const { codes, words } = values;
    const word = readerOf(words, type);
    return word && ((i) => word(codes[i] as number));
  }
  if (values.kind === "binary") {
    const { data, offsets } = values;
    return (i) => prefixOf(data, offsets[i] as number, offsets[i + 1] as number);
  }
  if (values.kind === "bool" || type === "INT96") {
    return undefined;
  }
  const { bytes, width } = values;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (type) {
    case "INT32":
      return (i) => view.getInt32(4 * i, true);
    case "INT64":
      return (i) => view.getInt32(8 * i + 4, true) * 2 ** 32 + view.getUint32(8 * i, true);
    case "FLOAT":
      return (i) => view.getFloat32(4 * i, true);
    case "DOUBLE":
      return (i) => view.getFloat64(8 * i, true);
    default:
      return (i) => prefixOf(bytes, i * width, (i + 1) * width);
  }
}

function prefixOf(bytes: Uint8Array, from: number, to: number): number {
  let prefix = 0;
  for (let i = 0; i < PREFIX_BYTES; i++) {
    prefix = 256 * prefix + (from + i < to ? (bytes[from + i] as number) : 0);
  }
  return prefix;
}
