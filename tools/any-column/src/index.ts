/** Columns of every type, null pattern and array shape, and how to compare them. */
import { createHash } from "node:crypto";
import type { CellValue, ColumnBatch, DataType } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { createCFile, memorySink, openCFile } from "cfile";
import { canonicalBytes } from "cfile/recover";
import fc from "fast-check";

const int = (bits: number, isSigned = true) =>
  fc.bigInt(isSigned ? -(2n ** BigInt(bits - 1)) : 0n, 2n ** BigInt(isSigned ? bits - 1 : bits) - 1n);
const number = (bits: number, isSigned = true) => int(bits, isSigned).map(Number);
const bytes = fc.uint8Array({ maxLength: 20 });

const CELLS: Readonly<Record<string, fc.Arbitrary<CellValue>>> = {
  UINT8: number(8, false),
  INT8: number(8),
  UINT16: number(16, false),
  INT16: number(16),
  UINT32: number(32, false),
  INT32: number(32),
  UINT64: int(64, false),
  INT64: int(64),
  FLOAT: fc.float(),
  DOUBLE: fc.double(),
  BOOL: fc.boolean(),
  IS_DELETED: fc.boolean(),
  STRING: fc.oneof(fc.string({ maxLength: 12, unit: "binary" }), fc.constantFrom("", "a", "b")),
  VARCHAR: fc.constantFrom("", "a", "ä", "word"),
  BINARY: bytes,
  DATE: number(32),
  UNIXTIME_MICROS: int(64),
  DECIMAL32: number(29),
  DECIMAL64: int(59),
  DECIMAL128: int(126),
  INT128: int(128),
};

/** CFiles do not support this. */
const WITHOUT_ARRAYS: readonly DataType[] = ["INT128", "DECIMAL128", "IS_DELETED"];

export interface Column {
  readonly type: DataType;
  readonly nullable: boolean;
  readonly array: boolean;
  readonly cells: readonly (CellValue | readonly (CellValue | null)[] | null)[];
}

export const columns: fc.Arbitrary<Column> = fc
  .record({
    type: fc.constantFrom(...(Object.keys(CELLS) as DataType[])),
    nullable: fc.boolean(),
    array: fc.boolean(),
    nullWeight: fc.constantFrom(0, 1, 5, 50),
    rows: fc.constantFrom(1, 7, 8, 9, 65, 300),
  })
  .chain(({ type, nullable, nullWeight, rows, ...shape }) => {
    const array = shape.array && !WITHOUT_ARRAYS.includes(type);
    const value = CELLS[type] as fc.Arbitrary<CellValue>;
    const orNull = <T>(cell: fc.Arbitrary<T>, isNull: boolean) =>
      fc.oneof(
        { arbitrary: cell, weight: 5 },
        { arbitrary: fc.constant(null), weight: isNull ? nullWeight : 0 },
      );
    const cell = array ? fc.array(orNull(value, true), { maxLength: 9 }) : value;
    return fc
      .array(orNull<CellValue | (CellValue | null)[]>(cell, nullable), { minLength: rows, maxLength: rows })
      .map((cells) => ({ type, nullable, array, cells }));
  });

/** Two batches, so that row groups and pages end within the table. */
export function batchesOf({ type, nullable, array, cells }: Column): ColumnBatch[] {
  const half = Math.ceil(cells.length / 2);
  return [cells.slice(0, half), cells.slice(half)]
    .filter((part) => part.length > 0)
    .map((part, i) => batchFromValues({ type, nullable, array }, part as CellValue[], i * half));
}

/** SHA-256 of the canonical bytes of the column. */
export async function digestOf(
  { type, nullable, array }: Omit<Column, "cells">,
  batches: AsyncIterable<ColumnBatch> | Iterable<ColumnBatch>,
): Promise<string> {
  const sink = memorySink();
  const target = await createCFile(sink, { type, nullable, array });
  for await (const batch of batches) {
    await target.append(batch);
  }
  await target.finish();
  await using file = await openCFile(sink.bytes());
  const hash = createHash("sha256");
  for await (const piece of canonicalBytes(file)) {
    hash.update(piece);
  }
  return hash.digest("hex");
}
