/** How cost grows with the file: linearly in rows for a scan, logarithmically for a lookup. */
import { MemoryArena } from "@cfile/bytes";
import { FixedBatch } from "@cfile/encodings";
import { type CFileReader, openCFile } from "cfile";
import { atLeast, atMost, type BenchCase, type BenchRow } from "../../bench-case.js";
import { randomNumbers, sortedIntegers } from "../../data/data.js";
import { contender, measure, timingOf } from "../../measure.js";
import { effortAt, scanBatches, writeBatches } from "./column-table.js";

const SIZES = [10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
const LOOKUPS = 20_000;
/** Rows per run of a scan: short scans are repeated, so that their time can be measured. */
const SCANNED_ROWS = 1_000_000;
/** Rate of a scan at the largest size, relative to a tenth of it. */
const GOAL_SCAN = 0.8;
/**
 * Cost of a lookup in the largest file, relative to a file of a tenth of its size: the number of steps grows by 8/7;
 * the rest is memory latency.
 */
const GOAL_SEEK = 2;

const SCAN = "scan";
const BY_ROW = "lookup by row";
const BY_VALUE = "lookup by value";

export const scaling: BenchCase = {
  name: "scaling",
  title: "Cost by size: sorted int32, bitshuffle, scans and lookups",
  async run(scale) {
    const label = (size: number): string => `${size.toLocaleString("en-US")} rows`;
    const lookups = Math.ceil(LOOKUPS * Math.min(1, scale * 10));
    const files: SizedFile[] = [];
    for (const size of SIZES.map((rows) => Math.ceil(rows * scale))) {
      files.push(await sizedFile(size, label(size), lookups, SCANNED_ROWS * Math.min(1, scale)));
    }
    // All sizes take turns, because their ratios are the goals.
    const contenders = files.flatMap((sized) => contendersOf(sized));
    const timings = await measure(contenders, true, effortAt(scale));
    for (const { file } of files) {
      await file.close();
    }
    /** Rates by task, in the order of the files. */
    const rates = new Map<string, number[]>([SCAN, BY_ROW, BY_VALUE].map((task) => [task, []]));
    const rows = files.flatMap(({ name, values, repeats }): BenchRow[] =>
      [...rates].map(([task, known]) => {
        const contender = `${name}, ${task}`;
        const { milliseconds, fastest } = timingOf(timings, contender);
        const isScan = task === SCAN;
        const count = isScan ? repeats : lookups;
        const rate = isScan
          ? (values.length * repeats) / milliseconds / 1000
          : (1000 * lookups) / milliseconds;
        known.push(rate);
        return {
          contender,
          milliseconds: milliseconds / count,
          fastest: fastest / count,
          rate,
          unit: isScan ? "M rows/s" : "lookups/s",
          ratio: rate / (known[0] ?? Number.NaN),
        };
      }),
    );
    const rateAt = (task: string, at: number): number => rates.get(task)?.at(at) ?? Number.NaN;
    const times = (task: string): number => rateAt(task, -2) / rateAt(task, -1);
    return {
      unit: "M rows/s or lookups/s",
      peer: files[0]?.name ?? "",
      rows,
      goals: [
        atLeast(
          "scan of the largest at the rate of a tenth, times",
          GOAL_SCAN,
          rateAt(SCAN, -1) / rateAt(SCAN, -2),
        ),
        atMost("lookup by row in the largest, times the cost in a tenth", GOAL_SEEK, times(BY_ROW)),
        atMost("lookup by value in the largest, times the cost in a tenth", GOAL_SEEK, times(BY_VALUE)),
      ],
    };
  },
};

interface SizedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly file: CFileReader;
  readonly values: Int32Array;
  /** Rows to look up. */
  readonly targets: readonly number[];
  /** Scans per run. */
  readonly repeats: number;
}

async function sizedFile(size: number, name: string, lookups: number, scanned: number): Promise<SizedFile> {
  const values = sortedIntegers(size);
  const batch = new FixedBatch(
    { type: "INT32", length: size, firstRow: 0, validity: undefined, nullCount: 0 },
    "INT32",
    values,
  );
  const bytes = await writeBatches({ type: "INT32", validx: true }, [batch]);
  const file = await openCFile(bytes, { cacheBytes: 2 ** 30 });
  const next = randomNumbers(size);
  const targets = Array.from({ length: lookups }, () => next() % size);
  return { name, bytes, file, values, targets, repeats: Math.ceil(scanned / size) };
}

function contendersOf({ name, bytes, file, values, targets, repeats }: SizedFile) {
  const scanAll = async (): Promise<number> => {
    let scanned = 0;
    for (let i = 0; i < repeats; i++) {
      scanned += await scanBatches(bytes, { arena: new MemoryArena() });
    }
    return scanned;
  };
  const wrongByRow = async (): Promise<number> => {
    let wrong = 0;
    for (const row of targets) {
      wrong += (await file.get(row)) === values[row] ? 0 : 1;
    }
    return wrong;
  };
  const wrongByValue = async (): Promise<number> => {
    let wrong = 0;
    for (const row of targets) {
      wrong += (await file.find(values[row] as number))?.row === row ? 0 : 1;
    }
    return wrong;
  };
  return [
    contender(`${name}, ${SCAN}`, scanAll, (scanned) => scanned === values.length * repeats),
    contender(`${name}, ${BY_ROW}`, wrongByRow, (wrong) => wrong === 0),
    contender(`${name}, ${BY_VALUE}`, wrongByValue, (wrong) => wrong === 0),
  ];
}
