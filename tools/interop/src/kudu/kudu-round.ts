/** A round with a server of its own: random tables, written, altered, flushed and compacted in random order, then read by both. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { addCoverage } from "../coverage.js";
import type { JavaProgram } from "../java-driver.js";
import { Random } from "../random.js";
import type { CheckResult } from "../report.js";
import { bulkLoad, planBulkTable } from "./bulk-load.js";
import { type ClientTable, readTables, type TableQuestions } from "./client-rows.js";
import { forgettingRound } from "./forgetting-server.js";
import { serverCoverage, workCoverage } from "./kudu-coverage.js";
import { KuduServer, type Maintenance } from "./kudu-server.js";
import { readAtRest } from "./read-at-rest.js";
import { readTheirs } from "./read-theirs.js";
import { Session } from "./session.js";
import { TableModel } from "./table-model.js";
import { planTable } from "./table-plan.js";
import { theyReadOurs } from "./they-read-ours.js";

export interface KuduPrograms {
  readonly home: string;
  readonly driver: JavaProgram;
}

const STEPS: readonly (Maintenance | "write" | "alter")[] = [
  "write", "write", "write", "write", "flush", "flush", "flush-deltas", "flush-deltas", "minor", "major", "merge", "alter", "alter",
]; // biome-ignore format: one line
const ROUNDS = "rounds, of two servers each";
const TABLES = 3;
const MAINTENANCE_MS = 700;

/** A round of a seed; everything in it follows from the seed but for the servers' own timing. */
export async function kuduRound(
  seed: number,
  folder: string,
  programs: KuduPrograms,
): Promise<CheckResult[]> {
  const first = await growingRound(seed, folder, programs);
  const second = await forgettingRound(seed, join(folder, "forgetting"), programs);
  const folders = [folder, join(folder, "loaded"), join(folder, "forgetting")];
  const occurred = (await Promise.all(folders.map(workCoverage))).reduce(addCoverage);
  return [...first, ...second, { what: ROUNDS, cases: 1, rows: 0, failures: [], occurred }];
}

async function growingRound(seed: number, folder: string, programs: KuduPrograms): Promise<CheckResult[]> {
  const random = new Random(seed);
  const blockManager = random.once(3) ? "log" : "file";
  const encrypted = random.once(4);
  const isKilled = random.once(3);
  await mkdir(folder, { recursive: true });
  const server = new KuduServer({ home: programs.home, folder, blockManager, encrypted });
  const session = new Session(server, programs.driver);
  try {
    await session.start();
    const bulkPlan = planBulkTable(random, "bulk");
    const bulk = new TableModel(bulkPlan);
    const tables = Array.from({ length: TABLES }, (_, i) => new TableModel(planTable(random, `t${i}`)));
    tables.push(bulk);
    for (const table of tables) {
      await table.create(session.driver);
    }
    await work(random, session, tables);
    if (!isKilled && random.below(3) > 0) {
      await server.maintain("flush", 2 * MAINTENANCE_MS);
      await server.maintain("flush-deltas", 2 * MAINTENANCE_MS);
    }
    const read = await readAll(random, session, tables);
    await session.stop(isKilled ? "SIGKILL" : "SIGTERM");
    const kind = `${blockManager} blocks${encrypted ? ", encrypted" : ""}${isKilled ? ", killed" : ""}`;
    const first = await readTheirs(server, read, `we read what Kudu wrote: ${kind}`);
    const results: CheckResult[] = [
      { ...first, occurred: addCoverage(first.occurred ?? {}, serverCoverage(server.options, isKilled)) },
    ];
    if (first.failures.length > 0) {
      // The directory stays as it is.
      return results;
    }
    const bulkRead = read.at(-1);
    if (!encrypted && bulkRead !== undefined) {
      results.push(...(await bulkLoad(random, server, programs.driver, bulkPlan, bulk, bulkRead)));
    }
    if (blockManager === "file" && !encrypted) {
      results.push(...(await theyReadOurs(random, session, tables, read)));
    }
    return results;
  } catch (error) {
    return await session.crashAfter(error);
  } finally {
    await session.stop("SIGKILL");
  }
}

/** Writes, alterations, flushes and compactions in random order. */
export async function work(
  random: Random,
  { driver, server }: Session,
  tables: readonly TableModel[],
  steps = random.between(12, 26),
): Promise<void> {
  for (const table of tables) {
    await table.write(driver, random);
  }
  for (let i = 0; i < steps; i++) {
    const step = random.pick(STEPS);
    if (step === "write") {
      for (const table of tables) {
        await table.write(driver, random);
      }
    } else if (step === "alter") {
      // The last table keeps the columns of its CSV.
      await random.pick(tables.slice(0, TABLES)).alter(driver, random);
    } else {
      await server.maintain(step, MAINTENANCE_MS);
    }
  }
}

/** What the client reads of the tables at times chosen at random, while no file is rewritten. */
export function readAll(
  random: Random,
  { driver, server }: Session,
  tables: readonly TableModel[],
): Promise<ClientTable[]> {
  const questions = tables.map((table) => chooseQuestions(random, table));
  return readAtRest(server, () => readTables(driver, questions));
}

function chooseQuestions(random: Random, table: TableModel): TableQuestions {
  const { times } = table;
  const chosen = random.shuffled(times).slice(0, 6);
  const last = times.at(-1);
  const pairs = Array.from({ length: times.length < 2 ? 0 : 4 }, (): [bigint, bigint] => {
    const [a = 0n, b = 0n] = [random.pick(times), random.pick(times)];
    return a < b ? [a, b] : [b, a];
  });
  const asked = [
    ...chosen,
    ...chosen.slice(0, 2).map((time) => time - 1n),
    ...(last === undefined ? [] : [last]),
    ...pairs.map(([, to]) => to),
  ];
  return { name: table.name, times: [...new Set(asked)], pairs: table.hasDiffs ? pairs : [] };
}
