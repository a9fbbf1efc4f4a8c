/** Compares the rows that cfile reads from the disks of a cluster with the answers to Kudu's client. */
import { isCFileError } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import {
  type ClusterTable,
  type KuduCluster,
  type KuduTablet,
  openKuduCluster,
  type WriteScope,
} from "@cfile/kudu-dir";
import { keyOfDeleted } from "../../kudu/compare/compare-answers.js";
import { firstDifference, rowTexts } from "../../kudu/compare/compare-rows.js";
import type { CheckResult } from "../../report.js";
import type { ClusterTruth, TableTruth } from "../cluster-truth.js";

/** The available disks, and what may be missing. */
export interface Disks {
  readonly what: string;
  /** What is damaged, for failures. */
  readonly detail?: string;
  readonly roots: readonly string[];
  /** Whether disks of a server are missing: tablets with one replica may be lost. */
  readonly isIncomplete: boolean;
  /** Whether any tablet may be unreadable. If rows of a tablet are read, they must still be correct and complete. */
  readonly isDamaged: boolean;
  readonly writes?: WriteScope;
}

interface Comparing {
  readonly truth: ClusterTruth;
  readonly table: TableTruth;
  readonly disks: Disks;
  readonly tally: { cases: number; rows: number; errors: number; readonly failures: string[] };
}

const MOST_FAILURES = 12;

export async function compareCluster(truth: ClusterTruth, disks: Disks): Promise<CheckResult> {
  const tally = { cases: 0, rows: 0, errors: 0, failures: [] as string[] };
  await using cluster = await openKuduCluster(disks.roots, { writes: disks.writes });
  for (const table of truth.tables) {
    const comparing: Comparing = { truth, table, disks, tally };
    const opened = await attempt(comparing, `table ${table.name}`, () => cluster.table(table.name));
    if (opened !== undefined) {
      await compareTimes(cluster, opened, comparing);
      const replicas = await cluster.replicaSets(opened.id);
      const doubtful = replicas.filter(({ unseen }) => unseen.length > 0).map(({ id }) => id);
      await compareLatest(opened, new Set(doubtful), comparing);
    }
  }
  const { cases, rows, errors, failures } = tally;
  return {
    what: disks.what,
    cases,
    rows,
    failures: failures.slice(0, MOST_FAILURES).map((text) => `${text}${disks.detail ?? ""}`),
    ...(disks.isDamaged || disks.isIncomplete ? { counts: { "errors for lost parts": errors } } : {}),
  };
}

/** Compares the snapshots and diffs that the client read, tablet by tablet. */
async function compareTimes(
  cluster: KuduCluster,
  { missing }: ClusterTable,
  comparing: Comparing,
): Promise<void> {
  const { table, tally, truth, disks } = comparing;
  const partialHistory = truth.hasMockClock;
  for (const { from, to, columns: before, rows } of table.read) {
    const kept = before.flatMap((name, position) => {
      const now = table.names[name];
      return now ? [{ now, position }] : [];
    });
    const options = { columns: kept.map(({ now }) => now), withLog: true, partialHistory };
    const read = (tablet: KuduTablet): AsyncIterable<TableBatch & { readonly deleted?: Uint8Array }> =>
      from === null
        ? tablet.scan({ ...options, asOf: BigInt(to) })
        : tablet.diff(BigInt(from), BigInt(to), options);
    for (const [id, lines] of Object.entries(rows)) {
      const place = `table ${table.name}, tablet ${id}, ${from === null ? `asOf ${to}` : `diff ${from} ${to}`}, ${disks.what}`;
      const found = await attempt(comparing, place, async () => {
        const texts: string[] = [];
        for await (const batch of read(await cluster.tablet(id))) {
          texts.push(...rowTexts(batch, batch.deleted));
        }
        return texts;
      });
      tally.cases++;
      if (found !== undefined) {
        tally.rows += found.length;
        const expected = lines.map((line) => projected(line, kept, before.length));
        // The cells of deleted rows depend on flushes, which differ by replica.
        const sure = from === null ? (row: string) => row : keyOfDeleted(table.keyCount);
        const difference = firstDifference(expected.map(sure), found.map(sure));
        if (difference !== undefined) {
          tally.failures.push(`${place}: ${difference}`);
        }
      }
    }
  }
  if (missing.length > 0 && !isLossy(comparing)) {
    tally.failures.push(`table ${table.name}: ${missing.length} tablets are missing, ${disks.what}`);
  }
}

/** The cells of the columns that still exist, and the flag of a diff, which follows all columns. */
function projected(line: string, kept: readonly { readonly position: number }[], width: number): string {
  const cells = line.split("\t");
  return [...kept.map(({ position }) => cells[position]), ...cells.slice(width)].join("\t");
}

/**
 * Compares the latest rows of all tablets: each key must have one of its possible rows.
 *
 * @param doubtful tablets whose last writes may be only on lost disks, according to cfile
 */
async function compareLatest(
  opened: ClusterTable,
  doubtful: ReadonlySet<string>,
  comparing: Comparing,
): Promise<void> {
  const { table, tally, disks } = comparing;
  const place = `table ${table.name}, latest rows, ${disks.what}`;
  const found = new Map<string, string>();
  let isWhole = opened.missing.length === 0;
  for (const tablet of opened.tablets) {
    const rows = await attempt(comparing, `${place}, tablet ${tablet.id}`, async () => {
      const texts: string[] = [];
      for await (const batch of tablet.scan({ columns: table.columns, withLog: true })) {
        texts.push(...rowTexts(batch, undefined));
      }
      return texts;
    });
    const isDoubtful = doubtful.has(tablet.id);
    if (isDoubtful && !disks.isDamaged) {
      tally.failures.push(`${place}, tablet ${tablet.id}: writes that may be lost are reported`);
    }
    isWhole &&= rows !== undefined && !isDoubtful;
    for (const row of isDoubtful ? [] : (rows ?? [])) {
      const key = row.split("\t", table.keyCount).join("\t");
      if (found.has(key)) {
        tally.failures.push(`${place}: key ${JSON.stringify(key)} appears twice`);
      }
      found.set(key, row);
    }
  }
  tally.cases++;
  tally.rows += found.size;
  for (const key of new Set([...Object.keys(table.allowed), ...found.keys()])) {
    const rows = table.allowed[key] ?? [null];
    const row = found.get(key) ?? null;
    if (!rows.includes(row) && (isWhole || row !== null)) {
      const expected = rows.map((one) => JSON.stringify(one)).join(" or ");
      tally.failures.push(`${place}: expected ${expected}, found ${JSON.stringify(row)}`);
    }
  }
}

/** @returns `undefined` after an error, which is a failure unless the disks explain it */
async function attempt<T>(
  comparing: Comparing,
  place: string,
  read: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!isCFileError(error) || !isLossy(comparing)) {
      const text = isCFileError(error) ? `${error.code} ${error.message}` : String((error as Error).stack);
      comparing.tally.failures.push(`${place}: ${text}`);
    } else {
      comparing.tally.errors++;
    }
    return undefined;
  }
}

function isLossy({ table, disks }: Comparing): boolean {
  return disks.isDamaged || (disks.isIncomplete && table.replicas === 1);
}
