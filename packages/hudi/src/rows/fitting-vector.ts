/** Columns of base files whose schema differs from the table's current one. */

import { type AvroType, nonNull } from "@cfile/avro";
import { CFileError, corrupt } from "@cfile/bytes";
import { DATA_TYPES } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { ParquetFile } from "@cfile/parquet";
import {
  fieldsOf,
  ListVector,
  MapVector,
  type NestedVector,
  type ParquetField,
  StructVector,
} from "@cfile/parquet/nested";
import { nullVector } from "./avro-vectors.js";
import { type HudiColumn, type ScalarType, scalarType } from "./column-type.js";

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
      return child === undefined ? nullVector(field.type, vector.length) : fittingVector(field.type, child);
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

function fittingScalar({ type, scale }: ScalarType, vector: NestedVector): NestedVector {
  if (vector.kind === "struct" || vector.kind === "list" || vector.kind === "map") {
    throw corrupt(`a ${vector.kind} column where the table has ${type}`, { field: "schema" });
  }
  if (vector.type === type) {
    return vector;
  }
  const isFloat = vector.type === "DOUBLE" || vector.type === "FLOAT";
  const isBinary = DATA_TYPES[type].physical === "BINARY";
  if ((scale !== undefined && isFloat) || isBinary !== (DATA_TYPES[vector.type].physical === "BINARY")) {
    throw corrupt(`a ${vector.type} column where the table has ${type}`, { field: "schema" });
  }
  try {
    const cells = vector.toArray(type === "BINARY" ? { strings: "bytes" } : {});
    const factor =
      scale === undefined || vector.type.startsWith("DECIMAL") ? undefined : 10n ** BigInt(scale);
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

/**
 * Requires that decimals of a file have as many digits after the point as those of the table: vectors do not know theirs.
 * @param path of the file
 * @throws {CFileError} `E_UNSUPPORTED` for others
 */
export function requireScales(
  file: ParquetFile,
  columns: readonly HudiColumn[],
  path: string | undefined,
): void {
  const fields = new Map(fieldsOf(file).map((field) => [field.name, field]));
  for (const { name, avro } of columns) {
    const field = fields.get(name);
    if (field !== undefined) {
      requireScale(avro, field, path);
    }
  }
}

function requireScale(type: AvroType, field: ParquetField, path: string | undefined): void {
  const target = nonNull(type);
  if (field.kind === "leaf") {
    const [, digits] = /^DECIMAL\(\d+, (\d+)\)$/.exec(field.parquetType) ?? [];
    const scale = scalarType(target)?.scale;
    if (digits !== undefined && scale !== undefined && Number(digits) !== scale) {
      const reason = `column ${JSON.stringify(field.name)} is ${field.parquetType} in a file, and has scale ${scale} in the table`;
      throw new CFileError("E_UNSUPPORTED", reason, { path, field: field.name });
    }
  } else if (field.kind === "struct" && target.kind === "record") {
    for (const child of field.fields) {
      const own = target.fields.find(({ name }) => name === child.name);
      if (own !== undefined) {
        requireScale(own.type, child, path);
      }
    }
  } else if (field.kind === "list" && target.kind === "array") {
    requireScale(target.items, field.element, path);
  } else if (field.kind === "map" && target.kind === "map") {
    requireScale(target.values, field.value, path);
  }
}
