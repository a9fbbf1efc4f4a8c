/** A batch of several columns, as a scan returns. */
interface Rows {
  readonly length: number;
  readonly columns: readonly { toArray(): readonly unknown[] }[];
}

/** All rows of batches, each a list of cells. */
export async function collectRows(batches: AsyncIterable<Rows>): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const { length, columns } of batches) {
    const cells = columns.map((column) => column.toArray());
    for (let i = 0; i < length; i++) {
      rows.push(cells.map((column) => column[i]));
    }
  }
  return rows;
}
