/** Repeated scans of one tablet: by `kudu perf tablet_scan`, and by cfile in a new process. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { KuduServer } from "@cfile-tools/interop/kudu";
import type { BenchRow } from "../bench-case.js";
import { bundledProgram } from "../machine/bundled-program.js";
import { cachedProgram } from "../machine/cached-program.js";
import { WrongAnswer } from "../measure.js";
import { directoriesOf, runKudu } from "./kudu-peer.js";

/** Milliseconds of one scan. */
export interface ScanTime {
  readonly clock: number;
  /** Processor time of all threads. */
  readonly processor: number;
}

export type ScanOrder = "any" | "key";

/** A tablet on the disks of a stopped server. */
export interface ScannedTablet {
  readonly server: KuduServer;
  readonly id: string;
  readonly rows: number;
}

export const scanRow = (contender: string, rows: number, milliseconds: number, ratio: number): BenchRow => ({
  contender,
  milliseconds,
  rate: rows / milliseconds / 1000,
  ratio,
});

/** Scans by cfile. */
export interface CFileScans {
  readonly order: ScanOrder;
  readonly scans: number;
  /** Whether blocks are kept in a cache as large as Kudu's. */
  readonly cacheBlocks: boolean;
  /** One of {@link scanPrograms}. */
  readonly program: string;
}

/** The program that scans with cfile, in a single file, like Kudu's tool. */
export interface ScanPrograms {
  /** With V8's code cache of an earlier scan, since Kudu's tool is compiled ahead. */
  readonly compiled: string;
  readonly source: string;
}

/** In milliseconds. */
const MAX_SCAN_TIME = 120_000;
const CHILD = fileURLToPath(new URL("./tablet-scan-child.js", import.meta.url));

/** @param folder gets the files */
export async function scanPrograms(folder: string, tablet: ScannedTablet): Promise<ScanPrograms> {
  const { path, warm } = await cachedProgram(CHILD, join(folder, "compiled"));
  for (const order of ["any", "key"] as const) {
    for (const cacheBlocks of [true, false]) {
      await warm(argumentsOf(tablet, { order, cacheBlocks, scans: 2 }));
    }
  }
  return { compiled: path, source: await bundledProgram(CHILD, join(folder, "source")) };
}

function argumentsOf(
  { server, id }: ScannedTablet,
  { order, scans, cacheBlocks }: Omit<CFileScans, "program">,
): string[] {
  return [server.dataFolder, id, order, String(scans), cacheBlocks ? "cache" : ""];
}

/** Kudu's scans in one process: all columns, rows counted. */
export async function kuduScans(
  { server, id, rows }: ScannedTablet,
  order: ScanOrder,
  scans: number,
): Promise<ScanTime[]> {
  const { output } = await runKudu(server.options.home, [
    "perf",
    "tablet_scan",
    id,
    `--num_iters=${scans}`,
    `--ordered_scan=${order === "key"}`,
    ...directoriesOf(server),
  ]);
  const times = [...output.matchAll(/\(iter \d+\): real ([\d.]+)s\s+user ([\d.]+)s\s+sys ([\d.]+)s/g)].map(
    ([, real, user, system]) => ({
      clock: 1000 * Number(real),
      processor: 1000 * (Number(user) + Number(system)),
    }),
  );
  if (times.length !== scans || !output.includes(`scanned ${rows} rows`)) {
    throw new WrongAnswer(`kudu perf tablet_scan: ${output.slice(-1000)}`);
  }
  return times;
}

/** cfile's scans in one process. */
export async function cfileScans(
  tablet: ScannedTablet,
  { program, ...settings }: CFileScans,
): Promise<ScanTime[]> {
  const { rows } = tablet;
  const scan = () =>
    promisify(execFile)(process.execPath, [program, ...argumentsOf(tablet, settings)], {
      timeout: MAX_SCAN_TIME,
    });
  // After the scan, a Node process can deadlock on exit (https://github.com/nodejs/node/issues/54918).
  const { stdout } = await scan().catch((error: { readonly killed?: boolean }) => {
    if (error.killed !== true) {
      throw error;
    }
    return scan();
  });
  const report = JSON.parse(stdout) as { rows: number[]; times: ScanTime[] };
  if (report.rows.some((count) => count !== rows)) {
    throw new WrongAnswer(`cfile scanned ${report.rows.join(", ")} rows, not ${rows}`);
  }
  return report.times;
}
