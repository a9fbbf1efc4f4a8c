/** The rows that Kudu's client read from a table: snapshots, and diffs between two of them. */
import type { JavaDriver } from "../../java-driver.js";

/**
 * By tablet, rows in key order. Cells are in the text format of the driver. In diffs, the last cell is 1
 * (deleted) or 0.
 */
export type TabletRows = ReadonlyMap<string, readonly string[]>;

export interface ClientSnapshot {
  readonly timestamp: bigint;
  readonly rows: TabletRows;
}

export interface ClientDiff {
  readonly from: bigint;
  readonly to: bigint;
  readonly rows: TabletRows;
}

export interface ClientTable {
  readonly name: string;
  /** Names of the columns in order. */
  readonly columns: readonly string[];
  readonly snapshots: readonly ClientSnapshot[];
  readonly diffs: readonly ClientDiff[];
}

/** The requests for a table: snapshots, and diffs between pairs of them. */
export interface TableQuestions {
  readonly name: string;
  readonly times: readonly bigint[];
  readonly pairs: readonly (readonly [bigint, bigint])[];
}

export async function readSnapshot(
  driver: JavaDriver,
  table: string,
  timestamp: bigint,
): Promise<ClientSnapshot> {
  return { timestamp, rows: byTablet(await driver.ask(["scan", table, timestamp])) };
}

export async function readDiff(
  driver: JavaDriver,
  table: string,
  from: bigint,
  to: bigint,
): Promise<ClientDiff> {
  return { from, to, rows: byTablet(await driver.ask(["diff", table, from, to])) };
}

/** Reads a table at all these times, and the diffs between pairs of them. */
export async function readTable(
  driver: JavaDriver,
  name: string,
  times: readonly bigint[],
  pairs: readonly (readonly [bigint, bigint])[],
): Promise<ClientTable> {
  const columns = await driver.ask(["schema", name]);
  const snapshots: ClientSnapshot[] = [];
  for (const timestamp of times) {
    snapshots.push(await readSnapshot(driver, name, timestamp));
  }
  const diffs: ClientDiff[] = [];
  for (const [from, to] of pairs) {
    diffs.push(await readDiff(driver, name, from, to));
  }
  return { name, columns, snapshots, diffs };
}

/** Reads tables in sequence. */
export async function readTables(
  driver: JavaDriver,
  questions: readonly TableQuestions[],
): Promise<ClientTable[]> {
  const answers: ClientTable[] = [];
  for (const { name, times, pairs } of questions) {
    answers.push(await readTable(driver, name, times, pairs));
  }
  return answers;
}

/** The requests for a table. */
export function questionsOf({ name, snapshots, diffs }: ClientTable): TableQuestions {
  return {
    name,
    times: snapshots.map(({ timestamp }) => timestamp),
    pairs: diffs.map(({ from, to }) => [from, to]),
  };
}

/** All rows that were read, as JSON, for comparing them again without a server. */
export function clientJson(tables: readonly ClientTable[]): string {
  const plain = (rows: TabletRows): Record<string, readonly string[]> => Object.fromEntries(rows);
  return JSON.stringify(
    tables.map(({ name, columns, snapshots, diffs }) => ({
      name,
      columns,
      snapshots: snapshots.map(({ timestamp, rows }) => ({
        timestamp: String(timestamp),
        rows: plain(rows),
      })),
      diffs: diffs.map(({ from, to, rows }) => ({ from: String(from), to: String(to), rows: plain(rows) })),
    })),
  );
}

interface TimesJson {
  readonly timestamp: string;
  readonly from: string;
  readonly to: string;
  readonly rows: Readonly<Record<string, readonly string[]>>;
}

interface TableJson {
  readonly name: string;
  readonly columns: readonly string[];
  readonly snapshots: readonly TimesJson[];
  readonly diffs: readonly TimesJson[];
}

/** Parses the output of {@link clientJson}. */
export function parseClientJson(text: string): ClientTable[] {
  const tables: readonly TableJson[] = JSON.parse(text);
  return tables.map(({ name, columns, snapshots, diffs }) => ({
    name,
    columns,
    snapshots: snapshots.map(({ timestamp, rows }) => ({
      timestamp: BigInt(timestamp),
      rows: new Map(Object.entries(rows)),
    })),
    diffs: diffs.map(({ from, to, rows }) => ({
      from: BigInt(from),
      to: BigInt(to),
      rows: new Map(Object.entries(rows)),
    })),
  }));
}

function byTablet(lines: readonly string[]): TabletRows {
  const tablets = new Map<string, string[]>();
  let rows: string[] = [];
  for (const line of lines) {
    if (line.startsWith("T ")) {
      const id = line.slice("T ".length);
      rows = tablets.get(id) ?? [];
      tablets.set(id, rows);
    } else {
      rows.push(line.slice("R\t".length));
    }
  }
  return tablets;
}
