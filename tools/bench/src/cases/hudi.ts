/** Hudi tables: files of all partitions against a listing of folders, and scans of a merge-on-read table beside Spark's. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openHudiTable, scanRows } from "@cfile/hudi";
import { type ByteSource, type FileTree, memoryTree } from "@cfile/io";
import { fileOf, partitionOf, syntheticTable } from "@cfile-tools/hudi-synthetic";
import { hudiSpark, JavaDriver, MissingError, requireJava } from "@cfile-tools/interop/hudi";
import { atLeast, atMost, type BenchCase, type BenchGoal, type BenchRow } from "../bench-case.js";
import type { HudiScanReport } from "../hudi-child.js";
import { contender, measure, WrongAnswer } from "../measure.js";

const PARTITIONS = 10_000;
const LATENCY = 50;
/** Folders that are listed at the same time. */
const AT_ONCE = 64;
const LISTING_GOAL = 5;
const ROWS = 1_000_000;
const TURNS = 7;
const SCAN_GOAL = 1;
const MEMORY_GOAL = 256;
const child = fileURLToPath(new URL("../hudi-child.js", import.meta.url));

interface Part {
  readonly rows: readonly BenchRow[];
  readonly goals: readonly BenchGoal[];
  readonly notes: readonly string[];
}

export const hudi: BenchCase = {
  name: "hudi",
  title: "Hudi tables: files of 10,000 partitions at 50 ms latency, and merge-on-read scans",
  async run(scale) {
    const parts = [await listings(scale), await scans(scale)];
    return {
      unit: "M rows/s",
      peer: "Spark 3.5.3 with Hudi 1.2.0, one core",
      rows: parts.flatMap(({ rows }) => rows),
      goals: parts.flatMap(({ goals }) => goals),
      notes: parts.flatMap(({ notes }) => notes),
    };
  },
};

/** A tree that takes its time to answer. */
function distant(tree: FileTree): FileTree {
  const later = async <T>(work: () => Promise<T>): Promise<T> => {
    await sleep(LATENCY);
    return work();
  };
  return {
    name: tree.name,
    list: (folder) => later(() => tree.list(folder)),
    openSource: async (path) => {
      const source = await tree.openSource(path);
      const read: ByteSource["read"] = (...range) => later(() => source.read(...range));
      return { name: source.name, size: () => source.size(), read };
    },
  };
}

async function listings(scale: number): Promise<Part> {
  const count = Math.max(100, Math.floor(PARTITIONS * scale));
  const files = await syntheticTable(count, 0);
  const numbers = Array.from({ length: count }, (_, i) => i);
  const stored = numbers.map((i) => [`${partitionOf(i)}/${fileOf(i)}`, new Uint8Array(0)] as const);
  const tree = distant(memoryTree(new Map([...files, ...stored]), "table"));
  const peer = `listing of ${count} folders, ${AT_ONCE} at a time`;
  const timings = await measure(
    [
      contender(peer, () => listedFiles(tree), same),
      contender("cfile: files of all partitions", () => filesOfAll(tree), same),
    ],
    count,
    scale,
  );
  const time = timings[0]?.milliseconds ?? Number.NaN;
  const rows = timings.map(({ contender: name, milliseconds, fastest }) => ({
    contender: name,
    milliseconds,
    fastest,
    rate: count / milliseconds,
    unit: "k partitions/s",
    peer,
    ratio: time / milliseconds,
  }));
  return {
    rows,
    goals: [atLeast("files of all partitions, times a listing", LISTING_GOAL, rows[1]?.ratio ?? 0)],
    notes: [`each listing of a folder and each read of a file takes ${LATENCY} ms`],
  };
}

const same = (found: number): number => found;

async function listedFiles(tree: FileTree): Promise<number> {
  const folders = (await tree.list("")).filter(({ name }) => !name.startsWith("."));
  let files = 0;
  for (let first = 0; first < folders.length; first += AT_ONCE) {
    const lists = await Promise.all(folders.slice(first, first + AT_ONCE).map(({ name }) => tree.list(name)));
    files += lists.flat().length;
  }
  return files;
}

async function filesOfAll(tree: FileTree): Promise<number> {
  await using table = await openHudiTable(tree);
  const lists = await table.metadata?.filesOfAll(await table.partitions());
  return [...(lists?.values() ?? [])].reduce((sum, names) => sum + names.size, 0);
}

/** Scans in turn with Spark, which has warmed up; then one in a process of its own, for its memory. */
async function scans(scale: number): Promise<Part> {
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
      rows: [row("Spark: merge-on-read scan", theirs), row("cfile: merge-on-read scan", ours)],
      goals: [
        atLeast("merge-on-read scan, times Spark's rate", SCAN_GOAL, theirs / ours),
        atMost("MiB of memory of the scan", MEMORY_GOAL, report.maxRssMiB),
      ],
      notes: [`${count} rows of 12 columns, one row in five with a newer version in log files`],
    };
  } catch (error) {
    if (error instanceof MissingError) {
      return { rows: [], goals: [], notes: [`missing: Hudi 1.2.0 (${error.message})`] };
    }
    throw error;
  } finally {
    await driver?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

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

/** The median of the faster half: the slower runs include compilation. */
function fastestHalf(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 2] ?? Number.NaN;
}
