/**
 * A second, smaller server per round that discards data: history older than the retention time, range
 * partitions, whole tables, replicas. Kudu's client reads the rows right after each write; cfile must read
 * the same later, or reject the snapshot.
 */
import { mkdir } from "node:fs/promises";
import { openKuduDir } from "@cfile/kudu-dir";
import { addCoverage } from "../../coverage.js";
import { DriverError, type JavaDriver } from "../../java-driver.js";
import { Random } from "../../random.js";
import type { CheckResult } from "../../report.js";
import { readDiff, readSnapshot } from "../compare/client-rows.js";
import { readAtRest } from "../compare/read-at-rest.js";
import { fileCoverage, serverCoverage } from "../kudu-coverage.js";
import type { Maintenance } from "../kudu-process.js";
import { KuduServer } from "../kudu-server.js";
import { type KuduPrograms, Session } from "../session.js";
import { TableModel } from "../table-model.js";
import { planColumn, planTable } from "../table-plan.js";
import { compareHistory, type Truth } from "./forgotten-history.js";
import { checkForgotten } from "./forgotten-tablets.js";

const STEPS: readonly (Maintenance | "write" | "range")[] = [
  "write", "write", "write", "flush", "flush-deltas", "minor", "major", "merge", "merge", "range", "range",
]; // biome-ignore format: one line
const MAINTENANCE_MS = 600;
/** Data that the server discards by itself. */
const COLLECTIONS = ["enable_undo_delta_block_gc", "enable_deleted_rowset_gc"];
/** Key cells that ranges are made of. */
const BOUNDS = ["-128", "-60", "-20", "0", "5", "11", "30", "100"];

/** The same for each seed, and independent of the choices for the first server. */
export async function forgettingRound(
  seed: number,
  folder: string,
  { home, driver: program }: KuduPrograms,
): Promise<CheckResult[]> {
  const random = new Random(seed ^ 0x2f6b1d);
  const blockManager = random.once(2) ? "log" : "file";
  const encrypted = random.once(4);
  const isKilled = random.once(3);
  const seconds = random.pick([2, 4]);
  const isOfServer = random.once(2);
  await mkdir(folder, { recursive: true });
  const flags = isOfServer ? [`--tablet_history_max_age_sec=${seconds}`] : [];
  const server = new KuduServer({ home, folder, blockManager, encrypted, flags });
  const session = new Session(server, program);
  try {
    await session.start();
    const { driver } = session;
    const kept = planTable(random, "kept");
    const history = new TableModel({ ...kept, historySeconds: isOfServer ? undefined : seconds });
    const ranges = new RangedTable(random);
    const dropped = new TableModel(planTable(random, "dropped"));
    const replicas = new TableModel({ ...planTable(random, "replicas"), splits: [], hashes: ["3:1:k0"] });
    const tables = [history, ranges.table, dropped, replicas];
    const truths = tables.map((table): Truth => ({ table, snapshots: [], diffs: [], lastDiffs: new Map() }));
    for (const table of tables) {
      await table.create(driver);
    }
    await writeAll(random, driver, truths);
    await server.maintain("flush", MAINTENANCE_MS);
    for (let i = random.between(8, 12); i > 0; i--) {
      const step = random.pick(STEPS);
      if (step === "write") {
        await writeAll(random, driver, truths);
      } else if (step === "range") {
        await ranges.alter(random, driver);
      } else {
        await server.maintain(step, MAINTENANCE_MS);
      }
    }
    await driver.ask(["drop-table", dropped.name]);
    const asked = truths.filter(({ table }) => table !== dropped);
    for (const collection of COLLECTIONS) {
      await server.setFlag(collection, "false");
    }
    await readAtRest(server, () => readLastDiffs(driver, asked));
    const now = await Promise.all(
      asked.map(({ table }) => readSnapshot(driver, table.name, BigInt(Date.now()) * 4_096_000n)),
    );
    const alive = new Map(asked.map(({ table }, i) => [table.name, new Map(now[i]?.rows)]));
    const [tombstoned = ""] = random.shuffled([...(alive.get(replicas.name)?.keys() ?? [])]);
    await server.deleteReplica(tombstoned);
    alive.get(replicas.name)?.delete(tombstoned);
    await server.untilReplicasAre(new Set([...alive.values()].flatMap((rows) => [...rows.keys()])));
    await session.stop(isKilled ? "SIGKILL" : "SIGTERM");
    const stopped = BigInt(Date.now()) * 1000n;

    await using dir = await openKuduDir(server.dataFolder, {
      historyMaxAgeSeconds: isOfServer ? seconds : undefined,
    });
    const known = (stopped - BigInt(seconds) * 1_000_000n) << 12n;
    const forgotten = await compareHistory(dir, asked, alive, (table) =>
      isOfServer || table === history.name ? known : 0n,
    );
    const occurred = addCoverage(await fileCoverage(dir), serverCoverage(server.options, isKilled));
    return [
      { ...forgotten, occurred },
      await checkForgotten(dir, server, { alive, tombstoned, dropped: dropped.name }),
    ];
  } catch (error) {
    return await session.crashAfter(error);
  } finally {
    await session.stop("SIGKILL");
  }
}

/** A table whose range partitions come and go. */
class RangedTable {
  readonly table: TableModel;
  private readonly ranges: [string, string][];

  constructor(random: Random) {
    const plan = planTable(random, "ranged");
    const key = { ...planColumn(random, "k0", plan.columns[0]?.key ?? 1), type: "INT8" as const };
    const encodings = ["AUTO_ENCODING", "PLAIN_ENCODING", "BIT_SHUFFLE", "RLE"];
    const first = { ...key, encoding: random.pick(encodings) };
    this.ranges = [this.freeRange(random, [])];
    this.ranges.push(this.freeRange(random, this.ranges));
    this.table = new TableModel({
      ...plan,
      columns: [first, ...plan.columns.slice(1)],
      splits: [],
      ranges: [...this.ranges],
    });
  }

  /** Adds a missing range, or drops one with its rows. */
  async alter(random: Random, driver: JavaDriver): Promise<void> {
    const isDrop = this.ranges.length > 2 || (this.ranges.length > 1 && random.once(2));
    const range = isDrop ? random.pick(this.ranges) : this.freeRange(random, this.ranges);
    await driver.ask(["alter", this.table.name, isDrop ? "drop-range" : "add-range", ...range]);
    if (isDrop) {
      this.ranges.splice(this.ranges.indexOf(range), 1);
    } else {
      this.ranges.push(range);
    }
  }

  private freeRange(random: Random, taken: readonly (readonly [string, string])[]): [string, string] {
    const free = BOUNDS.slice(1)
      .map((upper, i): [string, string] => [BOUNDS[i] ?? "", upper])
      .filter(([lower]) => !taken.some(([known]) => known === lower));
    return random.pick(free);
  }
}

async function writeAll(random: Random, driver: JavaDriver, truths: readonly Truth[]): Promise<void> {
  for (const { table, snapshots, diffs } of truths) {
    await table.write(driver, random);
    const [time = 0n, before] = table.times.slice(-2).reverse();
    const snapshot = await unlessForgotten(readSnapshot(driver, table.name, time));
    if (snapshot !== undefined) {
      snapshots.push(snapshot);
    }
    const diff = before && (await unlessForgotten(readDiff(driver, table.name, before, time)));
    if (diff) {
      diffs.push(diff);
    }
  }
}

/** Requests the diff of each write again. */
async function readLastDiffs(driver: JavaDriver, truths: readonly Truth[]): Promise<void> {
  for (const { table, diffs, lastDiffs } of truths) {
    lastDiffs.clear();
    for (const [i, { from, to }] of diffs.entries()) {
      const diff = await unlessForgotten(readDiff(driver, table.name, from, to));
      if (diff !== undefined) {
        lastDiffs.set(i, diff);
      }
    }
  }
}

/** `undefined` when the server reports that it no longer has that time. */
async function unlessForgotten<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof DriverError && /ancient history mark/i.test(error.message)) {
      return undefined;
    }
    throw error;
  }
}
