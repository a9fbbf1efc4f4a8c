/** Rows in columns of single values and lists of them, for formats without nesting. */
import { ArrayBatch, type ColumnBatch } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";
import type { TableColumn } from "@cfile/format";
import type { NestedVector } from "@cfile/parquet/nested";
import type { HudiColumn } from "./column-type.js";
import type { HudiBatch } from "./slice-rows.js";

/** The columns of single values and of lists of them; structs, maps and nested lists are left out. */
export function flatColumns(columns: readonly HudiColumn[]): TableColumn[] {
  return columns.flatMap(({ name, avro, scalar, element }) => {
    const single = scalar ?? element;
    const digits =
      avro.kind === "bytes" || avro.kind === "fixed" ? { precision: avro.precision, scale: avro.scale } : {};
    return single === undefined
      ? []
      : { name, type: single.type, nullable: true, array: scalar === undefined, ...digits };
  });
}

/** The rows of {@link flatColumns}. */
export async function* flatRows(batches: AsyncIterable<HudiBatch>): AsyncGenerator<TableBatch, void, void> {
  let firstRow = 0;
  for await (const { length, names, columns } of batches) {
    yield { length, firstRow, names, columns: columns.map(flatBatch) };
    firstRow += length;
  }
}

function flatBatch(vector: NestedVector): ColumnBatch {
  if (vector.kind === "list") {
    const { child, offsets, length, validity, nullCount } = vector;
    if (child.kind !== "struct" && child.kind !== "list" && child.kind !== "map") {
      return new ArrayBatch({ type: child.type, length, firstRow: 0, validity, nullCount }, offsets, child);
    }
  }
  if (vector.kind === "struct" || vector.kind === "list" || vector.kind === "map") {
    throw new TypeError(`a ${vector.kind} in a column without nesting`);
  }
  return vector;
}
