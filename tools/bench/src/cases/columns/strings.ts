/** String columns read as JavaScript strings, compared with hyparquet, which supports only that. */
import { atLeast, type BenchCase, type BenchGoal, type BenchRow } from "../../bench-case.js";
import { benchColumns, writerBatches, writerOptions } from "../../data/bench-columns.js";
import { contender, measure } from "../../measure.js";
import { HYPARQUET, hyparquetColumn } from "../../peers/hyparquet.js";
import { checkCells, checkFile, effortAt, scanBatches, writeBatches } from "./column-table.js";

const CFILE = "cfile";
const GOAL_DICTIONARY = 3;
const GOAL = 2;

/** Three times the usual effort: there are few contenders. */
const EFFORT = 3;

export const strings: BenchCase = {
  name: "strings",
  title: "Columns of 2 million strings to JavaScript strings",
  async run(scale) {
    const rows: BenchRow[] = [];
    const goals: BenchGoal[] = [];
    for (const column of benchColumns.filter(({ options }) => options.type === "STRING")) {
      const batch = column.make(Math.floor(column.rows * scale));
      const isDictionary = column.options.encoding === "DICT_ENCODING";
      const bytes = await writeBatches(writerOptions(column), writerBatches(batch));
      const peer = hyparquetColumn(batch, false, isDictionary ? "SNAPPY" : "UNCOMPRESSED");
      await checkFile(CFILE, batch, bytes);
      await checkCells(peer.name, batch, peer.read);
      const timings = await measure(
        [
          contender(
            `${HYPARQUET}: ${column.name}`,
            () => peer.read(),
            (count) => count,
          ),
          contender(
            `${CFILE}: ${column.name}`,
            () => scanBatches(bytes, {}, (part) => void part.toArray()),
            (count) => count,
          ),
        ],
        batch.length,
        EFFORT * effortAt(scale),
      );
      const [theirs = Number.NaN, own = Number.NaN] = timings.map(({ milliseconds }) => milliseconds);
      const wanted = isDictionary ? GOAL_DICTIONARY : GOAL;
      for (const { contender: name, milliseconds, fastest } of timings) {
        const isOwn = name.startsWith(CFILE);
        rows.push({
          contender: name,
          milliseconds,
          fastest,
          rate: batch.length / milliseconds / 1000,
          ratio: theirs / milliseconds,
          ...(isOwn && { wanted }),
        });
      }
      goals.push(atLeast(`${column.name} to JavaScript strings, times ${HYPARQUET}`, wanted, theirs / own));
    }
    return {
      unit: "M rows/s",
      peer: HYPARQUET,
      rows,
      goals,
      notes: ["hyparquet reads plain pages without a codec, and pages with a dictionary with Snappy."],
    };
  },
};
