/** `LogEntryBatchPB` and what is in it (docs/spec/kudu-wal.md#3-entry). Credentials in requests are never read. */
import { MessageReader } from "@cfile/protobuf/read";
import { type RaftConfig, raftConfigOf } from "../catalog/consensus-message.js";
import { type KuduSchema, schemaOf } from "../catalog/schema-message.js";
import {
  type CommitMsg,
  decodeLogEntryBatchPB,
  type ReplicateMsg,
  type WriteRequestPB,
} from "../generated/decode.js";

/** An op ID: term and index. */
export interface OperationId {
  readonly term: bigint;
  readonly index: bigint;
}

/** Names of operations, as Kudu spells them; others are told by their number. */
const OPERATIONS: Readonly<Record<number, string>> = {
  1: "NO_OP",
  3: "WRITE_OP",
  4: "ALTER_SCHEMA_OP",
  5: "CHANGE_CONFIG_OP",
  6: "PARTICIPANT_OP",
};

/** What was asked for: a `ReplicateMsg`. */
export interface Replicate {
  readonly id: OperationId;
  readonly timestamp: bigint;
  /** `WRITE_OP` say. */
  readonly operation: string;
  readonly write: WriteRequest | undefined;
  /** The schema from there on. */
  readonly schema: KuduSchema | undefined;
  /** The Raft configuration from there on. */
  readonly config: RaftConfig | undefined;
}

/** A client's write: row operations with the schema that they are encoded with. */
export interface WriteRequest {
  /** The client's; ids are places. */
  readonly schema: KuduSchema;
  readonly rows: Uint8Array;
  readonly indirect: Uint8Array;
  readonly transaction: bigint | undefined;
  /** The last one that was used before the request. */
  readonly autoIncrement: bigint | undefined;
}

/** That it was applied, and to what: a `CommitMsg`. */
export interface Commit {
  readonly id: OperationId;
  readonly operation: string;
  readonly results: readonly OperationResult[];
}

/** What a row operation changed, by its commit. */
export interface OperationResult {
  /** Whether it changed nothing: failed, or is not to be applied again. */
  readonly skipped: boolean;
  readonly stores: readonly MutatedStore[];
}

/** Where a change went; -1 for what does not apply. */
export interface MutatedStore {
  readonly mrsId: bigint;
  readonly rowSetId: bigint;
  readonly dmsId: bigint;
  readonly transaction: bigint;
}

/** An entry of a write-ahead log: an operation that was replicated, the outcome of one, or neither. */
export interface LogEntry {
  readonly replicate: Replicate | undefined;
  readonly commit: Commit | undefined;
}

/** @throws CFileError `E_CORRUPT`, `E_TRUNCATED` or `E_UNSUPPORTED` naming the field */
export function parseLogEntries(data: Uint8Array): LogEntry[] {
  const { entry } = decodeLogEntryBatchPB(new MessageReader(data, "LogEntryBatchPB"));
  return entry.map(({ replicate, commit }) => ({
    replicate: replicate && replicateOf(replicate),
    commit: commit && commitOf(commit),
  }));
}

function replicateOf({ id, timestamp, ...message }: ReplicateMsg): Replicate {
  const { opType, writeRequest: write, alterSchemaRequest: alter, changeConfigRecord } = message;
  const config = changeConfigRecord?.newConfig;
  return {
    id,
    timestamp,
    operation: operationName(opType),
    write: write && writeOf(write),
    schema: alter?.schema && schemaOf(alter.schema),
    config: config && raftConfigOf(config),
  };
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
  const results = (result?.ops ?? []).map(({ skipOnReplay = false, failedStatus, mutatedStores }) => ({
    skipped: skipOnReplay || failedStatus !== undefined,
    stores: mutatedStores.map(({ mrsId = -1n, rsId = -1n, dmsId = -1n, rsTxnId = -1n }) => ({
      mrsId,
      rowSetId: rsId,
      dmsId,
      transaction: rsTxnId,
    })),
  }));
  return { id: commitedOpId, operation: operationName(opType), results };
}
