/**
 * Checks what remains of dropped ranges, dropped tables and deleted replicas: nothing that could be mistaken
 * for rows.
 */
import { isCFileError } from "@cfile/bytes";
import type { KuduDir } from "@cfile/kudu-dir";
import type { CheckResult } from "../../report.js";
import { cfileOutput } from "../cfile-command.js";
import type { TabletRows } from "../compare/client-rows.js";
import { firstDifference, rowTexts } from "../compare/compare-rows.js";
import type { KuduServer } from "../kudu-server.js";

export interface Remaining {
  /** By table, the last answer of the client for the remaining tablets. */
  readonly alive: ReadonlyMap<string, TabletRows>;
  /** The tablet whose replica was deleted. */
  readonly tombstoned: string;
  /** The dropped table. */
  readonly dropped: string;
}

export async function checkForgotten(
  dir: KuduDir,
  server: KuduServer,
  { alive, tombstoned, dropped }: Remaining,
): Promise<CheckResult> {
  const failures: string[] = [];
  let rows = 0;
  const tablets = await dir.tablets();
  const ready = tablets.filter(({ state }) => state === "ready").map(({ id }) => id);
  const wanted = [...alive.values()].flatMap((byTablet) => [...byTablet.keys()]);
  const difference = firstDifference([...wanted].sort(), [...ready].sort());
  if (difference !== undefined) {
    failures.push(`tablets that are ready: ${difference}`);
  }
  for (const [name, byTablet] of alive) {
    const found = new Map<string, string[]>();
    const table = await dir.table(name);
    for (const tablet of table.tablets.filter(({ state }) => state === "ready")) {
      found.set(tablet.id, []);
    }
    // Tablets that are not ready must be reported and skipped.
    const told: string[] = [];
    const onUnreadable = ({ tablet }: { readonly tablet: string }) => void told.push(tablet);
    for await (const batch of table.scan({ withLog: true, onUnreadable })) {
      found.get(batch.tablet.id)?.push(...rowTexts(batch, undefined));
    }
    for (const [id, lines] of byTablet) {
      rows += lines.length;
      const wrong = firstDifference(lines, found.get(id) ?? []);
      if (wrong !== undefined) {
        failures.push(`table ${name}, tablet ${id}, last state: ${wrong}`);
      }
    }
    const gone = table.tablets.filter(({ state }) => state !== "ready").map(({ id }) => id);
    if (gone.some((id) => !told.includes(id))) {
      failures.push(`table ${name}: of ${gone.join(" ")} only ${told.join(" ")} are reported`);
    }
  }
  if (tablets.some(({ tableName, state }) => tableName === dropped && state === "ready")) {
    failures.push(`table ${dropped} was dropped, but has tablets that are ready`);
  }
  failures.push(...(await checkTombstone(dir, server, tombstoned)));
  return {
    what: "dropped ranges and tables, deleted replicas",
    cases: tablets.length,
    rows,
    failures,
  };
}

async function checkTombstone(dir: KuduDir, server: KuduServer, id: string): Promise<string[]> {
  const tablet = await dir.tablet(id);
  const failures: string[] = [];
  if (tablet.state !== "tombstoned") {
    failures.push(`tablet ${id} is ${tablet.state}, expected tombstoned`);
  }
  try {
    for await (const { length } of tablet.scan()) {
      failures.push(`tablet ${id} is tombstoned, but has ${length} rows`);
    }
    failures.push(`tablet ${id} is tombstoned, but can be read`);
  } catch (error) {
    if (!isCFileError(error) || error.field !== "tablet_data_state") {
      failures.push(`tablet ${id} is tombstoned: ${String(error)}`);
    }
  }
  const listed = await cfileOutput(["kudu", "ls", server.dataFolder]);
  if (!listed.split("\n").some((line) => line.includes("tombstoned"))) {
    failures.push(`cfile kudu ls does not list the tombstoned tablet ${id}`);
  }
  return failures;
}
