/** A round with a server of its own: random tables, written, altered, flushed and compacted in random order, then read by both. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openKuduDir } from "@cfile/kudu-dir";
import { JavaDriver, type JavaProgram } from "../java-driver.js";
import { Random } from "../random.js";
import { type ClientTable, readTable } from "./client-rows.js";
import { compareTable, problemsOf } from "./compare-rows.js";
import { KuduServer, type Maintenance } from "./kudu-server.js";
import { TableModel } from "./table-model.js";
import { planTable } from "./table-plan.js";

export interface KuduPrograms {
  readonly home: string;
  readonly driver: JavaProgram;
}

export interface RoundResult {
  readonly what: string;
  readonly cases: number;
  readonly rows: number;
  readonly failures: readonly string[];
}

const STEPS: readonly (Maintenance | "write" | "alter")[] = [
  "write", "write", "write", "write", "flush", "flush", "flush-deltas", "flush-deltas", "minor", "major", "merge", "alter", "alter",
]; // biome-ignore format: one line
const TABLES = 3;
const MAINTENANCE_MS = 700;

export async function kuduRound(
  seed: number,
  folder: string,
  programs: KuduPrograms,
): Promise<RoundResult[]> {
  const random = new Random(seed);
  const blockManager = random.once(2) ? "file" : "log";
  const encrypted = random.once(4);
  const isKilled = random.once(3);
  await mkdir(folder, { recursive: true });
  const server = new KuduServer({ home: programs.home, folder, blockManager, encrypted });
  let driver: JavaDriver | undefined;
  try {
    await server.start();
    driver = new JavaDriver(programs.driver, [server.masterAddress]);
    const tables = Array.from({ length: TABLES }, (_, i) => new TableModel(planTable(random, `t${i}`)));
    for (const table of tables) {
      await table.create(driver);
    }
    await work(random, server, driver, tables);
    if (!isKilled && random.once(2)) {
      await server.maintain("flush", 2 * MAINTENANCE_MS);
      await server.maintain("flush-deltas", 2 * MAINTENANCE_MS);
    }
    const read: ClientTable[] = [];
    for (const table of tables) {
      read.push(await readAll(random, driver, table));
    }
    await driver.stop();
    await server.stop(isKilled ? "SIGKILL" : "SIGTERM");
    const kind = `${blockManager} blocks${encrypted ? ", encrypted" : ""}${isKilled ? ", killed" : ""}`;
    return [await readTheirs(server, read, `we read what Kudu wrote (${kind})`)];
  } finally {
    await driver?.stop();
    await server.stop("SIGKILL");
  }
}

async function work(
  random: Random,
  server: KuduServer,
  driver: JavaDriver,
  tables: readonly TableModel[],
): Promise<void> {
  const steps = random.between(12, 26);
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
      await random.pick(tables).alter(driver, random);
    } else {
      await server.maintain(step, MAINTENANCE_MS);
    }
  }
}

async function readAll(random: Random, driver: JavaDriver, table: TableModel): Promise<ClientTable> {
  const { times } = table;
  const chosen = random.shuffled(times).slice(0, 6);
  const last = times.at(-1);
  const asked = [
    ...new Set([
      ...chosen,
      ...chosen.slice(0, 2).map((time) => time - 1n),
      ...(last === undefined ? [] : [last]),
    ]),
  ];
  const pairs = Array.from({ length: times.length < 2 ? 0 : 4 }, (): [bigint, bigint] => {
    const [a = 0n, b = 0n] = [random.pick(times), random.pick(times)];
    return a < b ? [a, b] : [b, a];
  });
  return readTable(driver, table.name, asked, pairs);
}

async function readTheirs(
  server: KuduServer,
  tables: readonly ClientTable[],
  what: string,
): Promise<RoundResult> {
  await using dir = await openKuduDir(join(server.dataFolder));
  const failures: string[] = [];
  let cases = 0;
  let rows = 0;
  for (const table of tables) {
    const compared = await compareTable(dir, table);
    cases += compared.cases;
    rows += compared.rows;
    failures.push(...compared.failures);
  }
  failures.push(...(await problemsOf(dir)).map((problem) => `check: ${problem}`));
  return { what, cases, rows, failures };
}
