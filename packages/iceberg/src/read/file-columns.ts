/** The names of a data file's columns by their field IDs, which do not change when a column is renamed. */
import type { ParquetFile } from "@cfile/parquet";

type Schema = ParquetFile["metadata"]["schema"];

export function fileColumns({ metadata: { schema } }: ParquetFile): ReadonlyMap<number, string> {
  const byId = new Map<number, string>();
  let next = 1;
  schema.forEach(({ name, field_id: id }, at) => {
    if (at === next) {
      next = nextSibling(schema, at);
      if (id !== undefined) {
        byId.set(id, name);
      }
    }
  });
  return byId;
}

/** The element after one and all of its children. */
function nextSibling(schema: Schema, at: number): number {
  let next = at + 1;
  for (let left = schema[at]?.num_children ?? 0; left > 0; left--) {
    next = nextSibling(schema, next);
  }
  return next;
}
