/** The parts for damaged directories, for readers that tolerate damage, for models, and for the coverage of decoders. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { damageDirectories } from "../directories/damage-directories.js";
import { REPLICA_CHOICE } from "../harnesses/cluster-files.js";
import { modelIcebergCommits } from "../models/iceberg-commits.js";
import { modelReplicas } from "../replicas/model-replicas.js";
import { runShard } from "../run-fuzz.js";
import { compareCommands, READERS } from "../tolerance/all-readers.js";
import { compareReaders } from "../tolerance/compare-readers.js";
import { number, type Part, type PartResult } from "./part.js";

const COVERAGE = fileURLToPath(new URL("../../../workspace/coverage.mjs", import.meta.url));
export const directories: Part = async ({ seed, cases }) => {
  const damaged = await damageDirectories(seed, 0, Math.ceil(cases / 100));
  const {
    unchanged,
    refused,
    "torn log": torn,
    "shorter log": shorter,
    "older state": older,
  } = damaged.results;
  return {
    faults: damaged.faults,
    tried: [
      {
        what: `Directories of Kudu servers with one damaged file (${Object.keys(damaged.kinds).join(", ")}): all rows, or a typed error; recovered rows are rows that it had, and the accounts have every missing one`,
        often: number(damaged.cases),
        found: `${damaged.faults.length} wrong; ${number(unchanged)} with all rows, ${number(refused)} with a typed error, ${number(torn)} read up to the last entry of a log, which is reported as torn, ${number(shorter)} up to a cut between two entries, which no reader can see, ${number(older)} in an older state that the check reports or the log completes; ${number(damaged.recovered)} tablets recovered in part`,
      },
    ],
  };
};

/** Readers that open many files per case. */
const SLOW_READERS = /HBase|Hudi|Kudu|splits/;

export const tolerance: Part = async ({ seed, cases }) => {
  const parts: PartResult[] = [];
  for (const reader of READERS) {
    const count = Math.ceil(cases / (SLOW_READERS.test(reader.name) ? 20_000 : 2000));
    const report = await compareReaders(reader, seed, count, compareCommands);
    parts.push({
      faults: report.faults,
      tried: [
        {
          what: `${reader.name}: damaged bytes, read strictly${reader.tolerant === undefined ? "" : ", and with tolerance"}${reader.extension === undefined && reader.commands === undefined ? "" : ", and by the command"}`,
          often: number(report.cases),
          found: `${report.faults.length} with fewer rows and no error, or rows that the account does not have; ${number(report.refused)} refused${reader.tolerant === undefined ? "" : `, ${number(report.tolerated)} of them recovered`}; ${number(report.unchanged)} with all rows`,
        },
      ],
    });
  }
  return {
    faults: parts.flatMap(({ faults: found }) => found),
    tried: parts.flatMap(({ tried }) => tried),
  };
};

export const icebergCommits: Part = async ({ seed, cases }) => {
  const { commits, outcomes, faults: wrong } = await modelIcebergCommits(seed, 0, Math.ceil(cases / 10_000));
  return {
    faults: wrong,
    tried: [
      {
        what: "Random commits to Iceberg tables in memory, with a failing operation, a crash at any operation, a power cut on disks that keep any part of what is not synced, or another writer: the rows before or after the commit, as in a model",
        often: number(commits),
        found: `${wrong.length} other rows; ${number(outcomes.committed)} committed, ${number(outcomes["not committed"])} not`,
      },
    ],
  };
};

/** Few cases, because each history opens many files. */
const HISTORY_CASES = 2000;

export const replicaChoice: Part = async ({ seed, cases }) => {
  const to = Math.ceil(cases / 20);
  const report = await runShard(REPLICA_CHOICE, { seed, harness: REPLICA_CHOICE.name, from: 0, to });
  const onDisks = await modelReplicas(seed, 0, Math.ceil(cases / HISTORY_CASES));
  const { histories, stops, outcomes } = onDisks;
  const reads = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  return {
    faults: [
      ...report.crashes.map(({ seed: own, reason }) => `seed ${own}: ${reason.split("\n")[0]}`),
      ...onDisks.faults,
    ],
    tried: [
      {
        what: "Random histories of a Raft group (elections, crashes, changes of members, logs cut at their beginning), each with every set of disks that may be left, undamaged and damaged (the last entries lost, torn, or kept without earlier ones; logs and consensus metadata that are older or cannot be read): which replica is read, which writes count, and what is reported as missing, as in a model",
        often: number(to),
        found: `${report.crashes.length} answered writes not read, or overwritten ones read, without a report; ${number(Math.round(report.seconds))} s of processor time`,
      },
      {
        what: "The same on bytes: each replica writes its log, consensus metadata, superblock and blocks to a simulated disk, and any disk operation may stop its server: a kill, a failing disk that may have written half, or a power cut that keeps the first of the unsynced writes, any of them, or any state of each sector or page. Servers start again with the remaining files. Rows are inserted, updated, deleted, and inserted again. The rows that are read and recovered from the directories of any of the servers, at any moment, are those of the answered writes, or what is missing is reported",
        often: `${number(histories)} histories, read ${number(reads)} times`,
        found: `${onDisks.faults.length} wrong or missing rows without a report; ${number(stops)} servers stopped at a disk operation; ${number(outcomes["all answered writes"])} times all answered writes, ${number(outcomes["some missing, as reported"])} without some, ${number(outcomes["recovered in part"])} refused and recovered, ${number(outcomes.refused)} refused`,
      },
    ],
  };
};

/** A line of `pnpm coverage`. */
const COVERED = /^(\S+): ([\d.]+) % of (\d+) branches$/;

/** The result of `pnpm coverage`. */
export interface CoverageRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A fault if a package is missing because its tests failed, or if a branch without a reason is not reached. */
export function coverageResult({ status, stdout, stderr }: CoverageRun): PartResult {
  const packages = stdout.split("\n").flatMap((line) => {
    const [, name, percent, all] = COVERED.exec(line) ?? [];
    return name === undefined ? [] : [{ name, percent, all: Number(all) }];
  });
  const reason = stderr.split("\n").find((line) => line.startsWith("Error:")) ?? "see `pnpm coverage`";
  return {
    faults: status === 0 ? [] : [`coverage of the decoders: exit code ${status}: ${reason}`],
    tried: [
      {
        what: "Branches of the decoders that the tests of their own packages reach (`pnpm coverage` lists the others)",
        often: number(packages.reduce((sum, { all }) => sum + all, 0)),
        found: packages.map(({ name, percent }) => `\`${name}\` ${percent} %`).join(", "),
      },
    ],
  };
}

export const coverage: Part = async () => coverageResult(spawnSync("node", [COVERAGE], { encoding: "utf8" }));
