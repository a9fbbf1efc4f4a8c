/** Vectors of strings from JavaScript values. Texts that repeat are encoded once, as a dictionary vector. */
import { ByteBuilder, type CFileError, invalidArgument } from "@cfile/bytes";
import type { CellValue } from "../types/cell-value.js";
import type { DataType } from "../types/data-type.js";
import type { BinaryVector, DictionaryVector } from "../types/vector.js";
import { MAX_BINARY_BYTES } from "./binary-values.js";

/** Number of leading values that are sampled for repetition. */
const SAMPLE = 8192;

/**
 * The strings of `values`; nulls are empty, or have code 0.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for values other than bytes and text (BINARY accepts only bytes), for text with
 *   a lone surrogate, and above 2 GiB
 */
export function stringsFromValues(
  type: DataType,
  values: readonly InputCell[],
  label: Label,
): BinaryVector | DictionaryVector {
  const coded = type !== "BINARY" && repeats(values) ? dictionaryVector(type, values, label) : undefined;
  if (coded !== undefined) {
    return coded;
  }
  const { length } = values;
  const writer = new StringWriter(type, label, length);
  const offsets = new Int32Array(length + 1);
  for (let i = 0; i < length; i++) {
    const value = values[i];
    if (value !== null && value !== undefined) {
      writer.append(value, i);
    }
    offsets[i + 1] = writer.data.length;
  }
  return { kind: "binary", length, offsets, data: writer.data.view8() };
}

function repeats(values: readonly InputCell[]): boolean {
  const length = Math.min(SAMPLE, values.length);
  const seen = new Set<InputCell>();
  for (let i = 0; i < length; i++) {
    seen.add(values[i]);
  }
  return seen.size <= length / 2;
}

/** `undefined` when the values include bytes, which are not compared by content. */
function dictionaryVector(
  type: DataType,
  values: readonly InputCell[],
  label: Label,
): DictionaryVector | undefined {
  const codes = new Int32Array(values.length);
  // An object finds a text in half the time of a Map.
  const known: Record<string, number> = Object.create(null);
  const writer = new StringWriter(type, label, 1024);
  const ends: number[] = [0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (typeof value === "string") {
      let code = known[value];
      if (code === undefined) {
        code = ends.length - 1;
        known[value] = code;
        writer.append(value, i);
        ends.push(writer.data.length);
      }
      codes[i] = code;
    } else if (value !== null && value !== undefined) {
      return undefined;
    }
  }
  const offsets = Int32Array.from(ends);
  const dictionary: BinaryVector = {
    kind: "binary",
    length: offsets.length - 1,
    offsets,
    data: writer.data.view8(),
  };
  return { kind: "dictionary", length: values.length, codes, dictionary };
}

/** Half of a surrogate pair; under the `u` flag, a whole pair is one code point. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Writes strings back to back. */
class StringWriter {
  readonly data: ByteBuilder;
  private readonly type: DataType;
  private readonly label: Label;
  private readonly encoder = new TextEncoder();

  constructor(type: DataType, label: Label, expected: number) {
    this.type = type;
    this.label = label;
    this.data = new ByteBuilder(16 * expected);
  }

  append(value: NonNullable<InputCell>, index: number): void {
    const { data, type } = this;
    if (typeof value === "string" && type !== "BINARY") {
      this.appendText(value, index);
    } else if (value instanceof Uint8Array) {
      data.append(value);
    } else {
      const expected = type === "BINARY" ? "a Uint8Array is expected" : "a string or Uint8Array is expected";
      throw misfit(this.label(index), type, value, expected);
    }
    if (data.length > MAX_BINARY_BYTES) {
      throw misfit(this.label(index), type, "", "a batch holds at most 2 GiB of strings");
    }
  }

  /** Writes ASCII directly: for short strings TextEncoder costs more than the text. */
  private appendText(text: string, index: number): void {
    const { data } = this;
    const start = data.length;
    const buffer = data.reserve(3 * text.length);
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit > 0x7f) {
        if (LONE_SURROGATE.test(text)) {
          throw misfit(this.label(index), this.type, text, "a lone surrogate is not valid in UTF-8");
        }
        data.length = start + this.encoder.encodeInto(text, buffer.subarray(start)).written;
        return;
      }
      buffer[start + i] = unit;
    }
    data.length = start + text.length;
  }
}

/** A cell as callers pass it; `undefined` is a null. */
export type InputCell = CellValue | undefined | readonly (CellValue | undefined)[];

/** Names the position of a value, for errors: `row 17`. */
export type Label = (index: number) => string;

/** The error for a value that a type cannot hold. */
export function misfit(where: string, type: DataType, value: unknown, reason: string): CFileError {
  const shown = shownValue(value);
  const actual = shown.length > 60 ? `${shown.slice(0, 57)}...` : shown;
  return invalidArgument(`${where}: ${actual} does not fit ${type}: ${reason}`, { field: "values", actual });
}

function shownValue(value: unknown): string {
  switch (typeof value) {
    case "bigint":
      return `${value}n`;
    case "string":
      return JSON.stringify(value);
    case "object":
      // Not String(): the conversion of an object to text may be missing or throw.
      return value === null ? "null" : Object.prototype.toString.call(value);
    default:
      return String(value);
  }
}
