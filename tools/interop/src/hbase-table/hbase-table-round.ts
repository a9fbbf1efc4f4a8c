/** A whole HBase changes random tables; cfile reads a copy of its root directory and must return the same cells as HBase's client. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fromHex, toHex } from "@cfile/bytes";
import {
  type HBaseRoot,
  type HBaseTable,
  openHBaseRoot,
  type TableCells,
  type TableScanOptions,
} from "@cfile/hbase";
import { verifyTable } from "@cfile/hbase/verify";
import { type Coverage, noneOf } from "../coverage.js";
import type { JavaDriver } from "../java-driver.js";
import type { CheckResult } from "../report.js";

type CellFact = readonly [string, string, string, number, number, string];

interface QueryFact {
  readonly options: {
    readonly versions?: number | "all";
    readonly timeRange?: readonly [number, number];
    readonly startRow?: string;
    readonly stopRow?: string;
    readonly families?: readonly string[];
    readonly columns?: readonly (readonly [string, string])[];
    readonly raw?: boolean;
    readonly limit?: number;
    readonly row?: string;
  };
  readonly now: number;
  readonly cells: readonly CellFact[];
}

interface TableFacts {
  readonly kind: "table" | "snapshot";
  readonly name: string;
  readonly regions?: readonly string[];
  readonly scans: readonly QueryFact[];
  readonly gets: readonly QueryFact[];
}

interface Tally {
  cases: number;
  rows: number;
  readonly failures: string[];
}

export async function hbaseTableRound(
  seed: number,
  folder: string,
  driver: JavaDriver,
): Promise<CheckResult[]> {
  const answer = (await driver.ask(["round", seed, folder])).map((line) => line.split("\t"));
  const facts: readonly TableFacts[] = JSON.parse(await readFile(join(folder, "facts.json"), "utf8"));
  const root = await openHBaseRoot(join(folder, "root"));
  const recovered = await openHBaseRoot(join(folder, "recovered"));
  const [tables, snapshots, afterCrash, verified] = [newTally(), newTally(), newTally(), newTally()];
  const kinds = noneOf(["hfile", "link", "reference"]);
  for (const table of facts) {
    const isTable = table.kind === "table";
    await compareTable(root, table, isTable ? tables : snapshots);
    await verifyOne(root, table, verified, kinds);
    if (isTable) {
      await compareTable(recovered, table, afterCrash);
    }
  }
  const unanswered = answer.filter(([what]) => what === "unanswered");
  return [
    {
      what: "cfile reads HBase's tables: scans, gets and regions as HBase's client",
      ...tables,
      counts: { "scans that HBase did not answer": unanswered.length },
      occurred: occurredIn(answer),
    },
    { what: "cfile reads HBase's snapshots: scans as HBase's TableSnapshotScanner", ...snapshots },
    { what: "the same tables with the logs that HBase divides after a crash", ...afterCrash },
    {
      what: "cfile verifies the tables and snapshots without finding damage",
      ...verified,
      occurred: { "store files by kind": kinds },
    },
  ];
}

function newTally(): Tally {
  return { cases: 0, rows: 0, failures: [] };
}

/** The driver's counts: lines of group, item and count. */
function occurredIn(answer: readonly (readonly string[])[]): Coverage {
  const groups: Record<string, Record<string, number>> = {};
  for (const [what, group = "", item = "", count] of answer) {
    if (what === "occurred") {
      const items = groups[group] ?? {};
      groups[group] = items;
      items[item] = Number(count);
    }
  }
  return groups;
}

function open(root: HBaseRoot, { kind, name }: TableFacts): Promise<HBaseTable> {
  return kind === "table" ? root.openTable(name) : root.openSnapshot(name);
}

async function compareTable(root: HBaseRoot, facts: TableFacts, tally: Tally): Promise<void> {
  await using table = await open(root, facts);
  const regions = table.regions.map(({ encodedName }) => encodedName);
  if (facts.regions !== undefined && regions.join() !== facts.regions.join()) {
    tally.failures.push(`${facts.name}: HBase has the regions ${facts.regions.join()}, we ${regions.join()}`);
  }
  for (const query of [...facts.scans, ...facts.gets]) {
    const expected = query.cells.map((cell) => JSON.stringify(cell));
    const found = await answer(table, query);
    tally.cases++;
    tally.rows += expected.length;
    const at = expected.findIndex((cell, i) => cell !== found[i]);
    if (at >= 0 || expected.length !== found.length) {
      const i = at < 0 ? expected.length : at;
      tally.failures.push(
        `${facts.name} ${JSON.stringify(query.options)}: ${expected.length} cells, we ${found.length}; cell ${i} is ${expected[i] ?? "none"}, we ${found[i] ?? "none"}`,
      );
    }
  }
}

async function answer(table: HBaseTable, { options, now }: QueryFact): Promise<string[]> {
  const { row, startRow, stopRow, timeRange, columns, ...rest } = options;
  const scan: TableScanOptions = {
    ...rest,
    now,
    startRow: startRow && fromHex(startRow),
    stopRow: stopRow && fromHex(stopRow),
    timeRange: timeRange && { from: timeRange[0], to: timeRange[1] },
    columns: columns?.map(([family, qualifier]) => ({ family, qualifier: fromHex(qualifier) })),
  };
  if (row !== undefined) {
    return cellTexts(await table.get(fromHex(row), scan));
  }
  const found: string[] = [];
  for await (const cells of table.scan(scan)) {
    found.push(...cellTexts(cells));
  }
  return found;
}

function cellTexts(cells: TableCells): string[] {
  return Array.from({ length: cells.length }, (_, i) =>
    JSON.stringify([
      toHex(cells.row(i)),
      cells.family(i),
      toHex(cells.qualifier(i)),
      Number(cells.timestamp(i)),
      cells.type(i),
      toHex(cells.value(i)),
    ]),
  );
}

async function verifyOne(
  root: HBaseRoot,
  facts: TableFacts,
  tally: Tally,
  kinds: Record<string, number>,
): Promise<void> {
  await using table = await open(root, facts);
  const report = await verifyTable(table);
  tally.cases++;
  tally.rows += report.cells;
  for (const { encodedName } of table.regions) {
    for (const { kind } of await table.files(encodedName)) {
      kinds[kind] = (kinds[kind] ?? 0) + 1;
    }
  }
  tally.failures.push(
    ...report.problems.map(({ path, file, reason }) => `${facts.name}, ${path ?? file ?? ""}: ${reason}`),
    ...report.boundaries.map(({ kind }) => `${facts.name}: ${kind} between regions`),
  );
}
