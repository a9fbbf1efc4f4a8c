/** Tables of a few cells, in batches. */
import type { DataType } from "@cfile/encodings";
import { batchFromValues, type TableBatch } from "@cfile/encodings/batches";
import type { ComparedTable } from "../src/index.js";

export type Cell = string | number | bigint | boolean | Uint8Array | null | readonly (number | null)[];

export interface Column {
  readonly type: DataType;
  readonly scale?: number;
  readonly array?: boolean;
  readonly cells: readonly Cell[];
}

/** A table, in batches of `size` rows. */
export function table(
  columns: Readonly<Record<string, Column>>,
  { keyNames = ["id"], size = 3 }: { keyNames?: string[]; size?: number } = {},
): ComparedTable {
  const entries = Object.entries(columns);
  const rows = entries[0]?.[1].cells.length ?? 0;
  return {
    columns: entries.map(([name, { type, scale, array = false }]) => ({ name, type, scale, array })),
    keyNames,
    partitions: [
      {
        name: "all",
        async *rows() {
          for (let from = 0; from < rows; from += size) {
            const batches = entries.map(([, { type, array = false, cells }]) =>
              batchFromValues({ type, array, nullable: true }, cells.slice(from, from + size)),
            );
            yield {
              names: entries.map(([name]) => name),
              columns: batches,
              firstRow: from,
              length: Math.min(size, rows - from),
            } satisfies TableBatch;
          }
        },
      },
    ],
  };
}
