/** A Parquet file of any size without its footer, from file to file in a separate process: bytes per second, and memory. */
import { existsSync } from "node:fs";
import { copyFile, mkdtemp, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atLeast, atMost, type BenchCase, type BenchRow } from "../../bench-case.js";
import { WrongAnswer } from "../../measure.js";
import { runChild } from "../columns/memory.js";

const ROWS = 2 ** 26;
const LIKE_ROWS = 2 ** 21;
/** The peer is a copy, because no other program recovers such files. */
const PEER = "node:fs: the same file, copied and synced";
/** Of the rate of the copy on the same disk. */
const GOAL = 0.2;
const GOAL_MIB = 256;
const RUNS = 3;
/** A file system in memory, so that the disk is not the limit. */
const MEMORY_FOLDER = "/dev/shm";

/** Cuts the file after its last page. */
async function cutFooter(path: string): Promise<void> {
  const { size } = await stat(path);
  const file = await open(path, "r+");
  try {
    const tail = new Uint8Array(8);
    await file.read(tail, 0, 8, size - 8);
    await file.truncate(size - 8 - new DataView(tail.buffer).getUint32(0, true));
  } finally {
    await file.close();
  }
}

async function copySynced(source: string, target: string): Promise<void> {
  await copyFile(source, target);
  const file = await open(target, "r+");
  await file.sync();
  await file.close();
}

/** Milliseconds of all recoveries and copies of `size` bytes, in ascending order. */
interface Timing {
  readonly where: string;
  readonly size: number;
  readonly recovered: readonly number[];
  readonly copied: readonly number[];
  readonly maxRssMiB: number;
}

/** Recovers and copies the file within its folder, alternately. */
async function timeIn(folder: string, where: string, rows: number): Promise<Timing> {
  const source = join(folder, CUT);
  const { size } = await stat(source);
  const target = join(folder, "new.parquet");
  const recovered: number[] = [];
  const copied: number[] = [];
  let maxRssMiB = 0;
  for (let run = 0; run < RUNS; run++) {
    const report = await runChild("parquet-rebuild", source, target, join(folder, LIKE));
    if (report.rows !== rows) {
      throw new WrongAnswer(`${report.rows} of ${rows} rows recovered`);
    }
    recovered.push(report.milliseconds);
    maxRssMiB = Math.max(maxRssMiB, report.maxRssMiB);
    await rm(target);
    const start = performance.now();
    await copySynced(source, target);
    copied.push(performance.now() - start);
    await rm(target);
  }
  return { where, size, recovered: recovered.sort(ascending), copied: copied.sort(ascending), maxRssMiB };
}

const ascending = (a: number, b: number): number => a - b;
const medianOf = (sorted: readonly number[]): number => sorted[sorted.length >> 1] ?? Number.NaN;
const ratioOf = ({ copied, recovered }: Timing): number => medianOf(copied) / medianOf(recovered);

function rowsOf({ where, size, recovered, copied, maxRssMiB }: Timing): BenchRow[] {
  const what = `${(size / 2 ** 30).toFixed(1)} GiB, 4 columns, Snappy: ${Math.round(maxRssMiB)} MiB resident`;
  const row = (contender: string, sorted: readonly number[]): BenchRow => ({
    contender: `${contender}, ${where}`,
    peer: `${PEER}, ${where}`,
    milliseconds: medianOf(sorted),
    fastest: sorted[0] ?? Number.NaN,
    rate: size / medianOf(sorted) / 1000,
    ratio: medianOf(copied) / medianOf(sorted),
  });
  return [row(PEER, copied), row(what, recovered)];
}

const CUT = "cut.parquet";
const LIKE = "like.parquet";

export const parquetRecovery: BenchCase = {
  name: "parquet-recovery",
  title: "Parquet without a footer, recovered with the schema of another file, in a separate process",
  async run(scale) {
    const folders: string[] = [];
    const newFolder = async (parent: string): Promise<string> => {
      const folder = await mkdtemp(join(parent, "cfile-bench-"));
      folders.push(folder);
      return folder;
    };
    try {
      const disk = await newFolder(tmpdir());
      const rows = Math.max(LIKE_ROWS, Math.floor(ROWS * scale));
      await runChild("parquet-table", join(disk, CUT), String(rows));
      await runChild("parquet-table", join(disk, LIKE), String(LIKE_ROWS));
      await cutFooter(join(disk, CUT));
      const onDisk = await timeIn(disk, "on a disk", rows);
      const timings = [onDisk];
      if (existsSync(MEMORY_FOLDER)) {
        const memory = await newFolder(MEMORY_FOLDER);
        await Promise.all([CUT, LIKE].map((name) => copyFile(join(disk, name), join(memory, name))));
        timings.push(await timeIn(memory, "in memory", rows));
      }
      return {
        unit: "MB/s",
        peer: `${PEER}, ${onDisk.where}`,
        rows: timings.flatMap(rowsOf),
        goals: [
          atLeast("recovery without a footer, times the rate of a copy", GOAL, ratioOf(onDisk)),
          atMost("peak resident MiB, recovery without a footer", GOAL_MIB, onDisk.maxRssMiB),
        ],
        notes: [
          `median of ${RUNS} runs in turns; a copy stays within the kernel, and recovery reads and checks all pages; "in memory" is ${MEMORY_FOLDER}, where the disk is not the limit`,
        ],
      };
    } finally {
      await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
    }
  },
};
