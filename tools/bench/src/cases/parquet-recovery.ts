/** A Parquet file of any size without its footer, from file to file in a separate process: bytes per second, and memory. */
import { copyFile, mkdtemp, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atLeast, atMost, type BenchCase } from "../bench-case.js";
import { WrongAnswer } from "../measure.js";
import { runChild } from "./memory.js";

const ROWS = 2 ** 26;
const LIKE_ROWS = 2 ** 21;
/** No other program recovers such files. */
const PEER = "node:fs: the same file, copied";
const GOAL_MB = 300;
const GOAL_MIB = 256;

/** Removes footer length, magic number and everything before it up to the last page. @returns bytes that are left */
async function cutFooter(path: string): Promise<number> {
  const { size } = await stat(path);
  const file = await open(path, "r+");
  try {
    const tail = new Uint8Array(8);
    await file.read(tail, 0, 8, size - 8);
    const left = size - 8 - new DataView(tail.buffer).getUint32(0, true);
    await file.truncate(left);
    return left;
  } finally {
    await file.close();
  }
}

export const parquetRecovery: BenchCase = {
  name: "parquet-recovery",
  title: "Parquet without a footer, recovered with the schema of another file, in a separate process",
  async run(scale) {
    const folder = await mkdtemp(join(tmpdir(), "cfile-bench-"));
    try {
      const source = join(folder, "cut.parquet");
      const like = join(folder, "like.parquet");
      const target = join(folder, "saved.parquet");
      const rows = Math.max(LIKE_ROWS, Math.floor(ROWS * scale));
      await runChild("parquet-table", source, String(rows));
      await runChild("parquet-table", like, String(LIKE_ROWS));
      const size = await cutFooter(source);
      const report = await runChild("parquet-rebuild", source, target, like);
      if (report.rows !== rows) {
        throw new WrongAnswer(`${report.rows} of ${rows} rows recovered`);
      }
      const start = performance.now();
      await copyFile(source, join(folder, "copy.parquet"));
      const copied = performance.now() - start;
      const rate = size / report.milliseconds / 1000;
      const memory = Math.round(report.maxRssMiB);
      return {
        unit: "MB/s",
        peer: PEER,
        rows: [
          { contender: PEER, milliseconds: copied, rate: size / copied / 1000, ratio: 1 },
          {
            contender: `${(size / 2 ** 30).toFixed(1)} GiB, 4 columns, Snappy: ${memory} MiB resident`,
            milliseconds: report.milliseconds,
            rate,
            ratio: copied / report.milliseconds,
          },
        ],
        goals: [
          atLeast("MB/s, recovery without a footer", GOAL_MB, rate),
          atMost("peak resident MiB, recovery without a footer", GOAL_MIB, report.maxRssMiB),
        ],
        notes: [
          "the file is read twice, once to find its pages and once to copy them; both files are on the same disk",
        ],
      };
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};
