/** `LogEntryBatchPB` (docs/spec/kudu-wal.md#3-entry). Credentials in requests are never read. */
import { MessageReader } from "@cfile/protobuf/read";
import { type RaftConfig, raftConfigOf } from "../catalog/consensus-message.js";
import { type KuduSchema, schemaOf } from "../catalog/schema-message.js";
import {
  type AlterSchemaRequestPB,
  type ChangeConfigRecordPB,
  type CommitMsg,
  decodeLogEntryBatchPB,
  decodeLogOutlinePB,
  decodeOperationResultPB,
  type OperationResultPB,
  type ReplicateMsg,
  type WriteRequestPB,
} from "../generated/decode.js";

/** An op ID: term and index. */
export interface OperationId {
  readonly term: bigint;
  readonly index: bigint;
}

/** Operation names in Kudu's spelling; unknown operations are shown as numbers. */
const OPERATIONS: Readonly<Record<number, string>> = {
  1: "NO_OP",
  3: "WRITE_OP",
  4: "ALTER_SCHEMA_OP",
  5: "CHANGE_CONFIG_OP",
  6: "PARTICIPANT_OP",
};

/** An operation that was replicated: a `ReplicateMsg`. */
export interface Replicate {
  readonly id: OperationId;
  readonly timestamp: bigint;
  /** For example `WRITE_OP`. */
  readonly operation: string;
  readonly write: WriteRequest | undefined;
  /** The schema from this operation on. */
  readonly schema: KuduSchema | undefined;
  /** @internal */
  readonly alter?: AlterSchemaRequestPB | undefined;
  /** The Raft configuration from this operation on. */
  readonly config: RaftConfig | undefined;
}

/** A client's write: row operations and the schema that encodes them. */
export interface WriteRequest {
  /** The client's projection; column IDs are indexes. */
  readonly schema: KuduSchema;
  readonly rows: Uint8Array;
  readonly indirect: Uint8Array;
  readonly transaction: bigint | undefined;
  /** The last value used before the request. */
  readonly autoIncrement: bigint | undefined;
}

/** The result of an operation that was applied: a `CommitMsg`. */
export interface Commit {
  readonly id: OperationId;
  readonly operation: string;
  readonly results: readonly OperationResult[];
}

/** What a row operation changed, according to its commit. */
export interface OperationResult {
  /** Whether it changed nothing, because it failed or must not be replayed. */
  readonly skipped: boolean;
  /** Whether it changed nothing in any replica. */
  readonly failed: boolean;
  readonly stores: readonly MutatedStore[];
}

/** The store that a change went to; -1 for fields that do not apply. */
export interface MutatedStore {
  readonly mrsId: bigint;
  readonly rowSetId: bigint;
  readonly dmsId: bigint;
  readonly transaction: bigint;
}

/** An entry of a write-ahead log: an operation, the result of one, or neither. */
export interface LogEntry {
  readonly replicate: Replicate | undefined;
  readonly commit: Commit | undefined;
}

/** An operation without its content. */
export type ReplicateOutline = Pick<Replicate, "id" | "timestamp" | "config">;

/** An entry of a write-ahead log without the contents of operations. */
export interface LogEntryOutline {
  readonly replicate: ReplicateOutline | undefined;
  readonly commit: Pick<Commit, "id"> | undefined;
}

/** @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` with the field */
export function parseLogOutline(data: Uint8Array): LogEntryOutline[] {
  const { entry } = decodeLogOutlinePB(new MessageReader(data, "LogEntryBatchPB"));
  return entry.map(({ replicate, commit }) => ({
    replicate: replicate && {
      id: replicate.id,
      timestamp: replicate.timestamp,
      config: configOf(replicate.changeConfigRecord),
    },
    commit: commit && { id: commit.commitedOpId },
  }));
}

/** @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED` or `E_UNSUPPORTED` with the field */
export function parseLogEntries(data: Uint8Array): LogEntry[] {
  const { entry } = decodeLogEntryBatchPB(new MessageReader(data, "LogEntryBatchPB"));
  return entry.map(({ replicate, commit }) => ({
    replicate: replicate && replicateOf(replicate),
    commit: commit && commitOf(commit),
  }));
}

function replicateOf({ id, timestamp, ...message }: ReplicateMsg): Replicate {
  const { opType, writeRequest: write, alterSchemaRequest: alter, changeConfigRecord } = message;
  return {
    id,
    timestamp,
    operation: operationName(opType),
    write: write && writeOf(write),
    schema: alter?.schema && schemaOf(alter.schema),
    alter,
    config: configOf(changeConfigRecord),
  };
}

function configOf(record: ChangeConfigRecordPB | undefined): RaftConfig | undefined {
  return record?.newConfig && raftConfigOf(record.newConfig);
}

function operationName(number = 0): string {
  return OPERATIONS[number] ?? String(number);
}

function writeOf(message: WriteRequestPB): WriteRequest {
  const { schema, rowOperations, txnId, autoIncrementingColumn: counter } = message;
  const nothing = new Uint8Array(0);
  return {
    schema: schemaOf(schema ?? { columns: [] }),
    rows: rowOperations?.rows ?? nothing,
    indirect: rowOperations?.indirectData ?? nothing,
    transaction: txnId,
    autoIncrement: counter && (counter.autoIncrementingCounter ?? 0n),
  };
}

function commitOf({ commitedOpId, opType, result }: CommitMsg): Commit {
  const results: OperationResult[] = [];
  let message: Uint8Array | undefined;
  let last: OperationResult | undefined;
  for (const next of result?.ops ?? []) {
    // Most operations of a write change the same store: their messages are one view, and they share one result.
    if (last === undefined || message !== next) {
      last = resultOf(decodeOperationResultPB(new MessageReader(next, "OperationResultPB")));
      message = next;
    }
    results.push(last);
  }
  return { id: commitedOpId, operation: operationName(opType), results };
}

function resultOf({ skipOnReplay = false, failedStatus, mutatedStores }: OperationResultPB): OperationResult {
  return {
    skipped: skipOnReplay || failedStatus !== undefined,
    failed: failedStatus !== undefined || (!skipOnReplay && mutatedStores.length === 0),
    stores: mutatedStores.map(({ mrsId = -1n, rsId = -1n, dmsId = -1n, rsTxnId = -1n }) => ({
      mrsId,
      rowSetId: rsId,
      dmsId,
      transaction: rsTxnId,
    })),
  };
}
