/** Values of any type: a union of records with one field `value`, as in delete records and column statistics. */

import type { AvroValue } from "@cfile/avro";
import { CFileError, corrupt } from "@cfile/bytes";
import { compareText } from "../timeline/instant.js";

/** A value with the name of its wrapper. */
export interface WrappedValue {
  /** Name of the wrapper, such as `LongWrapper`. */
  readonly wrapper: string;
  readonly value: AvroValue;
  /** Wrappers of the values in a list; `undefined` for null. */
  readonly wrappers?: readonly (string | undefined)[];
}

const wrapper = (name: string, type: unknown) => ({
  type: "record",
  name: `${name}Wrapper`,
  fields: [{ name: "value", type }],
});

const WRAPPERS: readonly { readonly name: string }[] = [
  wrapper("Boolean", "boolean"),
  wrapper("Int", "int"),
  wrapper("Long", "long"),
  wrapper("Float", "float"),
  wrapper("Double", "double"),
  wrapper("Bytes", "bytes"),
  wrapper("String", "string"),
  wrapper("Date", "int"),
  wrapper("Decimal", "bytes"),
  wrapper("TimeMicros", "long"),
  wrapper("TimestampMicros", "long"),
];

/**
 * The type of `orderingVal`, whose schema Hudi does not store: null, then the wrappers in order. Hudi 1.x adds a wrapper for the values of
 * several ordering fields, whose list can be null.
 */
export const WRAPPER_UNION: readonly unknown[] = [
  "null",
  ...WRAPPERS,
  wrapper("Array", ["null", { type: "array", items: ["null", ...WRAPPERS.map(({ name }) => name)] }]),
];

/** The value in a decoded wrapper; `undefined` for null. @throws {CFileError} `E_CORRUPT` for anything else */
export function wrapped(value: AvroValue | undefined): WrappedValue | undefined {
  if (value === null || value === undefined) {
    return undefined;
  }
  if (
    typeof value === "object" &&
    !Array.isArray(value) &&
    !(value instanceof Map || value instanceof Uint8Array)
  ) {
    const [entry, ...others] = Object.entries(value);
    const inner = entry?.[1];
    if (
      entry !== undefined &&
      others.length === 0 &&
      typeof inner === "object" &&
      inner !== null &&
      "value" in inner
    ) {
      const { value: content } = inner;
      const isList = entry[0] === "ArrayWrapper" && Array.isArray(content);
      const items = isList ? content.map((item) => wrapped(item)) : undefined;
      return {
        wrapper: entry[0],
        value: items === undefined ? content : items.map((item) => item?.value ?? null),
        ...(items === undefined ? {} : { wrappers: items.map((item) => item?.wrapper) }),
      };
    }
  }
  throw corrupt("malformed wrapped value", { field: "value" });
}

/** Compares ordering values or bounds of one type. @throws {CFileError} `E_UNSUPPORTED` for values without an order */
export function compareValues(a: AvroValue, b: AvroValue): number {
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
      const difference = (a[i] as number) - (b[i] as number);
      if (difference !== 0) {
        return difference;
      }
    }
    return a.length - b.length;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.map((item, i) => compareValues(item, b[i] ?? null)).find((order) => order !== 0) ?? 0;
  }
  const isNumber = (value: AvroValue): value is number | bigint =>
    typeof value === "number" || typeof value === "bigint";
  if (isNumber(a) && isNumber(b)) {
    // A bigint can equal a number. As in Java, NaN is greater than all other numbers.
    return a < b ? -1 : a > b ? 1 : Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  }
  if (typeof a === "string" && typeof b === "string") {
    return compareText(a, b);
  }
  if (typeof a === "boolean" && typeof b === "boolean") {
    return Number(a) - Number(b);
  }
  if (a === null || b === null) {
    return Number(a !== null) - Number(b !== null);
  }
  throw new CFileError("E_UNSUPPORTED", "values of these types have no order", { field: "ordering value" });
}
