/** Builds tables of FlatBuffers, as far as Arrow's schemas need them (`found-schema/arrow-schema.ts`). */

export type FlatField =
  | undefined
  | number
  | string
  | { readonly table: readonly FlatField[] }
  | { readonly vector: readonly (readonly FlatField[])[] };

const u16 = (value: number): number[] => [value & 255, (value >>> 8) & 255];
const u32 = (value: number): number[] => [...u16(value), ...u16(value >>> 16)];

/** Writes the list of offsets, the table with four bytes per field, and the targets of its fields. @returns the offset of the table */
function put(out: number[], fields: readonly FlatField[]): number {
  out.push(...u16(4 + 2 * fields.length), ...u16(4 + 4 * fields.length));
  out.push(...fields.flatMap((field, i) => u16(field === undefined ? 0 : 4 + 4 * i)));
  const start = out.length;
  out.push(...u32(4 + 2 * fields.length), ...new Array<number>(4 * fields.length).fill(0));
  for (const [i, field] of fields.entries()) {
    const slot = start + 4 + 4 * i;
    out.splice(slot, 4, ...u32(typeof field === "number" ? field : target(out, field) - slot));
  }
  return start;
}

function target(out: number[], field: Exclude<FlatField, number>): number {
  const at = out.length;
  if (typeof field === "string") {
    const bytes = new TextEncoder().encode(field);
    out.push(...u32(bytes.length), ...bytes);
  } else if (field !== undefined && "table" in field) {
    return put(out, field.table);
  } else if (field !== undefined) {
    out.push(...u32(field.vector.length), ...new Array<number>(4 * field.vector.length).fill(0));
    for (const [i, table] of field.vector.entries()) {
      const slot = at + 4 + 4 * i;
      out.splice(slot, 4, ...u32(put(out, table) - slot));
    }
  }
  return at;
}

/** A message whose header is a table, or missing, with or without the mark of newer versions. */
export function flatMessage(header: readonly FlatField[] | undefined, isMarked = true): Uint8Array {
  const out = [...(isMarked ? u32(0xffffffff) : []), ...u32(0)];
  const start = out.length;
  out.push(...u32(0));
  const root = put(out, [4, 1, header && { table: header }]);
  out.splice(start, 4, ...u32(root - start));
  return Uint8Array.from(out);
}
