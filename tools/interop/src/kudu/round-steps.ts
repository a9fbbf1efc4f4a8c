/**
 * The steps of a round: write, alter, flush and compact tables in random order, then read them with the
 * client.
 */
import type { Random } from "../random.js";
import { type ClientTable, readTables, type TableQuestions } from "./compare/client-rows.js";
import { readAtRest } from "./compare/read-at-rest.js";
import type { Maintenance } from "./kudu-process.js";
import type { Session } from "./session.js";
import type { TableModel } from "./table-model.js";

const STEPS: readonly (Maintenance | "write" | "alter")[] = [
  "write", "write", "write", "write", "flush", "flush", "flush-deltas", "flush-deltas", "minor", "major", "merge", "alter", "alter",
]; // biome-ignore format: one line
/** Tables of a round; the one for the bulk load follows. */
export const TABLES = 3;
export const MAINTENANCE_MS = 700;

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

/** The rows that the client reads from the tables at random times, while no file is rewritten. */
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
