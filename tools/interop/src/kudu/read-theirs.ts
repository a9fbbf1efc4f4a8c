/** A stopped server's directories read by us, beside what its client read before. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openKuduDir } from "@cfile/kudu-dir";
import type { CheckResult } from "../report.js";
import { type ClientTable, clientJson } from "./client-rows.js";
import { compareTable, problemsOf } from "./compare-rows.js";
import type { KuduServer } from "./kudu-server.js";

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
  let contradictions = 0;
  for (const table of tables) {
    const compared = await compareTable(dir, table);
    cases += compared.cases;
    rows += compared.rows;
    contradictions += compared.contradictions;
    failures.push(...compared.failures);
  }
  failures.push(...(await problemsOf(dir)).map((problem) => `check: ${problem}`));
  const counts =
    contradictions > 0 ? { "rows of which Kudu's difference contradicts its own state": contradictions } : {};
  return { what, cases, rows, failures, counts };
}
