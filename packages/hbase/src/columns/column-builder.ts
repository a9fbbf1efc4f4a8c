/**
 * Builds a column batch from values of cells.
 *
 * | encoding | values |
 * | --- | --- |
 * | `bytes` | integers and IEEE 754 numbers, big-endian; booleans are one byte, 0 for false; strings in UTF-8 |
 * | `ordered` | a byte for the type, then bytes that sort like the values; in descending order, all bits are inverted |
 * | `utf8` | the value as text |
 *
 * Type bytes of `ordered`: 0x29 … 0x2c for integers of 1, 2, 4 and 8 bytes, whose sign is inverted. 0x30 and 0x31 for floats of 4 and 8
 * bytes: the sign is inverted, or all bits if it is negative. 0x34 for text up to a zero byte. 0x38 for bytes up to the end.
 */
import { ByteBuilder, bitmapByteLength, CFileError, clearBit, onesBitmap, setBit, toHex } from "@cfile/bytes";
import {
  batchOfVector,
  type ColumnBatch,
  DATA_TYPES,
  type FixedValues,
  physicalWidth,
} from "@cfile/encodings";
import { allocateFixed, bytesOf } from "@cfile/encodings/batches";
import type { TypedColumn } from "./column-schema.js";

const ORDERED_TYPE: Readonly<Record<string, number>> = {
  INT8: 0x29,
  INT16: 0x2a,
  INT32: 0x2b,
  INT64: 0x2c,
  FLOAT: 0x30,
  DOUBLE: 0x31,
  STRING: 0x34,
  BINARY: 0x38,
};
const NULL = 0x05;
const MAX_SHOWN = 24;

/** Collects the values of one column; rows without a value are null. */
export class ColumnBuilder {
  private readonly column: TypedColumn;
  private readonly nullable: boolean;
  private readonly capacity: number;
  private readonly width: number;
  /** Elements of numbers, and their bytes. */
  private readonly fixed: FixedValues | undefined;
  private readonly fixedBytes: Uint8Array;
  private readonly bits: Uint8Array;
  private readonly offsets: Int32Array;
  private readonly data = new ByteBuilder();
  private readonly validity: Uint8Array;
  private nulls = 0;
  private length = 0;

  /** @param capacity maximum number of rows */
  constructor(column: TypedColumn, capacity: number, nullable: boolean) {
    const { physical } = DATA_TYPES[column.type];
    this.column = column;
    this.nullable = nullable;
    this.capacity = capacity;
    const isFixed = physical !== "BOOL" && physical !== "BINARY";
    this.fixed = isFixed ? allocateFixed(physical, capacity) : undefined;
    this.fixedBytes = this.fixed === undefined ? new Uint8Array(0) : bytesOf(this.fixed);
    this.width = physicalWidth(physical);
    this.bits = new Uint8Array(physical === "BOOL" ? bitmapByteLength(capacity) : 0);
    this.offsets = new Int32Array(physical === "BINARY" ? capacity + 1 : 0);
    this.validity = onesBitmap(capacity);
  }

  /** Bytes of strings so far. */
  get bytes(): number {
    return this.data.length;
  }

  /** Appends a value. @throws {CFileError} `E_INVALID_ARGUMENT` for bytes that are not a value of the type */
  add(value: Uint8Array): void {
    switch (this.column.encoding) {
      case "bytes":
        this.addBytes(value);
        break;
      case "ordered":
        this.addOrdered(value);
        break;
      case "utf8":
        this.addText(value);
        break;
    }
    this.advance();
  }

  /** Appends a null. */
  addNull(): void {
    clearBit(this.validity, this.length);
    this.nulls++;
    this.advance();
  }

  /** @param firstRow number of the first row in the table */
  finish(firstRow: number): ColumnBatch {
    const { column, length, nulls, fixed } = this;
    const { type } = column;
    const validity =
      this.nullable && nulls > 0 ? this.validity.subarray(0, bitmapByteLength(length)) : undefined;
    const rows = { type, length, firstRow, validity, nullCount: nulls };
    const { physical } = DATA_TYPES[type];
    if (physical === "BOOL") {
      return batchOfVector(rows, { kind: "bool", length, values: this.bits });
    }
    if (physical === "BINARY" || fixed === undefined) {
      const offsets = this.offsets.subarray(0, length + 1);
      return batchOfVector(rows, { kind: "binary", length, offsets, data: this.data.view8() });
    }
    return batchOfVector(rows, { kind: "fixed", physical, length, values: fixed.subarray(0, length) });
  }

  private advance(): void {
    this.length++;
    if (this.offsets.length > 0) {
      this.offsets[this.length] = this.data.length;
    }
    if (this.length > this.capacity) {
      throw new RangeError("more rows than the capacity of the column");
    }
  }

  private addBytes(value: Uint8Array): void {
    const { type } = this.column;
    if (this.fixed !== undefined) {
      if (value.length !== this.width) {
        throw this.misfit(value);
      }
      this.copyReversed(value, 0);
    } else if (type === "BOOL") {
      if (value.length !== 1) {
        throw this.misfit(value);
      }
      if (value[0] !== 0) {
        setBit(this.bits, this.length);
      }
    } else {
      this.data.append(value);
    }
  }

  private addOrdered(stored: Uint8Array): void {
    const { type } = this.column;
    const code = ORDERED_TYPE[type];
    if (stored.length === 1 && (stored[0] === NULL || stored[0] === 0xff - NULL)) {
      clearBit(this.validity, this.length);
      this.nulls++;
      return;
    }
    const isDescending = code !== undefined && stored[0] === 0xff - code;
    const value = isDescending ? stored.map((byte) => byte ^ 0xff) : stored;
    if (code === undefined || value[0] !== code) {
      throw this.misfit(stored);
    }
    if (type === "STRING") {
      const end = value.indexOf(0, 1);
      if (end !== value.length - 1) {
        throw this.misfit(stored);
      }
      this.data.append(value.subarray(1, end));
    } else if (type === "BINARY") {
      // In descending order, a final byte ends the value.
      this.data.append(value.subarray(1, isDescending ? value.length - 1 : value.length));
    } else {
      if (value.length !== this.width + 1) {
        throw this.misfit(stored);
      }
      this.copyReversed(value, 1);
      this.restoreSign();
    }
  }

  /** Restores the sign, which is in the last byte of a little-endian number. */
  private restoreSign(): void {
    const { type } = this.column;
    const { fixedBytes, width } = this;
    const start = width * this.length;
    const isFloat = type === "FLOAT" || type === "DOUBLE";
    const isNegative = ((fixedBytes[start + width - 1] as number) & 0x80) === 0;
    if (isFloat && isNegative) {
      for (let i = start; i < start + width; i++) {
        fixedBytes[i] = (fixedBytes[i] as number) ^ 0xff;
      }
    } else {
      fixedBytes[start + width - 1] = (fixedBytes[start + width - 1] as number) ^ 0x80;
    }
  }

  private addText(value: Uint8Array): void {
    const { type } = this.column;
    const { fixed, length } = this;
    if (type === "STRING" || type === "BINARY") {
      this.data.append(value);
      return;
    }
    const text = new TextDecoder().decode(value).trim();
    if (type === "BOOL") {
      if (text !== "true" && text !== "false") {
        throw this.misfit(value);
      }
      if (text === "true") {
        setBit(this.bits, length);
      }
    } else if (type === "FLOAT" || type === "DOUBLE") {
      const number = Number(text);
      if (text === "" || (Number.isNaN(number) && text !== "NaN") || fixed === undefined) {
        throw this.misfit(value);
      }
      fixed[length] = number;
    } else {
      this.addIntegerText(text, value);
    }
  }

  private addIntegerText(text: string, value: Uint8Array): void {
    const { fixed, length, width } = this;
    const integer = /^[+-]?\d{1,20}$/.test(text) ? BigInt(text.replace("+", "")) : undefined;
    if (integer === undefined || BigInt.asIntN(8 * width, integer) !== integer) {
      throw this.misfit(value);
    }
    if (fixed instanceof BigInt64Array) {
      fixed[length] = integer;
    } else if (fixed !== undefined && !(fixed instanceof BigUint64Array)) {
      fixed[length] = Number(integer);
    }
  }

  /** Copies a big-endian number; typed arrays are little-endian on every supported platform. */
  private copyReversed(value: Uint8Array, from: number): void {
    const { fixedBytes, width } = this;
    let to = width * (this.length + 1);
    for (let i = from; i < from + width; i++) {
      fixedBytes[--to] = value[i] as number;
    }
  }

  private misfit(value: Uint8Array): CFileError {
    const { name, type, encoding } = this.column;
    const shown = toHex(value.subarray(0, MAX_SHOWN)) + (value.length > MAX_SHOWN ? "…" : "");
    const reason = `column ${JSON.stringify(name)}: value 0x${shown} (${value.length} bytes) is not ${type} (${encoding})`;
    return new CFileError("E_INVALID_ARGUMENT", reason, { field: name });
  }
}
