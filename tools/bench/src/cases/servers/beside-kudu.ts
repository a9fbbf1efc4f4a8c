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

const ROWS = 3_000_000;
/** Rows of the table for exports and checks: enough to make the startup of a command a small part of its time. */
const COMMAND_ROWS = 48_000_000;
const TURNS = 3;
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
  /** First scans by a program without a code cache. */
  readonly source: ScanTime[][];
}

interface Scans {
  readonly order: ScanOrder;
  readonly turns: number;
  /** Scans per process. */
  readonly scans: number;
  readonly programs: ScanPrograms;
}

async function scansInTurn(tablet: ScannedTablet, { turns, programs, ...settings }: Scans): Promise<Turns> {
  const result: Turns = { kudu: [], cached: [], uncached: [], source: [] };
  const scans = { ...settings, program: programs.compiled };
  const first = { ...settings, scans: 1, program: programs.source };
  for (let turn = 0; turn < turns; turn++) {
    result.kudu.push(await kuduScans(tablet, scans.order, KUDU_SCANS));
    result.cached.push(await cfileScans(tablet, { ...scans, cacheBlocks: true }));
    result.uncached.push(await cfileScans(tablet, { ...scans, cacheBlocks: false }));
    result.source.push(await cfileScans(tablet, { ...first, cacheBlocks: true }));
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

async function loadgenRows(
  tablet: ScannedTablet,
  settings: Omit<Scans, "order" | "scans">,
): Promise<{ rows: BenchRow[]; goals: BenchGoal[] }> {
  const rows: BenchRow[] = [];
  const goals: BenchGoal[] = [];
  for (const order of ["any", "key"] as const) {
    const turns = await scansInTurn(tablet, { ...settings, order, scans: SCANS });
    const { kudu, cached, uncached, source } = turns;
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
      const own = timeOf(cached, ours, kind);
      const other = timeOf(uncached, ours, kind);
      rows.push(scanRow(`${PEER}: ${text}`, tablet.rows, peer, 1));
      rows.push({ ...scanRow(`cfile: ${text}`, tablet.rows, own, peer / own), ...(wanted && { wanted }) });
      rows.push(scanRow(`cfile without a cache: ${text}`, tablet.rows, other, peer / other));
      if (ours[1] === 1) {
        const compiling = timeOf(source, ours, kind);
        const what = `cfile without V8's code cache: ${text}`;
        rows.push(scanRow(what, tablet.rows, compiling, peer / compiling));
      }
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
): Promise<{ rows: BenchRow[]; goals: BenchGoal[] }> {
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
      const commands = await tableCommands(await loadgen("commands", COMMAND_ROWS), folder, turns);
      return {
        unit,
        peer: PEER,
        rows: [...scans.rows, ...columns.rows, ...commands.rows],
        goals: [...scans.goals, ...columns.goals, ...commands.goals],
        notes: [
          "Kudu counts the processor time of the scanning thread; cfile's is that of all threads of the process.",
          "Medians of the scans of a process; the fastest process of the turns. Files are in the page cache, and both have opened the tablet before the first scan.",
          "Kudu's tool is compiled; cfile is a program in one file with V8's code cache of an earlier run, except where the table says otherwise.",
          "Kudu keeps the blocks that it has read and checked in a cache of 512 MiB. So does cfile with `cacheBlocks`, with their decoded values, from the second scan of a file on.",
          ...commands.notes,
        ],
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
