/**
 * Memory of a pass over a whole file: a scan and a rewrite of a 1 GiB file, each in its own process, and
 * hyparquet reading a smaller file.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { atMost, type BenchCase } from "../../bench-case.js";
import { WrongAnswer } from "../../measure.js";

const FILE_BYTES = 1 << 30;
const GOAL_MIB = 256;

export interface ChildReport {
  readonly rows: number;
  /** Sum of all 32-bit words, modulo 2^32. */
  readonly sum: number;
  readonly milliseconds: number;
  readonly maxRssMiB: number;
}

const child = fileURLToPath(new URL("../../children/memory-child.js", import.meta.url));

export async function runChild(...args: string[]): Promise<ChildReport> {
  const { stdout } = await promisify(execFile)(process.execPath, [child, ...args]);
  return JSON.parse(stdout) as ChildReport;
}

export function requireSame(written: ChildReport, read: ChildReport): void {
  if (read.rows !== written.rows || read.sum !== written.sum) {
    throw new WrongAnswer(
      `${written.rows} rows with sum ${written.sum} were written, ${read.rows} of sum ${read.sum} read`,
    );
  }
}

export const memory: BenchCase = {
  name: "memory",
  title: "Resident memory while a 1 GiB file is written, scanned and rewritten",
  async run(scale) {
    const folder = await mkdtemp(join(tmpdir(), "cfile-bench-"));
    try {
      const source = join(folder, "source.cfile");
      const rows = Math.floor((FILE_BYTES * scale) / 8);
      const write = await runChild("write", source, String(rows));
      const { size } = await stat(source);
      const scan = await runChild("scan", source);
      const target = join(folder, "target.cfile");
      const rewrite = await runChild("rewrite", source, target);
      const rewritten = await runChild("scan", target);
      const peerFile = join(folder, "peer.parquet");
      // A tenth of the rows, because the peer's writer holds all rows in memory.
      const peerWrite = await runChild("parquet-write", peerFile, String(Math.ceil(rows / 10)));
      const peer = await runChild("parquet-scan", peerFile);
      requireSame(write, scan);
      requireSame(write, rewritten);
      requireSame(peerWrite, peer);
      const line = (contender: string, report: ChildReport) => ({
        contender: `${contender}: ${Math.round(report.maxRssMiB)} MiB resident`,
        milliseconds: report.milliseconds,
        rate: report.rows / report.milliseconds / 1000,
        ratio: peer.maxRssMiB / report.maxRssMiB,
      });
      const title = (what: string): string => `cfile ${what} of ${Math.round(size / (1 << 20))} MiB`;
      return {
        unit: "million rows/s; the ratio compares resident memory",
        peer: "hyparquet scan of a tenth of the rows",
        rows: [
          line("hyparquet scan of a tenth of the rows", peer),
          line(title("write"), write),
          line(title("scan"), scan),
          line(title("rewrite"), rewrite),
        ],
        goals: [
          atMost("peak resident MiB, scan", GOAL_MIB, scan.maxRssMiB),
          atMost("peak resident MiB, rewrite", GOAL_MIB, rewrite.maxRssMiB),
        ],
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
