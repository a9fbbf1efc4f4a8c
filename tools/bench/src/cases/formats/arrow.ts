/**
 * CFiles to Arrow record batches, compared with a plain scan. Data is not copied, so it should not take longer.
 */
import { tableOfFiles } from "@cfile/arrow";
import { apacheArrow } from "@cfile/arrow/apache";
import { openCFile } from "cfile";
import { atLeast, type BenchCase, type BenchGoal, type BenchRow } from "../../bench-case.js";
import { benchColumns, millionsIn, writerBatches, writerOptions } from "../../data/bench-columns.js";
import { contender, measure, WrongAnswer } from "../../measure.js";
import { effortAt, scanBatches, writeBatches } from "../columns/column-table.js";

const GOAL = 0.9;
const SCAN = "plain scan";
/** So many rows also for strings, whose scan would otherwise finish in a few milliseconds. */
const ROWS = 10_000_000;

const NOTE =
  "both open the file and give each batch its own memory, so that it can be kept, like Arrow's; dictionaries stay codes";

export const arrow: BenchCase = {
  name: "arrow",
  title: "CFiles in memory to Arrow record batches",
  async run(scale) {
    const library = await apacheArrow();
    const rows: BenchRow[] = [];
    const goals: BenchGoal[] = [];
    for (const column of benchColumns) {
      const batch = column.make(Math.max(1000, Math.floor(ROWS * scale)));
      const bytes = await writeBatches(writerOptions(column), writerBatches(batch));
      const dictionaries = column.options.encoding === "DICT_ENCODING" ? "keep" : "expand";
      const openRecords = async () =>
        library.recordBatches(tableOfFiles({ c: await openCFile(bytes) }), { dictionaries });
      const toArrow = async (): Promise<number> => {
        let count = 0;
        for await (const records of await openRecords()) {
          count += records.numRows;
        }
        return count;
      };
      await requireShared(bytes, library);
      // Both stay open, as in a program that works with many files, so that forced garbage collections do not discard
      // their compiled code.
      const open = [(await openCFile(bytes)).scan(), await openRecords()];
      await Promise.all(open.map((batches) => batches[Symbol.asyncIterator]().next()));
      const timings = await measure(
        [contender(SCAN, () => scanBatches(bytes), Number), contender("to Arrow", toArrow, Number)],
        batch.length,
        effortAt(scale),
      );
      await Promise.all(open.map((batches) => batches.return?.(undefined)));
      const scan = timings.find((timing) => timing.contender === SCAN);
      for (const { contender: name, milliseconds, fastest } of timings) {
        const ratio = (scan?.milliseconds ?? Number.NaN) / milliseconds;
        const wanted = name === SCAN ? {} : { wanted: GOAL };
        rows.push({
          contender: name === SCAN ? `${SCAN}, ${column.name}` : `${column.name} ${name}`,
          milliseconds,
          fastest,
          rate: (millionsIn(column, batch) / milliseconds) * 1000,
          ratio,
          unit: column.unit,
          ...wanted,
        });
        if (name !== SCAN) {
          goals.push(atLeast(`${column.name} to Arrow, times the plain scan`, GOAL, ratio));
        }
      }
    }
    return { unit: "MB/s", peer: SCAN, rows, goals, notes: [NOTE] };
  },
};

/** Values of a record batch share the memory of the scanned batch. */
async function requireShared(
  bytes: Uint8Array,
  library: Awaited<ReturnType<typeof apacheArrow>>,
): Promise<void> {
  const file = await openCFile(bytes);
  for await (const batch of file.scan()) {
    const [data] = library.vector(batch).data;
    const own =
      batch.kind === "dictionary"
        ? batch.codes
        : batch.kind === "binary"
          ? batch.data
          : batch.kind === "array"
            ? undefined
            : batch.values;
    if (own !== undefined && data?.values?.buffer !== own.buffer) {
      throw new WrongAnswer("values of an Arrow vector were copied");
    }
    return;
  }
}
