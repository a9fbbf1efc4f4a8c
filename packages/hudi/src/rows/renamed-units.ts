/**
 * Milliseconds that a file calls microseconds. Versions of Hudi named them so. As in Hudi 1.2, a column of milliseconds takes them for
 * milliseconds.
 */

import { type AvroType, nonNull } from "@cfile/avro";
import { corrupt } from "@cfile/bytes";
import { batchFromValues } from "@cfile/encodings/batches";
import {
  ListVector,
  MapVector,
  type NestedVector,
  type ParquetField,
  StructVector,
} from "@cfile/parquet/nested";
import type { HudiColumn } from "./column-type.js";
import { timeOf } from "./evolved-types.js";
import { timeIn } from "./file-types.js";

/** Gives the columns of a batch of the file, with milliseconds where the file's microseconds are some. */
export type ColumnRepair = (
  names: readonly string[],
  vectors: readonly NestedVector[],
) => readonly NestedVector[];

/**
 * How batches of a file are repaired.
 * @param columns of the table
 * @throws {CFileError} of the repair: `E_CORRUPT` for values that are not milliseconds of a 64-bit time
 */
export function unitRepair(fields: readonly ParquetField[], columns: readonly HudiColumn[]): ColumnRepair {
  const types = new Map(columns.map(({ name, avro }) => [name, avro]));
  const renamed = new Map<string, { readonly type: AvroType; readonly field: ParquetField }>();
  for (const field of fields) {
    const type = types.get(field.name);
    if (type !== undefined && hasRenamed(type, field)) {
      renamed.set(field.name, { type, field });
    }
  }
  return (names, vectors) =>
    renamed.size === 0
      ? vectors
      : vectors.map((vector, i) => {
          const own = renamed.get(names[i] ?? "");
          return own === undefined ? vector : repaired(own.type, own.field, vector);
        });
}

function hasRenamed(type: AvroType, field: ParquetField): boolean {
  const target = nonNull(type);
  if (field.kind === "leaf") {
    return timeOf(target) === "timestamp-millis" && timeIn(field.parquetType) === "timestamp-micros";
  }
  if (field.kind === "struct" && target.kind === "record") {
    return field.fields.some((child) => {
      const own = target.fields.find(({ name }) => name === child.name);
      return own !== undefined && hasRenamed(own.type, child);
    });
  }
  if (field.kind === "list" && target.kind === "array") {
    return hasRenamed(target.items, field.element);
  }
  return field.kind === "map" && target.kind === "map" && hasRenamed(target.values, field.value);
}

function repaired(type: AvroType, field: ParquetField, vector: NestedVector): NestedVector {
  const target = nonNull(type);
  if (!hasRenamed(target, field)) {
    return vector;
  }
  if (vector.kind === "struct" && field.kind === "struct" && target.kind === "record") {
    const children = vector.children.map((child, i) => {
      const own = target.fields.find(({ name }) => name === vector.names[i]);
      const written = field.fields.find(({ name }) => name === vector.names[i]);
      return own === undefined || written === undefined ? child : repaired(own.type, written, child);
    });
    return new StructVector(vector, vector.names, children);
  }
  if (vector.kind === "list" && field.kind === "list" && target.kind === "array") {
    return new ListVector(vector, vector.offsets, repaired(target.items, field.element, vector.child));
  }
  if (vector.kind === "map" && field.kind === "map" && target.kind === "map") {
    return new MapVector(
      vector,
      vector.offsets,
      vector.keys,
      repaired(target.values, field.value, vector.values),
    );
  }
  return millisOf(vector);
}

function millisOf(vector: NestedVector): NestedVector {
  try {
    // Timestamps are bigints.
    const values = vector.toArray().map((cell) => (cell === null ? null : 1000n * (cell as bigint)));
    const batch = batchFromValues({ type: "UNIXTIME_MICROS", nullable: true }, values);
    if (batch.kind !== "array") {
      return batch;
    }
  } catch (cause) {
    throw corrupt("milliseconds that do not fit a timestamp", { field: "schema", cause });
  }
  throw corrupt("expected single values", { field: "schema" });
}
