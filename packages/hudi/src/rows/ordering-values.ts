/** Ordering values of rows, in the form and the unit of the table's columns. */

import type { AvroType, AvroValue } from "@cfile/avro";
import { CFileError } from "@cfile/bytes";
import type { NestedVector } from "@cfile/parquet/nested";
import type { DeletedRecord } from "../log/delete-block.js";
import { avroVector } from "./avro-vectors.js";
import type { HudiColumn } from "./column-type.js";
import { fittingVector } from "./fitting-vector.js";

/**
 * The columns whose values order versions of rows.
 * @throws {CFileError} `E_UNSUPPORTED` for fields of structs, and columns without single values
 */
export function orderingColumns(fields: readonly string[], columns: readonly HudiColumn[]): HudiColumn[] {
  return fields.map((field) => {
    const column = columns.find(({ name }) => name === field);
    if (column?.scalar === undefined) {
      throw new CFileError("E_UNSUPPORTED", `unsupported ordering field: ${field}`, { field });
    }
    return column;
  });
}

/** Gives the ordering value of each row of a batch: one value, or a list for several ordering columns. */
export type RowOrdering = (row: number) => AvroValue | undefined;

/** Ordering values of decoded rows. @param written the type of a column in the rows, and its values; `undefined` if they lack it */
export function avroOrdering(
  columns: readonly HudiColumn[],
  written: (name: string) => { readonly type: AvroType; readonly values: readonly AvroValue[] } | undefined,
): RowOrdering {
  return orderingOf(
    columns.map(({ name, avro }) => {
      const own = written(name);
      return own && avroVector(avro, own.type, own.values);
    }),
  );
}

/** Ordering values of the rows of a Parquet file. */
export function vectorOrdering(
  columns: readonly HudiColumn[],
  vector: (name: string) => NestedVector | undefined,
): RowOrdering {
  return orderingOf(
    columns.map(({ name, avro }) => {
      const own = vector(name);
      return own && fittingVector(avro, own);
    }),
  );
}

function orderingOf(vectors: readonly (NestedVector | undefined)[]): RowOrdering {
  // Vectors of single values have no others.
  const cells = (row: number) => vectors.map((vector) => vector?.get(row) as AvroValue | undefined);
  return vectors.length > 1 ? (row) => cells(row).map((value) => value ?? null) : (row) => cells(row)[0];
}

/** The ordering value of a delete. 0 is what writers state when they know none. */
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
