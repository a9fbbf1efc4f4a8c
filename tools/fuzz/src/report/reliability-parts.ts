/** The parts of a full run. Each runs tests, counts them, and reports what it found. */

import { cutPower } from "../disk/cut-power.js";
import { tryEveryBit } from "../exhaustive.js";
import { injectReadFaults } from "../faults/inject-read-faults.js";
import { keepBadFile } from "../files/bad-files.js";
import {
  forgedFiles,
  MAX_BYTES,
  MAX_MILLISECONDS,
  measureForgeries,
} from "../forgeries/measure-forgeries.js";
import { type FuzzTotals, runFuzz } from "../fuzz-run.js";
import { HARNESSES } from "../harnesses/all-harnesses.js";
import { readGoldenSet, scanLarge, soak } from "../processes/run-processes.js";
import { coverage, directories, icebergCommits, replicaChoice, tolerance } from "./damage-parts.js";
import { datasetLoad, load, storeLoad, tableStoreCuts } from "./load-parts.js";
import { mebibytes, number, type Part, type PartResult, row } from "./part.js";
import { runSuite } from "./run-suite.js";

const LARGEST = 8192;
const HOURS = 3600;
const FOUR_GIB = 4 * 2 ** 30;
const MAX_SCAN_BYTES = 256 * 2 ** 20;
const HEAP = 64;
/** Multiplies the patterns of the recovery test. */
const RECOVERY_FACTOR = 2;
const PATTERNS = 14 * 75;
const POWER_CUTS = 1000;
const FAILING_PLACES = 8;

const everyBit: Part = async ({ onProgress }) => {
  const report = await tryEveryBit(LARGEST, 6 * HOURS, onProgress);
  const { files, filesInAll, flips, truncations, faults, unseen, slowestMilliseconds, maxBytes } = report;
  return {
    faults,
    tried: [
      {
        what: `Every bit of ${files} of the ${filesInAll} golden files up to 8 KiB flipped, then scanned`,
        often: number(flips),
        found: `${faults.length} wrong values in files with checksums, untyped errors, or cases above 2 s or 64 MiB; slowest ${slowestMilliseconds.toFixed(0)} ms, at most ${mebibytes(maxBytes)} for one case`,
      },
      {
        what: "Every truncation of those files",
        often: number(truncations),
        found: "counted above",
      },
      {
        what: "Flips in files without checksums that changed values",
        often: number(unseen),
        found: "no reader can detect them",
      },
    ],
  };
};

const fuzz: Part = async ({ seed, cases, journal, onProgress }) => {
  const totals = await runFuzz(HARNESSES, { seed, cases, journal, onProgress, onCrash: keepBadFile });
  return fuzzResult(totals);
};

function fuzzResult(totals: FuzzTotals): PartResult {
  const { cases, planned, crashes, harnesses, seed, seconds, peakMemory } = totals;
  const part = cases < planned ? ` (of ${number(planned)} planned)` : "";
  const table = Object.entries(harnesses).map(([name, { cases: own, results, refusals, slowest }]) =>
    row(
      name,
      number(own),
      number(results),
      number(refusals),
      `${slowest.milliseconds.toFixed(0)} ms (seed ${slowest.seed})`,
    ),
  );
  return {
    faults: crashes.map(
      ({ harness, subject, seed: own, reason }) =>
        `${harness} of ${subject}, seed ${own}: ${reason.split("\n")[0]}`,
    ),
    tried: [
      {
        what: `Inputs with mutated structure and corrected checksums, in ${Object.keys(harnesses).length} harnesses (seed ${seed})`,
        often: `${number(cases)}${part}`,
        found: `${crashes.length} untyped exceptions, traps, time-outs (2 s) or cases above 64 MiB, in ${number(Math.round(seconds))} s; ${mebibytes(peakMemory)} peak memory of the process`,
      },
    ],
    sections: [
      [
        "## Harnesses",
        "",
        row("harness", "mutated inputs", "results", "refusals (`CFileError`)", "slowest"),
        row("---", "---:", "---:", "---:", "---"),
        ...table,
      ].join("\n"),
    ],
  };
}

const bombs: Part = async () => {
  const measured = await measureForgeries(forgedFiles());
  const read = measured.filter(({ what }) => what === "read");
  const above = read.filter(
    ({ milliseconds, bytes }) => milliseconds > MAX_MILLISECONDS || bytes > MAX_BYTES,
  );
  const untyped = measured.filter(({ code }) => code.startsWith("untyped"));
  const slowest = Math.max(...read.map(({ milliseconds }) => milliseconds));
  const largest = Math.max(...read.map(({ bytes }) => bytes));
  return {
    faults: untyped.map(({ file, what, code }) => `${file}, ${what}: ${code}`),
    tried: [
      {
        what: "Bombs and forgeries in `fixtures/bad`: read each one, verify and recover the columns",
        often: number(read.length),
        found: `${above.length} not rejected within ${MAX_MILLISECONDS} ms of processor time and ${mebibytes(MAX_BYTES)} (median of three; total allocations), ${untyped.length} untyped errors; slowest ${slowest.toFixed(1)} ms, most memory ${mebibytes(largest)}`,
      },
    ],
    sections:
      above.length === 0
        ? []
        : [
            [
              "## Bombs above the mark",
              "",
              ...above.map(
                ({ file, milliseconds, bytes }) =>
                  `- \`${file}\`: ${milliseconds.toFixed(0)} ms, ${mebibytes(bytes)}`,
              ),
            ].join("\n"),
          ],
  };
};

const faults: Part = async () => {
  const report = await injectReadFaults(true);
  return {
    faults: report.faults,
    tried: [
      {
        what: `Failure of each operation in ${report.tasks} tasks: open, scan, seek, verify, rewrite and recover columns, with and without a cache; deltas, Bloom filters, row sets, HFiles, Parquet`,
        often: number(report.injected),
        found: `${report.faults.length} wrong answers, untyped errors, hangs, unhandled rejections or corrupted later reads; ${number(report.right)} right answers despite the failure, ${number(report.errors)} typed errors`,
      },
    ],
  };
};

const powerCuts: Part = async ({ onProgress }) => {
  const reports = await cutPower(POWER_CUTS, FAILING_PLACES, undefined, (task) => onProgress(task));
  const sum = (count: (report: (typeof reports)[number]) => number): number =>
    reports.reduce((total, report) => total + count(report), 0);
  const all = reports.flatMap((report) => report.faults.map((fault) => `${report.task}: ${fault}`));
  return {
    faults: all,
    tried: [
      {
        what: `Power cuts while ${reports.length} kinds of file are written, each at every point with four kinds of disk`,
        often: number(sum(({ points }) => points)),
        found: `${all.length} times anything but the whole file or the previous one`,
      },
      {
        what: "Failing disk operations while those files are written, each in four ways",
        often: number(sum(({ failures }) => failures)),
        found: "counted above, including leftover temporary files",
      },
    ],
    sections: [
      [
        "## Power cuts",
        "",
        row("file", "places", "failing operations"),
        row("---", "---:", "---:"),
        ...reports.map(({ task, points, failures }) => row(task, number(points), number(failures))),
      ].join("\n"),
    ],
  };
};

/** A part that is the long version of a package's tests. */
function suite(
  folder: string,
  file: string,
  { what, often, env = {} }: { what: string; often: string; env?: Readonly<Record<string, string>> },
): Part {
  return async () => {
    const { passed, failed, failures } = runSuite(folder, [file], env);
    return { faults: failures, tried: [{ what, often, found: `${passed} tests passed, ${failed} failed` }] };
  };
}

const recovery = suite("packages/format", "test/recover-damage.test.ts", {
  what: "Patterns of damage in the golden files (single bits and files without checksums excluded): all rows of undamaged blocks, no others, an exact ledger",
  often: number(PATTERNS * RECOVERY_FACTOR),
  env: { RECOVER_RUNS: `${RECOVERY_FACTOR}` },
});

const rowSets = suite("packages/rowset", "test/crash.test.ts", {
  what: "Table stores: a crash after, and a failure of, every operation in seven kinds of change",
  often: "every operation",
});

const MODEL_RUNS = 2000;

const tableStores = suite("packages/rowset", "test/table-store-model.test.ts", {
  what: "Table stores: random writes, compared at every time and in every way of reading with a model that remembers every state",
  often: `${number(MODEL_RUNS)} runs`,
  env: { CFILE_MODEL_RUNS: `${MODEL_RUNS}` },
});

const attacks = suite("packages/cli", "test/serve-attacks.test.ts", {
  what: "Attacks on `cfile serve`: other hosts and origins, paths, ranges, malformed and slow requests, idle connections",
  often: "10,000 connections",
  env: { CFILE_CONNECTIONS: "10000" },
});

const memory: Part = async () => {
  const large = await scanLarge(FOUR_GIB);
  const golden = await readGoldenSet(HEAP);
  const problems = [
    ...(large.rows === large.rowsWritten ? [] : [`${large.rows} of ${large.rowsWritten} rows scanned`]),
    ...(large.peakBytes < MAX_SCAN_BYTES ? [] : [`scanning took ${mebibytes(large.peakBytes)}`]),
    ...golden.failing.map((name) => `${name} fails with a small heap`),
  ];
  return {
    faults: problems,
    tried: [
      {
        what: `A file of ${mebibytes(large.fileBytes)} scanned in a separate process`,
        often: `${number(large.rows)} rows`,
        found: `${mebibytes(large.peakBytes)} peak resident memory (limit 256 MiB), ${large.seconds.toFixed(1)} s`,
      },
      {
        what: `All golden files scanned, verified and recovered with \`--max-old-space-size=${HEAP}\``,
        often: number(golden.files),
        found: `${golden.failing.length} failed; ${mebibytes(golden.peakBytes)} peak resident memory`,
      },
    ],
  };
};

const soaking: Part = async ({ soakSeconds }) => {
  const results = await soak(soakSeconds);
  const done = (role: string): number =>
    results.filter((result) => result.role === role).reduce((sum, result) => sum + result.done, 0);
  const wrong = results.flatMap((result) => result.wrong.map((what) => `${result.role}: ${what}`));
  const errors = results.flatMap((result) => Object.entries(result.errors));
  return {
    faults: wrong,
    tried: [
      {
        what: `Two processes reading and one rewriting the same names for ${soakSeconds} s`,
        often: `${number(done("reader"))} reads, ${number(done("writer"))} files written`,
        found: `${wrong.length} wrong reads, ${errors.map(([code, count]) => `${count} ${code}`).join(", ") || "no errors"}`,
      },
    ],
  };
};

/** In the order of execution: the fastest first. */
export const PARTS: Readonly<Record<string, Part>> = {
  bombs,
  faults,
  recovery,
  "row sets": rowSets,
  attacks,
  directories,
  tolerance,
  "iceberg commits": icebergCommits,
  "replica choice": replicaChoice,
  "table stores": tableStores,
  coverage,
  memory,
  "power cuts": powerCuts,
  fuzz,
  "every bit": everyBit,
  soak: soaking,
  "table store cuts": tableStoreCuts,
  "table store load": storeLoad,
  load,
  "dataset load": datasetLoad,
};
