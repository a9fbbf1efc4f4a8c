/**
 * Converts milliseconds that a file labels as microseconds, as some versions of Hudi did. Hudi 1.2 reads them as milliseconds in a column
 * of milliseconds.
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

/** Converts the vector of a field of a file. */
type Repair = (vector: NestedVector) => NestedVector;

/**
 * Converts the columns of a file's batches to the unit of the table.
 *
 * @param fields of the file
 * @param columns of the table
 * @returns a function of names and vectors, which throws {@link CFileError} `E_CORRUPT` for milliseconds out of the range of timestamps
 */
export function unitRepair(
  fields: readonly ParquetField[],
  columns: readonly HudiColumn[],
): (names: readonly string[], vectors: readonly NestedVector[]) => readonly NestedVector[] {
  const repairs = repairsOf(fields, new Map(columns.map(({ name, avro }) => [name, avro])));
  return (names, vectors) => (repairs.size === 0 ? vectors : repaired(repairs, names, vectors));
}

/** The fields that must be converted. */
function repairsOf(
  fields: readonly ParquetField[],
  types: ReadonlyMap<string, AvroType>,
): ReadonlyMap<string, Repair> {
  const repairs = new Map<string, Repair>();
  for (const field of fields) {
    const type = types.get(field.name);
    const repair = type && repairOf(nonNull(type), field);
    if (repair !== undefined) {
      repairs.set(field.name, repair);
    }
  }
  return repairs;
}

function repaired(
  repairs: ReadonlyMap<string, Repair>,
  names: readonly string[],
  vectors: readonly NestedVector[],
): readonly NestedVector[] {
  // There is a name for each vector.
  return vectors.map((vector, i) => repairs.get(names[i] as string)?.(vector) ?? vector);
}

/** `undefined` for a field that needs no conversion. The vectors of a field have its kind. */
function repairOf(type: AvroType, field: ParquetField): Repair | undefined {
  if (field.kind === "leaf") {
    const isRenamed = timeOf(type) === "timestamp-millis" && timeIn(field.parquetType) === "timestamp-micros";
    return isRenamed ? inMillis : undefined;
  }
  if (field.kind === "struct" && type.kind === "record") {
    const inner = repairsOf(field.fields, new Map(type.fields.map((each) => [each.name, each.type])));
    const convert: Repair = (vector) => {
      const { names, children } = vector as StructVector;
      return new StructVector(vector, names, repaired(inner, names, children));
    };
    return inner.size === 0 ? undefined : convert;
  }
  if (field.kind === "list" && type.kind === "array") {
    const element = repairOf(nonNull(type.items), field.element);
    return (
      element &&
      ((list) => new ListVector(list, (list as ListVector).offsets, element((list as ListVector).child)))
    );
  }
  if (field.kind === "map" && type.kind === "map") {
    const value = repairOf(nonNull(type.values), field.value);
    return (
      value &&
      ((map) => {
        const { offsets, keys, values } = map as MapVector;
        return new MapVector(map, offsets, keys, value(values));
      })
    );
  }
  return undefined;
}

/** Multiplies timestamps by 1000. */
function inMillis(vector: NestedVector): NestedVector {
  // Timestamps are bigints.
  const values = vector.toArray().map((cell) => (cell === null ? null : 1000n * (cell as bigint)));
  try {
    // The type is that of single values, and so is the vector.
    return batchFromValues({ type: "UNIXTIME_MICROS", nullable: true }, values) as NestedVector;
  } catch (cause) {
    throw corrupt("milliseconds that no timestamp has", { field: "schema", cause });
  }
}
