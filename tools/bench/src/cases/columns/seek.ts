/**
 * Single lookups in a file of 10 million rows from a warm cache, compared with hyparquet reading one row.
 */
import { createCFile, memorySink, openCFile } from "cfile";
import { atLeast, type BenchCase } from "../../bench-case.js";
import { evenNumbers, randomNumbers } from "../../data/data.js";
import { WrongAnswer } from "../../measure.js";
import { readWithHyparquet, writeWithHyparquet } from "../../peers.js";

const ROWS = 10_000_000;
const LOOKUPS = 100_000;
const PEER_LOOKUPS = 20;
/** Goals, times hyparquet, which lacks an index by value and reads rows by number. */
const GOAL_BY_ROW = 1000;
const GOAL_BY_VALUE = 500;

async function timeLookups(
  count: number,
  rows: number,
  lookup: (row: number) => Promise<boolean>,
): Promise<number> {
  const next = randomNumbers(99);
  const start = performance.now();
  for (let i = 0; i < count; i++) {
    const row = next() % rows;
    if (!(await lookup(row))) {
      throw new WrongAnswer(`lookup of row ${row}`);
    }
  }
  return performance.now() - start;
}

export const seek: BenchCase = {
  name: "seek",
  title: "Look up single rows of 10 million int32, by row and by value, from a warm cache",
  async run(scale) {
    const data = evenNumbers(ROWS * scale);
    const sink = memorySink();
    const writer = await createCFile(sink, { type: "INT32", validx: true });
    await writer.append(data);
    await writer.finish();
    const file = await openCFile(sink.bytes(), { cacheBytes: 256 << 20 });
    const parquet = writeWithHyparquet(data, "INT32", "SNAPPY");
    const lookups = Math.ceil(LOOKUPS * Math.min(1, scale * 10));
    const byRow = async (row: number): Promise<boolean> => (await file.get(row)) === 2 * row;
    const byValue = async (row: number): Promise<boolean> => {
      const found = await file.find(2 * row - 1);
      return found?.row === row && !found.exact;
    };
    // Reads every block once to warm the cache.
    for (let row = 0; row < data.length; row += 1000) {
      await byRow(row);
      await byValue(row);
    }
    const rowTime = await timeLookups(lookups, data.length, byRow);
    const valueTime = await timeLookups(lookups, data.length, byValue);
    const peerTime = await timeLookups(PEER_LOOKUPS, data.length, async (row) => {
      const chunks = await readWithHyparquet(parquet, { from: row, to: row + 1 });
      return chunks.length > 0;
    });
    const peerRate = (1000 * PEER_LOOKUPS) / peerTime;
    const line = (contender: string, milliseconds: number, count: number) => {
      const rate = (1000 * count) / milliseconds;
      return { contender, milliseconds: milliseconds / count, rate };
    };
    const besidePeer = <T extends { rate: number }>(row: T) => ({ ...row, ratio: row.rate / peerRate });
    const rows = [
      besidePeer(line("hyparquet (one row)", peerTime, PEER_LOOKUPS)),
      besidePeer(line("cfile get (by row)", rowTime, lookups)),
      // The peer only looks up by row.
      { ...line("cfile find (by value)", valueTime, lookups), ratio: undefined },
    ];
    return {
      unit: "lookups/s",
      peer: "hyparquet (one row)",
      rows,
      goals: [
        atLeast(
          "lookups by row, times hyparquet",
          GOAL_BY_ROW,
          peerTime / PEER_LOOKUPS / (rowTime / lookups),
        ),
        atLeast(
          "lookups by value, times hyparquet by row",
          GOAL_BY_VALUE,
          peerTime / PEER_LOOKUPS / (valueTime / lookups),
        ),
      ],
    };
  },
};
