/**
 * Compares the rows that cfile recovers from damaged replicas with the answers to Kudu's client, and with the same tablets before
 * the damage. Each missing row must be in the ledger, and nothing may be lost that an undamaged replica still has.
 */
import { compareBytes, isCFileError } from "@cfile/bytes";
import { type KuduCluster, type KuduTablet, openKuduCluster } from "@cfile/kudu-dir";
import type { TabletLedger } from "@cfile/kudu-dir/recover";
import { encodeRowKeys, keyAt } from "@cfile/rowset";
import { rowTexts } from "../../kudu/compare/compare-rows.js";
import type { CheckResult } from "../../report.js";
import type { ClusterTruth, TableTruth } from "../cluster-truth.js";

/** The directories of all servers, before and after they were damaged. */
export interface DamagedRoots {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Roots that were left undamaged. */
  readonly undamaged: readonly string[];
  /** What is damaged, for failures. */
  readonly detail: string;
}

interface Clusters {
  readonly before: KuduCluster;
  readonly undamaged: KuduCluster;
}

interface Recovered {
  /** Rows by the text of the key. */
  readonly rows: ReadonlyMap<string, string>;
  readonly ledger: TabletLedger;
}

const MOST_FAILURES = 12;

export async function compareRecovered(truth: ClusterTruth, damaged: DamagedRoots): Promise<CheckResult> {
  const failures: string[] = [];
  const counts = { "complete tablets": 0, "tablets with losses": 0, "rows lost": 0 };
  let rows = 0;
  await using cluster = await openKuduCluster(damaged.after);
  await using before = await openKuduCluster(damaged.before);
  await using undamaged = await openKuduCluster(damaged.undamaged);
  for (const table of truth.tables) {
    const opened = await cluster.table(table.name).catch((error: unknown) => {
      if (isCFileError(error)) {
        return undefined;
      }
      throw error;
    });
    const found = new Map<string, string>();
    let isWhole = opened !== undefined && opened.missing.length === 0;
    for (const tablet of opened?.tablets ?? []) {
      const recovered = await recover(tablet, table);
      const { ledger } = recovered;
      isWhole &&= ledger.complete;
      counts[ledger.complete ? "complete tablets" : "tablets with losses"]++;
      // Rows of an earlier snapshot, or of an unknown one, may be out of date.
      for (const [key, row] of ledger.snapshot === "requested" ? recovered.rows : []) {
        found.set(key, row);
      }
      const { lost, wrong } = await compareTablet(recovered, table, { before, undamaged });
      counts["rows lost"] += lost;
      failures.push(...wrong.map((text) => `table ${table.name}, tablet ${tablet.id}, recovered: ${text}`));
    }
    rows += found.size;
    failures.push(...differences(table, found, isWhole));
  }
  return {
    what: "flipped bytes, recovered",
    cases: counts["complete tablets"] + counts["tablets with losses"],
    rows,
    failures: failures.slice(0, MOST_FAILURES).map((text) => `${text}${damaged.detail}`),
    counts,
  };
}

async function recover(tablet: KuduTablet, table: TableTruth): Promise<Recovered> {
  const ledgers: TabletLedger[] = [];
  const options = { columns: table.columns, withLog: true };
  const texts: string[] = [];
  for await (const batch of tablet.recover(
    options,
    () => undefined,
    (one) => ledgers.push(one),
  )) {
    texts.push(...rowTexts(batch, undefined));
  }
  const [ledger] = ledgers;
  if (ledger === undefined) {
    throw new TypeError(`tablet ${tablet.id} has no ledger`);
  }
  return { rows: byKey(texts, table), ledger };
}

/** Compares the ledger with the same snapshot of the tablet before the damage. */
async function compareTablet(
  { rows, ledger }: Recovered,
  table: TableTruth,
  clusters: Clusters,
): Promise<{ readonly lost: number; readonly wrong: readonly string[] }> {
  const wrong: string[] = [];
  const fromSources = ledger.sources.reduce((sum, source) => sum + source.rows, 0);
  if (ledger.rows !== rows.size || fromSources !== rows.size) {
    wrong.push(`${rows.size} rows, ${ledger.rows} in the ledger, ${fromSources} from its sources`);
  }
  // If most logs are damaged, they may hide writes that the undamaged replica lacks.
  const isHidden = ledger.unseen.length > 0;
  if (!ledger.complete && !isHidden && (await isWholeWithout(ledger.tablet, clusters))) {
    const { snapshot, lost, rowsDifferent } = ledger;
    const found = `${snapshot} snapshot, ${lost.length} lost ranges, ${rowsDifferent} rows that differ`;
    wrong.push(`not complete, although an undamaged replica has everything: ${found}`);
  }
  if (ledger.snapshot === "unknown") {
    return { lost: 0, wrong };
  }
  const expected = await rowsBefore(ledger, table, clusters.before);
  if (expected === undefined) {
    return { lost: 0, wrong };
  }
  let lost = 0;
  for (const [key, { row, encoded }] of expected) {
    // Writes without an answer may be included in one case and not in the other.
    const isCertain = (table.allowed[key] ?? [null]).length === 1;
    const now = rows.get(key);
    const isListed =
      ledger.different.some((one) => compareBytes(one.key, encoded) === 0) ||
      ledger.lost.some(
        ({ from, to }) =>
          (from === undefined || compareBytes(from, encoded) <= 0) &&
          (to === undefined || compareBytes(encoded, to) <= 0),
      );
    lost += isCertain && now === undefined ? 1 : 0;
    if (isCertain && (now === undefined ? !isListed : now !== row)) {
      wrong.push(`expected ${JSON.stringify(row)}, found ${JSON.stringify(now)}, not in the ledger`);
    }
  }
  for (const [key, row] of rows) {
    if (!expected.has(key) && (table.allowed[key] ?? [null]).length === 1) {
      wrong.push(`found ${JSON.stringify(row)}, which the tablet did not have`);
    }
  }
  const most = ledger.lost.reduce((sum, range) => sum + (range.rows ?? Number.POSITIVE_INFINITY), 0);
  if (lost > most + ledger.rowsDifferent && ledger.snapshot === "requested") {
    wrong.push(`${lost} rows lost, at most ${most} in the ledger`);
  }
  return { lost, wrong };
}

/** The rows of the snapshot that was recovered, from the undamaged disks; `undefined` if its history is gone. */
async function rowsBefore(
  { tablet: id, asOf }: TabletLedger,
  table: TableTruth,
  before: KuduCluster,
): Promise<ReadonlyMap<string, { readonly row: string; readonly encoded: Uint8Array }> | undefined> {
  const rows = new Map<string, { row: string; encoded: Uint8Array }>();
  const tablet = await before.tablet(id);
  try {
    for await (const batch of tablet.scan({ columns: table.columns, withLog: true, asOf })) {
      const keys = encodeRowKeys(batch.columns.slice(0, table.keyCount));
      for (const [i, row] of rowTexts(batch, undefined).entries()) {
        rows.set(keyText(row, table), { row, encoded: keyAt(keys, i).slice() });
      }
    }
  } catch (error) {
    if (!isCFileError(error, "E_HISTORY_GONE")) {
      throw error;
    }
    return undefined;
  }
  return rows;
}

/** Whether a replica on an undamaged server has the last operation of all servers. */
async function isWholeWithout(id: string, { before, undamaged }: Clusters): Promise<boolean> {
  const find = async (cluster: KuduCluster) => (await cluster.replicaSets()).find((one) => one.id === id);
  const last = (await find(before))?.lineage.at(-1);
  const [best] = (await find(undamaged))?.readable ?? [];
  const own = best?.lastOperation;
  return (
    last !== undefined &&
    best?.problems.length === 0 &&
    own?.term === last.term &&
    own.index === last.index &&
    best.hasWholeLog
  );
}

function byKey(texts: readonly string[], table: TableTruth): ReadonlyMap<string, string> {
  return new Map(texts.map((row) => [keyText(row, table), row]));
}

function keyText(row: string, { keyCount }: TableTruth): string {
  return row.split("\t", keyCount).join("\t");
}

function differences(
  table: TableTruth,
  found: ReadonlyMap<string, string>,
  isWhole: boolean,
): readonly string[] {
  return [...new Set([...Object.keys(table.allowed), ...found.keys()])].flatMap((key) => {
    const allowed = table.allowed[key] ?? [null];
    const row = found.get(key) ?? null;
    const isWrong = !allowed.includes(row) && (isWhole || row !== null);
    return isWrong
      ? [`table ${table.name}, recovered: expected ${JSON.stringify(allowed)}, found ${JSON.stringify(row)}`]
      : [];
  });
}
