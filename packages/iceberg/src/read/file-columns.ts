/** The columns of a data file by their field IDs, which stay when a column is renamed. */
import type { ParquetColumn, ParquetFile } from "@cfile/parquet";

export function fileColumns({ metadata, columns }: ParquetFile): ReadonlyMap<number, ParquetColumn> {
  const { schema } = metadata;
  const byId = new Map<number, ParquetColumn>();
  for (let at = 1; at < schema.length; at = nextSibling(schema, at)) {
    const { name, field_id: id } = schema[at] ?? {};
    const column = columns.find((one) => one.name === name);
    if (id !== undefined && column !== undefined) {
      byId.set(id, column);
    }
  }
  return byId;
}

/** The element after one and all of its children. */
function nextSibling(schema: ParquetFile["metadata"]["schema"], at: number): number {
  let next = at + 1;
  for (let left = schema[at]?.num_children ?? 0; left > 0; left--) {
    next = nextSibling(schema, next);
  }
  return next;
}
