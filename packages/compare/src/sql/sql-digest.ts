/**
 * A digest that SQL can compute: for each column, the number of cells that are not null and the sum of their hashes, and the sum of the
 * hashes of rows. A hash is the integer of the first 15 hexadecimal digits of an MD5: of a cell's text, or of the row's MD5s, joined by
 * commas, with `-` for null.
 */

import { toHex } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import { md5 } from "@noble/hashes/legacy.js";
import type { ComparedColumn, ComparedTable } from "../compared-table.js";
import { digestBytes } from "./cell-digest-text.js";

/** A sum of hashes, and their number. */
export interface HashSum {
  readonly count: number;
  readonly sum: bigint;
}

/** A digest of a table. */
export interface SqlDigest {
  /** The digest of whole rows. */
  readonly rows: HashSum;
  /** The digest of each column's non-null cells. */
  readonly columns: readonly HashSum[];
}

/**
 * Reads all rows.
 *
 * @throws {CFileError} `E_UNSUPPORTED` for arrays, and what reading throws
 */
export async function sqlDigest(table: ComparedTable, signal?: AbortSignal): Promise<SqlDigest> {
  const rows = new Adder();
  const columns = table.columns.map(() => new Adder());
  for (const partition of table.partitions) {
    for await (const batch of partition.rows(signal)) {
      signal?.throwIfAborted();
      addRows(batch, table.columns, rows, columns);
    }
  }
  return { rows, columns };
}

function addRows(
  batch: TableBatch,
  specs: readonly ComparedColumn[],
  rows: Adder,
  columns: readonly Adder[],
): void {
  const cells = specs.map(({ name }) =>
    batch.columns[batch.names.indexOf(name)]?.toArray({ strings: "bytes", int64: "bigint" }),
  );
  const encoder = new TextEncoder();
  for (let row = 0; row < batch.length; row++) {
    const hashes = specs.map((column, i) => {
      const cell = cells[i]?.[row] ?? null;
      if (cell === null) {
        return "-";
      }
      const hash = md5(digestBytes(cell, column));
      columns[i]?.add(hash);
      return toHex(hash);
    });
    rows.add(md5(encoder.encode(hashes.join(","))));
  }
}

class Adder implements HashSum {
  count = 0;
  sum = 0n;

  add(hash: Uint8Array): void {
    const view = new DataView(hash.buffer, hash.byteOffset);
    this.sum += view.getBigUint64(0) >> 4n;
    this.count++;
  }
}
