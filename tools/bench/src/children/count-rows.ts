/** The consumer of `pool-scan-child`, either in its thread or in the workers of a pool. */
import type { ColumnBatch } from "cfile";

export async function countRows(batches: AsyncIterable<ColumnBatch>): Promise<number> {
  let count = 0;
  for await (const { length } of batches) {
    count += length;
  }
  return count;
}
