/**
 * The released Kudu and cfile alternately, on the same directories: scans of a tablet, scans of each encoding,
 * exports and checks.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atLeast, type BenchCase, type BenchGoal, type BenchRow } from "../../bench-case.js";
import { benchColumns } from "../../data/bench-columns.js";
import { columnTablets } from "../../kudu/column-tablets.js";
import { kuduHome } from "../../kudu/kudu-peer.js";
import { loadgenTablet } from "../../kudu/loadgen-tablet.js";
import { tableCommands } from "../../kudu/table-commands.js";
import {
  cfileScans,
  kuduScans,
  type ScannedTablet,
  type ScanOrder,
  type ScanPrograms,
  type ScanTime,
  scanPrograms,
  scanRow,
} from "../../kudu/tablet-scans.js";
import { median, medianRatio, takeTurns } from "../../turns.js";

const ROWS = 3_000_000;
/** Rows of the table for exports and checks: enough to make the startup of a command a small part of its time. */
const COMMAND_ROWS = 48_000_000;
const TURNS = 3;
/** A first scan takes a tenth of a second, and its time varies from process to process. */
const FIRST_SCAN_TURNS = 15;
const COMMAND_TURNS = 5;
/** Scans per process, and the ranges that represent a short program and a long-running one. */
const SCANS = 40;
const SHORT: readonly [from: number, to: number] = [1, 6];
const WARM: readonly [from: number, to: number] = [29, 40];
/** Kudu's code is compiled ahead of time: its first scan fills the block cache, and all later scans take equally long. */
const KUDU_SCANS = 6;
const PEER = "kudu perf tablet_scan";

/** The times of each process. */
interface Turns {
  readonly kudu: ScanTime[][];
  /** With a cache as large as Kudu's. */
  readonly cached: ScanTime[][];
  /** Each scan reads and checks everything again. */
  readonly uncached: ScanTime[][];
}

interface Scans {
  readonly order: ScanOrder;
  readonly turns: number;
  /** Scans per process. */
  readonly scans: number;
  readonly programs: ScanPrograms;
}

async function scansInTurn(tablet: ScannedTablet, { turns, programs, ...settings }: Scans): Promise<Turns> {
  const result: Turns = { kudu: [], cached: [], uncached: [] };
  const scans = { ...settings, program: programs.compiled };
  for (let turn = 0; turn < turns; turn++) {
    result.kudu.push(await kuduScans(tablet, scans.order, KUDU_SCANS));
    result.cached.push(await cfileScans(tablet, { ...scans, cacheBlocks: true }));
    result.uncached.push(await cfileScans(tablet, { ...scans, cacheBlocks: false }));
  }
  return result;
}

/** The median of the scans `from` to `to` of each process; returns that of the fastest process. */
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

interface Compared {
  readonly rows: BenchRow[];
  readonly goals: BenchGoal[];
}

/** First scans, each in its own process. */
async function firstScans(
  tablet: ScannedTablet,
  { order, turns, programs: { compiled, source } }: Omit<Scans, "scans">,
): Promise<Compared> {
  const scan = async (program: string, cacheBlocks: boolean): Promise<number> =>
    clockOf(await cfileScans(tablet, { order, scans: 1, program, cacheBlocks }));
  const times = await takeTurns(turns, {
    [PEER]: async () => clockOf(await kuduScans(tablet, order, 1)),
    cfile: () => scan(compiled, true),
    "cfile without a cache": () => scan(compiled, false),
    "cfile without V8's code cache": () => scan(source, true),
  });
  const text = `first scan of the process, ${ORDERS[order]}`;
  return {
    rows: Object.entries(times).map(([name, own]) => ({
      ...scanRow(`${name}: ${text}`, tablet.rows, median(own), medianRatio(times[PEER], own)),
      ...(name === "cfile" && { wanted: 1 }),
    })),
    goals: [atLeast(`${text}, times Kudu's rate`, 1, medianRatio(times[PEER], times.cfile))],
  };
}

function clockOf([first]: readonly ScanTime[]): number {
  return first?.clock ?? Number.NaN;
}

async function loadgenRows(
  tablet: ScannedTablet,
  settings: Omit<Scans, "order" | "scans">,
): Promise<Compared> {
  const rows: BenchRow[] = [];
  const goals: BenchGoal[] = [];
  for (const order of ["any", "key"] as const) {
    const firstTurns = settings.turns === 1 ? 1 : FIRST_SCAN_TURNS;
    const first = await firstScans(tablet, { ...settings, order, turns: firstTurns });
    rows.push(...first.rows);
    goals.push(...first.goals);
    const { kudu, cached, uncached } = await scansInTurn(tablet, { ...settings, order, scans: SCANS });
    const compared = [
      ["scans 2 to 6", SHORT, SHORT, "clock", undefined],
      ["scans 2 to 6, processor time", SHORT, SHORT, "processor", 1],
      ["scans 30 to 40", WARM, SHORT, "clock", 1.3],
      ["scans 30 to 40, processor time", WARM, SHORT, "processor", 1],
    ] as const;
    for (const [name, ours, theirs, kind, wanted] of compared) {
      const text = `${name}, ${ORDERS[order]}`;
      const peer = timeOf(kudu, theirs, kind);
      const own = timeOf(cached, ours, kind);
      const other = timeOf(uncached, ours, kind);
      rows.push(scanRow(`${PEER}: ${text}`, tablet.rows, peer, 1));
      rows.push({ ...scanRow(`cfile: ${text}`, tablet.rows, own, peer / own), ...(wanted && { wanted }) });
      rows.push(scanRow(`cfile without a cache: ${text}`, tablet.rows, other, peer / other));
      if (wanted !== undefined) {
        goals.push(atLeast(`${text}, times Kudu's rate`, wanted, peer / own));
      }
    }
  }
  return { rows, goals };
}

async function columnRows(
  tablets: ReadonlyMap<string, ScannedTablet>,
  settings: Omit<Scans, "order" | "scans">,
): Promise<Compared> {
  const rows: BenchRow[] = [];
  const ratios: number[] = [];
  for (const [name, tablet] of tablets) {
    const { kudu, cached, uncached } = await scansInTurn(tablet, {
      ...settings,
      order: "any",
      scans: KUDU_SCANS,
    });
    const peer = timeOf(kudu, SHORT, "clock");
    const own = timeOf(cached, SHORT, "clock");
    const other = timeOf(uncached, SHORT, "clock");
    ratios.push(peer / other);
    rows.push(scanRow(`${PEER}: key and ${name}`, tablet.rows, peer, 1));
    rows.push(scanRow(`cfile: key and ${name}`, tablet.rows, own, peer / own));
    rows.push(scanRow(`cfile without a cache: key and ${name}`, tablet.rows, other, peer / other));
  }
  const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
  const what = "a key and a column, scans 2 to 6 without a cache,";
  return {
    rows,
    goals: [
      atLeast(`${what} geometric mean of times Kudu's rate`, 1, mean),
      atLeast(`${what} the slowest, times Kudu's rate`, 0.6, Math.min(...ratios)),
    ],
  };
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
      const loadgen = (name: string, rows: number): Promise<ScannedTablet> =>
        loadgenTablet(found.home, join(folder, name), 2 * Math.ceil((rows * scale) / 2));
      const tablet = await loadgen("loadgen", ROWS);
      const settings = { turns, programs: await scanPrograms(folder, tablet) };
      const scans = await loadgenRows(tablet, settings);
      const tablets = await columnTablets(found.home, join(folder, "columns"), benchColumns, scale);
      const columns = await columnRows(tablets, settings);
      const commandTurns = turns === 1 ? 1 : COMMAND_TURNS;
      const commands = await tableCommands(await loadgen("commands", COMMAND_ROWS), folder, commandTurns);
      return {
        unit,
        peer: PEER,
        rows: [...scans.rows, ...columns.rows, ...commands.rows],
        goals: [...scans.goals, ...columns.goals, ...commands.goals],
        notes: [
          "Kudu counts the processor time of the scanning thread; cfile's is that of all threads of the process.",
          "First scans: the medians of the turns, and of the ratios within a turn. Later ones: medians of the scans of a process, and the fastest process of the turns. Files are in the page cache, and both have opened the tablet before the first scan.",
          "Kudu's tool is compiled; cfile is a program in one file with V8's code cache of an earlier run, except where the table says otherwise.",
          "Kudu keeps the blocks that it has read and checked in a cache of 512 MiB. So does cfile with `cacheBlocks`, with their decoded values, from the second scan of a file on. All scans of a process share one arena.",
          ...commands.notes,
        ],
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
