/**
 * Bulk load: `cfile table create` builds a row set from CSV, and `cfile kudu load` adds it to a copy of a
 * stopped server. The server then serves it.
 */
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JavaProgram } from "../java-driver.js";
import type { Random } from "../random.js";
import type { CheckResult } from "../report.js";
import { cfileOutput } from "./cfile-command.js";
import {
  type ClientTable,
  readDiff,
  readSnapshot,
  readTable,
  type TabletRows,
} from "./compare/client-rows.js";
import { readAtRest } from "./compare/read-at-rest.js";
import { readTheirs } from "./compare/read-theirs.js";
import type { KuduServer } from "./kudu-server.js";
import { Session } from "./session.js";
import type { TableModel } from "./table-model.js";
import { COMPRESSIONS, encodingsOf, isText, type PlannedColumn, type PlannedTable } from "./table-plan.js";

const TYPES = ["INT8", "INT32", "INT64", "DOUBLE", "BOOL", "STRING"] as const;
const KEY_TYPES = ["INT16", "INT32", "INT64", "STRING"] as const;

/** A table whose cells CSV supports. */
export function planBulkTable(random: Random, name: string): PlannedTable {
  const column = (columnName: string, key: 0 | 1): PlannedColumn => {
    const type = random.pick<PlannedColumn["type"]>(key === 1 ? KEY_TYPES : TYPES);
    return {
      name: columnName,
      type,
      key,
      nullable: key === 0 && random.once(2),
      encoding: random.pick(encodingsOf(type)),
      compression: random.pick(COMPRESSIONS),
      blockSize: random.pick([0, 512, 4096]),
      defaultCell: "?",
      precision: 0,
      scale: 0,
      length: 0,
    };
  };
  const keys = Array.from({ length: random.between(1, 3) }, (_, i) => column(`k${i}`, 1));
  const others = Array.from({ length: random.between(1, 5) }, (_, i) => column(`c${i}`, 0));
  const hashed = random.shuffled(keys.map((key) => key.name)).slice(0, random.between(1, keys.length));
  const isSplit = random.once(2);
  return {
    name,
    columns: [...keys, ...others],
    hashes: random.once(2) ? [`${random.between(2, 4)}:${random.below(1000)}:${hashed.join(",")}`] : [],
    splits: isSplit ? [isText(keys[0]?.type ?? "INT8") ? "x6d" : "100"] : [],
  };
}

interface Cell {
  readonly csv: string;
  /** In the text format of the driver. */
  readonly text: string;
}

function randomCsvCell(random: Random, { type, nullable }: PlannedColumn): Cell {
  if (nullable && random.once(4)) {
    return { csv: "", text: "~" };
  }
  switch (type) {
    case "STRING": {
      const text = Array.from({ length: random.between(1, 12) }, () => random.pick([..."abmxyz,é"])).join("");
      return { csv: `"${text}"`, text: `x${Buffer.from(text).toString("hex")}` };
    }
    case "DOUBLE": {
      const value = random.between(-1000, 1000) / 8;
      const bits = Buffer.alloc(8);
      bits.writeDoubleBE(value);
      return { csv: String(value), text: bits.toString("hex") };
    }
    case "BOOL": {
      const value = random.below(2);
      return { csv: value === 1 ? "true" : "false", text: String(value) };
    }
    default: {
      const most = type === "INT8" ? 127 : type === "INT16" ? 32767 : 1_000_000;
      const value = String(random.between(-most, most));
      return { csv: value, text: value };
    }
  }
}

/** A table for the bulk load, and the rows that the client read before it. */
export interface BulkTable {
  readonly plan: PlannedTable;
  readonly model: TableModel;
  readonly before: ClientTable;
}

/** The rows of the table at its last snapshot, and new ones. */
interface BulkRows {
  readonly timestamp: bigint;
  readonly old: readonly string[];
  readonly added: readonly string[];
}

export async function bulkLoad(
  random: Random,
  from: KuduServer,
  program: JavaProgram,
  bulk: BulkTable,
): Promise<CheckResult[]> {
  const folder = join(from.options.folder, "loaded");
  await mkdir(folder);
  const rows = await writeCsv(random, join(folder, "rows.csv"), bulk);
  await loadCsv(from, folder, bulk.plan);
  const server = from.movedTo(folder);
  const failures: string[] = [];
  const check = await server.fsTool(["fs", "check"]);
  if (!check.includes("Total missing blocks: 0")) {
    failures.push(`kudu fs check: ${check.slice(-500)}`);
  }
  const session = new Session(server, program);
  try {
    await session.start();
    failures.push(...(await compareLoaded(session, bulk.plan.name, rows)));
    failures.push(...(await changeLoaded(random, session, bulk.model, rows)));
    for (const step of ["flush-deltas", "flush", "major", "merge"] as const) {
      await server.maintain(step, 1000);
    }
    const { timestamp, old, added } = rows;
    const times = bulk.model.times;
    const after = await readAtRest(server, () =>
      readTable(
        session.driver,
        bulk.plan.name,
        [...times.slice(-3), timestamp],
        [[timestamp, times.at(-1) ?? 0n]],
      ),
    );
    await session.stop();
    const ours = await readTheirs(
      server,
      [after],
      "Kudu updates and compacts loaded rows, and cfile reads the result",
    );
    return [
      {
        what: "Kudu serves rows that `cfile kudu load` added",
        cases: 3,
        rows: old.length * 2 + added.length * 2,
        failures,
      },
      ours,
    ];
  } finally {
    await session.stop("SIGKILL");
  }
}

async function writeCsv(random: Random, path: string, { plan, before }: BulkTable): Promise<BulkRows> {
  const last = before.snapshots.reduce((a, b) => (a.timestamp > b.timestamp ? a : b));
  const old = all(last.rows);
  const keyCount = plan.columns.filter(({ key }) => key === 1).length;
  const keyOf = (row: string): string => row.split("\t").slice(0, keyCount).join("\t");
  const taken = new Set(old.map(keyOf));
  const csv = [plan.columns.map(({ name }) => name).join(",")];
  const added: string[] = [];
  for (let i = 0; i < random.pick([30, 400, 3000]); i++) {
    const cells = plan.columns.map((column) => randomCsvCell(random, column));
    const row = cells.map(({ text }) => text).join("\t");
    if (!taken.has(keyOf(row))) {
      taken.add(keyOf(row));
      added.push(row);
      csv.push(cells.map((cell) => cell.csv).join(","));
    }
  }
  await writeFile(path, `${csv.join("\n")}\n`);
  return { timestamp: last.timestamp, old, added };
}

/** Builds a row set from the CSV and loads it into a copy of the server. */
async function loadCsv(from: KuduServer, folder: string, { name, columns }: PlannedTable): Promise<void> {
  const rowSet = join(folder, "rows");
  const keys = columns.filter(({ key }) => key === 1).map((column) => column.name);
  const schema = columns.map(
    (column) => `${column.name}:${column.type.toLowerCase()}${column.nullable ? "?" : ""}`,
  );
  const made = ["-o", rowSet, "--key", keys.join(","), "--schema", schema.join(",")];
  await cfileOutput(["table", "create", join(folder, "rows.csv"), ...made]);
  const copied = ["--table", name, "--rowset", rowSet, "--copy-to", join(folder, "ts")];
  await cfileOutput(["kudu", "load", from.dataFolder, ...copied]);
  await cp(join(from.options.folder, "m"), join(folder, "m"), { recursive: true });
}

async function compareLoaded({ driver }: Session, name: string, rows: BulkRows): Promise<string[]> {
  const { timestamp, old, added } = rows;
  const now = BigInt(Date.now()) * 4096000n;
  return [
    ...differences("before the load", old, await readSnapshot(driver, name, timestamp)),
    ...differences("after the load", [...old, ...added], await readSnapshot(driver, name, now)),
    ...differences(
      "what changed",
      added.map((row) => `${row}\t0`),
      await readDiff(driver, name, timestamp, now),
    ),
  ];
}

function differences(what: string, wanted: readonly string[], { rows }: { rows: TabletRows }): string[] {
  const found = all(rows).sort();
  const sorted = [...wanted].sort();
  const at = sorted.findIndex((row, i) => row !== found[i]);
  return at === -1 && found.length === sorted.length
    ? []
    : [
        `${what}: ${sorted.length} rows expected, ${found.length} read; first difference ${sorted[at]} ${found[at]}`,
      ];
}

/** The server must reject inserts of existing rows, and must be able to update them. */
async function changeLoaded(
  random: Random,
  { driver }: Session,
  model: TableModel,
  { old, added }: BulkRows,
): Promise<string[]> {
  const failures: string[] = [];
  const accepted = await model.insertAgain(driver, [...old, ...added]);
  if (accepted !== 0) {
    failures.push(`${accepted} rows were inserted twice`);
  }
  // Kudu finds the tablet by the hash of the key, and the row by Bloom file and index.
  const refused = await model.updateAll(
    driver,
    random,
    added.map((row) => row.split("\t")),
  );
  if (refused.length > 0) {
    failures.push(`${refused.length} of ${added.length} rows failed to update: ${refused[0]}`);
  }
  for (let i = 0; i < 2; i++) {
    await model.write(driver, random);
  }
  return failures;
}

function all(rows: TabletRows): string[] {
  return [...rows.values()].flat();
}
