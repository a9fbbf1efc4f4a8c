/** Ordering values of rows, in the type and unit of the table's columns. */

import type { AvroType, AvroValue } from "@cfile/avro";
import { CFileError } from "@cfile/bytes";
import type { NestedVector } from "@cfile/parquet/nested";
import type { DeletedRecord } from "../log/delete-block.js";
import type { TableProperties } from "../table/table-properties.js";
import { avroVector } from "./avro-vectors.js";
import { columnOf, type HudiColumn } from "./column-type.js";
import { fittingVector } from "./fitting-vector.js";

/** A column, or a field in a column of structs, whose values order versions of rows. */
export interface OrderingField {
  readonly column: HudiColumn;
  /** Field names from the column's struct down to the value; empty for a column of single values. */
  readonly path: readonly string[];
  /** The value as a column. */
  readonly value: HudiColumn;
}

/**
 * The fields whose values order versions of rows.
 * @throws {CFileError} `E_UNSUPPORTED` for unknown fields, fields without single values, and fields in structs of tables of version 6,
 *   where Hudi 0.15 ignores the values in logs, and Hudi 1.2 does not
 */
export function orderingFields(
  { version, orderingFields: fields }: TableProperties,
  columns: readonly HudiColumn[],
): OrderingField[] {
  return fields.map((field) => {
    const [name, ...path] = field.split(".");
    const column = columns.find((each) => each.name === name);
    let value = column;
    for (const part of path) {
      const struct = value?.avro;
      const own = struct?.kind === "record" ? struct.fields.find((each) => each.name === part) : undefined;
      value = own && columnOf(part, own.type);
    }
    if (column === undefined || value?.scalar === undefined || (path.length > 0 && version < 8)) {
      throw new CFileError("E_UNSUPPORTED", `unsupported ordering field: ${field}`, { field });
    }
    return { column, path, value };
  });
}

/** Returns the ordering value of a row of a batch: one value, or a list for several ordering columns. */
export type RowOrdering = (row: number) => AvroValue | undefined;

/** Ordering values of decoded rows. @param written the type of a column in the rows, and its values; `undefined` if they lack it */
export function avroOrdering(
  fields: readonly OrderingField[],
  written: (name: string) => { readonly type: AvroType; readonly values: readonly AvroValue[] } | undefined,
): RowOrdering {
  return orderingOf(
    fields.map(({ column: { name, avro }, path }) => {
      const own = written(name);
      return own && valuesIn(avroVector(avro, own.type, own.values), path);
    }),
  );
}

/** Ordering values of the rows of a Parquet file. */
export function vectorOrdering(
  fields: readonly OrderingField[],
  vector: (name: string) => NestedVector | undefined,
): RowOrdering {
  return orderingOf(
    fields.map(({ column: { name, avro }, path }) => {
      const own = vector(name);
      return own && valuesIn(fittingVector(avro, own), path);
    }),
  );
}

/** The value of a field in each row; null in null structs. */
function valuesIn(vector: NestedVector, path: readonly string[]): FieldValues {
  const [name, ...rest] = path;
  if (name === undefined || vector.kind !== "struct") {
    // Vectors of single values have only Avro values.
    return (row) => vector.get(row) as AvroValue | undefined;
  }
  // A vector of a column's type has all its fields.
  const inner = valuesIn(vector.children[vector.names.indexOf(name)] as NestedVector, rest);
  return (row) => (vector.isNull(row) ? null : inner(row));
}

type FieldValues = (row: number) => AvroValue | undefined;

function orderingOf(fields: readonly (FieldValues | undefined)[]): RowOrdering {
  const cells = (row: number) => fields.map((values) => values?.(row));
  return fields.length > 1 ? (row) => cells(row).map((value) => value ?? null) : (row) => cells(row)[0];
}

/** The ordering value of a delete, whose parts belong to these columns. Writers state 0 if they know no ordering value. */
export function deleteOrdering(
  columns: readonly HudiColumn[],
  { ordering, inMicros }: DeletedRecord,
): AvroValue | undefined {
  const values = Array.isArray(ordering) ? ordering : [ordering];
  const inUnit = values.map((value, i) => {
    const isMillis = columns[i]?.scalar?.unit === "millis" && inMicros?.[i] !== true;
    return isMillis && (typeof value === "number" || typeof value === "bigint")
      ? 1000n * BigInt(value)
      : (value ?? null);
  });
  return ordering === 0 ? undefined : Array.isArray(ordering) ? inUnit : inUnit[0];
}
