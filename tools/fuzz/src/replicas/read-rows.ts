/** Reads the table of the model from the directories of servers, and determines which writes its rows show. */
import { type CFileError, isCFileError } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import { memoryTree } from "@cfile/io";
import { type ClusterTable, openKuduCluster, type Replica, type WriteScope } from "@cfile/kudu-dir";
import type { TabletLedger } from "@cfile/kudu-dir/recover";
import type { Files } from "../disk/simulated-disk.js";
import { isWrite, type ModelEntry } from "../harnesses/raft-replica.js";
import { chainOf, changesOf, FIRST_OWN_KEY, numberOf, rowsAfter, TABLE } from "./table-rows.js";

interface RecoveredRows {
  readonly rows: ReadonlyMap<number, number>;
  readonly ledger: TabletLedger;
}

/** The table as callers read it. */
export interface ReadTable {
  /** By key; `undefined` if it is refused. */
  readonly rows: ReadonlyMap<number, number> | undefined;
  readonly refusal: CFileError | undefined;
  /** The rows recovered from all replicas; `undefined` if recovery is also refused. */
  readonly recovered: RecoveredRows | undefined;
  readonly replicas: readonly Replica[];
  /** Whether it reports that writes may be missing. */
  readonly isIncomplete: boolean;
}

/** @param servers files by the server's name */
export async function readTable(servers: ReadonlyMap<string, Files>, writes: WriteScope): Promise<ReadTable> {
  await using cluster = await openKuduCluster(
    [...servers].map(([name, files]) => memoryTree(files, name)),
    { writes },
  );
  const [tablet] = await cluster.replicaSets();
  const table = await cluster.table(TABLE);
  const scanned = await unlessRefused(() => rowsOf(table.scan()));
  const recovered = await unlessRefused(() => recoveredRows(table));
  return {
    replicas: tablet?.replicas ?? [],
    isIncomplete: (tablet?.unseen.length ?? 0) > 0,
    rows: isCFileError(scanned) ? undefined : scanned,
    refusal: isCFileError(scanned) ? scanned : undefined,
    recovered: isCFileError(recovered) ? undefined : recovered,
  };
}

/** @throws errors of other types, which are faults of the reader */
async function unlessRefused<T>(read: () => Promise<T>): Promise<T | CFileError> {
  try {
    return await read();
  } catch (error) {
    if (!isCFileError(error)) {
      throw error;
    }
    return error;
  }
}

async function recoveredRows({ tablets: [tablet] }: ClusterTable): Promise<RecoveredRows | undefined> {
  const ledgers: TabletLedger[] = [];
  const rows = await rowsOf(
    tablet?.recover(
      {},
      () => undefined,
      (ledger) => void ledgers.push(ledger),
    ) ?? [],
  );
  const [ledger] = ledgers;
  return ledger && { rows, ledger };
}

async function rowsOf(
  batches: AsyncIterable<TableBatch> | Iterable<TableBatch>,
): Promise<ReadonlyMap<number, number>> {
  const rows = new Map<number, number>();
  for await (const { columns } of batches) {
    const [keys = [], values = []] = columns.map((column) => column.toArray());
    keys.forEach((key, i) => {
      if (rows.has(Number(key))) {
        throw new RangeError(`row ${String(key)} is read twice`);
      }
      rows.set(Number(key), Number(values[i]));
    });
  }
  return rows;
}

/** @throws {RangeError} if a row was never written */
export function requireWritten(rows: ReadonlyMap<number, number>, entries: Iterable<ModelEntry>): void {
  const byNumber = new Map([...entries].map((entry) => [numberOf(entry), entry]));
  for (const [key, value] of rows) {
    const entry = byNumber.get(value);
    if (entry === undefined || !changesOf(entry).some((one) => one.key === key && one.value === value)) {
      throw new RangeError(`a row that was never written: ${key} with ${value}`);
    }
  }
}

/**
 * The writes that rows show: those of one log, from its beginning to one of them.
 *
 * @param entries all operations of the model
 * @throws {RangeError} if they are not the rows after the operations of such a log
 */
export function writesOf(
  rows: ReadonlyMap<number, number>,
  entries: Iterable<ModelEntry>,
): readonly ModelEntry[] {
  const byNumber = new Map([...entries].map((entry) => [numberOf(entry), entry]));
  const own = [...rows.keys()].filter((key) => key >= FIRST_OWN_KEY);
  const last = byNumber.get(Math.max(...own));
  const expected = rowsAfter(chainOf(last));
  const text = (map: ReadonlyMap<number, number>): string =>
    JSON.stringify([...map].sort(([left], [right]) => left - right));
  if (text(rows) !== text(expected)) {
    throw new RangeError(`wrong rows: ${text(rows)} instead of ${text(expected)}`);
  }
  return chainOf(last).filter(isWrite);
}
