/** `TabletSuperBlockPB`: what a tablet consists of (docs/spec/kudu-data-dir.md#7-superblock). */
import { corrupt } from "@cfile/bytes";
import { parseBlockId } from "../blocks/block-record.js";
import {
  type Partition,
  type PartitionSchema,
  parsePartition,
  parsePartitionSchema,
  WHOLE_TABLE,
} from "./partition-message.js";
import { MessageReader, required } from "./protobuf-message.js";
import { type KuduSchema, parseSchema } from "./schema-message.js";

/** `copying`: not complete yet; `deleted` and `tombstoned`: without data. */
export type TabletState = "unknown" | "copying" | "ready" | "deleted" | "tombstoned";

/** Block ids of a row set by role: `RowSetDataPB`. */
export interface RowSetBlocks {
  readonly id: bigint;
  /** Changes in memory up to this one are in files; -1 for none. */
  readonly lastDurableDmsId: bigint;
  /** By column id. */
  readonly columns: ReadonlyMap<number, bigint>;
  /** Oldest first. */
  readonly redo: readonly bigint[];
  /** Newest first. */
  readonly undo: readonly bigint[];
  readonly bloom: bigint | undefined;
  readonly adhocIndex: bigint | undefined;
  readonly liveRowCount: number | undefined;
}

/** A transaction of several rows. */
export interface TransactionState {
  readonly aborted: boolean;
  readonly commitTimestamp: bigint | undefined;
  /** Whether its rows in memory are in files. */
  readonly flushed: boolean;
}

export interface Superblock {
  readonly tabletId: string;
  readonly tableId: string;
  readonly tableName: string;
  readonly state: TabletState;
  /** Rows in memory up to this MemRowSet are in files; -1 for none. */
  readonly lastDurableMrsId: bigint;
  readonly schema: KuduSchema;
  readonly schemaVersion: number;
  readonly rowSets: readonly RowSetBlocks[];
  /** Blocks that were to be deleted. */
  readonly orphanedBlocks: readonly bigint[];
  readonly partition: Partition;
  readonly partitionSchema: PartitionSchema | undefined;
  /** Ids of the data directories in which its blocks are. */
  readonly dataDirs: readonly string[];
  readonly supportsLiveRowCount: boolean;
  /** For how long the table keeps history, when it says so. */
  readonly historyMaxAgeSeconds: number | undefined;
  readonly dimensionLabel: string | undefined;
  readonly transactions: ReadonlyMap<bigint, TransactionState>;
}

const STATES: Readonly<Record<number, TabletState>> = {
  0: "copying",
  1: "ready",
  2: "deleted",
  3: "tombstoned",
  999: "unknown",
};

/** @throws CFileError `E_CORRUPT` or `E_TRUNCATED` naming the field; `E_UNSUPPORTED` for types that columns cannot have */
export function parseSuperblock(bytes: Uint8Array): Superblock {
  const message = new MessageReader(bytes, "TabletSuperBlockPB");
  const rowSets: RowSetBlocks[] = [];
  const orphanedBlocks: bigint[] = [];
  const dataDirs: string[] = [];
  const transactions = new Map<bigint, TransactionState>();
  let tableId: string | undefined;
  let tabletId: string | undefined;
  let tableName: string | undefined;
  let schema: KuduSchema | undefined;
  let lastDurableMrsId: bigint | undefined;
  let schemaVersion = 0;
  let state = 999;
  let partition = WHOLE_TABLE;
  let partitionSchema: PartitionSchema | undefined;
  let supportsLiveRowCount = false;
  let historyMaxAgeSeconds: number | undefined;
  let dimensionLabel: string | undefined;
  const readers: Readonly<Record<number, () => void>> = {
    1: () => (tableId = message.text("table_id")),
    2: () => (tabletId = message.text("tablet_id")),
    3: () => (lastDurableMrsId = message.int64("last_durable_mrs_id")),
    6: () => rowSets.push(parseRowSet(message.message("RowSetDataPB"))),
    7: () => (tableName = message.text("table_name")),
    8: () => (schema = parseSchema(message.message("SchemaPB"))),
    9: () => (schemaVersion = message.int32("schema_version")),
    10: () => (state = message.int32("tablet_data_state")),
    11: () => orphanedBlocks.push(parseBlockId(message.message("orphaned_blocks"))),
    13: () => (partition = parsePartition(message.message("PartitionPB"))),
    14: () => (partitionSchema = parsePartitionSchema(message.message("PartitionSchemaPB"))),
    15: () => dataDirs.push(...parseTexts(message.message("data_dir_group"))),
    16: () => (supportsLiveRowCount = message.bool("supports_live_row_count")),
    17: () => (historyMaxAgeSeconds = parseHistoryAge(message.message("extra_config"))),
    18: () => (dimensionLabel = message.text("dimension_label")),
    20: () => addTransaction(message.message("txn_metadata"), transactions),
  };
  for (let field = message.next(); field !== 0; field = message.next()) {
    (readers[field] ?? (() => message.skip()))();
  }
  const { name } = message;
  checkRowSets(rowSets);
  const known = STATES[state];
  if (known === undefined) {
    throw corrupt(`tablet state ${state}`, { field: "tablet_data_state", actual: state });
  }
  return {
    tabletId: required(tabletId, name, "tablet_id"),
    tableId: required(tableId, name, "table_id"),
    tableName: required(tableName, name, "table_name"),
    state: known,
    lastDurableMrsId: required(lastDurableMrsId, name, "last_durable_mrs_id"),
    schema: required(schema, name, "schema"),
    schemaVersion,
    rowSets,
    orphanedBlocks,
    partition,
    partitionSchema,
    dataDirs,
    supportsLiveRowCount,
    historyMaxAgeSeconds,
    dimensionLabel,
    transactions,
  };
}

/** All blocks of a row set, with what they are for. */
export function* rolesOf(rowSet: RowSetBlocks): Generator<{ readonly id: bigint; readonly role: string }> {
  for (const [column, id] of rowSet.columns) {
    yield { id, role: `column ${column}` };
  }
  if (rowSet.bloom !== undefined) {
    yield { id: rowSet.bloom, role: "bloom" };
  }
  if (rowSet.adhocIndex !== undefined) {
    yield { id: rowSet.adhocIndex, role: "adhoc-index" };
  }
  for (const id of rowSet.undo) {
    yield { id, role: "undo" };
  }
  for (const id of rowSet.redo) {
    yield { id, role: "redo" };
  }
}

/** A block has one role in one row set. */
function checkRowSets(rowSets: readonly RowSetBlocks[]): void {
  const ids = new Set<bigint>();
  const blocks = new Set<bigint>();
  for (const rowSet of rowSets) {
    if (ids.has(rowSet.id)) {
      throw corrupt(`row set ${rowSet.id} is there twice`, { field: "rowsets" });
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

function parseRowSet(message: MessageReader): RowSetBlocks {
  const columns = new Map<number, bigint>();
  const redo: bigint[] = [];
  const undo: bigint[] = [];
  let id: bigint | undefined;
  let lastDurableDmsId = -1n;
  let bloom: bigint | undefined;
  let adhocIndex: bigint | undefined;
  let liveRowCount: number | undefined;
  const readers: Readonly<Record<number, () => void>> = {
    1: () => (id = message.uint64("id")),
    2: () => (lastDurableDmsId = message.int64("last_durable_dms_id")),
    3: () => addColumn(message.message("ColumnDataPB"), columns),
    4: () => redo.push(parseBlock(message.message("redo_deltas")).block),
    5: () => undo.push(parseBlock(message.message("undo_deltas")).block),
    6: () => (bloom = parseBlockId(message.message("bloom_block"))),
    7: () => (adhocIndex = parseBlockId(message.message("adhoc_index_block"))),
    10: () => (liveRowCount = message.count("live_row_count")),
  };
  for (let field = message.next(); field !== 0; field = message.next()) {
    (readers[field] ?? (() => message.skip()))();
  }
  return {
    id: required(id, message.name, "id"),
    lastDurableDmsId,
    columns,
    redo,
    undo,
    bloom,
    adhocIndex,
    liveRowCount,
  };
}

function addColumn(message: MessageReader, columns: Map<number, bigint>): void {
  const { block, columnId } = parseBlock(message);
  const id = required(columnId, message.name, "column_id");
  if (columns.has(id)) {
    throw corrupt(`column ${id} has two blocks`, { field: "column_id", actual: id });
  }
  columns.set(id, block);
}

/** `ColumnDataPB`, `DeltaDataPB` */
function parseBlock(message: MessageReader): { block: bigint; columnId: number | undefined } {
  let block: bigint | undefined;
  let columnId: number | undefined;
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === 2) {
      block = parseBlockId(message.message("block"));
    } else if (field === 4) {
      columnId = message.int32("column_id");
    } else {
      message.skip();
    }
  }
  return { block: required(block, message.name, "block"), columnId };
}

function parseTexts(message: MessageReader): string[] {
  const texts: string[] = [];
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === 1) {
      texts.push(message.text(message.name));
    } else {
      message.skip();
    }
  }
  return texts;
}

function parseHistoryAge(message: MessageReader): number | undefined {
  let age: number | undefined;
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === 1) {
      age = message.int32("history_max_age_sec");
    } else {
      message.skip();
    }
  }
  return age;
}

/** An entry of a map: key 1, value 2. */
function addTransaction(message: MessageReader, found: Map<bigint, TransactionState>): void {
  let id = 0n;
  let state: TransactionState = { aborted: false, commitTimestamp: undefined, flushed: false };
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === 1) {
      id = message.int64("transaction id");
    } else if (field === 2) {
      state = parseTransaction(message.message("TxnMetadataPB"));
    } else {
      message.skip();
    }
  }
  found.set(id, state);
}

function parseTransaction(message: MessageReader): TransactionState {
  let aborted = false;
  let commitTimestamp: bigint | undefined;
  let flushed = false;
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === 1) {
      aborted = message.bool("aborted");
    } else if (field === 2) {
      commitTimestamp = message.int64("commit_timestamp");
    } else if (field === 4) {
      flushed = message.bool("flushed_committed_mrs");
    } else {
      message.skip();
    }
  }
  return { aborted, commitTimestamp, flushed };
}
