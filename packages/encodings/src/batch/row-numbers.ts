/** The numbers of the rows of a batch. */

/** Of a dataset they may be larger than 32 bits. */
export type RowNumbers = Uint32Array | Float64Array;

/** What batches of one and of several columns say of their rows. */
export interface NumberedRows {
  readonly length: number;
  /** Number of the first row. */
  readonly firstRow: number;
  /** Number of each row, where they do not follow `firstRow` one after the other. */
  readonly rows?: RowNumbers | undefined;
}

/** The number of each row of a batch: its own `rows`, or those from `firstRow` on. */
export function rowNumbers({ length, firstRow, rows }: NumberedRows): RowNumbers {
  if (rows !== undefined) {
    return rows;
  }
  const numbers = firstRow + length > 0xffffffff ? new Float64Array(length) : new Uint32Array(length);
  for (let i = 0; i < length; i++) {
    numbers[i] = firstRow + i;
  }
  return numbers;
}
