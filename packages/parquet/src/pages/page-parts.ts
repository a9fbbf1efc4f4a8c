/** Cuts and joins data pages: an array may start in one page and end in the next. */
import { concatBytes, copyBits, invalidArgument } from "@cfile/bytes";
import type { Leaf } from "../schema/leaf-schema.js";
import { type DataPage, presentCount } from "./data-page.js";
import { expandCodes, type LeafValues } from "./leaf-values.js";

/** Number of rows that start in a page. */
export function rowsOf({ repetitions, length }: DataPage): number {
  if (repetitions === undefined) {
    return length;
  }
  let rows = 0;
  for (let i = 0; i < length; i++) {
    rows += repetitions[i] === 0 ? 1 : 0;
  }
  return rows;
}

/** Levels `from` to `to`, and their values. */
export function slicePage(
  { definitions, repetitions, values }: DataPage,
  leaf: Leaf,
  from: number,
  to: number,
): DataPage {
  const before = presentCount(definitions, leaf, 0, from);
  const count = presentCount(definitions, leaf, from, to);
  return {
    length: to - from,
    definitions: definitions?.subarray(from, to),
    repetitions: repetitions?.subarray(from, to),
    values: sliceValues(values, before, before + count),
  };
}

/** Values `from` to `to`. */
export function sliceValues(values: LeafValues, from: number, to: number): LeafValues {
  const length = to - from;
  switch (values.kind) {
    case "bool": {
      const bits = new Uint8Array(Math.ceil(length / 8));
      copyBits(values.bits, from, bits, 0, length);
      return { kind: "bool", length, bits };
    }
    case "fixed": {
      const { width, bytes } = values;
      return { kind: "fixed", length, width, bytes: bytes.subarray(from * width, to * width) };
    }
    case "binary": {
      const first = values.offsets[from] as number;
      const offsets = values.offsets.slice(from, to + 1).map((offset) => offset - first);
      return { kind: "binary", length, offsets, data: values.data.subarray(first, values.offsets[to]) };
    }
    case "codes":
      return { kind: "codes", length, codes: values.codes.subarray(from, to), words: values.words };
  }
}

/** Joins two pages of a column. */
export function joinPages(a: DataPage, b: DataPage): DataPage {
  return {
    length: a.length + b.length,
    definitions: a.definitions && b.definitions && concatBytes([a.definitions, b.definitions]),
    repetitions: a.repetitions && b.repetitions && concatBytes([a.repetitions, b.repetitions]),
    values: joinValues(a.values, b.values),
  };
}

function joinValues(first: LeafValues, second: LeafValues): LeafValues {
  const length = first.length + second.length;
  if (first.kind === "codes" && second.kind === "codes" && first.words === second.words) {
    const codes = new Int32Array(length);
    codes.set(first.codes);
    codes.set(second.codes, first.length);
    return { kind: "codes", length, codes, words: first.words };
  }
  const [a, b] = [expandCodes(first), expandCodes(second)];
  if (a.kind === "bool" && b.kind === "bool") {
    const bits = new Uint8Array(Math.ceil(length / 8));
    copyBits(a.bits, 0, bits, 0, a.length);
    copyBits(b.bits, 0, bits, a.length, b.length);
    return { kind: "bool", length, bits };
  }
  if (a.kind === "fixed" && b.kind === "fixed") {
    return { kind: "fixed", length, width: a.width, bytes: concatBytes([a.bytes, b.bytes]) };
  }
  if (a.kind === "binary" && b.kind === "binary") {
    const offsets = new Int32Array(length + 1);
    offsets.set(a.offsets);
    const end = a.offsets[a.length] as number;
    for (let i = 1; i <= b.length; i++) {
      offsets[a.length + i] = end + (b.offsets[i] as number);
    }
    return { kind: "binary", length, offsets, data: concatBytes([a.data.subarray(0, end), b.data]) };
  }
  throw invalidArgument("pages of different columns", { field: "values" });
}
