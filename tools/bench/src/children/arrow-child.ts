/** Scans one column and converts it to Arrow record batches in turn, in a process that does nothing else. Prints the times as JSON. */
import { tableOfFiles } from "@cfile/arrow";
import { apacheArrow } from "@cfile/arrow/apache";
import { openCFile } from "cfile";
import { scanBatches, writeBatches } from "../cases/columns/column-table.js";
import { type ArrowTimes, SCAN, STARTS, TO_ARROW } from "../cases/formats/arrow.js";
import { benchColumns, millionsIn, writerBatches, writerOptions } from "../data/bench-columns.js";
import { contender, measure, WrongAnswer } from "../measure.js";

/** So many rows also for strings, whose scan would otherwise finish in a few milliseconds. */
const ROWS = 10_000_000;

const [name, scaleText = "1"] = process.argv.slice(2);
const scale = Number(scaleText);
const column = benchColumns.find((candidate) => candidate.name === name);
if (column === undefined) {
  throw new TypeError(`no column ${name}`);
}
const library = await apacheArrow();
const batch = column.make(Math.max(1000, Math.floor(ROWS * scale)));
const bytes = await writeBatches(writerOptions(column), writerBatches(batch));
const dictionaries = column.options.encoding === "DICT_ENCODING" ? "keep" : "expand";

async function toArrow(): Promise<number> {
  let count = 0;
  const table = tableOfFiles({ c: await openCFile(bytes) });
  for await (const records of library.recordBatches(table, { dictionaries })) {
    count += records.numRows;
  }
  return count;
}

/** Values of a record batch share the memory of the scanned batch. */
async function requireShared(): Promise<void> {
  for await (const scanned of (await openCFile(bytes)).scan()) {
    const [data] = library.vector(scanned).data;
    const own =
      scanned.kind === "dictionary"
        ? scanned.codes
        : scanned.kind === "binary"
          ? scanned.data
          : scanned.kind === "array"
            ? undefined
            : scanned.values;
    if (own !== undefined && data?.values?.buffer !== own.buffer) {
      throw new WrongAnswer("values of an Arrow vector were copied");
    }
    return;
  }
}

await requireShared();
const timings = await measure(
  [contender(SCAN, () => scanBatches(bytes), Number), contender(TO_ARROW, toArrow, Number)],
  batch.length,
  Math.min(1, scale) / STARTS,
  { collects: false },
);
const times: ArrowTimes = { timings, millions: millionsIn(column, batch) };
process.stdout.write(JSON.stringify(times));
