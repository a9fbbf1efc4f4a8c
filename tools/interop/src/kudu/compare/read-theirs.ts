/**
 * Reads the directories of a stopped server, and compares the rows with those that its client read before.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openKuduDir } from "@cfile/kudu-dir";
import type { CheckResult } from "../../report.js";
import { fileCoverage } from "../kudu-coverage.js";
import type { KuduServer } from "../kudu-server.js";
import { type ClientTable, clientJson, parseClientJson } from "./client-rows.js";
import { compareTable, problemsOf } from "./compare-rows.js";

export async function readTheirs(
  server: KuduServer,
  tables: readonly ClientTable[],
  what: string,
): Promise<CheckResult> {
  await writeFile(join(server.options.folder, "client.json"), clientJson(tables));
  return compareFolder(server.dataFolder, tables, what);
}

/** Compares the data that a round left in its folder. */
export async function readAgain(folder: string): Promise<CheckResult> {
  const tables = parseClientJson(await readFile(join(folder, "client.json"), "utf8"));
  return compareFolder(join(folder, "ts"), tables, folder);
}

async function compareFolder(
  folder: string,
  tables: readonly ClientTable[],
  what: string,
): Promise<CheckResult> {
  await using dir = await openKuduDir(folder);
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
  return { what, cases, rows, failures, occurred: await fileCoverage(dir) };
}
