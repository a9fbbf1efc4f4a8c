/**
 * The released Kudu and cfile in turn, on the same directories: scans of a tablet, scans of each encoding,
 * exports and checks.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { atLeast, type BenchCase, type BenchGoal, type BenchRow } from "../bench-case.js";
import { benchColumns } from "../bench-columns.js";
import { columnTablets } from "../kudu/column-tablets.js";
import { directoriesOf, kuduHome, runKudu, timeKudu } from "../kudu/kudu-peer.js";
import { loadgenTablet } from "../kudu/loadgen-tablet.js";
import {
  cfileScans,
  kuduScans,
  type ScannedTablet,
  type ScanOrder,
  type ScanTime,
} from "../kudu/tablet-scans.js";
import { WrongAnswer } from "../measure.js";

const ROWS = 3_000_000;
const TURNS = 3;
/** Scans of one process: the first, those of a short program, and those of one that has run for long. */
const SCANS = 40;
const SHORT: readonly [from: number, to: number] = [1, 6];
const WARM: readonly [from: number, to: number] = [29, 40];
/** Kudu's code is compiled ahead: its first scan fills the block cache, and all others are alike. */
const KUDU_SCANS = 6;
const PEER = "kudu perf tablet_scan";
const cli = join(dirname(fileURLToPath(import.meta.resolve("@cfile/cli"))), "bundle", "cfile.js");

interface Turns {
  readonly kudu: readonly ScanTime[][];
  readonly cfile: readonly ScanTime[][];
}

async function scansInTurn(
  tablet: ScannedTablet,
  order: ScanOrder,
  turns: number,
  scans: number,
): Promise<Turns> {
  const result: { kudu: ScanTime[][]; cfile: ScanTime[][] } = { kudu: [], cfile: [] };
  for (let turn = 0; turn < turns; turn++) {
    result.kudu.push(await kuduScans(tablet, order, KUDU_SCANS));
    result.cfile.push(await cfileScans(tablet, order, scans));
  }
  return result;
}

/** The median of the scans `from` to `to` of each process; the fastest process. */
function timeOf(
  processes: readonly ScanTime[][],
  [from, to]: readonly [number, number],
  kind: keyof ScanTime,
): number {
  const medians = processes.map((scans) => {
    const times = scans
      .slice(from, to)
      .map((scan) => scan[kind])
      .sort((a, b) => a - b);
    return times[times.length >> 1] ?? Number.NaN;
  });
  return Math.min(...medians);
}

const ORDERS = { any: "any order", key: "key order" } as const;

async function loadgenRows(
  tablet: ScannedTablet,
  turns: number,
): Promise<{ rows: BenchRow[]; goals: BenchGoal[] }> {
  const rows: BenchRow[] = [];
  const goals: BenchGoal[] = [];
  for (const order of ["any", "key"] as const) {
    const { kudu, cfile } = await scansInTurn(tablet, order, turns, SCANS);
    const compared = [
      ["first scan of the process", [0, 1], [0, 1], "clock", 1],
      ["scans 2 to 6", SHORT, SHORT, "clock", undefined],
      ["scans 2 to 6, processor time", SHORT, SHORT, "processor", 1],
      ["scans 30 to 40", WARM, SHORT, "clock", 1.3],
      ["scans 30 to 40, processor time", WARM, SHORT, "processor", 1],
    ] as const;
    for (const [name, ours, theirs, kind, wanted] of compared) {
      const text = `${name}, ${ORDERS[order]}`;
      const peer = timeOf(kudu, theirs, kind);
      const own = timeOf(cfile, ours, kind);
      rows.push(rowOf(`${PEER}: ${text}`, tablet.rows, peer, 1));
      rows.push({ ...rowOf(`cfile: ${text}`, tablet.rows, own, peer / own), ...(wanted && { wanted }) });
      if (wanted !== undefined) {
        goals.push(atLeast(`${text}, times Kudu's rate`, wanted, peer / own));
      }
    }
  }
  return { rows, goals };
}

const rowOf = (contender: string, rows: number, milliseconds: number, ratio: number): BenchRow => ({
  contender,
  milliseconds,
  rate: rows / milliseconds / 1000,
  ratio,
});

async function columnRows(home: string, folder: string, scale: number, turns: number) {
  const rows: BenchRow[] = [];
  const ratios: number[] = [];
  for (const [name, tablet] of await columnTablets(home, folder, benchColumns, scale)) {
    const { kudu, cfile } = await scansInTurn(tablet, "any", turns, KUDU_SCANS);
    const peer = timeOf(kudu, SHORT, "clock");
    const own = timeOf(cfile, SHORT, "clock");
    ratios.push(peer / own);
    rows.push(rowOf(`${PEER}: key and ${name}`, tablet.rows, peer, 1));
    rows.push(rowOf(`cfile: key and ${name}`, tablet.rows, own, peer / own));
  }
  const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
  return {
    rows,
    goals: [
      atLeast("a key and a column, scans 2 to 6, geometric mean of times Kudu's rate", 1, mean),
      atLeast("a key and a column, scans 2 to 6, the slowest, times Kudu's rate", 0.6, Math.min(...ratios)),
    ],
  };
}

/** The fastest of several runs, in turn with those of the peer. */
async function fastestInTurn(
  turns: number,
  peer: () => Promise<number>,
  own: () => Promise<number>,
): Promise<{ peer: number; own: number }> {
  const times = { peer: Number.POSITIVE_INFINITY, own: Number.POSITIVE_INFINITY };
  for (let turn = 0; turn < turns; turn++) {
    times.peer = Math.min(times.peer, await peer());
    times.own = Math.min(times.own, await own());
  }
  return times;
}

async function timeCfile(args: readonly string[], expected: string): Promise<number> {
  const start = performance.now();
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [cli, ...args]);
  if (!(stdout + stderr).includes(expected)) {
    throw new WrongAnswer(`cfile ${args.join(" ")}: no ${expected} in ${stdout}${stderr}`);
  }
  return performance.now() - start;
}

async function commandRows(
  { server, rows }: ScannedTablet,
  folder: string,
  turns: number,
): Promise<{ rows: BenchRow[]; goals: BenchGoal[] }> {
  const { home } = server.options;
  const target = join(folder, "table.parquet");
  await server.start();
  try {
    const tables = await runKudu(home, ["table", "list", server.masterAddress]);
    const name = tables.output.trim().split("\n").at(-1)?.trim() ?? "";
    const exported = await fastestInTurn(
      turns,
      () => timeKudu(home, ["table", "scan", server.masterAddress, name]),
      async () => {
        await rm(target, { force: true });
        return timeCfile(
          ["kudu", "export", server.dataFolder, "--table", name, "-o", target, "--json"],
          `${rows}`,
        );
      },
    );
    let checksums = Number.POSITIVE_INFINITY;
    for (let turn = 0; turn < turns; turn++) {
      const args = ["cluster", "ksck", server.masterAddress, "--checksum_scan"];
      checksums = Math.min(checksums, (await runKudu(home, args)).milliseconds);
    }
    await server.stop();
    const checked = await fastestInTurn(
      turns,
      async () => (await runKudu(home, ["fs", "check", ...directoriesOf(server)])).milliseconds,
      () => timeCfile(["kudu", "check", server.dataFolder, "--json"], `"live_rows": ${rows},`),
    );
    const check = checked.peer + checksums;
    return {
      rows: [
        rowOf("kudu table scan of a live server, to text", rows, exported.peer, 1),
        rowOf("cfile kudu export to Parquet", rows, exported.own, exported.peer / exported.own),
        rowOf("kudu fs check, and ksck --checksum_scan", rows, check, 1),
        rowOf("cfile kudu check", rows, checked.own, check / checked.own),
      ],
      goals: [
        atLeast("export to Parquet, times the rate of kudu table scan", 4, exported.peer / exported.own),
        atLeast("check, times the rate of fs check and checksum scan", 1, check / checked.own),
      ],
    };
  } finally {
    await server.stop();
  }
}

export const besideKudu: BenchCase = {
  name: "beside-kudu",
  title: "Kudu 1.18.1 and cfile in turn on one server's directories: scan, export, check",
  async run(scale) {
    const unit = "M rows/s";
    const found = await kuduHome();
    if ("note" in found) {
      return { unit, peer: PEER, rows: [], goals: [], notes: [found.note] };
    }
    const folder = await mkdtemp(join(tmpdir(), "cfile-bench-beside-kudu-"));
    const turns = scale < 0.5 ? 1 : TURNS;
    try {
      const tablet = await loadgenTablet(
        found.home,
        join(folder, "loadgen"),
        2 * Math.ceil((ROWS * scale) / 2),
      );
      const scans = await loadgenRows(tablet, turns);
      const columns = await columnRows(found.home, join(folder, "columns"), scale, turns);
      const commands = await commandRows(tablet, folder, turns);
      return {
        unit,
        peer: PEER,
        rows: [...scans.rows, ...columns.rows, ...commands.rows],
        goals: [...scans.goals, ...columns.goals, ...commands.goals],
        notes: [
          "Kudu counts the processor time of the scanning thread; cfile's is that of all threads of the process.",
          "Medians of the scans of a process; the fastest process of the turns. Files are in the page cache.",
        ],
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
