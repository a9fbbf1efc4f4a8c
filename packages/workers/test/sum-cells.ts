/** The function that `browser-page.ts` calls in its workers. */
import type { MapFunction } from "../src/index.js";

export const sumCells: MapFunction<{ rows: number; sum: number }> = async (batches) => {
  let rows = 0;
  let sum = 0;
  for await (const batch of batches) {
    rows += batch.length;
    for (let row = 0; row < batch.length; row++) {
      sum += Number(batch.get(row));
    }
  }
  return { rows, sum };
};
