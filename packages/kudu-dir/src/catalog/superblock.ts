/** `TabletSuperBlockPB`: the contents of a tablet (docs/spec/kudu-data-dir.md#7-superblock). */
import { corrupt } from "@cfile/bytes";
import { MessageReader } from "@cfile/protobuf/read";
import { checkBlockId } from "../blocks/block-record.js";
import {
  type ColumnDataPB,
  decodeTabletSuperBlockPB,
  type RowSetDataPB,
  type TxnMetadataPB,
} from "../generated/decode.js";
import type { OperationId } from "../log/log-messages.js";
import { type Partition, type PartitionSchema, partitionOf, partitionSchemaOf } from "./partition-message.js";
import { type KuduSchema, schemaOf } from "./schema-message.js";

/** `copying`: not yet complete; `deleted` and `tombstoned`: without data. */
export type TabletState = "unknown" | "copying" | "ready" | "deleted" | "tombstoned";

/** Block IDs of a row set by role: `RowSetDataPB`. */
export interface RowSetBlocks {
  readonly id: bigint;
  /** ID of the last flushed DeltaMemStore; -1 for none. */
  readonly lastDurableDmsId: bigint;
  /** By column ID. */
  readonly columns: ReadonlyMap<number, bigint>;
  /** Oldest first. */
  readonly redo: readonly bigint[];
  /** Newest first. */
  readonly undo: readonly bigint[];
  readonly bloom: bigint | undefined;
  readonly adhocIndex: bigint | undefined;
  readonly liveRowCount: number | undefined;
}

/** A block of a row set. */
export interface BlockRole {
  readonly id: bigint;
  /** `column ID`, `bloom`, `adhoc-index`, `undo` or `redo`. */
  readonly role: string;
}

/** A multi-row transaction. */
interface TransactionState {
  readonly aborted: boolean;
  readonly commitTimestamp: bigint | undefined;
  /** Whether its rows are flushed. */
  readonly flushed: boolean;
}

/** The contents of a tablet; see docs/spec/kudu-data-dir.md#7-superblock. */
export interface Superblock {
  readonly tabletId: string;
  readonly tableId: string;
  readonly tableName: string;
  readonly state: TabletState;
  /** ID of the last flushed MemRowSet; -1 for none. */
  readonly lastDurableMrsId: bigint;
  readonly schema: KuduSchema;
  readonly schemaVersion: number;
  readonly rowSets: readonly RowSetBlocks[];
  /** Blocks scheduled for deletion. */
  readonly orphanedBlocks: readonly bigint[];
  readonly partition: Partition;
  readonly partitionSchema: PartitionSchema | undefined;
  /** UUIDs of the data directories that hold its blocks. */
  readonly dataDirs: readonly string[];
  readonly supportsLiveRowCount: boolean;
  /** Seconds of history that the table keeps, if set. */
  readonly historyMaxAgeSeconds: number | undefined;
  readonly dimensionLabel: string | undefined;
  readonly transactions: ReadonlyMap<bigint, TransactionState>;
  /** The last operation logged by a replica before it was tombstoned. */
  readonly tombstoneLastLogged: OperationId | undefined;
}

const STATES: Readonly<Record<number, TabletState>> = {
  0: "copying",
  1: "ready",
  2: "deleted",
  3: "tombstoned",
  999: "unknown",
};
const UNKNOWN = 999;

/** @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` naming the field; `E_UNSUPPORTED` for unknown column types */
export function parseSuperblock(bytes: Uint8Array): Superblock {
  const message = decodeTabletSuperBlockPB(new MessageReader(bytes, "TabletSuperBlockPB"));
  const rowSets = message.rowsets.map(rowSetOf);
  checkRowSets(rowSets);
  const { tabletDataState: number = UNKNOWN, partitionSchema } = message;
  const state = STATES[number];
  if (state === undefined) {
    throw corrupt(`unknown tablet state ${number}`, { field: "tablet_data_state", actual: number });
  }
  const schema = schemaOf(message.schema);
  return {
    tabletId: message.tabletId,
    tableId: message.tableId,
    tableName: message.tableName,
    state,
    lastDurableMrsId: message.lastDurableMrsId,
    schema,
    schemaVersion: message.schemaVersion ?? 0,
    rowSets,
    orphanedBlocks: message.orphanedBlocks.map(checkBlockId),
    partition: partitionOf(message.partition),
    partitionSchema: partitionSchema && partitionSchemaOf(partitionSchema, schema),
    dataDirs: message.dataDirGroup?.uuids ?? [],
    supportsLiveRowCount: message.supportsLiveRowCount ?? false,
    historyMaxAgeSeconds: message.extraConfig?.historyMaxAgeSec,
    dimensionLabel: message.dimensionLabel,
    tombstoneLastLogged: message.tombstoneLastLoggedOpid,
    transactions: new Map(message.txnMetadata.map(({ key = 0n, value }) => [key, transactionOf(value)])),
  };
}

/** All blocks of a row set with their roles: columns, Bloom file, ad-hoc index, UNDO files, REDO files. */
export function rolesOf({ columns, bloom, adhocIndex, undo, redo }: RowSetBlocks): readonly BlockRole[] {
  return [
    ...[...columns].map(([column, id]) => ({ id, role: `column ${column}` })),
    ...(bloom === undefined ? [] : [{ id: bloom, role: "bloom" }]),
    ...(adhocIndex === undefined ? [] : [{ id: adhocIndex, role: "adhoc-index" }]),
    ...undo.map((id) => ({ id, role: "undo" })),
    ...redo.map((id) => ({ id, role: "redo" })),
  ];
}

/** Row set IDs are unique, and each block has one role in one row set. */
function checkRowSets(rowSets: readonly RowSetBlocks[]): void {
  const ids = new Set<bigint>();
  const blocks = new Set<bigint>();
  for (const rowSet of rowSets) {
    if (ids.has(rowSet.id)) {
      throw corrupt(`duplicate row set ${rowSet.id}`, { field: "rowsets" });
    }
    ids.add(rowSet.id);
    for (const { id } of rolesOf(rowSet)) {
      if (blocks.has(id)) {
        throw corrupt(`block ${id} has two roles`, { field: "rowsets", actual: String(id) });
      }
      blocks.add(id);
    }
  }
}

function rowSetOf(message: RowSetDataPB): RowSetBlocks {
  const { bloomBlock, adhocIndexBlock } = message;
  return {
    id: message.id,
    lastDurableDmsId: message.lastDurableDmsId ?? -1n,
    columns: columnBlocks(message.columns),
    redo: message.redoDeltas.map(({ block }) => checkBlockId(block)),
    undo: message.undoDeltas.map(({ block }) => checkBlockId(block)),
    bloom: bloomBlock && checkBlockId(bloomBlock),
    adhocIndex: adhocIndexBlock && checkBlockId(adhocIndexBlock),
    liveRowCount: message.liveRowCount,
  };
}

function columnBlocks(columns: readonly ColumnDataPB[]): Map<number, bigint> {
  const blocks = new Map<number, bigint>();
  for (const { block, columnId } of columns) {
    if (blocks.has(columnId)) {
      throw corrupt(`column ${columnId} has two blocks`, { field: "column_id", actual: columnId });
    }
    blocks.set(columnId, checkBlockId(block));
  }
  return blocks;
}

function transactionOf(message: TxnMetadataPB | undefined): TransactionState {
  return {
    aborted: message?.aborted ?? false,
    commitTimestamp: message?.commitTimestamp,
    flushed: message?.flushedCommittedMrs ?? false,
  };
}
