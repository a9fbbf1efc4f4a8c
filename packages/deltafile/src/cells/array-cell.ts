/**
 * Array cells in change lists (docs/spec/deltafile.md#42-array-cells-in-deltas): FlatBuffers of Kudu's schema, unlike
 * CFile's array blocks.
 *
 * | table | slot | field |
 * | --- | --- | --- |
 * | root | 0 | u8: member of the union, 1 to 12 |
 * | root | 1 | reference to the member |
 * | root | 2 | vector of u8: validity bitmap, 1 = present; absent or empty if no element is null |
 * | member | 0 | vector of the elements; for strings of references to them, for BINARY to tables with a vector of u8 in slot 0 |
 *
 * An empty array has no bytes. Neither does a NULL cell, but its stored length differs, see `mutation-cursor.ts`.
 */
import {
  bitmapByteLength,
  CFileError,
  copyBits,
  countBits,
  DEFAULT_LIMITS,
  mismatch,
  overLimit,
  setBit,
} from "@cfile/bytes";
import type { DataType, PhysicalType, ScalarBatch, Vector } from "@cfile/encodings";
import { batchOfVector, DATA_TYPES, physicalWidth } from "@cfile/encodings";
import { allocateFixed, bytesOf, MAX_ARRAY_ELEMENTS } from "@cfile/encodings/batches";
import { FlatBuffer } from "./flat-buffer.js";

/** Slots of the root table. */
const TYPE_SLOT = 0;
const DATA_SLOT = 1;
const VALIDITY_SLOT = 2;
/** Slot of a member's only field. */
const VALUES_SLOT = 0;

const MEMBERS: Partial<Record<PhysicalType, number>> = {
  INT8: 1,
  UINT8: 2,
  BOOL: 2,
  INT16: 3,
  UINT16: 4,
  INT32: 5,
  UINT32: 6,
  INT64: 7,
  UINT64: 8,
  FLOAT: 9,
  DOUBLE: 10,
};
const STRINGS = 11;
const BINARIES = 12;

/** The union member for elements of `type`. @throws {CFileError} `E_UNSUPPORTED` for 128-bit types */
export function arrayMember(type: DataType): number {
  const { physical } = DATA_TYPES[type];
  const member = physical === "BINARY" ? (type === "BINARY" ? BINARIES : STRINGS) : MEMBERS[physical];
  if (member === undefined || type === "IS_DELETED") {
    throw new CFileError("E_UNSUPPORTED", `arrays of ${type} are not supported`, { field: "array" });
  }
  return member;
}

/**
 * Decodes the elements of an array cell of `type`, nulls included.
 *
 * @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` for an invalid cell; `E_LIMIT` when its strings, which may share bytes,
 *   would take more than 16 MiB; `E_UNSUPPORTED` for a type without arrays
 */
export function decodeArrayCell(bytes: Uint8Array, type: DataType): ScalarBatch {
  const member = arrayMember(type);
  const buffer = new FlatBuffer(bytes);
  const table = bytes.length === 0 ? undefined : memberTable(buffer, member, type);
  const values = table === undefined ? undefined : buffer.field(table, VALUES_SLOT, 4, "array values");
  const vector =
    DATA_TYPES[type].physical === "BINARY"
      ? strings(buffer, values, member === BINARIES)
      : fixed(buffer, values, type);
  const { length } = vector;
  const validity = table === undefined ? undefined : readValidity(buffer, length);
  const nullCount = validity === undefined ? 0 : length - countBits(validity, 0, length);
  return batchOfVector({ type, length, firstRow: 0, validity, nullCount }, vector);
}

function memberTable(buffer: FlatBuffer, member: number, type: DataType): number | undefined {
  const root = buffer.root();
  const typeField = buffer.field(root, TYPE_SLOT, 1, "array type");
  const dataField = buffer.field(root, DATA_SLOT, 4, "array values");
  const stored = typeField === undefined ? 0 : buffer.u8(typeField);
  if (dataField === undefined && stored === 0) {
    return undefined;
  }
  if (dataField === undefined || stored !== member) {
    throw mismatch(`wrong union member for ${type}`, member, stored, { field: "array type", offset: root });
  }
  return buffer.follow(dataField, "array values");
}

function findVector(buffer: FlatBuffer, field: number | undefined, width: number): void {
  buffer.length = 0;
  if (field !== undefined) {
    buffer.vector(buffer.follow(field, "array values"), width, "array values");
  }
  if (buffer.length > MAX_ARRAY_ELEMENTS) {
    const details = { field: "array values", offset: buffer.start };
    throw mismatch("too many array elements", `<= ${MAX_ARRAY_ELEMENTS}`, buffer.length, details);
  }
}

function fixed(buffer: FlatBuffer, field: number | undefined, type: DataType): Vector {
  const { physical } = DATA_TYPES[type];
  if (physical === "BOOL" || physical === "BINARY") {
    findVector(buffer, field, 1);
    return bools(buffer);
  }
  const width = physicalWidth(physical);
  findVector(buffer, field, width);
  const { length, start } = buffer;
  const values = allocateFixed(physical, length);
  bytesOf(values).set(buffer.bytes.subarray(start, start + length * width));
  return { kind: "fixed", physical, length, values };
}

function bools({ bytes, start, length }: FlatBuffer): Vector {
  const values = new Uint8Array(bitmapByteLength(length));
  for (let i = 0; i < length; i++) {
    if (bytes[start + i] !== 0) {
      setBit(values, i);
    }
  }
  return { kind: "bool", length, values };
}

function strings(buffer: FlatBuffer, field: number | undefined, inTables: boolean): Vector {
  findVector(buffer, field, 4);
  const { length: count, start: references } = buffer;
  const offsets = new Int32Array(count + 1);
  const starts = new Int32Array(count);
  let total = 0;
  for (let i = 0; i < count; i++) {
    const target = buffer.follow(references + 4 * i, "array element");
    const inner = inTables ? buffer.field(target, VALUES_SLOT, 4, "array element") : undefined;
    buffer.length = 0;
    if (inner !== undefined || !inTables) {
      buffer.vector(inner === undefined ? target : buffer.follow(inner, "array element"), 1, "array element");
    }
    starts[i] = buffer.start;
    total += buffer.length;
    if (total > DEFAULT_LIMITS.maxBlockSize) {
      const details = { offset: target, field: "array element" };
      throw overLimit("size of the array's strings", "maxBlockSize", DEFAULT_LIMITS, total, details);
    }
    offsets[i + 1] = total;
  }
  const data = new Uint8Array(total);
  for (let i = 0; i < count; i++) {
    const at = offsets[i] as number;
    const start = starts[i] as number;
    data.set(buffer.bytes.subarray(start, start + (offsets[i + 1] as number) - at), at);
  }
  return { kind: "binary", length: count, offsets, data };
}

/** The validity bitmap of `count` elements; `undefined` if none is null. */
function readValidity(buffer: FlatBuffer, count: number): Uint8Array | undefined {
  const field = buffer.field(buffer.root(), VALIDITY_SLOT, 4, "array validity");
  if (field === undefined) {
    return undefined;
  }
  buffer.vector(buffer.follow(field, "array validity"), 1, "array validity");
  if (buffer.length === 0) {
    return undefined;
  }
  if (buffer.length !== bitmapByteLength(count)) {
    const details = { field: "array validity", offset: buffer.start };
    throw mismatch("wrong bitmap size", bitmapByteLength(count), buffer.length, details);
  }
  const validity = new Uint8Array(buffer.length);
  copyBits(buffer.bytes.subarray(buffer.start), 0, validity, 0, count);
  return validity;
}
