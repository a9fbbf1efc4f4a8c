/** The rows that can be recovered from the damaged replicas of a tablet, as new row sets without earlier history. */
import { findingOf } from "@cfile/bytes";
import { encodeCell, LATEST_TIMESTAMP } from "@cfile/deltafile";
import type { ColumnBatch } from "@cfile/encodings";
import type { KuduColumn, KuduSchema } from "../catalog/schema-message.js";
import type { ClusterTablet, KuduCluster } from "../cluster/kudu-cluster.js";
import { LoadedRowSet } from "../load/loaded-row-set.js";
import { batchOfCells } from "../log/stored-cells.js";
import type { TabletLedger } from "../recover/tablet-ledger.js";
import {
  lastChangeIn,
  lastOperationOf,
  type RestoredRowSet,
  type TabletContent,
  unseenNotes,
} from "./whole-replica.js";

/**
 * @param schema the newest schema
 * @throws {CFileError} as `KuduTablet.recover`
 */
export async function recoveredRows(
  cluster: KuduCluster,
  tablet: ClusterTablet,
  schema: KuduSchema,
): Promise<TabletContent> {
  const notes = ["no replica is whole: the rows that could be recovered have no earlier history"];
  const lastWrite = await lastWriteIn(tablet);
  return {
    rowSets: rowSetsOf(cluster, tablet, schema, lastWrite, notes),
    lastDurableMrsId: 0n,
    lastOperation: lastOperationOf(tablet),
    lastWrite,
    changedAt: BigInt(Date.now()) * 1000n,
    server: tablet.readable[0]?.server,
    flushed: 0,
    notes,
  };
}

async function* rowSetsOf(
  cluster: KuduCluster,
  { id }: ClusterTablet,
  schema: KuduSchema,
  insertedAt: bigint,
  notes: string[],
): AsyncGenerator<RestoredRowSet, void, void> {
  const source = await cluster.tablet(id);
  const names = schema.columns.map(
    ({ id: wanted }) => source.schema.columns.find((one) => one.id === wanted)?.name,
  );
  const columns = names.filter((name) => name !== undefined);
  let current: LoadedRowSet | undefined;
  let nextId = 0n;
  const finished = async (rowSet: LoadedRowSet): Promise<RestoredRowSet> => {
    const { files, rows } = await rowSet.files(insertedAt);
    return { id: nextId++, lastDurableDmsId: -1n, files, liveRows: rows };
  };
  const options = { columns, withLog: true };
  const recovering = source.recover(
    options,
    () => undefined,
    (ledger) => notes.push(...notesOf(ledger)),
  );
  for await (const batch of recovering) {
    if (current?.isFull) {
      yield await finished(current);
      current = undefined;
    }
    current ??= new LoadedRowSet(schema);
    await current.append(
      schema.columns.map((column, i) => {
        const place = columns.indexOf(names[i] ?? "");
        return batch.columns[place] ?? constant(column, batch.length);
      }),
    );
  }
  if (current !== undefined) {
    yield await finished(current);
  }
}

function notesOf({ lost, rowsDifferent, snapshot, unseen }: TabletLedger): string[] {
  const isKnown = lost.every(({ rows }) => rows !== undefined);
  const rows = lost.reduce((sum, range) => sum + (range.rows ?? 0), 0);
  return [
    ...(lost.length === 0 ? [] : [isKnown ? `at most ${rows} rows are lost` : "rows are lost"]),
    ...(rowsDifferent === 0
      ? []
      : [`${rowsDifferent} rows differ between undamaged replicas and are left out`]),
    ...(snapshot === "requested" ? [] : ["later operations are lost, or hidden by damage"]),
    ...unseenNotes(unseen),
  ];
}

/** Cells of a column that was added after the replica was last changed. */
function constant(column: KuduColumn, length: number): ColumnBatch {
  const { readDefault } = column;
  return batchOfCells(
    column,
    Array(length).fill(readDefault === undefined ? null : encodeCell(column, readDefault)),
  );
}

/**
 * The last write that undamaged parts of the replicas show; the current time if they show none.
 *
 * @throws {CFileError} `E_IO`, `E_SOURCE_CHANGED` if a source fails
 */
async function lastWriteIn({ readable }: ClusterTablet): Promise<bigint> {
  let last = 0n;
  const consider = async (find: () => Promise<bigint>): Promise<void> => {
    try {
      const found = await find();
      last = found > last && found < LATEST_TIMESTAMP ? found : last;
    } catch (error) {
      // Throws if a source fails, which may have a later write.
      findingOf(error);
    }
  };
  for (const { tablet } of readable) {
    await consider(async () => (await tablet.unflushed())?.lastWrite ?? 0n);
    for (const rowSet of tablet.rowSets) {
      await consider(async () => lastChangeIn(await rowSet.files()));
    }
  }
  return last === 0n ? BigInt(Date.now()) * 4_096_000n : last;
}
