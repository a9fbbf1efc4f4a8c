/** Rows in the format of the fixtures: `fixtures/golden/README.md`. */

import { toHex } from "@cfile/bytes";
import { type ColumnBatch, DATA_TYPES } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";
import { bytesOf } from "@cfile/encodings/batches";
import type { DiffBatch } from "@cfile/rowset";

export type JsonRow = readonly unknown[];

function jsonCells(batch: ColumnBatch): unknown[] {
  const cells = batch.toArray({ strings: "bytes" });
  const { physical } = DATA_TYPES[batch.type];
  return cells.map((cell, i) => {
    if (cell !== null && batch.kind === "fixed" && (physical === "FLOAT" || physical === "DOUBLE")) {
      const width = physical === "FLOAT" ? 4 : 8;
      const bits = bytesOf(batch.values).slice(i * width, (i + 1) * width);
      return { bits: toHex(bits.reverse()) };
    }
    return typeof cell === "bigint" ? String(cell) : cell instanceof Uint8Array ? toHex(cell) : cell;
  });
}

function jsonRows(batch: TableBatch): unknown[][] {
  const columns = batch.columns.map(jsonCells);
  return Array.from({ length: batch.length }, (_, row) => columns.map((cells) => cells[row]));
}

export async function collectRows(batches: AsyncIterable<TableBatch>): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const batch of batches) {
    rows.push(...jsonRows(batch));
  }
  return rows;
}

export async function collectChanges(batches: AsyncIterable<DiffBatch>): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const batch of batches) {
    rows.push(...jsonRows(batch).map((row, i) => [...row, { deleted: batch.deleted[i] === 1 }]));
  }
  return rows;
}
