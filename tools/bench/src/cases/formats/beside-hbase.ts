/**
 * Snapshots that HBase made, read by HBase and by cfile: scans with its `TableSnapshotScanner`, gets with its read-only regions. Scans
 * alternate, each side in one process, so that both have compiled their code after the first scans; a scan opens the snapshot and
 * visits the value of every cell. Gets request the same random rows of the whole table, one at a time, in several passes; the first pass
 * fills the default cache of each side. Figures are those of the fastest scan or pass.
 */
import { fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hbaseSnapshots, JavaDriver, MissingError } from "@cfile-tools/interop/hbase";
import { atLeast, atMost, type BenchCase, type BenchGoal, type BenchRow } from "../../bench-case.js";
import type { Pass, SnapshotTask } from "../../children/hbase-child.js";
import { WrongAnswer } from "../../measure.js";

const ROWS = 500_000;
const GETS = 50_000;
/** Number of scans per side. */
const SCANS = 15;
const MAX_MIB = 256;
const PEER = "HBase TableSnapshotScanner";
const GET_PEER = "HBase, gets in read-only regions";
/** Gets per second, times HBase's. */
const GET_GOAL = 1.5;
const LAYOUTS = { plain: "not encoded, not compressed", encoded: "FAST_DIFF, Snappy" } as const;
type Layout = keyof typeof LAYOUTS;

const child = fileURLToPath(new URL("../../children/hbase-child.js", import.meta.url));

async function ask(driver: JavaDriver, ...command: (string | number)[]): Promise<Pass> {
  const [line = ""] = await driver.ask(command);
  const [cells = 0, sum = 0, clock = 0, processor = 0] = line.split("\t").map(Number);
  return { cells, sum, clock, processor };
}

interface OwnAnswer {
  readonly passes: readonly Pass[];
  readonly peakMiB: number;
}

/** A process that reads with cfile. */
class OwnReader {
  private readonly process = fork(child);

  ask(task: SnapshotTask): Promise<OwnAnswer> {
    return new Promise((resolve, reject) => {
      const failed = (code: number | null): void => reject(new WrongAnswer(`the reader exited with ${code}`));
      this.process.once("exit", failed);
      this.process.once("message", (answer: OwnAnswer) => {
        this.process.off("exit", failed);
        resolve(answer);
      });
      this.process.send(task);
    });
  }

  [Symbol.dispose](): void {
    this.process.disconnect();
  }
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

async function scans(folder: string, driver: JavaDriver, layout: Layout, count: number): Promise<Measured> {
  const theirs: Pass[] = [];
  const own: Pass[] = [];
  let peakMiB = 0;
  using reader = new OwnReader();
  for (let scan = 0; scan < count; scan++) {
    theirs.push(await ask(driver, "scan", folder, layout));
    const found = await reader.ask({ path: join(folder, "live"), name: layout });
    own.push(...found.passes);
    ({ peakMiB } = found);
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
  using reader = new OwnReader();
  const task = { path: join(folder, "live"), name: layout, gets: { rows, count } };
  const { passes, peakMiB } = await reader.ask(task);
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
      { ...row(`cfile: gets, warm, ${LAYOUTS[layout]}`, own, ratio), wanted: GET_GOAL },
    ],
    goals: [
      atLeast(`gets, warm, ${LAYOUTS[layout]}, times HBase's rate`, GET_GOAL, ratio),
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
        found.push(await scans(folder, driver, layout, scale < 1 ? 1 : SCANS));
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
