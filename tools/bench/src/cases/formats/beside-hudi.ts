/** Alternating scans of a merge-on-read table of Hudi by Spark and by cfile. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openHudiTable, scanRows } from "@cfile/hudi";
import { hudiSpark, JavaDriver, MissingError, requireJava } from "@cfile-tools/interop/hudi";
import { atLeast, atMost, type BenchCase, type BenchRow } from "../../bench-case.js";
import type { HudiScanReport } from "../../children/hudi-child.js";
import { WrongAnswer } from "../../measure.js";

const ROWS = 1_000_000;
const TURNS = 7;
const SCAN_GOAL = 1;
const MEMORY_GOAL = 256;
const child = fileURLToPath(new URL("../../children/hudi-child.js", import.meta.url));

async function scannedRows(path: string): Promise<number> {
  await using table = await openHudiTable(path);
  let rows = 0;
  for await (const { length } of scanRows(table)) {
    rows += length;
  }
  return rows;
}

function requireRows(expected: number, actual: number): void {
  if (actual !== expected) {
    throw new WrongAnswer(`${actual} rows instead of ${expected}`);
  }
}

/** The median of the faster half, because the slower runs include compilation. */
function fastestHalf(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 2] ?? Number.NaN;
}

/** Scans alternating with a warmed-up Spark; then a scan in a separate process, to measure memory. */
export const besideHudi: BenchCase = {
  name: "beside-hudi",
  title: "Merge-on-read tables of Hudi, scanned by Spark and by cfile",
  run: async (scale) => {
    const common = { unit: "M rows/s", peer: "Spark 3.5.3 with Hudi 1.2.0, one core" };
    const folder = await mkdtemp(join(tmpdir(), "cfile-bench-hudi-"));
    let driver: JavaDriver | undefined;
    try {
      await requireJava();
      driver = new JavaDriver({ ...(await hudiSpark("1.2.0")), tuning: [] }, ["local[1]"]);
      const path = join(folder, "table");
      const count = Math.max(10_000, Math.floor(ROWS * scale));
      await driver.ask(["large", path, count]);
      const [spark, cfile]: [number[], number[]] = [[], []];
      for (let turn = 0; turn < TURNS; turn++) {
        const [answer = ""] = await driver.ask(["time", path]);
        const [milliseconds = Number.NaN, rows = 0] = answer.split(" ").map(Number);
        requireRows(count, rows);
        spark.push(milliseconds);
        const start = performance.now();
        requireRows(count, await scannedRows(path));
        cfile.push(performance.now() - start);
      }
      const { stdout } = await promisify(execFile)(process.execPath, [child, path]);
      const report: HudiScanReport = JSON.parse(stdout);
      requireRows(count, report.rows);
      const [theirs, ours] = [fastestHalf(spark), fastestHalf(cfile)];
      const row = (name: string, milliseconds: number): BenchRow => ({
        contender: name,
        milliseconds,
        rate: count / milliseconds / 1000,
        ratio: theirs / milliseconds,
      });
      return {
        ...common,
        rows: [row("Spark: merge-on-read scan", theirs), row("cfile: merge-on-read scan", ours)],
        goals: [
          atLeast("merge-on-read scan, times Spark's rate", SCAN_GOAL, theirs / ours),
          atMost("MiB of memory of the scan", MEMORY_GOAL, report.maxRssMiB),
        ],
        notes: [`${count} rows of 12 columns, one row in five with a newer version in log files`],
      };
    } catch (error) {
      if (error instanceof MissingError) {
        return { ...common, rows: [], goals: [], notes: [`missing: Hudi 1.2.0 (${error.message})`] };
      }
      throw error;
    } finally {
      await driver?.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
