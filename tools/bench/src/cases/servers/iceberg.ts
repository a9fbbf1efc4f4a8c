/** The export of a tablet of 3 million rows to an Iceberg table, compared with its export to one Parquet file, as run times of commands. */
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadRowSets, loadSchema, syntheticServer } from "@cfile-tools/kudu-synthetic";
import { atMost, type BenchCase, type BenchGoal, type BenchRow } from "../../bench-case.js";
import { cfile } from "../../machine/split-processes.js";
import { WrongAnswer } from "../../measure.js";
import { median, medianRatio, takeTurns, timeOf, timesOf } from "../../turns.js";

const ROWS = 3_000_000;
const FLUSHES = 8;
const RUNS = 5;
const PEER = "cfile: one Parquet file";
const GOAL = 1.1;

interface Export {
  readonly milliseconds: number;
  readonly bytes: number;
}

async function exported(
  path: string,
  target: string,
  to: string,
  rows: number,
  jobs: number,
): Promise<Export> {
  const args = [
    "kudu",
    "export",
    path,
    "--table",
    "load",
    "--to",
    to,
    "-o",
    target,
    "-j",
    `${jobs}`,
    "--json",
  ];
  let report = "";
  const milliseconds = await timeOf(async () => {
    report = await cfile(args);
  });
  if (!report.includes(`"rows":${rows},`)) {
    throw new WrongAnswer(`export to ${to}: expected ${rows} rows in ${report}`);
  }
  const folder = join(target, "data");
  const files = to === "iceberg" ? (await readdir(folder)).map((name) => join(folder, name)) : [target];
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  await rm(target, { recursive: true });
  return { milliseconds, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

export const iceberg: BenchCase = {
  name: "iceberg",
  title: "Export of 3 million rows to an Iceberg table",
  async run(scale) {
    const folder = await mkdtemp(join(tmpdir(), "cfile-bench-iceberg-"));
    try {
      const rows = Math.ceil(ROWS * scale);
      const path = join(folder, "server");
      const server = await syntheticServer(path, { disks: 2, blockManager: "log", containerBytes: 1 << 25 });
      await server.add({ table: "load", schema: loadSchema, rowSets: loadRowSets(rows, FLUSHES, 0) });
      await server.finish();
      const all: BenchRow[] = [];
      const goals: BenchGoal[] = [];
      const notes: string[] = [];
      for (const jobs of scale < 0.5 ? [1] : [1, 2]) {
        const { files, tables } = await takeTurns(scale < 0.5 ? 1 : RUNS, {
          files: () => exported(path, join(folder, "t.parquet"), "parquet", rows, jobs),
          tables: () => exported(path, join(folder, "t"), "iceberg", rows, jobs),
        });
        const threads = jobs === 1 ? "one thread" : `${jobs} threads`;
        const [theirs, ours] = [timesOf(files), timesOf(tables)];
        const rowOf = (contender: string, times: readonly number[]): BenchRow => ({
          contender: `${contender}, ${threads}`,
          milliseconds: median(times),
          rate: rows / median(times) / 1000,
          ratio: medianRatio(theirs, times),
        });
        all.push(rowOf(PEER, theirs), rowOf("cfile: Iceberg table", ours));
        goals.push(
          atMost(`time with ${threads}, times that of one Parquet file`, GOAL, medianRatio(ours, theirs)),
        );
        notes.push(
          `Bytes with ${threads}: Parquet ${files[0]?.bytes}, data files of the Iceberg table ${tables[0]?.bytes}.`,
        );
      }
      return { unit: "M rows/s", peer: PEER, rows: all, goals, notes };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
