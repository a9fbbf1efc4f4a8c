/** Converts levels and values of a page to a batch of a CFile's column. */
import { bitmapByteLength, CFileError, corrupt, setBit } from "@cfile/bytes";
import type { ColumnBatch, ScalarBatch, Vector } from "@cfile/encodings";
import { ArrayBatch, batchOfVector, DATA_TYPES, physicalWidth } from "@cfile/encodings";
import { allocateFixed, bytesOf, MAX_ARRAY_ELEMENTS } from "@cfile/encodings/batches";
import { scatterVector } from "@cfile/encodings/headers";
import { chooseDecoders } from "@cfile/kernels/decode";
import type { DataPage } from "../pages/data-page.js";
import { expandCodes, type LeafValues } from "../pages/leaf-values.js";
import type { LeafKind } from "../schema/leaf-kind.js";
import type { Leaf } from "../schema/leaf-schema.js";

/** 1970-01-01 as a Julian day. */
const EPOCH_DAY = 2440588n;
/** The smallest positive FLOAT16. */
const SMALLEST_HALF = 2 ** -24;
const MICROS_PER_DAY = 86_400_000_000n;

/**
 * The rows of a page that holds whole rows.
 * @throws {CFileError} `E_CORRUPT`, `E_LIMIT` for values and arrays that a CFile cannot store
 */
export function batchOfPage(page: DataPage, leaf: Leaf, kind: LeafKind, firstRow: number): ColumnBatch {
  const vector = vectorOf(page.values, kind);
  return leaf.array
    ? arrays(page, leaf, vector, kind, firstRow)
    : scalarOfLevels(page, leaf.maxDefinition, vector, kind, firstRow);
}

/**
 * Values with a null wherever the definition level is below `present`.
 * @param vector the values that are not null
 */
export function scalarOfLevels(
  { definitions, length }: Pick<DataPage, "definitions" | "length">,
  present: number,
  vector: Vector,
  { type }: LeafKind,
  firstRow: number,
): ScalarBatch {
  const nullCount = length - vector.length;
  if (definitions === undefined || nullCount === 0) {
    return batchOfVector({ type, length, firstRow, validity: undefined, nullCount: 0 }, vector);
  }
  const validity = presentBits(definitions, present, length);
  const scattered = scatterVector(vector, validity, length, { kernels: chooseDecoders() });
  return batchOfVector({ type, length, firstRow, validity, nullCount }, scattered);
}

/** Sets a bit for each level of at least `present`, without branches, which nulls would make unpredictable. */
function presentBits(definitions: Uint8Array, present: number, length: number): Uint8Array {
  const bits = new Uint8Array(bitmapByteLength(length));
  for (let i = 0; i < length; i++) {
    const isPresent = (present - 1 - (definitions[i] as number)) >>> 31;
    bits[i >>> 3] = (bits[i >>> 3] as number) | (isPresent << (i & 7));
  }
  return bits;
}

function arrays(page: DataPage, leaf: Leaf, vector: Vector, kind: LeafKind, firstRow: number): ArrayBatch {
  const { repetitions, definitions, length: levels } = page;
  if (repetitions === undefined || definitions === undefined) {
    throw corrupt("list has no levels", { field: "levels" });
  }
  let length = 0;
  let elementCount = 0;
  for (let i = 0; i < levels; i++) {
    length += repetitions[i] === 0 ? 1 : 0;
    elementCount += (definitions[i] as number) >= leaf.elementLevel ? 1 : 0;
  }
  const validity = new Uint8Array(bitmapByteLength(length));
  const offsets = new Int32Array(length + 1);
  const elements = new Uint8Array(elementCount);
  let row = -1;
  let element = 0;
  let nullCount = 0;
  for (let i = 0; i < levels; i++) {
    const definition = definitions[i] as number;
    if (repetitions[i] === 0) {
      row++;
      if (definition >= leaf.rowLevel) {
        setBit(validity, row);
      } else {
        nullCount++;
      }
    } else if (definition < leaf.elementLevel || row < 0) {
      throw corrupt("a list continues without an element", { field: "levels" });
    }
    if (definition >= leaf.elementLevel) {
      elements[element++] = definition;
    }
    offsets[row + 1] = element;
    if (element - (offsets[row] as number) > MAX_ARRAY_ELEMENTS) {
      const reason = `row ${firstRow + row} has more than ${MAX_ARRAY_ELEMENTS} elements`;
      throw new CFileError("E_LIMIT", reason, { field: "array" });
    }
  }
  const child = scalarOfLevels(
    { definitions: elements, length: elementCount },
    leaf.maxDefinition,
    vector,
    kind,
    0,
  );
  return new ArrayBatch({ type: kind.type, length, firstRow, validity, nullCount }, offsets, child);
}

/**
 * Values as a vector of their kind.
 * @throws {CFileError} `E_CORRUPT` for values that the kind cannot represent
 */
export function vectorOf(values: LeafValues, kind: LeafKind): Vector {
  const { type } = kind;
  const { physical } = DATA_TYPES[type];
  const { length } = values;
  if (physical === "BINARY" && values.kind === "codes" && values.words.kind === "binary") {
    const { words, codes } = values;
    return { kind: "dictionary", length, codes, dictionary: words };
  }
  const plain = expandCodes(values);
  if (plain.kind === "bool") {
    return { kind: "bool", length, values: plain.bits };
  }
  if (physical === "BINARY") {
    return plain.kind === "binary" ? plain : fixedAsBinary(plain);
  }
  if (physical === "BOOL") {
    throw corrupt("values are not booleans", { field: "values" });
  }
  const target = allocateFixed(physical, length);
  const bytes = bytesOf(target);
  const width = physicalWidth(physical);
  if (kind.change === "big-endian") {
    reverseInto(plain, bytes, width, length);
  } else if (plain.kind === "fixed" && kind.change === "none" && plain.width === width) {
    bytes.set(plain.bytes);
  } else if (plain.kind === "fixed" && kind.change === "narrow") {
    narrowInto(plain.bytes, target, length);
  } else if (plain.kind === "fixed" && plain.width === 2 && target instanceof Float32Array) {
    halvesInto(plain.bytes, target);
  } else if (plain.kind === "fixed" && target instanceof BigInt64Array) {
    timesInto(plain, target, kind);
  } else {
    throw corrupt(`values do not have the width of ${type}`, { field: "values" });
  }
  return { kind: "fixed", physical, length, values: target };
}

function fixedAsBinary({ length, width, bytes }: Extract<LeafValues, { kind: "fixed" }>): Vector {
  const offsets = Int32Array.from({ length: length + 1 }, (_, i) => i * width);
  return { kind: "binary", length, offsets, data: bytes };
}

/** Converts big-endian integers of any length to little-endian ones of `width` bytes, sign-extended. */
function reverseInto(
  values: Exclude<LeafValues, { kind: "codes" | "bool" }>,
  target: Uint8Array,
  width: number,
  length: number,
): void {
  for (let i = 0; i < length; i++) {
    const from = values.kind === "fixed" ? i * values.width : (values.offsets[i] as number);
    const to = values.kind === "fixed" ? from + values.width : (values.offsets[i + 1] as number);
    const source = values.kind === "fixed" ? values.bytes : values.data;
    const sign = to > from && (source[from] as number) > 0x7f ? 0xff : 0;
    target.fill(sign, i * width, (i + 1) * width);
    for (let at = to - 1, j = 0; at >= from; at--, j++) {
      if (j < width) {
        target[i * width + j] = source[at] as number;
      } else if (source[at] !== sign) {
        throw corrupt(`value ${i} has more digits than its precision`, { field: "decimal" });
      }
    }
    if (to - from > width && ((target[(i + 1) * width - 1] as number) ^ sign) > 0x7f) {
      throw corrupt(`value ${i} has more digits than its precision`, { field: "decimal" });
    }
  }
}

function narrowInto(bytes: Uint8Array, target: ReturnType<typeof allocateFixed>, length: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isSigned = target instanceof Int8Array || target instanceof Int16Array;
  for (let i = 0; i < length; i++) {
    const value = isSigned ? view.getInt32(4 * i, true) : view.getUint32(4 * i, true);
    target[i] = value;
    if (target[i] !== value) {
      throw corrupt(`value ${i} is out of range: ${value}`, { field: "values", actual: value });
    }
  }
}

/** Widens FLOAT16: sign, 5 bits of exponent, 10 of fraction. Exact. */
function halvesInto(bytes: Uint8Array, target: Float32Array): void {
  const bits = new Uint32Array(target.buffer, target.byteOffset, target.length);
  for (let i = 0; i < target.length; i++) {
    const half = (bytes[2 * i] as number) | ((bytes[2 * i + 1] as number) << 8);
    const sign = (half & 0x8000) << 16;
    const exponent = (half >>> 10) & 31;
    const fraction = half & 0x3ff;
    if (exponent === 0) {
      target[i] = (sign < 0 ? -1 : 1) * fraction * SMALLEST_HALF;
    } else {
      bits[i] = sign | ((exponent === 31 ? 255 : exponent + 112) << 23) | (fraction << 13);
    }
  }
}

function timesInto(
  { bytes, length, width }: Extract<LeafValues, { kind: "fixed" }>,
  target: BigInt64Array,
  { change }: LeafKind,
): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = 0; i < length; i++) {
    const at = i * width;
    let micros: bigint;
    if (change === "int96") {
      const day = BigInt(view.getInt32(at + 8, true)) - EPOCH_DAY;
      const nanos = view.getBigInt64(at, true);
      micros = day * MICROS_PER_DAY + floorThousandth(nanos);
      // Spark's arithmetic wraps around for years above 147000, and leaves a negative time of day.
      micros = nanos < 0n ? BigInt.asIntN(64, micros) : micros;
    } else {
      const value = view.getBigInt64(at, true);
      micros = change === "millis" ? value * 1000n : floorThousandth(value);
    }
    if (BigInt.asIntN(64, micros) !== micros) {
      throw corrupt(`timestamp ${i} exceeds 64 bits in microseconds`, { field: "values" });
    }
    target[i] = micros;
  }
}

function floorThousandth(value: bigint): bigint {
  const quotient = value / 1000n;
  return value < 0n && quotient * 1000n !== value ? quotient - 1n : quotient;
}
