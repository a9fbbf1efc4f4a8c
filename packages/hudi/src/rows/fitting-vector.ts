/** Converts columns of base files whose schema differs from the table's current schema. */

import { type AvroType, nonNull } from "@cfile/avro";
import { corrupt } from "@cfile/bytes";
import { DATA_TYPES } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { ListVector, MapVector, type NestedVector, StructVector } from "@cfile/parquet/nested";
import { absentVector } from "./avro-vectors.js";
import { type ScalarType, scalarType } from "./column-type.js";

/**
 * The vector in the table's type: structs with the table's fields, numbers widened.
 * @throws {CFileError} `E_CORRUPT` when the values do not fit
 */
export function fittingVector(type: AvroType, vector: NestedVector): NestedVector {
  const target = nonNull(type);
  const scalar = scalarType(target);
  if (scalar !== undefined) {
    return fittingScalar(scalar, vector);
  }
  if (target.kind === "record" && vector.kind === "struct") {
    const children = target.fields.map((field) => {
      const child = vector.children[vector.names.indexOf(field.name)];
      return child === undefined
        ? absentVector(field, field.type, vector.length)
        : fittingVector(field.type, child);
    });
    return new StructVector(
      vector,
      target.fields.map(({ name }) => name),
      children,
    );
  }
  if (target.kind === "array" && vector.kind === "list") {
    return new ListVector(vector, vector.offsets, fittingVector(target.items, vector.child));
  }
  if (target.kind === "map" && vector.kind === "map") {
    return new MapVector(vector, vector.offsets, vector.keys, fittingVector(target.values, vector.values));
  }
  throw corrupt(`a ${vector.kind} column where the table has ${target.kind}`, { field: "schema" });
}

function fittingScalar({ type, scale, unit }: ScalarType, vector: NestedVector): NestedVector {
  if (vector.kind === "struct" || vector.kind === "list" || vector.kind === "map") {
    throw corrupt(`a ${vector.kind} column where the table has ${type}`, { field: "schema" });
  }
  if (vector.type === type) {
    return vector;
  }
  const isFloat = vector.type === "DOUBLE" || vector.type === "FLOAT";
  const isBinary = DATA_TYPES[type].physical === "BINARY";
  const isDecimal = vector.type.startsWith("DECIMAL");
  if (scale === undefined ? isDecimal : isFloat) {
    throw corrupt(`a ${vector.type} column where the table has ${type}`, { field: "schema" });
  }
  if (isBinary !== (DATA_TYPES[vector.type].physical === "BINARY")) {
    throw corrupt(`a ${vector.type} column where the table has ${type}`, { field: "schema" });
  }
  try {
    const cells = vector.toArray(type === "BINARY" ? { strings: "bytes" } : {});
    const factor = isDecimal ? undefined : scale !== undefined ? 10n ** BigInt(scale) : unit && 1000n;
    const isFloating = type === "DOUBLE" || type === "FLOAT";
    const values = cells.map((cell) => {
      if (factor !== undefined && (typeof cell === "number" || typeof cell === "bigint")) {
        return BigInt(cell) * factor;
      }
      return isFloating && typeof cell === "bigint" ? Number(cell) : cell;
    });
    const batch = batchFromValues({ type, nullable: true }, values);
    if (batch.kind !== "array") {
      return batch;
    }
  } catch (cause) {
    throw corrupt(`values of type ${vector.type} do not fit the table's ${type}`, { field: "schema", cause });
  }
  throw corrupt("expected single values", { field: "schema" });
}
