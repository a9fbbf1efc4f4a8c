/** A table with an integer key and another integer column, its row sets, and tables of a catalog. */
import type { RowSetSchema } from "@cfile/rowset";
import { type KnownTable, tableOfColumns } from "../src/index.js";
import { column, keyColumn, type WrittenBlocks, type WrittenFiles } from "./written-blocks.js";

export const SINGLE = { columns: [keyColumn(0), column(1)] };
export const TABLET = "00000000000000000000000000000abc";

export const numbers = (count: number, first = 0) => Array.from({ length: count }, (_, i) => first + i);
export const singleRows = (count: number, first = 0) => numbers(count, first).map((n) => [n, n]);

/** A table of a catalog with these columns, in one tablet. */
export async function knownTable({ columns }: RowSetSchema): Promise<KnownTable> {
  return {
    ...(await tableOfColumns("t", columns)),
    origin: "catalog",
    tablets: [
      {
        ...{ id: TABLET, servers: [], message: undefined },
        partition: { hashBuckets: [], keyStart: new Uint8Array(0), keyEnd: new Uint8Array(0) },
      },
    ],
  };
}

/** Writes a row set of five rows. */
export function fiveRows(written: WrittenBlocks, schema: RowSetSchema = SINGLE): Promise<WrittenFiles> {
  return written.rowSet(
    schema,
    numbers(5).map((n) => schema.columns.map((_, i) => n + 7 * i)),
  );
}
