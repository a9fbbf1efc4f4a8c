/**
 * A dataset with damaged files, and splits that no worker can run. For each damaged file, the ledger must
 * have the report of `cfile recover`. Only the invalid splits may fail, and the table must have the remaining
 * rows.
 */
import { spawnSync } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { cfileOutput } from "../kudu/cfile-command.js";
import { Random } from "../random.js";
import type { CheckResult } from "../report.js";
import { COMMAND, readLedger, type Spark, submitJob } from "./spark-cluster.js";
import { datasetColumns, type MadeDataset, makeDataset } from "./spark-inputs.js";
import { exportDataset, linesOfFiles, linesOfResult } from "./table-rows.js";

const PARTS = 24;
const DAMAGED = 5;
const NAME = "damaged";
/** Exit code of a result with missing rows. */
const MISSING_ROWS = 3;

/** The part of a ledger of `cfile recover` that lists lost rows. */
interface RecoveryLedger {
  readonly rowsKept: number;
  readonly blocks: readonly { readonly state: string; readonly rows: number | null }[];
}

interface BadSplit {
  readonly line: string;
  readonly code: string;
}

export async function damagedRound(seed: number, folder: string, spark: Spark): Promise<CheckResult> {
  const random = new Random(seed + 1000);
  const path = (name: string): string => join(folder, name);
  const dataset = await makeDataset(path(NAME), PARTS, seed + 1, [1024]);
  await exportDataset(dataset.path, datasetColumns, path("sound.parquet"));
  const sound = await linesOfFiles([path("sound.parquet")]);
  const failures: string[] = [];
  const ledgers = await damageFiles(random, dataset, path("saved.cfile"));
  await cfileOutput(["splits", dataset.path, "--target", "96KiB", "-o", path("damaged.ndjson")]);
  const bad = await badSplits(folder, path("damaged.ndjson"));
  const lines = `${await readFile(path("damaged.ndjson"), "utf8")}${bad.map(({ line }) => `${line}\n`).join("")}`;
  await writeFile(path("all.ndjson"), lines);

  const output = path(`${NAME}-table`);
  const roots = [path(NAME), path("gone")].flatMap((root) => ["--allow-root", root]);
  const { code, log } = await submitJob(spark, folder, {
    splits: path("all.ndjson"),
    output,
    table: NAME,
    options: ["--recover", ...roots, "--sql", `select count(*) n from ${NAME}`],
    settings: { "spark.sql.catalogImplementation": "in-memory" },
  });
  if (code !== MISSING_ROWS) {
    throw new Error(`${NAME}: the application exited with ${code}, see ${log}`);
  }
  const { results, failed, rowsLost } = await readLedger(output);
  const codes = results.slice(-bad.length).map(({ error }) => error?.code);
  const wantedCodes = bad.map((split) => split.code);
  if (!isDeepStrictEqual(codes, wantedCodes) || failed !== bad.length) {
    failures.push(`${failed} splits failed, the last with ${codes}, expected ${wantedCodes}; ${log}`);
  }
  const told = new Map<string, RecoveryLedger>();
  for (const entry of results.flatMap(({ recovered }) => recovered ?? [])) {
    const { path: file, ledger } = entry as { path: string; ledger: RecoveryLedger };
    told.set(file, ledger);
  }
  for (const [file, ledger] of ledgers) {
    const entry = told.get(file);
    if (ledger === undefined ? entry?.rowsKept !== 0 : !isDeepStrictEqual(entry, ledger)) {
      failures.push(`${file}: ledger ${JSON.stringify(entry)}, recover ${JSON.stringify(ledger)}; ${log}`);
    }
  }
  if (told.size !== ledgers.size) {
    failures.push(`${told.size} files reported as damaged, ${ledgers.size} are`);
  }
  const lost = lostRows(dataset, ledgers);
  const wanted = sound.filter((_, row) => !lost.has(row)).sort();
  const found = (await linesOfResult(output)).sort();
  if (rowsLost !== lost.size || !isDeepStrictEqual(found, wanted)) {
    failures.push(
      `${found.length} rows remain, ${rowsLost} lost; expected ${wanted.length} and ${lost.size}; ${log}`,
    );
  }
  return {
    what: "damaged files and invalid splits: the ledger of `cfile recover`, errors only for those splits, the remaining rows",
    cases: results.length,
    rows: wanted.length,
    failures,
    counts: { "damaged files": ledgers.size, "rows lost": lost.size, "bad splits": bad.length },
  };
}

/** Flips one bit in a file of several parts. @returns the ledger of `cfile recover` for each damaged file */
async function damageFiles(
  random: Random,
  { files }: MadeDataset,
  saved: string,
): Promise<ReadonlyMap<string, RecoveryLedger | undefined>> {
  const ledgers = new Map<string, RecoveryLedger | undefined>();
  for (const part of random.shuffled([...files]).slice(0, DAMAGED)) {
    const path = random.pick(part);
    const bytes = await readFile(path);
    const at = random.between(Math.floor(bytes.length / 4), Math.floor(bytes.length / 2));
    bytes[at] = (bytes[at] as number) ^ (1 << random.below(8));
    await writeFile(path, bytes);
    // Its exit code reports lost rows.
    const { stdout, stderr } = spawnSync(process.execPath, [COMMAND, "recover", path, saved, "--json"], {
      encoding: "utf8",
    });
    if (stdout === "" && !stderr.includes("nothing to recover")) {
      throw new Error(`cfile recover ${path}: ${stderr}`);
    }
    ledgers.set(path, stdout === "" ? undefined : JSON.parse(stdout).ledger);
  }
  return ledgers;
}

/** Row numbers of the dataset with a lost cell. */
function lostRows(
  { files, partRows }: MadeDataset,
  ledgers: ReadonlyMap<string, RecoveryLedger | undefined>,
): ReadonlySet<number> {
  const lost = new Set<number>();
  let first = 0;
  for (const [part, paths] of files.entries()) {
    for (const path of paths) {
      let row = first;
      const whole = [{ state: ledgers.has(path) ? "lost" : "kept", rows: partRows[part] ?? 0 }];
      for (const { state, rows } of ledgers.get(path)?.blocks ?? whole) {
        for (const end = row + (rows ?? 0); row < end; row++) {
          if (state !== "kept") {
            lost.add(row);
          }
        }
      }
    }
    first += partRows[part] ?? 0;
  }
  return lost;
}

/**
 * Splits with missing sources, with sources outside the allowed roots, of another version, and an invalid
 * line.
 */
async function badSplits(folder: string, planned: string): Promise<BadSplit[]> {
  const lines: string[] = [];
  for (const name of ["gone", "outside"]) {
    const { path, files } = await makeDataset(join(folder, name), 1, 1, [1024]);
    const target = join(folder, `${name}.ndjson`);
    await cfileOutput(["splits", path, "-o", target]);
    lines.push(...(await readFile(target, "utf8")).trim().split("\n"));
    if (name === "gone") {
      await rm(files[0]?.[0] ?? "");
    }
  }
  const [gone = "", outside = ""] = lines;
  const [first = ""] = (await readFile(planned, "utf8")).split("\n");
  const version = JSON.stringify({ ...JSON.parse(first), id: "0".repeat(32), cfileSplit: 2 });
  return [
    { line: gone, code: "E_NOT_FOUND" },
    { line: outside, code: "E_INVALID_ARGUMENT" },
    { line: version, code: "E_UNSUPPORTED" },
    { line: first.slice(0, 100), code: "E_CORRUPT" },
  ];
}
