/** A round with a server of its own: random tables, written, altered, flushed and compacted in random order, then read by both. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openKuduDir } from "@cfile/kudu-dir";
import type { JavaDriver, JavaProgram } from "../java-driver.js";
import { Random } from "../random.js";
import type { CheckResult } from "../report.js";
import { type ClientTable, clientJson, readTable } from "./client-rows.js";
import { compareTable, problemsOf } from "./compare-rows.js";
import { KuduServer, type Maintenance } from "./kudu-server.js";
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
const TABLES = 3;
const MAINTENANCE_MS = 700;

/** A round of a seed; everything in it follows from the seed but for the server's own timing. */
export async function kuduRound(
  seed: number,
  folder: string,
  programs: KuduPrograms,
): Promise<CheckResult[]> {
  const random = new Random(seed);
  const blockManager = random.once(3) ? "log" : "file";
  const encrypted = random.once(4);
  const isKilled = random.once(3);
  await mkdir(folder, { recursive: true });
  const server = new KuduServer({ home: programs.home, folder, blockManager, encrypted });
  const session = new Session(server, programs.driver);
  try {
    await session.start();
    const tables = Array.from({ length: TABLES }, (_, i) => new TableModel(planTable(random, `t${i}`)));
    for (const table of tables) {
      await table.create(session.driver);
    }
    await work(random, session, tables);
    if (!isKilled && random.below(3) > 0) {
      await server.maintain("flush", 2 * MAINTENANCE_MS);
      await server.maintain("flush-deltas", 2 * MAINTENANCE_MS);
    }
    const read: ClientTable[] = [];
    for (const table of tables) {
      read.push(await readAll(random, session.driver, table));
    }
    await session.stop(isKilled ? "SIGKILL" : "SIGTERM");
    const kind = `${blockManager} blocks${encrypted ? ", encrypted" : ""}${isKilled ? ", killed" : ""}`;
    const results = [await readTheirs(server, read, `we read what Kudu wrote: ${kind}`)];
    if (blockManager === "file" && !encrypted) {
      results.push(...(await theyReadOurs(random, session, tables, read)));
    }
    return results;
  } catch (error) {
    const stopped = await server.crash();
    if (stopped === undefined) {
      throw error;
    }
    return [
      { what: `Kudu's server stopped itself: ${stopped}`, cases: 0, rows: 0, failures: [], isFinding: true },
    ];
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
      await random.pick(tables).alter(driver, random);
    } else {
      await server.maintain(step, MAINTENANCE_MS);
    }
  }
}

export async function readAll(random: Random, driver: JavaDriver, table: TableModel): Promise<ClientTable> {
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

export async function readTheirs(
  server: KuduServer,
  tables: readonly ClientTable[],
  what: string,
): Promise<CheckResult> {
  await writeFile(join(server.options.folder, "client.json"), clientJson(tables));
  await using dir = await openKuduDir(server.dataFolder);
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
