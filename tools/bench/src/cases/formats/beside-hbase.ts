/**
 * Snapshots that HBase made, read by HBase and by cfile in turn: scans with its `TableSnapshotScanner`, gets with its read-only
 * regions. Both sides visit the value of every cell. Gets ask for the same random rows of the whole table, one after another, until
 * all of their blocks are cached: in the default cache of either side.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { hbaseSnapshots, JavaDriver, MissingError } from "@cfile-tools/interop/hbase";
import { atLeast, atMost, type BenchCase, type BenchGoal, type BenchRow } from "../../bench-case.js";
import { WrongAnswer } from "../../measure.js";

const ROWS = 500_000;
const GETS = 50_000;
const TURNS = 3;
/** Scans of one process; the first compiles the code. */
const SCANS = 5;
const GET_PASSES = 5;
const MAX_MIB = 256;
const GETS_PER_SECOND = 50_000;
const PEER = "HBase TableSnapshotScanner";
const GET_PEER = "HBase, gets in read-only regions";
const LAYOUTS = { plain: "not encoded, not compressed", encoded: "FAST_DIFF, Snappy" } as const;
type Layout = keyof typeof LAYOUTS;

const child = fileURLToPath(new URL("../../children/hbase-child.js", import.meta.url));

/** What a pass found, and its milliseconds. */
interface Pass {
  readonly cells: number;
  readonly sum: number;
  readonly clock: number;
  readonly processor: number;
}

async function ask(driver: JavaDriver, ...command: (string | number)[]): Promise<Pass> {
  const [line = ""] = await driver.ask(command);
  const [cells = 0, sum = 0, clock = 0, processor = 0] = line.split("\t").map(Number);
  return { cells, sum, clock, processor };
}

async function ours(...args: (string | number)[]): Promise<{ passes: Pass[]; peakMiB: number }> {
  const { stdout } = await promisify(execFile)(process.execPath, [child, ...args.map(String)]);
  return JSON.parse(stdout);
}

function requireSame(what: string, one: Pass, other: Pass): void {
  if (one.cells !== other.cells || one.sum !== other.sum) {
    throw new WrongAnswer(
      `${what}: HBase has ${one.cells} cells and sum ${one.sum}, cfile ${other.cells} and ${other.sum}`,
    );
  }
}

const best = (passes: readonly Pass[], kind: "clock" | "processor"): number =>
  Math.min(...passes.map((pass) => pass[kind]));

interface Measured {
  readonly rows: BenchRow[];
  readonly goals: BenchGoal[];
}

async function scans(folder: string, driver: JavaDriver, layout: Layout, turns: number): Promise<Measured> {
  const theirs: Pass[] = [];
  const own: Pass[] = [];
  let peakMiB = 0;
  for (let turn = 0; turn < turns; turn++) {
    for (let scan = 0; scan < SCANS; scan++) {
      theirs.push(await ask(driver, "scan", folder, layout));
    }
    const found = await ours("scan", join(folder, "live"), layout, SCANS);
    own.push(...found.passes);
    peakMiB = Math.max(peakMiB, found.peakMiB);
  }
  const [{ cells } = { cells: 0 }] = theirs;
  for (const [i, pass] of own.entries()) {
    requireSame(`scan of ${layout}`, theirs[i] ?? pass, pass);
  }
  const row = (contender: string, milliseconds: number, ratio: number): BenchRow => ({
    contender,
    milliseconds,
    rate: cells / milliseconds / 1000,
    ratio,
  });
  const rows: BenchRow[] = [];
  const goals: BenchGoal[] = [];
  for (const [kind, name] of [
    ["clock", ""],
    ["processor", ", processor time"],
  ] as const) {
    const text = `scan${name}, ${LAYOUTS[layout]}`;
    const ratio = best(theirs, kind) / best(own, kind);
    rows.push(row(`${PEER}: ${text}`, best(theirs, kind), 1));
    rows.push({ ...row(`cfile: ${text}`, best(own, kind), ratio), wanted: 1 });
    goals.push(atLeast(`${text}, times HBase's rate`, 1, ratio));
  }
  goals.push(atMost(`MiB of a process that scans, ${LAYOUTS[layout]}`, MAX_MIB, peakMiB));
  return { rows, goals };
}

async function gets(
  folder: string,
  driver: JavaDriver,
  layout: Layout,
  { rows, count }: { readonly rows: number; readonly count: number },
): Promise<Measured> {
  const theirs = await ask(driver, "get", folder, layout, rows, count);
  const { passes, peakMiB } = await ours("get", join(folder, "live"), layout, GET_PASSES, rows, count);
  const own = best(passes, "clock");
  requireSame(`gets of ${layout}`, theirs, passes.at(-1) ?? theirs);
  const ratio = theirs.clock / own;
  const row = (contender: string, milliseconds: number, relative: number): BenchRow => ({
    contender,
    milliseconds,
    rate: (1000 * count) / milliseconds,
    unit: "gets/s",
    peer: GET_PEER,
    ratio: relative,
  });
  return {
    rows: [
      row(`${GET_PEER}, ${LAYOUTS[layout]}`, theirs.clock, 1),
      row(`cfile: gets, warm, ${LAYOUTS[layout]}`, own, ratio),
    ],
    goals: [
      atLeast(`gets per second, warm, ${LAYOUTS[layout]}`, GETS_PER_SECOND, (1000 * count) / own),
      atMost(`MiB of a process that gets, ${LAYOUTS[layout]}`, MAX_MIB, peakMiB),
    ],
  };
}

export const besideHBase: BenchCase = {
  name: "beside-hbase",
  title: "Snapshots of HBase, read by HBase and by cfile",
  run: async (scale) => {
    const common = { unit: "M cells/s", peer: PEER };
    const folder = await mkdtemp(join(tmpdir(), "cfile-bench-hbase-"));
    const drivers: JavaDriver[] = [];
    try {
      const program = await hbaseSnapshots();
      const start = (): JavaDriver => {
        const driver = new JavaDriver(program);
        drivers.push(driver);
        return driver;
      };
      const rows = Math.ceil(ROWS * scale);
      const maker = start();
      await maker.ask(["make", folder, rows]);
      await maker.stop();
      const driver = start();
      const found: Measured[] = [];
      for (const layout of ["plain", "encoded"] as const) {
        found.push(await scans(folder, driver, layout, scale < 1 ? 1 : TURNS));
        found.push(await gets(folder, driver, layout, { rows, count: Math.ceil(GETS * scale) }));
      }
      return {
        ...common,
        rows: found.flatMap((one) => one.rows),
        goals: found.flatMap((one) => one.goals),
      };
    } catch (error) {
      if (error instanceof MissingError) {
        return { ...common, rows: [], goals: [], notes: [`missing: HBase 2.6.1 (${error.message})`] };
      }
      throw error;
    } finally {
      await Promise.all(drivers.map((driver) => driver.stop()));
      await rm(folder, { recursive: true, force: true });
    }
  },
};
