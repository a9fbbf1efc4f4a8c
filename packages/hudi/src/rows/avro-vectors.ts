/** Converts decoded Avro values to vectors, in the form of nested Parquet columns. Records are arrays of their fields. */

import { type AvroRecord, type AvroType, type AvroValue, nonNull, signedInteger } from "@cfile/avro";
import { bitmapByteLength, CFileError, corrupt, setBit, utf8Bytes } from "@cfile/bytes";
import type { DataType, InputCell } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { ListVector, MapVector, type NestedVector, type Slots, StructVector } from "@cfile/parquet/nested";
import { type ScalarType, scalarType } from "./column-type.js";
import { isBinary, requireAvroType, timeOf } from "./evolved-types.js";
import { dateText } from "./json-value.js";

const STRING: AvroType = { kind: "string" };

/**
 * A vector of values.
 * @param type of the column
 * @param written type of the values, whose structs can have other fields
 * @throws {CFileError} `E_CORRUPT` for values that do not fit the type; `E_UNSUPPORTED` for types without a column
 */
export function avroVector(type: AvroType, written: AvroType, values: readonly AvroValue[]): NestedVector {
  const [target, source] = [nonNull(type), nonNull(written)];
  const scalar = scalarType(target);
  if (scalar !== undefined) {
    return scalarVector(scalar, { target, source }, values);
  }
  if (target.kind === "record" && source.kind === "record") {
    const children = target.fields.map((field) => {
      const at = source.fields.findIndex(({ name }) => name === field.name);
      const own = source.fields[at];
      if (own === undefined) {
        return absentVector(field, field.type, values.length);
      }
      return avroVector(
        field.type,
        own.type,
        values.map((value) => (Array.isArray(value) ? (value[at] ?? null) : null)),
      );
    });
    return new StructVector(
      slotsOf(values),
      target.fields.map(({ name }) => name),
      children,
    );
  }
  if (target.kind === "array" && source.kind === "array") {
    const lists = values.map((value) => (Array.isArray(value) ? value : []));
    return new ListVector(
      slotsOf(values),
      offsetsOf(lists),
      avroVector(target.items, source.items, lists.flat()),
    );
  }
  if (target.kind === "map" && source.kind === "map") {
    const maps = values.map((value) => (value instanceof Map ? [...value] : []));
    const entries = maps.flat();
    const keys = avroVector(
      STRING,
      STRING,
      entries.map(([key]) => key),
    );
    const own = avroVector(
      target.values,
      source.values,
      entries.map(([, value]) => value),
    );
    return new MapVector(slotsOf(values), offsetsOf(maps), keys, own);
  }
  throw corrupt(`a column of type ${target.kind} has values of type ${source.kind}`, { field: "schema" });
}

/** Values that Hudi's readers of logs and of base files both return for absent columns of these types, if the default is the same value. */
const ABSENT: Readonly<Partial<Record<AvroType["kind"], AvroValue>>> = {
  boolean: false,
  int: 0,
  long: 0,
  float: 0,
  double: 0,
};

/**
 * The values of a column or field that rows lack: nulls, or 0 or false if that is the default.
 * @param field `undefined` if the default is null
 * @throws {CFileError} `E_UNSUPPORTED` for any other default, because Hudi's readers do not agree on the value
 */
export function absentVector(
  field: AvroRecord["fields"][number] | undefined,
  type: AvroType,
  length: number,
): NestedVector {
  if (field?.default === undefined || length === 0) {
    return nullVector(type, length);
  }
  const isPlain = !("logical" in field.type) || field.type.logical === undefined;
  const value = isPlain ? ABSENT[field.type.kind] : undefined;
  if (value === undefined || value !== field.default) {
    const name = JSON.stringify(field.name);
    const reason = `column ${name} is not in all files, and has a default value in the table's schema`;
    throw new CFileError("E_UNSUPPORTED", reason, { field: field.name });
  }
  return avroVector(type, type, new Array<AvroValue>(length).fill(value));
}

/** A vector of nulls. */
export function nullVector(type: AvroType, length: number): NestedVector {
  return avroVector(type, type, new Array<AvroValue>(length).fill(null));
}

/** The types of a column and of its values in a file. */
interface Types {
  readonly target: AvroType;
  readonly source: AvroType;
}

function scalarVector(scalar: ScalarType, types: Types, values: readonly AvroValue[]): NestedVector {
  if (types.source !== types.target && values.some((value) => value !== null)) {
    requireAvroType(types.target, types.source);
  }
  const cells = values.map((value) => (value === null ? null : cellOf(value, scalar, types)));
  try {
    const batch = batchFromValues({ type: scalar.type, nullable: true }, cells);
    if (batch.kind !== "array") {
      return batch;
    }
  } catch (cause) {
    throw corrupt(`values do not fit type ${scalar.type}`, { field: "record", cause });
  }
  throw corrupt("expected single values", { field: "record" });
}

function cellOf(value: AvroValue, { type, scale }: ScalarType, { target, source }: Types): InputCell {
  if (scale !== undefined) {
    return unscaledDecimal(value, scale, source);
  }
  if (value instanceof Uint8Array) {
    return value;
  }
  if (typeof value === "number" || typeof value === "bigint") {
    return integerCell(value, type, { target, source });
  }
  if (type === "BINARY" && typeof value === "string") {
    return utf8Bytes(value);
  }
  if (typeof value === "object" && value !== null) {
    throw corrupt(`a ${source.kind} where a value of type ${type} is expected`, { field: "record" });
  }
  return value;
}

/**
 * As in Hudi, a date becomes calendar text, integers without a unit have the unit of the column, and a column of milliseconds contains only
 * milliseconds, regardless of the unit that a log states.
 */
function integerCell(value: number | bigint, type: DataType, { target, source }: Types): InputCell {
  const written = timeOf(source);
  if (type === "STRING") {
    return written === "date" ? dateText(Number(value)) : String(value);
  }
  const isMillis = [written ?? "", timeOf(target) ?? ""].some((name) => name.endsWith("timestamp-millis"));
  return type === "UNIXTIME_MICROS" && isMillis ? 1000n * BigInt(value) : value;
}

/** The unscaled value of a decimal that was written as an integer, or as a decimal whose scale is at most that of the column. */
function unscaledDecimal(value: AvroValue, scale: number, source: AvroType): bigint {
  if (value instanceof Uint8Array && isBinary(source)) {
    // Plain bytes have the scale of the column, as in Hudi.
    const { scale: written = scale } = source;
    if (written <= scale) {
      return signedInteger(value) * 10n ** BigInt(scale - written);
    }
  }
  const isInteger = source.kind === "int" || source.kind === "long";
  if (isInteger && (typeof value === "number" || typeof value === "bigint")) {
    return BigInt(value) * 10n ** BigInt(scale);
  }
  throw corrupt(`a ${source.kind} where a decimal with scale ${scale} is expected`, { field: "record" });
}

function slotsOf(values: readonly AvroValue[]): Slots {
  const validity = new Uint8Array(bitmapByteLength(values.length));
  let nullCount = 0;
  values.forEach((value, i) => {
    if (value === null) {
      nullCount++;
    } else {
      setBit(validity, i);
    }
  });
  return { length: values.length, validity, nullCount };
}

function offsetsOf(lists: readonly (readonly unknown[])[]): Int32Array {
  const offsets = new Int32Array(lists.length + 1);
  lists.forEach((list, i) => {
    offsets[i + 1] = (offsets[i] as number) + list.length;
  });
  return offsets;
}
