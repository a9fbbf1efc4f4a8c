/**
 * A round with its own server: random tables, written, altered, flushed and compacted in random order, then
 * read by Kudu and by cfile.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { addCoverage } from "../coverage.js";
import { Random } from "../random.js";
import type { CheckResult } from "../report.js";
import { bulkLoad, planBulkTable } from "./bulk-load.js";
import { readTheirs } from "./compare/read-theirs.js";
import { theyReadOurs } from "./compare/they-read-ours.js";
import { forgettingRound } from "./forgotten/forgetting-server.js";
import { serverCoverage, workCoverage } from "./kudu-coverage.js";
import { KuduServer } from "./kudu-server.js";
import { MAINTENANCE_MS, readAll, TABLES, work } from "./round-steps.js";
import { type KuduPrograms, Session } from "./session.js";
import { TableModel } from "./table-model.js";
import { planTable } from "./table-plan.js";

const ROUNDS = "rounds, of two servers each";

/** A round of a seed. The seed determines everything except the timing of the servers. */
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
    const first = await readTheirs(server, read, `cfile reads what Kudu wrote: ${kind}`);
    const results: CheckResult[] = [
      { ...first, occurred: addCoverage(first.occurred ?? {}, serverCoverage(server.options, isKilled)) },
    ];
    if (first.failures.length > 0) {
      // The directory must not change.
      return results;
    }
    const bulkRead = read.at(-1);
    if (!encrypted && bulkRead !== undefined) {
      results.push(
        ...(await bulkLoad(random, server, programs.driver, {
          plan: bulkPlan,
          model: bulk,
          before: bulkRead,
        })),
      );
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
